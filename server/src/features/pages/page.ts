import type { Theme } from '../../events/resources/theme.ts'
import type { Card } from './cards/card.ts'

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
