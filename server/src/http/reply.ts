import type { AppError } from '../base/errors.ts'
import type { Answer, Ready } from './answer.ts'
import { isNotModified, publicCacheControl } from './caching.ts'
import { errorBody } from './errors.ts'
import type { OnceAnswer } from './idempotency.ts'
import type { Incoming } from './incoming.ts'
import { type Cursors, nextLink } from './page.ts'
import { SharedHeaders } from './shared-headers.ts'

/** A response before it is one. */
export interface Reply {
  readonly status: number
  readonly body: string | Blob | ReadableStream<Uint8Array> | null
  readonly shared?: SharedHeaders
  /** Above those that are shared. */
  readonly headers: Readonly<Record<string, string>>
}

type Asked = Pick<Incoming, 'request'>

const JSON_TYPE = { 'Content-Type': 'application/json' }
const PRIVATE = { 'Cache-Control': 'private, no-store' }
const NEVER_STORED = { 'Cache-Control': 'no-store' }
const privateJson = new SharedHeaders({ ...JSON_TYPE, ...PRIVATE })
const neverStoredJson = new SharedHeaders({ ...JSON_TYPE, ...NEVER_STORED })
const publicJson = new SharedHeaders(JSON_TYPE)
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

export function publicReply(incoming: Asked, { body, etag, changesAt, link }: Ready, now: number): Reply {
  const headers: Record<string, string> = { ETag: etag, 'Cache-Control': publicCacheControl(now, changesAt) }
  if (link) headers['Link'] = link
  return unlessKnown(incoming, { status: 200, body, shared: publicJson, headers })
}

/** 304 without a body for who has these very bytes already. */
export function unlessKnown({ request }: Asked, reply: Reply): Reply {
  const etag = reply.headers['ETag']
  const isKnown = etag !== undefined && isNotModified(request.headers.get('if-none-match'), etag)
  return isKnown ? { ...reply, status: 304, body: null } : reply
}

export function privateReply({ status = 200 }: Answer, body: string, isStorable: boolean): Reply {
  if (body === '') return { status, body: null, headers: isStorable ? PRIVATE : NEVER_STORED }
  return { status, body, shared: isStorable ? privateJson : neverStoredJson, headers: nothing }
}

/** The owner's reads are stored by nobody, and say by their tag whether anything has changed. */
export function ownersReply(
  incoming: Asked,
  { answer, body, etag }: { answer: Answer; body: string; etag: string },
): Reply {
  const reply = privateReply(answer, body, true)
  return unlessKnown(incoming, { ...reply, headers: { ...reply.headers, ETag: etag } })
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
