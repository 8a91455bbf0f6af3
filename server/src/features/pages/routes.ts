// features/pages: HTML pages, frames, scripts, share cards, oEmbed, QR codes and sitemaps.
// Imports features: brands, campaigns, polls, uploads.
// Every page has a policy that names each style by its hash.

import { z } from 'zod'
// Registers every language before the first page is rendered.
import '../../../../embed/src/all-languages.ts'
import { LOOKS, type Looks } from '../../../../embed/src/looks.ts'
import type { Deps } from '../../deps.ts'
import { publicCacheControl } from '../../http/caching.ts'
import { anyone } from '../../http/guard.ts'
import type { Incoming } from '../../http/incoming.ts'
import type { Reply } from '../../http/reply.ts'
import { type Route, route } from '../../http/route.ts'
import type { PublicPolls } from '../polls/public-routes.ts'
import { assetReply } from './asset.ts'
import { embedAssetRoutes } from './asset-routes.ts'
import { cardRoutes } from './cards/card-routes.ts'
import { type Find, findSubjects } from './find-subjects.ts'
import { type KeptPage, KeptPages } from './kept-pages.ts'
import { missingPage } from './missing-page.ts'
import { oEmbedRoutes } from './oembed-routes.ts'
import type { PageKind, Subject } from './page.ts'
import { contentPolicy } from './policy.ts'
import { preferredLang } from './preferred-lang.ts'
import { qrRoutes } from './qr-routes.ts'
import { renderPage } from './render-page.ts'
import { sitemapRoutes } from './sitemap-routes.ts'

const CAMPAIGN = '9b2f6c1e-3a5d-4e8f-b7c0-1d2e3f4a5b6c'
const HTML = { 'Content-Type': 'text/html; charset=utf-8' }
const answers = {
  200: { description: 'The page.', contentType: 'text/html' },
  404: { description: 'What is asked for is not there.', contentType: 'text/html' },
}
const common = { method: 'GET', isOutside: true, guard: anyone, caching: 'own', answers } as const

export function pageRoutes(deps: Deps, publicPolls: PublicPolls): Route[] {
  const { config } = deps
  const origins = [config.publicUrl, ...(config.filesUrl ? [new URL(config.filesUrl).origin] : [])]
  const find = findSubjects(deps, publicPolls)
  const pages = new KeptPages()

  function render(subject: Subject, looks: Looks, kind: PageKind) {
    const page = renderPage(subject, looks, { kind, publicUrl: config.publicUrl })
    const { embedOrigins } = subject.theme
    const framing = embedOrigins.length === 0 ? null : ["'self'", ...embedOrigins]
    const frameAncestors = kind === 'frame' ? framing : ["'self'"]
    return { ...page, policy: contentPolicy({ ...page, origins, frameAncestors }) }
  }

  function missing({ looks, vary }: Asking): Reply {
    const { start, ...page } = missingPage(looks)
    const policy = contentPolicy({ ...page, origins, frameAncestors: null })
    const headers = { ...HTML, ...vary, 'Cache-Control': 'no-store', 'Content-Security-Policy': policy }
    return { status: 404, body: start, headers }
  }

  const reply = ({ asset, policy }: KeptPage, headers: Readonly<Record<string, string>>): Reply =>
    assetReply(asset, { ...HTML, ...headers, 'Content-Security-Policy': policy })

  const handle =
    <Params>(kind: PageKind, findIt: Find, referenceOf: (params: Params) => string) =>
    async ({ incoming, params, now }: { incoming: Incoming; params: Params; now: number }) => {
      const asking = askingOf(incoming)
      const found = await findIt(referenceOf(params), now)
      if (!found) return missing(asking)
      const { looks, vary } = asking
      const key = keyOf(kind, found.name, looks)
      const page = pages.find(key, found.source, () => render(found.subject(looks), looks, kind))
      return reply(page, { ...vary, 'Cache-Control': publicCacheControl(now, found.changesAt) })
    }

  /** The fast path: a poll's page without a query, as links request it. */
  const fromMemory =
    (kind: PageKind) =>
    ({ slug = '' }: Readonly<Record<string, string>>, now: number, request: Request): Reply | null => {
      const found = find.peekPoll(slug, now)
      if (!found) return null
      const looks = { ...NO_LOOKS, lang: preferredLang(request.headers.get('accept-language')) }
      const page = pages.peek(keyOf(kind, found.name, looks), found.source)
      return page && reply(page, { ...BY_LANGUAGE, 'Cache-Control': publicCacheControl(now, found.changesAt) })
    }

  const ofPoll = (kind: PageKind) => ({
    params: z.object({
      slug: z
        .string()
        .meta({ description: 'The shortId, the slug or the id of the poll.', examples: ['tea-or-coffee'] }),
    }),
    fromMemory: fromMemory(kind),
    handle: handle(kind, find.poll, ({ slug }: { slug: string }) => slug),
  })
  const ofCampaign = (kind: PageKind) => ({
    params: z.object({
      campaignId: z.string().meta({ description: 'The id of the campaign.', examples: [CAMPAIGN] }),
    }),
    handle: handle(kind, find.campaign, ({ campaignId }: { campaignId: string }) => campaignId),
  })
  const ofBrand = (kind: PageKind) => ({
    params: z.object({
      brandSlug: z.string().meta({ description: 'The slug of the brand.', examples: ['corner-cafe'] }),
    }),
    handle: handle(kind, find.feed, ({ brandSlug }: { brandSlug: string }) => brandSlug),
  })

  return [
    ...embedAssetRoutes(),
    ...cardRoutes(deps, find),
    ...qrRoutes(find),
    ...oEmbedRoutes(deps, find),
    ...sitemapRoutes(deps),
    route({
      ...common,
      ...ofPoll('page'),
      path: '/p/{slug}',
      name: 'getPollPage',
      summary: 'A poll on a page of its own',
    }),
    route({
      ...common,
      ...ofPoll('frame'),
      path: '/embed/poll/{slug}',
      name: 'getPollFrame',
      summary: 'A poll for a frame in another page',
    }),
    route({
      ...common,
      ...ofCampaign('page'),
      path: '/c/{campaignId}',
      name: 'getCampaignPage',
      summary: 'A campaign on a page of its own',
    }),
    route({
      ...common,
      ...ofCampaign('frame'),
      path: '/embed/campaign/{campaignId}',
      name: 'getCampaignFrame',
      summary: 'A campaign for a frame in another page',
    }),
    route({
      ...common,
      ...ofBrand('page'),
      path: '/b/{brandSlug}',
      name: 'getBrandPage',
      summary: "A brand's public polls on a page of their own",
    }),
    route({
      ...common,
      ...ofBrand('frame'),
      path: '/embed/brand/{brandSlug}',
      name: 'getBrandFrame',
      summary: "A brand's public polls for a frame in another page",
    }),
  ]
}

interface Asking {
  readonly looks: Looks
  readonly vary: Readonly<Record<string, string>>
}

const BY_LANGUAGE = { Vary: 'Accept-Language' }
const NO_LOOKS = Object.fromEntries(LOOKS.map((name) => [name, null])) as Looks

const keyOf = (kind: PageKind, name: string, looks: Looks): string =>
  JSON.stringify([kind, name, ...LOOKS.map((look) => looks[look])])

/** Parameter names ignore case, as attribute names do. */
function askingOf({ request, url }: Incoming): Asking {
  const given = new Map([...url.searchParams].map(([name, value]) => [name.toLowerCase(), value]))
  const looks = Object.fromEntries(LOOKS.map((name) => [name, given.get(name.toLowerCase()) ?? null])) as Looks
  if (looks.lang) return { looks, vary: {} }
  return { looks: { ...looks, lang: preferredLang(request.headers.get('accept-language')) }, vary: BY_LANGUAGE }
}
