import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Choice } from '../../../../embed/src/poll-view.ts'
import { type Html, html } from '../../../../embed/src/render/html.ts'
import { isWebAddress } from '../../../../embed/src/render/picture.ts'
import { isSet, LOOKS, type Looks, schemeOf, sourceOf } from '../../../../embed/src/theme/looks.ts'
import { pageThemeStyles, themeStyles } from '../../../../embed/src/theme/theme-styles.ts'
import { typefaceStyles } from '../../../../embed/src/theme/typeface.ts'
import { directionOf, type Lang } from '../../../../embed/src/words.ts'
import { nameText } from '../../base/fields.ts'
import type { Theme } from '../../events/resources/theme.ts'
import { preferredLang } from '../../http/answers/negotiate.ts'
import type { Incoming } from '../../http/incoming.ts'
import { firstParameters } from '../../http/paging.ts'
import type { Card } from './cards/card.ts'

/** Options of a page's request, from its query and its headers. */
export interface Asking {
  readonly looks: Looks
  readonly vary: Readonly<Record<string, string>>
  /** The `preview` parameter of the signed link to a draft. */
  readonly preview: string | null
  /** The `utm_source` of a link: taken as the source where the brand has declared it. */
  readonly utmSource: string | null
  /** The side of the visitor who shared the page; null for any other value. */
  readonly side: Choice | null
  /** The answer that the link of a mail prepares on the page of a poll; null for any other value. */
  readonly choose: Choice | null
  /** The appearance parameters of the address. */
  readonly given: readonly (readonly [string, string])[]
  /** On a brand's page: the search, the topic, and where the page begins. */
  readonly q: string
  readonly tag: string
  readonly cursor: string | null
}

/** The parameters of a page that its element takes as attributes. */
export const PAGE_LOOKS = [...LOOKS, 'kiosk'] as const

export const BY_LANGUAGE = { Vary: 'Accept-Language' }

const LONGEST_SEARCH = 200
const LONGEST_TAG = 40
const LONGEST_LOOK = 64

/** Empty where it is not what a poll can hold. */
const searched = (text: string | undefined, longest: number): string => {
  const parsed = nameText(1, longest).safeParse(text ?? '')
  return parsed.success ? parsed.data : ''
}

const choiceIn = (text: string | undefined): Choice | null => (text === 'A' || text === 'B' ? text : null)

/** Parameter names ignore case, as attribute names do. */
export function askingOf({ request, search }: Incoming): Asking {
  const given = new Map([...firstParameters(search).given].map(([name, value]) => [name.toLowerCase(), value]))
  const asked = Object.fromEntries(PAGE_LOOKS.map((name) => [name, given.get(name.toLowerCase()) ?? null])) as Looks
  const looks = { ...asked, source: sourceOf(asked) ?? null, kiosk: isSet(asked.kiosk) ? '' : null }
  const rest = {
    preview: given.get('preview') ?? null,
    utmSource: sourceOf({ source: given.get('utm_source') ?? null }) ?? null,
    side: choiceIn(given.get('side')),
    choose: choiceIn(given.get('choose')),
    given: PAGE_LOOKS.flatMap((name) =>
      looks[name] ? [[name.toLowerCase(), looks[name].slice(0, LONGEST_LOOK)] as const] : [],
    ),
    q: searched(given.get('q'), LONGEST_SEARCH),
    tag: searched(given.get('tag'), LONGEST_TAG),
    cursor: given.get('cursor') ?? null,
  } as const
  if (looks.lang) return { looks, vary: {}, ...rest }
  const lang = preferredLang(request.headers.get('accept-language'))
  return { looks: { ...looks, lang }, vary: BY_LANGUAGE, ...rest }
}

interface Sources {
  /** Hashes of the page's inline styles and scripts. */
  readonly styleHashes: readonly string[]
  readonly scriptHashes: readonly string[]
  /** Our own origins: the page may have been requested by another name. */
  readonly origins: readonly string[]
  /** Null allows any host: `*` would exclude pages opened from a file. */
  readonly frameAncestors: readonly string[] | null
  /** The search of a brand's page is a form. */
  readonly hasForm?: boolean
}

export const sourceHash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** The page runs and loads only what the policy names. */
export function contentPolicy({ styleHashes, scriptHashes, origins, frameAncestors, hasForm }: Sources): string {
  const own = ["'self'", ...new Set(origins)].join(' ')
  return [
    "default-src 'none'",
    `script-src ${["'self'", ...scriptHashes].join(' ')}`,
    `style-src ${[own, ...styleHashes].join(' ')}`,
    // An empty icon where the brand has none, or the browser would request one.
    `img-src ${own} data:`,
    `font-src ${own}`,
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${hasForm ? "'self'" : "'none'"}`,
    ...(frameAncestors ? [`frame-ancestors ${frameAncestors.join(' ')}`] : []),
  ].join('; ')
}

/** A framed page shows only the embed; a hosted page also has the share row; a preview says that it is one. */
export type PageKind = 'frame' | 'page' | 'preview'

export interface Page {
  readonly text: string
  /** Hashes of the inline styles and scripts. */
  readonly styleHashes: readonly string[]
  readonly scriptHashes: readonly string[]
}

/** The public profile of a brand. */
interface PageProfile {
  /** Null if the file is not on this service: other sites must not learn who views the page. */
  readonly avatarUrl: string | null
  readonly description: string | null
  readonly place: string | null
}

/** Markup around the element of a hosted page. */
interface Around {
  /** The brand above a poll or a campaign; null where the page has none, and has a spoken heading instead. */
  readonly head?: Html | null
  readonly above?: Html | null
  readonly below?: Html | null
  readonly beside?: Html | null
  readonly hasForm?: boolean
}

/** The subject of a page: a poll, a campaign or a feed. */
export interface Subject {
  readonly title: string
  /** The brand's display name. */
  readonly brandName: string
  readonly brandSlug: string
  readonly description: string
  /** The address of the hosted page, also on framed pages. */
  readonly address: string
  /** The same page by its readable name, to copy and to share. */
  readonly link: string
  /** The share picture. */
  readonly card: Card
  readonly isListed: boolean
  readonly theme: Theme
  /** At the head of a brand's own page; null on other pages. */
  readonly profile: PageProfile | null
  /** Around the element on a hosted page; empty in frames and previews. */
  readonly around: Around
  /** The ids of the polls that it shows first. */
  readonly pollIds: readonly string[]
  /** The element that adopts the rendered page, and its attributes: see embed/src/browser. */
  readonly element: 'tossup-poll' | 'tossup-campaign' | 'tossup-feed'
  readonly reference: { readonly name: 'poll' | 'campaign' | 'brand'; readonly value: string }
  /** The markup as the element renders it, and the JSON object that it would request. */
  readonly inside: string
  /** Whether something in it takes votes. */
  readonly isOpen: boolean
  /** Whether its votes need a code, which a link to it may carry. */
  readonly isByCode: boolean
  readonly json: string
}

/** Names in the addresses of pages. Any text is taken: a malformed name has the same page as one that nobody has. */
export const pollName = z.object({
  slug: z.string().meta({ description: 'The shortId, the slug or the id of the poll.', examples: ['tea-or-coffee'] }),
})
export const campaignName = z.object({
  campaignId: z
    .string()
    .meta({ description: 'The id of the campaign.', examples: ['9b2f6c1e-3a5d-4e8f-b7c0-1d2e3f4a5b6c'] }),
})

/** The answers of a page of a poll, a campaign or a brand. */
export const pageAnswers = {
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

const TYPEFACE = typefaceStyles('')

interface ThemedPage {
  readonly theme: Theme
  readonly lang: Lang
  readonly sheet: string
  readonly title: string
  /** Beside the metadata of every such page. */
  readonly head?: Html
  /** Attributes of the root. */
  readonly root?: Html
  readonly body: string
  readonly scriptHashes?: readonly string[]
}

/** A document in the looks of a brand that no search engine lists: it shows what another page shows to visitors. */
export function themedPage({ theme, lang, sheet, title, head, root, body, scriptHashes = [] }: ThemedPage): Page {
  const typeface = theme.fontStack === 'MANROPE' ? [TYPEFACE] : []
  const worn = [sheet, pageThemeStyles(theme), themeStyles(theme), ...typeface].filter(Boolean)
  const icon = isWebAddress(theme.faviconUrl) ? theme.faviconUrl : 'data:,'
  const attributes = html` lang="${lang}" dir="${directionOf(lang)}" data-scheme="${schemeOf(theme)}"${root}`
  const first = html`<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${title}</title><link rel="icon" href="${icon}">${head}`
  return {
    text: `<!doctype html><html${attributes}><head>${first}${worn.map((css) => `<style>${css}</style>`).join('')}</head>${body}</html>`,
    styleHashes: worn.map(sourceHash),
    scriptHashes,
  }
}

/** The data of a page for the script that brings it to life, and that script. */
export const scriptWith = (given: object, address: string): string =>
  `<script type="application/json" id="given">${inScript(JSON.stringify(given))}</script><script type="module" src="${address}"></script>`

/** A script element ends at its first closing tag, even within a string. */
export const inScript = (json: string): string => json.replaceAll('<', '\\u003c')
