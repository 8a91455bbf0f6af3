// features/pages: HTML pages, frames, scripts, share cards, oEmbed, QR codes and sitemaps.
// Every page has a policy that names each style by its hash.

import { z } from 'zod'
// Registers every language before the first page is rendered.
import '../../../../embed/src/languages/all-languages.ts'
import { LOOKS, type Looks } from '../../../../embed/src/theme/looks.ts'
import { etagOf, publicCaching } from '../../http/answers/caching.ts'
import { preferredLang } from '../../http/answers/negotiate.ts'
import { assetReply, type Reply } from '../../http/answers/reply.ts'
import type { Incoming } from '../../http/incoming.ts'
import { outside, type Route, route } from '../../http/route.ts'
import type { PublicCampaigns } from '../campaigns/public-campaigns.ts'
import type { Deps } from '../deps.ts'
import type { PublicPolls } from '../polls/public-routes.ts'
import { elementScripts, embedAssetRoutes } from './assets/asset-routes.ts'
import { fontRoutes } from './assets/font-routes.ts'
import { cardRoutes } from './cards/card-routes.ts'
import { missingPage, type What } from './errors/error-page.ts'
import { findSubjects } from './find-subjects.ts'
import type { KeptPage, KeptPages } from './kept-pages.ts'
import { oEmbedRoutes } from './oembed/oembed-routes.ts'
import { type Asking, askingOf, BY_LANGUAGE, contentPolicy, type PageKind, type Subject } from './page.ts'
import { findDraft, previewRoutes } from './preview-routes.ts'
import { qrRoutes } from './qr/qr-routes.ts'
import { renderPage } from './render-page.ts'
import { sitemapRoutes } from './sitemaps/sitemap-routes.ts'

const CAMPAIGN = '9b2f6c1e-3a5d-4e8f-b7c0-1d2e3f4a5b6c'
const HTML = { 'Content-Type': 'text/html; charset=utf-8' }
const answers = {
  200: {
    description: 'The page.',
    contentType: 'text/html',
    headers: { always: ['ETag', 'Content-Security-Policy'] },
  },
  404: {
    description: 'A page that says that the resource was not found.',
    contentType: 'text/html',
    headers: { always: ['Content-Security-Policy'] },
  },
} as const
const common = { ...outside, answers } as const

const framed = {
  tag: 'Embeds',
  description:
    'Without header and footer, for an iframe. If the theme of the brand lists `embedOrigins`, only pages of these origins can show it.',
} as const

export interface Pages extends PublicPolls {
  readonly campaigns: PublicCampaigns
  readonly pages: KeptPages
}

export function pageRoutes(deps: Deps, { pages, ...publicPolls }: Pages): Route[] {
  const { config } = deps
  const origins = [config.publicUrl, ...(config.filesUrl ? [new URL(config.filesUrl).origin] : [])]
  const find = findSubjects(deps, publicPolls)
  const scripts = elementScripts()

  function render(subject: Subject, looks: Looks, { kind, build }: { kind: PageKind; build: string }) {
    const page = renderPage(subject, looks, { kind, build, publicUrl: config.publicUrl })
    const { embedOrigins } = subject.theme
    const framing = embedOrigins.length === 0 ? null : ["'self'", ...embedOrigins]
    const frameAncestors = kind === 'frame' ? framing : ["'self'"]
    return { ...page, policy: contentPolicy({ ...page, origins, frameAncestors }) }
  }

  function missing({ looks, vary }: Asking, kind: PageKind, what: What): Reply {
    const { text, ...page } = missingPage(looks, { what, kind })
    const policy = contentPolicy({ ...page, origins, frameAncestors: null })
    const headers = { ...HTML, ...vary, 'Cache-Control': 'no-store', 'Content-Security-Policy': policy }
    return { status: 404, body: text, headers }
  }

  const reply = ({ asset, policy }: KeptPage, headers: Readonly<Record<string, string>>): Reply =>
    assetReply(asset, { ...HTML, ...headers, 'Content-Security-Policy': policy })

  /** A draft by a signed link: no cache keeps the page, and no other page learns its address. */
  async function preview(shortId: string, { looks, vary, preview: token }: Asking, now: number): Promise<Reply | null> {
    const subject = token === null ? null : await findDraft(deps, { shortId, token, now })
    if (!subject) return null
    const { build } = await scripts()
    const { text, policy } = render(subject(looks), looks, { kind: 'preview', build })
    const kept = { 'Cache-Control': 'private, no-store', ETag: etagOf(text) }
    return { status: 200, body: text, headers: { ...HTML, ...vary, ...kept, 'Content-Security-Policy': policy } }
  }

  const handle =
    <Params>(kind: PageKind, what: What, referenceOf: (params: Params) => string) =>
    async ({ incoming, params, now }: { incoming: Incoming; params: Params; now: number }) => {
      const asking = askingOf(incoming)
      const reference = referenceOf(params)
      const found = await find[what](reference, now)
      const draft = !found && kind === 'page' && what === 'poll' && (await preview(reference, asking, now))
      if (draft) return draft
      if (!found) return missing(asking, kind, what)
      const { vary } = asking
      const looks = kind === 'page' && what === 'feed' ? { ...asking.looks, ...NAMED_ABOVE } : asking.looks
      const key = keyOf(kind, found.name, looks)
      const { build } = await scripts()
      const page = pages.find(key, found.source, () => render(found.subject(looks), looks, { kind, build }))
      return reply(page, { ...vary, ...publicCaching(now, found) })
    }

  /** A poll's page without a query, as links request it. */
  const fromMemory =
    (kind: PageKind) =>
    ({ slug = '' }: Readonly<Record<string, string>>, now: number, request: Request): Reply | null => {
      const found = find.peekPoll(slug, now)
      if (!found) return null
      const looks = { ...NO_LOOKS, lang: preferredLang(request.headers.get('accept-language')) }
      const page = pages.peek(keyOf(kind, found.name, looks), found.source)
      return page && reply(page, { ...BY_LANGUAGE, ...publicCaching(now, found) })
    }

  const ofPoll = (kind: PageKind) => ({
    params: z.object({
      slug: z
        .string()
        .meta({ description: 'The shortId, the slug or the id of the poll.', examples: ['tea-or-coffee'] }),
    }),
    fromMemory: fromMemory(kind),
    handle: handle(kind, 'poll', ({ slug }: { slug: string }) => slug),
  })
  const ofCampaign = (kind: PageKind) => ({
    params: z.object({
      campaignId: z.string().meta({ description: 'The id of the campaign.', examples: [CAMPAIGN] }),
    }),
    handle: handle(kind, 'campaign', ({ campaignId }: { campaignId: string }) => campaignId),
  })
  const ofBrand = (kind: PageKind) => ({
    params: z.object({
      brandSlug: z.string().meta({ description: 'The slug of the brand.', examples: ['corner-cafe'] }),
    }),
    handle: handle(kind, 'feed', ({ brandSlug }: { brandSlug: string }) => brandSlug),
  })

  return [
    ...embedAssetRoutes(scripts),
    ...fontRoutes(),
    ...cardRoutes(deps, find),
    ...qrRoutes(find, origins),
    ...previewRoutes(deps),
    ...oEmbedRoutes(deps, find),
    ...sitemapRoutes(deps),
    route({
      ...common,
      ...ofPoll('page'),
      path: '/p/{slug}',
      name: 'getPollPage',
      tag: 'Pages',
      summary: 'A poll on a page of its own',
      description:
        'HTML that shows the poll without JavaScript and accepts votes with it. Query parameters set its appearance; `preview` is of the link that shows a draft; unknown parameters are ignored, because sharing adds them to links. A missing poll is a page with the status 404.',
    }),
    route({
      ...common,
      ...framed,
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
      tag: 'Pages',
      summary: 'A campaign on a page of its own',
      description:
        'HTML that shows the polls of the campaign one after another. An unpublished campaign is a page with the status 404.',
    }),
    route({
      ...common,
      ...framed,
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
      tag: 'Pages',
      summary: "A brand's public polls on a page of their own",
      description: "HTML with the brand's public polls, newest first. A missing brand is a page with the status 404.",
    }),
    route({
      ...common,
      ...framed,
      ...ofBrand('frame'),
      path: '/embed/brand/{brandSlug}',
      name: 'getBrandFrame',
      summary: "A brand's public polls for a frame in another page",
    }),
  ]
}

/** The head of a brand's own page names it, so its cards do not. */
const NAMED_ABOVE: Looks = { hideBrand: 'true' }
const NO_LOOKS = Object.fromEntries(LOOKS.map((name) => [name, null])) as Looks

const keyOf = (kind: PageKind, name: string, looks: Looks): string =>
  JSON.stringify([kind, name, ...LOOKS.map((look) => looks[look])])
