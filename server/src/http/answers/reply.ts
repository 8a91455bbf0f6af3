import { AppError, internalError, unavailable } from '../../base/errors.ts'
import type { Engine } from '../../db/store.ts'
import { StoreAway } from '../../files/file-store.ts'
import type { Incoming } from '../incoming.ts'
import { TookTooLong } from '../limits/deadlines.ts'
import type { Cursors } from '../paging.ts'
import type { Answer, KeptList, OnceAnswer, Ready } from './answer.ts'
import { etagOf, publicCaching } from './caching.ts'
import { type Compressed, type Effort, PackedText } from './content-coding.ts'
import { SharedHeaders, VARY_BY_CODING } from './response-headers.ts'

/** Converts any thrown value into an error that may be sent. The thrown value becomes its cause, for the log. */
export function toAppError(
  error: unknown,
  engine: Pick<Engine, 'isUnavailable' | 'isBusy' | 'whyUnavailable'>,
): AppError {
  if (error instanceof AppError) return error
  if (engine.isUnavailable(error) || engine.isBusy(error))
    return away(engine.whyUnavailable?.(error) ?? 'the database did not answer', error)
  if (error instanceof StoreAway) return away('the file store did not answer', error)
  if (error instanceof TookTooLong) return away('a request took too long', error)
  return internalError(error)
}

const away = (reason: string, cause: unknown): AppError => unavailable(2, { reason, cause })

export const errorBody = ({ code, message, details }: AppError, requestId: string): string =>
  JSON.stringify({ error: { code, message, details, requestId } })

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
  /** The code of a refusal that is stored under an idempotency key. */
  readonly storedCode?: string
  /** Added to the shared headers. */
  readonly headers: Readonly<Record<string, string>>
  /** The shared headers together with `headers`, for an answer that is sent many times. */
  readonly prepared?: SharedHeaders | undefined
}

const JSON_TYPE = { 'Content-Type': 'application/json' }
const PRIVATE = { 'Cache-Control': 'private, no-store' }
const REVALIDATED = { 'Cache-Control': 'private, no-cache' }
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
  return JSON.stringify({
    data: answer.data,
    nextCursor,
    hasMore: nextCursor !== null && !answer.isAtEnd,
    ...answer.beside,
  })
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

function announceNext({ next, isAtEnd }: Answer, { cursors, list, incoming }: PageOf): string | null {
  const nextCursor = next ? cursors.encode(list, next) : null
  if (nextCursor && !isAtEnd) incoming.addHeader('Link', nextLink(incoming.url, nextCursor))
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

interface OwnersAnswer {
  readonly answer: Answer
  readonly body: string
  readonly etag: string
  /** A browser may keep the answer and asks for each use whether it still holds. */
  readonly isKept: boolean
}

export function ownersReply({ answer, body, etag, isKept }: OwnersAnswer): Reply {
  const reply = privateReply(answer, body, true)
  return { ...reply, headers: { ...reply.headers, ...(isKept ? REVALIDATED : {}), ETag: etag } }
}

/** A replay has the ETag of the first answer, computed from the stored body. */
export function onceReply(
  { status, body, location, isReplay, requestId }: OnceAnswer,
  etag?: (data: never) => string,
): Reply {
  const isTagged = etag !== undefined && status < 300 && body !== ''
  const reply = jsonReply(status, body, {
    ...PRIVATE,
    ...(location ? { Location: location } : {}),
    ...(isTagged ? { ETag: etag((JSON.parse(body) as { data: never }).data) } : {}),
    ...(isReplay ? { 'Idempotent-Replayed': 'true', 'Original-Request-Id': requestId } : {}),
  })
  if (status < 400) return reply
  const { error } = JSON.parse(body) as { error: { code: string } }
  return { ...reply, storedCode: error.code }
}

export const errorReply = (error: AppError, requestId: string): Reply => ({
  ...jsonReply(error.status, errorBody(error, requestId), { ...error.headers, ...PRIVATE }),
  error,
})

const jsonReply = (status: number, body: string, headers: Record<string, string>): Reply =>
  body === '' ? { status, body: null, headers } : { status, body, headers: { ...JSON_TYPE, ...headers } }

export interface Around {
  readonly requestId: string
  /** No page of another origin may read the answer. */
  readonly isSameOrigin: boolean
  readonly isHead?: boolean
  /** No other request is answered on its connection. */
  readonly isLast?: boolean
  readonly answerHeaders?: Readonly<Record<string, string>> | null
  readonly limitHeaders?: Readonly<Record<string, string>> | null
}

const ofEveryAnswer = new SharedHeaders()

export function toResponse(
  { status, body, shared = ofEveryAnswer, headers, prepared }: Reply,
  { requestId, isSameOrigin, isHead, isLast, answerHeaders, limitHeaders }: Around,
): Response {
  const common = prepared ?? shared
  const response = new Response(body, { status, headers: isSameOrigin ? common.withoutCors : common.forAnyPage })
  // Read once: each reading is a call out of JavaScript.
  const sent = response.headers
  sent.set('X-Request-Id', requestId)
  // Bun adds a Date header to every answer except those to HEAD.
  if (isHead) sent.set('Date', new Date().toUTCString())
  if (isLast) sent.set('Connection', 'close')
  if (limitHeaders) setAll(sent, limitHeaders)
  if (answerHeaders) setAll(sent, answerHeaders)
  if (!prepared) setAll(sent, headers)
  return response
}

function setAll(target: Headers, headers: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(headers)) {
    const value = headers[name] ?? ''
    if (name === 'Vary' || name === 'Set-Cookie') target.append(name, value)
    else target.set(name, value)
  }
}

/** A text that is sent many times, with its compressed forms. */
export interface Asset {
  readonly text: string
  readonly packed: PackedText
  readonly etag: string
}

export const assetOf = (text: string, effort: Effort = 'best'): Asset => ({
  text,
  packed: new PackedText(text, effort),
  etag: etagOf(text),
})

export const assetReply = ({ text, packed, etag }: Asset, headers: Readonly<Record<string, string>>): Reply => ({
  status: 200,
  body: text,
  packed,
  headers: { ...headers, ETag: etag },
})
