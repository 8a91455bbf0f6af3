// features/pages/sitemaps: robots.txt and sitemaps of what search engines may list.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { z } from 'zod'
import { html } from '../../../../../embed/src/render/html.ts'
import { Cache } from '../../../base/cache.ts'
import { iso, MINUTE } from '../../../base/clock.ts'
import { notFound } from '../../../base/errors.ts'
import { textLike } from '../../../base/fields.ts'
import type { Db } from '../../../db/store.ts'
import { type Asset, assetOf, assetReply, type Reply } from '../../../http/answers/reply.ts'
import { ConcurrencyLimit } from '../../../http/limits/concurrency-limit.ts'
import { outside, type Route, route } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { isListed } from '../../polls/lists.ts'
import { hasOpened } from '../../polls/queries.ts'

/** Sitemaps may hold 50,000 addresses; fewer are rendered faster. */
const SPAN = 10_000
const BATCH = 1_000
const MOST_PARTS = 50_000

interface Listed {
  readonly key: number
  readonly path: string
  readonly updated_at: number
}

interface Range {
  readonly after: number
  readonly last: number
  readonly now: number
}

/** The polls and campaigns of a deleted brand are removed one after another: their pages are unknown before. */
const hasItsBrand = (list: 'polls' | 'campaigns') =>
  sql<boolean>`exists (select 1 from brands where brands.key = ${sql.ref(`${list}.brand_key`)} and brands.deleted_at is null)`

/** For each kind of page: its rows within a range of keys. */
const LISTS = {
  polls: (db: Db, { after, last, now }: Range) =>
    db
      .selectFrom('polls')
      .select(['key', 'updated_at', sql<string>`'/p/' || short_id`.as('path')])
      .where('key', '>', after)
      .where('key', '<=', last)
      .where(isListed)
      .where('deleted_at', 'is', null)
      .where(hasOpened(now))
      .where(hasItsBrand('polls'))
      .orderBy('key')
      .limit(BATCH)
      .execute(),

  campaigns: (db: Db, { after, last }: Range) =>
    db
      .selectFrom('campaigns')
      .select(['key', 'updated_at', sql<string>`'/c/' || id`.as('path')])
      .where('key', '>', after)
      .where('key', '<=', last)
      .where('is_public', '=', 1)
      .where('state', '=', 'published')
      .where('deleted_at', 'is', null)
      .where(hasItsBrand('campaigns'))
      .orderBy('key')
      .limit(BATCH)
      .execute(),

  /** A brand without listed polls is not listed. */
  brands: (db: Db, { after, last, now }: Range) =>
    db
      .selectFrom('brands')
      .select(['key', 'updated_at', sql<string>`'/b/' || slug`.as('path')])
      .where('key', '>', after)
      .where('key', '<=', last)
      .where('brands.deleted_at', 'is', null)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('polls')
            .select('polls.key')
            .whereRef('polls.brand_key', '=', 'brands.key')
            .where(isListed)
            .where('polls.deleted_at', 'is', null)
            .where(hasOpened(now)),
        ),
      )
      .orderBy('key')
      .limit(BATCH)
      .execute(),
} satisfies Record<string, (db: Db, range: Range) => Promise<readonly Listed[]>>

type ListName = keyof typeof LISTS

const NAMES = Object.keys(LISTS) as ListName[]

const FILE = new RegExp(`^(${NAMES.join('|')})-([1-9]\\d{0,4})\\.xml$`)

const sitemapParams = z.object({
  file: textLike(FILE, 'The name of the part, from the index.', 'polls-1.xml'),
})

function readPart(file: string): { list: ListName; number: number } {
  const [, list, number] = FILE.exec(file) ?? []
  return { list: list as ListName, number: Number(number) }
}

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

/** A part is a range of keys: nothing is counted, and an address stays in its part. */
async function sitemapIndex(db: Db, publicUrl: string): Promise<string> {
  const parts: string[] = []
  for (const list of NAMES) {
    const count = Math.min(Math.ceil((await lastKey(db, list)) / SPAN), MOST_PARTS)
    for (let number = 1; number <= count; number++) parts.push(`${publicUrl}/sitemap/${list}-${number}.xml`)
  }
  const entries = parts.slice(0, MOST_PARTS).map((url) => html`<sitemap><loc>${url}</loc></sitemap>\n`)
  return `${HEAD}${html`<sitemapindex xmlns="${NAMESPACE}">\n${entries}</sitemapindex>`}\n`
}

/** Null where there is no such part. Yields to the event loop between batches. */
async function sitemapPart(
  db: Db,
  file: string,
  { publicUrl, now }: { publicUrl: string; now: number },
): Promise<string | null> {
  const { list, number } = readPart(file)
  const first = (number - 1) * SPAN
  if (first > 0 && first >= (await lastKey(db, list))) return null
  const entries: string[] = []
  let after = first
  for (;;) {
    const rows: readonly Listed[] = await LISTS[list](db, { after, last: first + SPAN, now })
    for (const { path, updated_at } of rows) {
      entries.push(`<url><loc>${publicUrl}${path}</loc><lastmod>${iso(updated_at)}</lastmod></url>\n`)
    }
    after = rows.at(-1)?.key ?? after
    if (rows.length < BATCH) break
    await nextTurn()
  }
  return `${HEAD}<urlset xmlns="${NAMESPACE}">\n${entries.join('')}</urlset>\n`
}

async function lastKey(db: Db, list: ListName): Promise<number> {
  const row = await db
    .selectFrom(list)
    .select(({ fn }) => fn.max('key').as('last'))
    .executeTakeFirst()
  return Number(row?.last ?? 0)
}

const KEPT_MS = MINUTE
const MOST_KEPT = 16
/** A part is thousands of rows, and search engines request the parts one by one. */
const MOST_AT_ONCE = 2

const common = { ...outside, tag: 'Pages' } as const
const headers = { always: ['ETag'] } as const
const rules = {
  description: 'Rules in the format of the Robots Exclusion Protocol.',
  contentType: 'text/plain',
} as const
const xml = { description: 'A sitemap.', contentType: 'application/xml', headers } as const

/** Sitemaps and robots.txt. */
export function sitemapRoutes({ config: { publicUrl }, engine: { db } }: Pick<Deps, 'config' | 'engine'>): Route[] {
  const kept = new Cache<string, Asset & { readonly madeAt: number }>(MOST_KEPT)
  const limit = new ConcurrencyLimit({ name: 'sitemaps', total: MOST_AT_ONCE, perOwner: 0 })

  async function make(file: string, now: number): Promise<Asset> {
    const known = kept.get(file)
    if (known && now >= known.madeAt && now < known.madeAt + KEPT_MS) return known
    const release = limit.acquire(null)
    try {
      const body = await sitemapPart(db, file, { publicUrl, now })
      if (body === null) throw notFound()
      const made = { ...assetOf(body, 'fast'), madeAt: now }
      kept.set(file, made)
      return made
    } finally {
      release()
    }
  }

  const robots = assetOf(`User-agent: *\nDisallow:\n\nSitemap: ${publicUrl}/sitemap.xml\n`, 'fast')

  return [
    route({
      ...common,
      path: '/robots.txt',
      name: 'getRobots',
      summary: 'Rules for search engines',
      description: 'Allows everything and links to the sitemap.',
      answers: { 200: { ...rules, headers } },
      handle: () => reply('text/plain; charset=utf-8', robots),
    }),
    route({
      ...common,
      path: '/sitemap.xml',
      name: 'getSitemapIndex',
      summary: 'The index of the sitemaps',
      description: 'Lists the sitemaps of public polls, campaigns and brands, each with at most 10,000 URLs.',
      answers: { 200: xml },
      handle: async () => reply('application/xml', assetOf(await sitemapIndex(db, publicUrl), 'fast')),
    }),
    route({
      ...common,
      path: '/sitemap/{file}',
      name: 'getSitemap',
      summary: 'One part of the sitemap',
      description:
        'The URLs of public polls, campaigns or brands with the time of their last change. Updated at most once a minute.',
      params: sitemapParams,
      answers: { 200: xml },
      errors: ['NOT_FOUND'],
      handle: async ({ params, now }) => reply('application/xml', await make(params.file, now)),
    }),
  ]
}

const reply = (type: string, text: Asset): Reply =>
  assetReply(text, { 'Content-Type': type, 'Cache-Control': 'public, max-age=600' })
