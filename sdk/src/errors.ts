import type { ErrorBody } from './openapi.ts'

export type { ExistingVote } from './openapi.ts'

/** The service's error codes. */
export type ServiceCode = ErrorBody['error']['code']

/** Failures on the way: no answer, a timeout, or an answer that is not the service's. */
export type ClientCode = 'NETWORK_ERROR' | 'TIMEOUT' | 'UNEXPECTED_ANSWER'

export type TossupCode = ServiceCode | ClientCode

type ServiceDetails = { [Each in ErrorBody['error'] as Each['code']]: Readonly<Each['details']> }

/** The details of a code, as the service documents them. */
export type DetailsOf<Code extends TossupCode> = Code extends keyof ServiceDetails
  ? ServiceDetails[Code]
  : Readonly<Record<string, unknown>>

interface Parts<Code extends TossupCode> {
  readonly code: Code
  readonly message: string
  readonly status?: number
  readonly details?: DetailsOf<Code>
  readonly requestId?: string | null
  readonly retryAfterMs?: number | null
  readonly cause?: unknown
}

/**
 * Every error of this library, except the reason of your own `AbortSignal`.
 *
 * @example
 * try {
 *   await visitor.castVote('tea-or-coffee', 'A')
 * } catch (error) {
 *   if (isTossupError(error, 'POLST_CLOSED')) console.log(error.details.status)
 *   else throw error
 * }
 */
export class TossupError<Code extends TossupCode = TossupCode> extends Error {
  override readonly name = 'TossupError'
  declare readonly code: Code
  /** The HTTP status; 0 without an answer. */
  declare readonly status: number
  declare readonly details: DetailsOf<Code>
  /** Tell it to the service's operator: it is in the log. Null without an answer of the service. */
  declare readonly requestId: string | null
  /** How long the service asks to wait, or null. */
  declare readonly retryAfterMs: number | null

  constructor({ code, message, status = 0, details, requestId = null, retryAfterMs = null, cause }: Parts<Code>) {
    super(message, { cause })
    Object.assign(this, { code, status, details: details ?? {}, requestId, retryAfterMs })
  }
}

/**
 * Narrows a caught value to an error of the library, or to one code. Recognises the errors of both builds, ES modules and
 * CommonJS; `instanceof` knows only the errors of its own.
 */
export function isTossupError(error: unknown): error is TossupError
export function isTossupError<Code extends TossupCode>(error: unknown, code: Code): error is TossupError<Code>
export function isTossupError(error: unknown, code?: TossupCode): boolean {
  const thrown = error as Partial<TossupError> | null | undefined
  return thrown?.name === 'TossupError' && (code === undefined || thrown.code === code)
}
