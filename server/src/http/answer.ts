import type { Position } from '../db/keyset.ts'
import type { Packed } from './packed.ts'

/** What a handler gives back; the door turns it into a response. */
export interface Answer {
  readonly status?: number
  /** The value of `data`; absent for an answer without a body. */
  readonly data?: unknown
  /** The whole body as it is sent, in place of `data`: many who ask at once may be told the same. */
  readonly body?: string
  readonly location?: string
  /** Public reads: the bytes themselves, in place of `data`. */
  readonly ready?: Ready
  /** Public reads: the next moment at which this answer changes by itself. */
  readonly changesAt?: number | null
  /** Lists: where the next page begins, or null on the last one. */
  readonly next?: Position | null
}

/** A public answer down to its bytes. */
export interface Ready {
  readonly body: string
  readonly etag: string
  readonly changesAt: number | null
  /** Compressed forms of the body, where the answer is kept. */
  readonly packed?: Packed
  /** Lists: the way to the next page, as the header says it. */
  readonly link?: string
}

/** An answer down to its bytes, as it is stored for a replay. */
export interface Rendered {
  readonly status: number
  readonly body: string
  readonly location: string | null
  readonly requestId: string
}
