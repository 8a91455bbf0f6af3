// features/pages/errors: the pages of refusals and of missing polls, campaigns and brands.

import { type Html, html } from '../../../../../embed/src/render/html.ts'
import { compactCss } from '../../../../../embed/src/theme/compact-css.ts'
import { accentOf, type Looks, renderOptionsOf } from '../../../../../embed/src/theme/looks.ts'
import { pagePaletteOf, paletteOf } from '../../../../../embed/src/theme/palette.ts'
import { directionOf, type Lang, langOf, wordsOf } from '../../../../../embed/src/words.ts'
import type { PublicPoll } from '../../../events/resources/poll.ts'
import { preferredLang, preferredType } from '../../../http/answers/negotiate.ts'
import type { Reply } from '../../../http/answers/reply.ts'
import { pathOf } from '../../../http/incoming.ts'
import type { Trouble } from '../../../words/en.ts'
import { filled, WORDS } from '../../../words/words.ts'
import type { PublicPolls } from '../../polls/public-routes.ts'
import { contentPolicy, type Page, type PageKind, sourceHash } from '../page.ts'
import { formatsOf } from '../results/formats.ts'
import look from './trouble-page.css' with { type: 'text' }

const LOOK = compactCss(look)

interface TroublePage {
  readonly status: number
  /** One sentence on what happened and one on what to do. */
  readonly words: readonly [happened: string, advice: string]
  /** How long or until when to wait, if known. */
  readonly wait?: Html | false
  /** The way on; a page in a frame has none. */
  readonly way: Html | null
  readonly lang: string
  readonly styles: string
  /** The kind and the colour scheme that the page's address asks for. */
  readonly place?: { readonly kind: PageKind; readonly scheme: string }
  readonly below?: Html
}

/** The colours of a brand without a theme, with the given accent if there is one. */
function troubleStyles(accent: string | null): string {
  const theme = { accent, background: null, foreground: null }
  const inBoth = (['light', 'dark'] as const).map((scheme) => {
    const { text, card, accent: own, onAccent } = paletteOf(theme, scheme)
    const { ground, onGround, groundMuted } = pagePaletteOf(theme, scheme)
    return { ground, 'on-ground': onGround, muted: groundMuted, text, card, accent: own, 'on-accent': onAccent }
  })
  const [light = {}, dark = {}] = inBoth as Record<string, string>[]
  const values = Object.keys(light).map((name) => `--${name}:light-dark(${light[name]},${dark[name]})`)
  return `:root{${values.join(';')}}${LOOK}`
}

/** Most pages have no accent: their styles are computed once. */
const PLAIN_STYLES = troubleStyles(null)

/** Draws the digits of the status as a poll. The heading explains the status. */
function troublePage(page: TroublePage): string {
  const { status, words, wait, way, lang, styles, place, below } = page
  const [happened, advice] = words
  const [first, middle, last] = String(status)
  const asked = place && html` data-scheme="${place.scheme}" data-kind="${place.kind}"`
  const root = html` lang="${lang}" dir="${directionOf(lang)}"${asked}`
  const head = html`<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${happened}</title><link rel="icon" href="data:,">`
  const digits = html`<p class="status" dir="ltr" aria-hidden="true"><b>${first}</b><b>${last}</b><i>${middle}</i></p>`
  const main = html`<main>${digits}<h1>${happened}</h1><p>${advice}</p>${wait}${way && html`<p>${way}</p>`}${below}</main>`
  return `<!doctype html><html${root}><head>${head}<style>${styles}</style></head><body>${main}</body></html>`
}

export type What = 'poll' | 'campaign' | 'feed'

/** A brand that an error leads to. */
export interface KnownBrand {
  readonly slug: string
  readonly name: string
}

/** The brand's page; the start page of the service where no brand is known. */
const homeOf = (brand: KnownBrand | null, lang: Lang): Html =>
  brand
    ? html`<a href="/b/${brand.slug}">${wordsOf(lang).moreFrom.replace('#', () => brand.name)}</a>`
    : html`<a href="/">${WORDS[lang].errors.home}</a>`

interface Missing {
  readonly what: What
  readonly kind: PageKind
  /** The brand of a poll that was public; null for a draft: the page must not tell it from a poll that never was. */
  readonly brand: KnownBrand | null
}

/** The 404 page for people. */
export const missingPage = (looks: Looks, { what, kind, brand }: Missing): Page =>
  gonePage(looks, kind, (lang) => {
    const { gone } = WORDS[lang].errors
    return { words: [gone[what], gone.advice], way: kind === 'frame' ? null : homeOf(brand, lang) }
  })

/** In place of the page that counts again. The page of the poll tells everybody the same. */
export const uncountedPage = (looks: Looks, { title, shortId, resultsVisibility, closesAt }: PublicPoll): Page =>
  gonePage(looks, 'page', (lang) => {
    const { errors, pages } = WORDS[lang]
    const isUntilClose = resultsVisibility === 'after_close'
    return {
      words: [wordsOf(lang).hidden, isUntilClose ? errors.uncounted.untilClose : errors.uncounted.always],
      wait:
        isUntilClose &&
        closesAt !== null &&
        html`<p>${filled(pages.until, { date: formatsOf(lang).moment(closesAt) })}</p>`,
      way: html`<a href="/p/${shortId}" dir="auto">${title}</a>`,
    }
  })

function gonePage(
  looks: Looks,
  kind: PageKind,
  say: (lang: Lang) => Pick<TroublePage, 'words' | 'wait' | 'way'>,
): Page {
  const { lang: asked = 'en' } = renderOptionsOf(looks)
  const [scheme] = /^(light|dark)$/.exec(looks.theme ?? '') ?? ['auto']
  const lang = langOf(asked)
  const accent = accentOf(looks)
  const styles = accent === null ? PLAIN_STYLES : troubleStyles(accent)
  return {
    text: troublePage({ status: 404, ...say(lang), lang, styles, place: { kind, scheme } }),
    styleHashes: [sourceHash(styles)],
    scriptHashes: [],
  }
}

const POLICY = contentPolicy({
  styleHashes: [sourceHash(PLAIN_STYLES)],
  scriptHashes: [],
  origins: [],
  frameAncestors: null,
})
const BY_CALLER = { Vary: 'Accept, Accept-Language' }

/** Programs read these, also those that are written in a browser. */
const FOR_PROGRAMS = /^\/(?:api(?:\/|$)|(?:livez|readyz|oembed|mcp|openapi\.json)$)/

/** JSON is offered first: only a caller who prefers HTML to it is a browser that shows a page to a person. */
export const prefersPage = ({ headers }: Request): boolean =>
  preferredType(headers.get('accept'), ['application/json', 'text/html']) === 'text/html'

export type BrandAt = (path: string) => KnownBrand | null

const OF_POLL = /^\/p\/([A-Za-z0-9_-]{1,128})(?:\/|$)/

/** The brand of a poll's page while the poll is in memory: a refusal reads no database. */
export const brandAt =
  ({ pollKeys, snapshots }: Pick<PublicPolls, 'pollKeys' | 'snapshots'>): BrandAt =>
  (path) => {
    const pollKey = pollKeys.peek(OF_POLL.exec(path)?.[1] ?? '')
    return (pollKey !== null && snapshots.peek(pollKey)?.brand) || null
  }

/** A refusal as a page in the visitor's language for a browser; the JSON error for everybody else. */
export function refusalFor(
  request: Request,
  refusal: Reply,
  { requestId, brandAt }: { requestId: string; brandAt: BrandAt },
): Reply {
  if (refusal.body === null || FOR_PROGRAMS.test(pathOf(request))) return refusal
  const headers = { ...refusal.headers, ...BY_CALLER }
  if (!prefersPage(request)) return { ...refusal, headers }
  const lang = preferredLang(request.headers.get('accept-language'))
  return {
    ...refusal,
    body: errorPage(refusal, { lang, requestId, brand: brandAt(pathOf(request)) }),
    headers: { ...headers, 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY },
  }
}

function errorPage(
  { status, headers }: Reply,
  { lang, requestId, brand }: { lang: Lang; requestId: string; brand: KnownBrand | null },
): string {
  const waitSeconds = Number(headers['Retry-After'] ?? 0)
  const words = WORDS[lang].errors
  const trouble = troubleOf(status)
  // An empty address is that of the page itself.
  const home = homeOf(brand, lang)
  const again = isPassing(trouble) && html`<a href="">${words.retry}</a>`
  const way = again && brand ? html`${again} ${home}` : again || home
  const wait = waitSeconds > 0 && html`<p class="wait">${seconds(waitSeconds, lang)}</p>`
  const below = html`<details><summary>${words.details}</summary><p>${words.request} <code dir="ltr">${requestId}</code></p></details>`
  return troublePage({ status, words: words[trouble], wait, way, lang, styles: PLAIN_STYLES, below })
}

/** “43 seconds”, in the words of the language. */
const seconds = (count: number, lang: Lang): string =>
  new Intl.NumberFormat(lang, { style: 'unit', unit: 'second', unitDisplay: 'long' }).format(count)

function troubleOf(status: number): Trouble {
  if (status === 404 || status === 410) return 'missing'
  if (status === 401 || status === 403) return 'denied'
  if (status === 429) return 'busy'
  if (status === 503) return 'away'
  return status >= 500 ? 'broken' : 'invalid'
}

const isPassing = (trouble: Trouble): boolean => trouble === 'busy' || trouble === 'away' || trouble === 'broken'
