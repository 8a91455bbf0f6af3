import type { Reply } from './reply.ts'
import { SharedHeaders } from './response-headers.ts'

export interface Around {
  readonly requestId: string
  readonly isAuth: boolean
  readonly isHead?: boolean
  /** No other request is answered on its connection. */
  readonly isLast?: boolean
  readonly answerHeaders?: Readonly<Record<string, string>> | null
  readonly limitHeaders?: Readonly<Record<string, string>> | null
}

const ofEveryAnswer = new SharedHeaders()

/** A replay carries the request id of the first answer instead of its own. */
export function toResponse(
  { status, body, shared = ofEveryAnswer, headers, prepared }: Reply,
  { requestId, isAuth, isHead, isLast, answerHeaders, limitHeaders }: Around,
): Response {
  const common = prepared ?? shared
  const response = new Response(body, { status, headers: isAuth ? common.forServers : common.forAnyPage })
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
