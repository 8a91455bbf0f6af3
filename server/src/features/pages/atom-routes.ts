import { type Html, html } from '../../../../embed/src/render/html.ts'
import { sharesIn } from '../../../../embed/src/results.ts'
import { langOf, votesIn } from '../../../../embed/src/words.ts'
import { iso } from '../../base/clock.ts'
import { orNotFound } from '../../base/errors.ts'
import { brandParams } from '../../events/resources/brand.ts'
import { publicCaching } from '../../http/answers/caching.ts'
import { assetOf, assetReply } from '../../http/answers/reply.ts'
import { outside, type Route, route } from '../../http/route.ts'
import { findBrand } from '../brands/brands.ts'
import type { Deps } from '../deps.ts'
import { publicFeed } from '../polls/lists.ts'
import { presentListItem } from '../polls/present-poll.ts'
import type { PollRow } from '../polls/queries.ts'
import { askingOf } from './page.ts'

const MOST_ENTRIES = 50
/** Polls whose results stay hidden are left out, so more are read than shown. */
const MOST_READ = 100

/** RFC 4287: the results of a brand, for feed readers. */
export const atomRoutes = (deps: Deps): Route[] => [
  route({
    ...outside,
    path: '/b/{brandSlug}/feed.atom',
    name: 'getBrandAtomFeed',
    params: brandParams,
    answers: {
      200: {
        description: 'The closed polls of the brand with public results, as Atom.',
        contentType: 'application/atom+xml',
        headers: { always: ['ETag'] },
      },
    },
    errors: ['NOT_FOUND'],
    async handle({ incoming, params: { brandSlug }, now }) {
      const { db } = deps.engine
      const brand = orNotFound(await findBrand(db, brandSlug))
      const { looks, vary } = askingOf(incoming)
      const asked = { brandKey: brand.key, paging: { limit: MOST_READ, after: null }, now }
      const { rows } = await publicFeed(db, asked, { status: 'closed', order: 'closing' })
      const lang = langOf(looks.lang)
      const entries = rows.flatMap((row) => entryOf(deps, row, { lang, now }) ?? []).slice(0, MOST_ENTRIES)
      const address = `${deps.config.publicUrl}/b/${brand.slug}`
      const name = brand.display_name ?? brand.name
      const updated = entries[0]?.at ?? brand.created_at
      const feed = html`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${lang}"><id>${address}</id><title>${name}</title><updated>${iso(updated)}</updated><author><name>${name}</name></author><link rel="self" type="application/atom+xml" href="${address}/feed.atom"/><link rel="alternate" type="text/html" href="${address}"/>${entries.map(({ xml }) => xml)}</feed>`
      const caching = publicCaching(now, { changesAt: null })
      const asset = assetOf(`${HEAD}${validXml(`${feed}`)}\n`, 'fast')
      return assetReply(asset, { 'Content-Type': 'application/atom+xml; charset=utf-8', ...vary, ...caching })
    },
  }),
]

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** XML 1.0 has no way to write these two characters; titles may hold them. */
const validXml = (text: string): string => text.replace(/[\ufffe\uffff]/g, '\ufffd')

/** Null where visitors do not see the results. */
function entryOf(
  deps: Deps,
  row: PollRow,
  { lang, now }: { lang: string; now: number },
): { readonly at: number; readonly xml: Html } | null {
  const { id, title, optionA, optionB, tallies } = presentListItem(row, { deps, viewer: 'public', now })
  if (tallies.hidden || row.closes_at === null) return null
  const at = row.closes_at
  const { A, B } = sharesIn(lang, tallies)
  const results =
    tallies.total === 0 ? [optionA.label, optionB.label] : [`${optionA.label} ${A.text}`, `${optionB.label} ${B.text}`]
  const summary = [...results, votesIn(lang, tallies.total)].join(' · ')
  const link = `${deps.config.publicUrl}/p/${row.short_id}`
  const xml = html`<entry><id>urn:uuid:${id}</id><title>${title}</title><updated>${iso(at)}</updated><link rel="alternate" type="text/html" href="${link}"/><summary>${summary}</summary></entry>`
  return { at, xml }
}
