import type { BrandSummary } from '../brands/schema.ts'
import type { PublicPoll } from '../polls/schema.ts'

/** In a frame the poll stands alone; a page of its own can be shared. */
export type PageKind = 'frame' | 'page'

export interface Page {
  readonly text: string
  /** Those that stand in the page itself, to the letter. */
  readonly styles: readonly string[]
}

export type BrandedPoll = PublicPoll & { readonly brand: BrandSummary }
