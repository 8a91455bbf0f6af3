import { z } from 'zod'
// Every language is spoken here before the first page is made.
import '../../../../embed/src/all-languages.ts'
import { LOOKS, type Looks } from '../../../../embed/src/looks.ts'
import type { Deps } from '../../deps.ts'
import { publicCacheControl } from '../../http/caching.ts'
import { anyone } from '../../http/guard.ts'
import type { Incoming } from '../../http/incoming.ts'
import type { Reply } from '../../http/reply.ts'
import { type Route, route } from '../../http/route.ts'
import { findBrand } from '../brands/queries.ts'
import { brandParams, presentPublicBrand } from '../brands/schema.ts'
import { campaignChangesAt, presentPublicCampaign } from '../campaigns/present-campaign.ts'
import { findPublicCampaign } from '../campaigns/queries.ts'
import { campaignParams } from '../campaigns/schema.ts'
import { withItsPolls } from '../campaigns/with-polls.ts'
import type { PublicPolls } from '../polls/public-routes.ts'
import { type PublicPoll, pollParams } from '../polls/schema.ts'
import { assetOf, assetReply } from './asset.ts'
import { embedAssetRoutes } from './asset-routes.ts'
import { missingPage } from './missing-page.ts'
import type { PageKind, Subject } from './page.ts'
import { contentPolicy } from './policy.ts'
import { preferredLang } from './preferred-lang.ts'
import { renderPage } from './render-page.ts'
import { campaignSubject, type FeedPage, feedSubject, pollSubject } from './subjects.ts'

interface Found {
  readonly subject: Subject
  readonly changesAt: number | null
}

const slugText = z.object({ slug: z.string() })
const campaignText = z.object({ campaignId: z.string() })
const brandText = z.object({ brandSlug: z.string() })

const HTML = { 'Content-Type': 'text/html; charset=utf-8' }
const answers = {
  200: { description: 'The page.', contentType: 'text/html' },
  404: { description: 'What is asked for is not there.', contentType: 'text/html' },
}
const common = { method: 'GET', isOutside: true, guard: anyone, caching: 'own', answers } as const

export function pageRoutes(deps: Deps, { pollKeys, snapshots, feeds }: PublicPolls): Route[] {
  const { config, engine } = deps
  const origins = [config.publicUrl, ...(config.filesUrl ? [new URL(config.filesUrl).origin] : [])]

  async function findPoll(reference: string, looks: Looks, now: number): Promise<Found | null> {
    const pollKey = await pollKeys.find(reference)
    const snapshot = pollKey === null ? null : await snapshots.find(pollKey)
    if (!snapshot) return null
    const { body, changesAt } = await snapshot.poll(now)
    const { data } = JSON.parse(body) as { data: PublicPoll }
    return { subject: pollSubject(data, looks), changesAt }
  }

  async function findCampaign(campaignId: string, looks: Looks, now: number): Promise<Found | null> {
    const row = await findPublicCampaign(engine.db, campaignId)
    if (!row) return null
    const campaign = await withItsPolls(engine.db, row)
    const address = `${config.publicUrl}/c/${campaignId}`
    const subject = campaignSubject(presentPublicCampaign(campaign, { deps, now }), looks, address)
    return { subject, changesAt: campaignChangesAt(campaign, now) }
  }

  async function findFeed(brandSlug: string, looks: Looks, now: number): Promise<Found | null> {
    const [brand, ready] = await Promise.all([findBrand(engine.db, brandSlug), feeds.find(brandSlug, now)])
    if (!brand || !ready) return null
    const address = `${config.publicUrl}/b/${brandSlug}`
    const page = JSON.parse(ready.body) as FeedPage
    return {
      subject: feedSubject(presentPublicBrand(deps, brand), page, { looks, address }),
      changesAt: ready.changesAt,
    }
  }

  function reply(
    incoming: Incoming,
    found: Found | null,
    { looks, kind, now }: { looks: Looks; kind: PageKind; now: number },
  ): Reply {
    if (!found) {
      const { text, styles } = missingPage(looks)
      const policy = contentPolicy({ styles, origins, frameAncestors: null })
      return {
        status: 404,
        body: text,
        headers: { ...HTML, 'Cache-Control': 'no-store', 'Content-Security-Policy': policy },
      }
    }
    const { text, styles } = renderPage(found.subject, looks, kind)
    const { embedOrigins } = found.subject.theme
    const framing = embedOrigins.length === 0 ? null : ["'self'", ...embedOrigins]
    const frameAncestors = kind === 'frame' ? framing : ["'self'"]
    return assetReply(incoming, assetOf(text), {
      ...HTML,
      'Cache-Control': publicCacheControl(now, found.changesAt),
      'Content-Security-Policy': contentPolicy({ styles, origins, frameAncestors }),
    })
  }

  const handle =
    <Params>(kind: PageKind, find: (params: Params, looks: Looks, now: number) => Promise<Found | null>) =>
    async ({ incoming, params, now }: { incoming: Incoming; params: Params; now: number }) => {
      const looks = looksOf(incoming)
      return reply(incoming, await find(params, looks, now), { looks, kind, now })
    }

  // Who opens an address that cannot be one is told so in words, as where nothing is found.
  const poll = async (given: z.output<typeof slugText>, looks: Looks, now: number) => {
    const params = pollParams.safeParse(given).data
    return params ? findPoll(params.slug, looks, now) : null
  }
  const campaign = async (given: z.output<typeof campaignText>, looks: Looks, now: number) => {
    const params = campaignParams.safeParse(given).data
    return params ? findCampaign(params.campaignId, looks, now) : null
  }
  const feed = async (given: z.output<typeof brandText>, looks: Looks, now: number) => {
    const params = brandParams.safeParse(given).data
    return params ? findFeed(params.brandSlug, looks, now) : null
  }

  return [
    ...embedAssetRoutes(),
    route({
      ...common,
      path: '/p/{slug}',
      name: 'getPollPage',
      summary: 'A poll on a page of its own',
      params: slugText,
      handle: handle('page', poll),
    }),
    route({
      ...common,
      path: '/embed/poll/{slug}',
      name: 'getPollFrame',
      summary: 'A poll for a frame in another page',
      params: slugText,
      handle: handle('frame', poll),
    }),
    route({
      ...common,
      path: '/c/{campaignId}',
      name: 'getCampaignPage',
      summary: 'A campaign on a page of its own',
      params: campaignText,
      handle: handle('page', campaign),
    }),
    route({
      ...common,
      path: '/embed/campaign/{campaignId}',
      name: 'getCampaignFrame',
      summary: 'A campaign for a frame in another page',
      params: campaignText,
      handle: handle('frame', campaign),
    }),
    route({
      ...common,
      path: '/b/{brandSlug}',
      name: 'getBrandPage',
      summary: "A brand's public polls on a page of their own",
      params: brandText,
      handle: handle('page', feed),
    }),
    route({
      ...common,
      path: '/embed/brand/{brandSlug}',
      name: 'getBrandFrame',
      summary: "A brand's public polls for a frame in another page",
      params: brandText,
      handle: handle('frame', feed),
    }),
  ]
}

/** Parameters are read by their names, in any case, as attributes are. */
function looksOf({ request, url, answerHeaders }: Incoming): Looks {
  const given = new Map([...url.searchParams].map(([name, value]) => [name.toLowerCase(), value]))
  const looks = Object.fromEntries(LOOKS.map((name) => [name, given.get(name.toLowerCase()) ?? null])) as Looks
  if (looks.lang) return looks
  answerHeaders['Vary'] = 'Accept-Language'
  return { ...looks, lang: preferredLang(request.headers.get('accept-language')) }
}
