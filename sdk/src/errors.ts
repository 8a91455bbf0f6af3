import type { ErrorBody } from './openapi.ts'

export type { ExistingVote } from './openapi.ts'

/** Every code that the service answers with. */
export type ServiceCode = ErrorBody['error']['code']

/** What can go wrong on the way: no answer, none in time, or one that is not the service's. */
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
 * Everything that this library throws, but for the reason of your own `AbortSignal`.
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
  readonly code: Code
  /** Of the answer; 0 where there was none. */
  readonly status: number
  readonly details: DetailsOf<Code>
  /** What to tell the operator of the service: it stands in the log. Null where no answer of the service came. */
  readonly requestId: string | null
  /** How long the service asks to be left alone, or null. */
  readonly retryAfterMs: number | null

  constructor({ code, message, status = 0, details, requestId = null, retryAfterMs = null, cause }: Parts<Code>) {
    super(message, { cause })
    this.code = code
    this.status = status
    this.details = details ?? ({} as DetailsOf<Code>)
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
  }
}

/** Narrows what was caught, to any error of the library or to those of one code. */
export function isTossupError(error: unknown): error is TossupError
export function isTossupError<Code extends TossupCode>(error: unknown, code: Code): error is TossupError<Code>
export function isTossupError(error: unknown, code?: TossupCode): boolean {
  return error instanceof TossupError && (code === undefined || error.code === code)
}
