import type { Theme } from '../themes/schema.ts'
import type { Card } from './cards/card.ts'

/** In a frame it stands alone; a page of its own can be shared. */
export type PageKind = 'frame' | 'page'

export interface Page {
  /** All that comes before the first thing that a vote changes, and then the rest. */
  readonly start: string
  readonly rest: string
  /** Of what stands in the page itself. */
  readonly styleHashes: readonly string[]
  readonly scriptHashes: readonly string[]
}

/** What is shown on a page, whatever it is. */
export interface Subject {
  readonly title: string
  /** As it calls itself. */
  readonly brandName: string
  readonly brandSlug: string
  readonly description: string
  /** The page's own address, also where it stands in a frame. */
  readonly address: string
  /** The picture by which it is shared. */
  readonly card: Card
  readonly isListed: boolean
  readonly theme: Theme
  /** The element that takes over what the server sent, and what it is told: see embed/src/browser. */
  readonly element: 'tossup-poll' | 'tossup-campaign' | 'tossup-feed'
  readonly reference: { readonly name: 'poll' | 'campaign' | 'brand'; readonly value: string }
  /** As the element would make it; and what it would ask the service for. */
  readonly inside: string
  readonly data: object
}
