import type { Theme } from '../../resources/theme.ts'
import type { Card } from './cards/card.ts'

/** A framed page shows only the embed; a hosted page also has the share row. */
export type PageKind = 'frame' | 'page'

export interface Page {
  /** `start` ends before the first thing that a vote changes; `rest` follows. */
  readonly start: string
  readonly rest: string
  /** Hashes of the inline styles and scripts. */
  readonly styleHashes: readonly string[]
  readonly scriptHashes: readonly string[]
}

/** The subject of a page: a poll, a campaign or a feed. */
export interface Subject {
  readonly title: string
  /** As it calls itself. */
  readonly brandName: string
  readonly brandSlug: string
  readonly description: string
  /** The address of the hosted page, also on framed pages. */
  readonly address: string
  /** The share picture. */
  readonly card: Card
  readonly isListed: boolean
  readonly theme: Theme
  /** The element that adopts the rendered page, and its attributes: see embed/src/browser. */
  readonly element: 'tossup-poll' | 'tossup-campaign' | 'tossup-feed'
  readonly reference: { readonly name: 'poll' | 'campaign' | 'brand'; readonly value: string }
  /** The markup as the element renders it, and the data that it would request. */
  readonly inside: string
  readonly data: object
}
