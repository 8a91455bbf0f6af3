// features/pages: HTML pages, frames, scripts, share cards, oEmbed, QR codes and sitemaps.
// Every page has a policy that names each style by its hash.

import { z } from 'zod'
// Registers every language before the first page is rendered.
import '../../../../embed/src/languages/all-languages.ts'
import { isSet, type Looks } from '../../../../embed/src/theme/looks.ts'
import { langOf } from '../../../../embed/src/words.ts'
import { campaignParams } from '../../events/resources/campaign.ts'
import { pollParams } from '../../events/resources/poll.ts'
import { CardDrawer } from '../../files/cards/card-drawer.ts'
import { etagOf, publicCaching } from '../../http/answers/caching.ts'
import { preferredLang } from '../../http/answers/negotiate.ts'
import { assetOf, assetReply, type Reply } from '../../http/answers/reply.ts'
import type { Incoming } from '../../http/incoming.ts'
import { outside, type Route, route } from '../../http/route.ts'
import type { PublicCampaigns } from '../campaigns/public-campaigns.ts'
import type { Deps } from '../deps.ts'
import type { PublicPolls } from '../polls/public-routes.ts'
import { earliest } from '../polls/status.ts'
import { publicUrl } from '../uploads/files.ts'
import { earlierTexts, masthead, morePolls } from './around/around-page.ts'
import { BrandPages } from './around/brand-page.ts'
import { BrandShelves, findBrandOfGoneCampaign, findBrandOfGonePoll, type Shelf } from './around/brand-shelf.ts'
import { elementScripts, embedAssetRoutes } from './assets/asset-routes.ts'
import { fontRoutes } from './assets/font-routes.ts'
import { atomRoutes } from './atom-routes.ts'
import { calendarRoutes } from './calendar-routes.ts'
import { cardRoutes } from './cards/card-routes.ts'
import { type KnownBrand, missingPage, uncountedPage, type What } from './errors/error-page.ts'
import { type Found, findSubjects, ownAvatar, withSourceOfLink } from './find-subjects.ts'
import type { KeptPage, KeptPages } from './kept-pages.ts'
import { mailRoutes } from './mail-routes.ts'
import { oEmbedRoutes } from './oembed/oembed-routes.ts'
import {
  type Asking,
  askingOf,
  BY_LANGUAGE,
  campaignName,
  contentPolicy,
  PAGE_LOOKS,
  type Page,
  type PageKind,
  pageAnswers,
  pollName,
  type Subject,
} from './page.ts'
import { findDraft, previewRoutes } from './preview-routes.ts'
import { qrRoutes } from './qr/qr-routes.ts'
import { renderPage } from './render-page.ts'
import { resultsRoutes } from './results/results-routes.ts'
import { scriptPageRoutes } from './script-page-routes.ts'
import { sitemapRoutes } from './sitemaps/sitemap-routes.ts'

const HTML = { 'Content-Type': 'text/html; charset=utf-8' }
const common = { ...outside, answers: pageAnswers } as const

export interface Pages extends PublicPolls {
  readonly campaigns: PublicCampaigns
  readonly pages: KeptPages
}

export function pageRoutes(deps: Deps, { pages, ...publicPolls }: Pages): Route[] {
  const { config } = deps
  const origins = [config.publicUrl, ...(config.filesUrl ? [new URL(config.filesUrl).origin] : [])]
  const find = findSubjects(deps, publicPolls)
  const scripts = elementScripts()
  const shelves = new BrandShelves(deps, publicPolls.snapshots)
  const brandPages = new BrandPages(deps, publicPolls)
  const files = publicUrl(deps, '')
  const drawer = new CardDrawer(deps.isolation)

  function render(subject: Subject, looks: Looks, { kind, build }: { kind: PageKind; build: string }) {
    const page = renderPage(subject, looks, { kind, build, publicUrl: config.publicUrl })
    const { embedOrigins } = subject.theme
    const framing = embedOrigins.length === 0 ? null : ["'self'", ...embedOrigins]
    const frameAncestors = kind === 'frame' ? framing : ["'self'"]
    return {
      ...page,
      policy: contentPolicy({ ...page, origins, frameAncestors, hasForm: subject.around.hasForm === true }),
    }
  }

  /** A poll or a campaign between its brand and more polls of the brand. */
  function placed(found: Found, shelf: Shelf, { looks, side }: Asking): Subject {
    const subject = found.subject({ ...looks, ...NAMED_ABOVE }, side)
    const lang = langOf(looks.lang)
    const { brand } = shelf
    const brandName = brand.displayName ?? brand.name
    // Nobody leaves a kiosk by a link.
    const isKiosk = isSet(looks.kiosk)
    const { brandSlug, theme, pollIds } = subject
    return {
      ...subject,
      around: {
        head: isSet(looks.hideBrand)
          ? null
          : masthead({ brandName, brandSlug: isKiosk ? null : brandSlug, theme, avatarUrl: ownAvatar(brand, files) }),
        below: earlierTexts(found.revisions ?? [], lang),
        beside:
          isKiosk || isSet(looks.hideBrand)
            ? null
            : morePolls({ brandName, brandSlug, own: pollIds }, shelf.open, lang),
      },
    }
  }

  async function missing(asking: Asking, kind: PageKind, what: What, reference: string): Promise<Reply> {
    const brand = kind === 'page' ? await brandOfGone(what, reference) : null
    return gone(missingPage(asking.looks, { what, kind, brand }), asking)
  }

  function gone({ text, ...page }: Page, { vary }: Asking): Reply {
    const policy = contentPolicy({ ...page, origins, frameAncestors: null })
    const headers = { ...HTML, ...vary, 'Cache-Control': 'no-store', 'Content-Security-Policy': policy }
    return { status: 404, body: text, headers }
  }

  async function brandOfGone(what: What, reference: string): Promise<KnownBrand | null> {
    if (what === 'poll' && pollParams.safeParse({ slug: reference }).success)
      return (await findBrandOfGonePoll(deps, reference)) ?? null
    if (what === 'campaign' && campaignParams.safeParse({ campaignId: reference }).success)
      return (await findBrandOfGoneCampaign(deps, reference)) ?? null
    return null
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

  async function shown(found: Found, asking: Asking, { kind, what, now }: { kind: PageKind; what: What; now: number }) {
    const { looks, side } = asking
    const { build } = await scripts()
    const key = keyOf(kind, found.name, { ...looks, side })
    if (kind === 'frame') {
      const page = pages.find(key, found.source, () => render(found.subject(looks, side), looks, { kind, build }))
      return { page, changesAt: found.changesAt }
    }
    const shelf = await shelves.find(found.brandKey, now)
    const named = { ...looks, ...NAMED_ABOVE }
    if (what === 'feed') {
      const { source, changesAt, subject } = await brandPages.find(shelf, { ...asking, looks: named }, now)
      const make = () => render(subject(), named, { kind, build })
      const page =
        source === null ? keptAlone(make()) : pages.find(`${key} ${JSON.stringify(asking.given)}`, source, make)
      return { page, changesAt }
    }
    const make = () => render(placed(found, shelf, asking), named, { kind, build })
    const page = pages.find(key, besideShelf(found, shelf), make)
    return { page, changesAt: earliest([found.changesAt, shelf.changesAt]) }
  }

  const handle =
    <Params>(kind: PageKind, what: What, referenceOf: (params: Params) => string) =>
    async ({ incoming, params, now }: { incoming: Incoming; params: Params; now: number }) => {
      const asked = askingOf(incoming)
      const asking = kind === 'page' && what === 'poll' ? prepared(asked) : asked
      const reference = referenceOf(params)
      const found = await find[what](reference, now)
      const draft = !found && kind === 'page' && what === 'poll' && (await preview(reference, asking, now))
      if (draft) return draft
      if (!found) return missing(asking, kind, what, reference)
      const sourced = kind === 'page' ? await withSourceOfLink(deps, found, asking) : asking
      const { page, changesAt } = await shown(found, sourced, { kind, what, now })
      return reply(page, { ...asking.vary, ...publicCaching(now, { changesAt }) })
    }

  /** A poll's page without a query, as links request it. */
  const fromMemory =
    (kind: PageKind) =>
    ({ slug = '' }: Readonly<Record<string, string>>, now: number, request: Request): Reply | null => {
      const found = find.peekPoll(slug, now)
      if (!found) return null
      const looks = { ...NO_LOOKS, lang: preferredLang(request.headers.get('accept-language')) }
      const shelf = kind === 'page' ? shelves.peek(found.brandKey, now) : null
      if (kind === 'page' && !shelf) return null
      const source = shelf ? besideShelf(found, shelf) : found.source
      const page = pages.peek(keyOf(kind, found.name, { ...looks, side: null }), source)
      const changesAt = earliest([found.changesAt, shelf?.changesAt ?? null])
      return page && reply(page, { ...BY_LANGUAGE, ...publicCaching(now, { changesAt }) })
    }

  const ofPoll = (kind: PageKind) =>
    route({
      ...common,
      path: kind === 'page' ? '/p/{slug}' : '/embed/poll/{slug}',
      name: kind === 'page' ? 'getPollPage' : 'getPollFrame',
      params: pollName,
      fromMemory: fromMemory(kind),
      handle: handle(kind, 'poll', ({ slug }: { slug: string }) => slug),
    })
  const ofCampaign = (kind: PageKind) =>
    route({
      ...common,
      path: kind === 'page' ? '/c/{campaignId}' : '/embed/campaign/{campaignId}',
      name: kind === 'page' ? 'getCampaignPage' : 'getCampaignFrame',
      params: campaignName,
      handle: handle(kind, 'campaign', ({ campaignId }: { campaignId: string }) => campaignId),
    })
  const ofBrand = (kind: PageKind) =>
    route({
      ...common,
      path: kind === 'page' ? '/b/{brandSlug}' : '/embed/brand/{brandSlug}',
      name: kind === 'page' ? 'getBrandPage' : 'getBrandFrame',
      params: z.object({
        brandSlug: z.string().meta({ description: 'The slug of the brand.', examples: ['corner-cafe'] }),
      }),
      handle: handle(kind, 'feed', ({ brandSlug }: { brandSlug: string }) => brandSlug),
    })

  return [
    ...embedAssetRoutes(scripts),
    ...fontRoutes(),
    ...calendarRoutes(find),
    ...cardRoutes(deps, find, drawer),
    ...qrRoutes(find, origins),
    ...previewRoutes(deps),
    ...mailRoutes(deps),
    ...resultsRoutes(deps, { origins, drawer }),
    ...oEmbedRoutes(deps, find),
    ...sitemapRoutes(deps),
    ...atomRoutes(deps),
    ...scriptPageRoutes({
      find,
      pages,
      origins,
      missing: (asking, what, name) => missing(asking, 'page', what, name),
      uncounted: (asking, poll) => gone(uncountedPage(asking.looks, poll), asking),
    }),
    ...[ofPoll, ofCampaign, ofBrand].flatMap((routeOf) => [routeOf('page'), routeOf('frame')]),
  ]
}

/** The link of a mail: one press casts the answer that it names. */
const prepared = ({ looks, choose, ...asking }: Asking): Asking => ({
  ...asking,
  choose,
  looks: choose ? { ...looks, confirm: choose } : looks,
})

/** The head of a brand's own page names it, so its cards do not. */
const NAMED_ABOVE: Looks = { hideBrand: 'true' }

const besideShelf = ({ source }: Pick<Found, 'source'>, { tag }: Shelf): string => source + tag

/** A page that each request renders again. */
const keptAlone = ({ text, policy }: { text: string; policy: string }): KeptPage => ({
  asset: assetOf(text, 'fast'),
  policy,
})

const NO_LOOKS = Object.fromEntries(PAGE_LOOKS.map((name) => [name, null])) as Looks

const keyOf = (kind: PageKind, name: string, asked: Looks & Pick<Asking, 'side'>): string =>
  JSON.stringify([kind, name, asked.side, ...PAGE_LOOKS.map((look) => asked[look])])
