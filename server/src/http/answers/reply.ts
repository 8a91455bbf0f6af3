import type { AppError } from '../../base/errors.ts'
import type { OnceAnswer } from '../idempotency.ts'
import type { Incoming } from '../incoming.ts'
import type { Cursors } from '../paging.ts'
import type { Answer, KeptList, Ready } from './answer.ts'
import { publicCaching } from './caching.ts'
import type { Compressed } from './content-coding.ts'
import { PackedText } from './packed.ts'
import { SharedHeaders, VARY_BY_CODING } from './response-headers.ts'
import { errorBody } from './to-app-error.ts'

/** The parts of a response, before it is built. */
export interface Reply {
  readonly status: number
  /** A string is text, which `encoded` compresses for clients that accept it. */
  readonly body: string | Compressed | Blob | ReadableStream<Uint8Array> | null
  /** The compressed forms of the body, for cached answers. */
  readonly packed?: PackedText | undefined
  /** The stream is text, and compressed while it is sent. */
  readonly isText?: boolean
  /** Never compressed: the compressed length would leak the secret (BREACH). */
  readonly isSecret?: boolean
  readonly shared?: SharedHeaders
  /** The error that a refusal answers with. */
  readonly error?: AppError
  /** A refusal that is stored under an idempotency key: its code, and the id under which its client finds it. */
  readonly storedRefusal?: { readonly code: string; readonly requestId: string }
  /** Added to the shared headers. */
  readonly headers: Readonly<Record<string, string>>
  /** The shared headers together with `headers`, for an answer that is sent many times. */
  readonly prepared?: SharedHeaders | undefined
}

const JSON_TYPE = { 'Content-Type': 'application/json' }
const PRIVATE = { 'Cache-Control': 'private, no-store' }
const NEVER_STORED = { 'Cache-Control': 'no-store' }
const privateJson = new SharedHeaders({ ...JSON_TYPE, ...VARY_BY_CODING, ...PRIVATE })
const neverStoredJson = new SharedHeaders({ ...JSON_TYPE, ...NEVER_STORED })
const publicJson = new SharedHeaders({ ...JSON_TYPE, ...VARY_BY_CODING })
const nothing = {}

export const bodyOf = ({ body, data }: Answer): string => body ?? (data === undefined ? '' : JSON.stringify({ data }))

interface PageOf {
  readonly cursors: Cursors
  readonly list: string
  readonly incoming: Incoming
}

/** One page of a list, with the next page's cursor in the body and its URL in the Link header. */
export function pageBody(answer: Answer, page: PageOf): string {
  const nextCursor = announceNext(answer, page)
  return JSON.stringify({ data: answer.data, nextCursor, hasMore: nextCursor !== null })
}

/** The same text as `pageBody`, made once for each tag. */
export function readyPage(answer: Answer, { etag, kept, make }: KeptList, page: PageOf): Ready {
  const nextCursor = announceNext(answer, page)
  const known = kept.get(etag)
  const { changesAt = null } = answer
  if (known) return { ...known, changesAt }
  const body = `{"data":${make()},"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${nextCursor !== null}}`
  const ready = { body, etag, packed: new PackedText(body), changesAt }
  kept.set(etag, ready)
  return ready
}

function announceNext({ next }: Answer, { cursors, list, incoming }: PageOf): string | null {
  const nextCursor = next ? cursors.encode(list, next) : null
  if (nextCursor) incoming.addHeader('Link', nextLink(incoming.url, nextCursor))
  return nextCursor
}

export function nextLink(url: URL, nextCursor: string): string {
  const next = new URL(url)
  next.searchParams.set('cursor', nextCursor)
  return `<${next.pathname}${next.search}>; rel="next"`
}

/** Replies that were sent before, of answers in memory that do not depend on the time. */
const sentBefore = new WeakMap<Ready, Reply>()

/** Prepares the headers of an answer in memory when it is sent a second time: preparing costs more than one answer saves. */
export function repeatedReply(ready: Ready, now: number): Reply {
  const before = sentBefore.get(ready)
  if (before?.prepared) return before
  const reply = before ? { ...before, prepared: publicJson.with(before.headers) } : publicReply(ready, now)
  if (ready.changesAt === null) sentBefore.set(ready, reply)
  return reply
}

export function publicReply(ready: Ready, now: number): Reply {
  const { body, etag, packed, link } = ready
  const headers = publicCaching(now, ready)
  headers['ETag'] = etag
  if (link) headers['Link'] = link
  return { status: 200, body, shared: publicJson, packed, headers }
}

export function privateReply({ status = 200 }: Answer, body: string, isStorable: boolean): Reply {
  if (body === '') return { status, body: null, headers: isStorable ? PRIVATE : NEVER_STORED }
  return { status, body, shared: isStorable ? privateJson : neverStoredJson, headers: nothing }
}

/** Reads of the owner are never stored by caches, but have an ETag to revalidate with. */
export function ownersReply({ answer, body, etag }: { answer: Answer; body: string; etag: string }): Reply {
  const reply = privateReply(answer, body, true)
  return { ...reply, headers: { ...reply.headers, ETag: etag } }
}

/** A replay has the ETag of the first answer, computed from the stored body. */
export function onceReply(
  { status, body, location, isReplay, requestId }: OnceAnswer,
  etag?: (data: never) => string,
): Reply {
  const isTagged = etag !== undefined && status < 300
  const reply = jsonReply(status, body, {
    ...PRIVATE,
    ...(location ? { Location: location } : {}),
    ...(isTagged ? { ETag: etag((JSON.parse(body) as { data: never }).data) } : {}),
    ...(isReplay ? { 'Idempotent-Replayed': 'true', 'X-Request-Id': requestId } : {}),
  })
  if (status < 400) return reply
  const { error } = JSON.parse(body) as { error: { code: string } }
  return { ...reply, storedRefusal: { code: error.code, requestId } }
}

export const errorReply = (error: AppError, requestId: string): Reply => ({
  ...jsonReply(error.status, errorBody(error, requestId), { ...error.headers, ...PRIVATE }),
  error,
})

const jsonReply = (status: number, body: string, headers: Record<string, string>): Reply =>
  body === '' ? { status, body: null, headers } : { status, body, headers: { ...JSON_TYPE, ...headers } }
