import type { AppError } from '../base/errors.ts'
import type { Answer, Ready } from './answer.ts'
import { isNotModified, publicCacheControl } from './caching.ts'
import { errorBody } from './errors.ts'
import type { OnceAnswer } from './idempotency.ts'
import { header, type Incoming } from './incoming.ts'
import type { Cursors } from './page.ts'

const PRIVATE = 'private, no-store'
const NEVER_STORED = 'no-store'

export const bodyOf = ({ data }: Answer): string => (data === undefined ? '' : JSON.stringify({ data }))

/** A page of a list, with the way to the next one in the body and in a header. */
export function pageBody(
  answer: Answer,
  { cursors, list, incoming }: { cursors: Cursors; list: string; incoming: Incoming },
) {
  const nextCursor = answer.next ? cursors.encode(list, answer.next) : null
  if (nextCursor) {
    const next = new URL(incoming.url)
    next.searchParams.set('cursor', nextCursor)
    incoming.answerHeaders.set('Link', `<${next.pathname}${next.search}>; rel="next"`)
  }
  return JSON.stringify({ data: answer.data, nextCursor, hasMore: nextCursor !== null })
}

export function publicResponse(incoming: Incoming, { body, etag, changesAt }: Ready, now: number): Response {
  const headers = new Headers({ ETag: etag, 'Cache-Control': publicCacheControl(now, changesAt) })
  if (isNotModified(header(incoming, 'if-none-match'), etag)) return new Response(null, { status: 304, headers })
  return jsonResponse(200, body, headers)
}

export function privateResponse(answer: Answer, body: string, isStorable: boolean): Response {
  const headers = new Headers({ 'Cache-Control': isStorable ? PRIVATE : NEVER_STORED })
  return jsonResponse(answer.status ?? 200, body, headers)
}

export function onceResponse({ status, body, location, isReplay, requestId }: OnceAnswer): Response {
  const headers = new Headers({ 'Cache-Control': PRIVATE })
  if (location) headers.set('Location', location)
  if (isReplay) {
    headers.set('Idempotent-Replayed', 'true')
    headers.set('X-Request-Id', requestId)
  }
  return jsonResponse(status, body, headers)
}

export function errorResponse(error: AppError, requestId: string): Response {
  const headers = new Headers({ ...error.headers, 'Cache-Control': PRIVATE })
  return jsonResponse(error.status, errorBody(error, requestId), headers)
}

function jsonResponse(status: number, body: string, headers: Headers): Response {
  if (body === '') return new Response(null, { status, headers })
  headers.set('Content-Type', 'application/json')
  return new Response(body, { status, headers })
}
