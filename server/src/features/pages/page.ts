import { createHash } from 'node:crypto'
import { LOOKS, type Looks } from '../../../../embed/src/theme/looks.ts'
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
}

export const BY_LANGUAGE = { Vary: 'Accept-Language' }

/** Parameter names ignore case, as attribute names do. */
export function askingOf({ request, search }: Incoming): Asking {
  const given = new Map([...firstParameters(search).given].map(([name, value]) => [name.toLowerCase(), value]))
  const looks = Object.fromEntries(LOOKS.map((name) => [name, given.get(name.toLowerCase()) ?? null])) as Looks
  const preview = given.get('preview') ?? null
  if (looks.lang) return { looks, vary: {}, preview }
  const lang = preferredLang(request.headers.get('accept-language'))
  return { looks: { ...looks, lang }, vary: BY_LANGUAGE, preview }
}

interface Sources {
  /** Hashes of the page's inline styles and scripts. */
  readonly styleHashes: readonly string[]
  readonly scriptHashes: readonly string[]
  /** Our own origins: the page may have been requested by another name. */
  readonly origins: readonly string[]
  /** Null allows any host: `*` would exclude pages opened from a file. */
  readonly frameAncestors: readonly string[] | null
}

export const sourceHash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** The page runs and loads only what the policy names. */
export function contentPolicy({ styleHashes, scriptHashes, origins, frameAncestors }: Sources): string {
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
    "form-action 'none'",
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
export interface PageProfile {
  /** Null if the file is not on this service: other sites must not learn who views the page. */
  readonly avatarUrl: string | null
  readonly description: string | null
  readonly place: string | null
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
  /** At the head of a brand's own page; null on other pages, where each card names its brand. */
  readonly profile: PageProfile | null
  /** The element that adopts the rendered page, and its attributes: see embed/src/browser. */
  readonly element: 'tossup-poll' | 'tossup-campaign' | 'tossup-feed'
  readonly reference: { readonly name: 'poll' | 'campaign' | 'brand'; readonly value: string }
  /** The markup as the element renders it, and the JSON object that it would request. */
  readonly inside: string
  readonly json: string
}
