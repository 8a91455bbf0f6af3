import type { Reply } from './reply.ts'
import { SharedHeaders } from './shared-headers.ts'

interface Around {
  readonly requestId: string
  readonly isAuth: boolean
  readonly isDraining?: boolean
  readonly answerHeaders?: Readonly<Record<string, string>>
}

const ofEveryAnswer = new SharedHeaders()

/** A replay brings the id of the first answer along, in place of this request's own. */
export function toResponse(
  { status, body, shared = ofEveryAnswer, headers }: Reply,
  { requestId, isAuth, isDraining, answerHeaders }: Around,
): Response {
  const response = new Response(body, { status, headers: isAuth ? shared.forServers : shared.forAnyPage })
  response.headers.set('X-Request-Id', requestId)
  if (isDraining) response.headers.set('Connection', 'close')
  if (answerHeaders) setAll(response.headers, answerHeaders)
  setAll(response.headers, headers)
  return response
}

function setAll(target: Headers, headers: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(headers)) target.set(name, headers[name] ?? '')
}
