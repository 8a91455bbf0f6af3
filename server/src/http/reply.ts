import type { AppError } from '../base/errors.ts'
import type { Answer, Ready } from './answer.ts'
import { publicCacheControl } from './caching.ts'
import type { Compressed } from './compress.ts'
import { errorBody } from './errors.ts'
import type { OnceAnswer } from './idempotency.ts'
import type { Incoming } from './incoming.ts'
import type { Packed } from './packed.ts'
import { type Cursors, nextLink } from './page.ts'
import { SharedHeaders, VARY_BY_CODING } from './shared-headers.ts'

/** A response before it is one. */
export interface Reply {
  readonly status: number
  /** A string is text, and compressed for clients that accept it: see `encoded`. */
  readonly body: string | Compressed | Blob | ReadableStream<Uint8Array> | null
  /** Compressed forms of the body, where they are kept. */
  readonly packed?: Packed | undefined
  /** A stream that is text, and compressed as it is sent. */
  readonly isText?: boolean
  /** Never compressed: the length of what is compressed tells of it (BREACH). */
  readonly isSecret?: boolean
  readonly shared?: SharedHeaders
  /** Above those that are shared. */
  readonly headers: Readonly<Record<string, string>>
}

const JSON_TYPE = { 'Content-Type': 'application/json' }
const PRIVATE = { 'Cache-Control': 'private, no-store' }
const NEVER_STORED = { 'Cache-Control': 'no-store' }
const privateJson = new SharedHeaders({ ...JSON_TYPE, ...VARY_BY_CODING, ...PRIVATE })
const neverStoredJson = new SharedHeaders({ ...JSON_TYPE, ...NEVER_STORED })
const publicJson = new SharedHeaders({ ...JSON_TYPE, ...VARY_BY_CODING })
const nothing = {}

export const bodyOf = ({ body, data }: Answer): string => body ?? (data === undefined ? '' : JSON.stringify({ data }))

/** A page of a list, with the way to the next one in the body and in a header. */
export function pageBody(
  answer: Answer,
  { cursors, list, incoming }: { cursors: Cursors; list: string; incoming: Incoming },
) {
  const nextCursor = answer.next ? cursors.encode(list, answer.next) : null
  if (nextCursor) {
    incoming.answerHeaders['Link'] = nextLink(incoming.url, nextCursor)
  }
  return JSON.stringify({ data: answer.data, nextCursor, hasMore: nextCursor !== null })
}

export function publicReply({ body, etag, changesAt, packed, link }: Ready, now: number): Reply {
  const headers: Record<string, string> = { ETag: etag, 'Cache-Control': publicCacheControl(now, changesAt) }
  if (link) headers['Link'] = link
  return { status: 200, body, shared: publicJson, packed, headers }
}

export function privateReply({ status = 200 }: Answer, body: string, isStorable: boolean): Reply {
  if (body === '') return { status, body: null, headers: isStorable ? PRIVATE : NEVER_STORED }
  return { status, body, shared: isStorable ? privateJson : neverStoredJson, headers: nothing }
}

/** The owner's reads are stored by nobody, and say by their tag whether anything has changed. */
export function ownersReply({ answer, body, etag }: { answer: Answer; body: string; etag: string }): Reply {
  const reply = privateReply(answer, body, true)
  return { ...reply, headers: { ...reply.headers, ETag: etag } }
}

/** A replay is given its tag by what was answered first, as that answer was. */
export function onceReply(
  { status, body, location, isReplay, requestId }: OnceAnswer,
  etag?: (data: never) => string,
): Reply {
  const isTagged = etag !== undefined && status < 300
  return jsonReply(status, body, {
    ...PRIVATE,
    ...(location ? { Location: location } : {}),
    ...(isTagged ? { ETag: etag((JSON.parse(body) as { data: never }).data) } : {}),
    ...(isReplay ? { 'Idempotent-Replayed': 'true', 'X-Request-Id': requestId } : {}),
  })
}

export const errorReply = (error: AppError, requestId: string): Reply =>
  jsonReply(error.status, errorBody(error, requestId), { ...error.headers, ...PRIVATE })

const jsonReply = (status: number, body: string, headers: Record<string, string>): Reply =>
  body === '' ? { status, body: null, headers } : { status, body, headers: { ...JSON_TYPE, ...headers } }
