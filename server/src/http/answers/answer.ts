// http/answers: what is sent back: bodies, headers, codings, and the ways to send less.
import type { Cache } from '../../base/cache.ts'
import type { Position } from '../../db/keyset.ts'
import type { PackedText } from './content-coding.ts'

/** The result of a handler. The door turns it into a response. */
export interface Answer {
  readonly status?: number
  /** The value of `data`; absent for an answer without a body. */
  readonly data?: unknown
  /** Public lists that are large: in place of `data`. */
  readonly keptPage?: KeptList
  /** The whole body as text, in place of `data`: one string can serve many concurrent requests. */
  readonly body?: string
  readonly location?: string
  /** Public reads: the stored body, in place of `data`. */
  readonly ready?: Ready
  /** Public reads: the next moment at which the clock alone changes this answer. */
  readonly changesAt?: number | null
  /** Lists: where the next page begins, or null on the last one. */
  readonly next?: Position | null
  /** Lists that a reader follows: `next` is where it goes on later, and there is no more now. */
  readonly isAtEnd?: boolean
  /** Lists: further members of the body. */
  readonly beside?: Readonly<Record<string, unknown>>
}

/** A page of a public list whose tag is known before its text is made. */
export interface KeptList {
  /** Changes with the items and with the position of the next page. */
  readonly etag: string
  readonly kept: Pick<Cache<string, Ready>, 'get' | 'set'>
  /** The JSON text of `data`, if no page with this tag is kept. */
  make(): string
}

/** A public answer with its body and ETag ready to send. */
export interface Ready {
  readonly body: string
  readonly etag: string
  readonly changesAt: number | null
  /** The compressed forms of the body, for answers that are cached. */
  readonly packed?: PackedText
  /** Lists: the Link header of the next page. */
  readonly link?: string
}

/** An answer with its body as text, as it is stored for a replay. */
export interface Rendered {
  readonly status: number
  readonly body: string
  readonly location: string | null
  readonly requestId: string
}

export interface OnceAnswer extends Rendered {
  readonly isReplay: boolean
}
