// base: what every room may use: errors, log, clock, ids, secrets, caches and loops.
import type { z } from 'zod'
import type { ErrorEntry } from './error-catalogue/entry.ts'
import { ACCESS_ERRORS, type fieldProblem, REQUEST_ERRORS, SERVICE_ERRORS } from './error-catalogue/request-errors.ts'
import { VOTE_ERRORS, WRITE_ERRORS } from './error-catalogue/write-errors.ts'
import type { OPERATOR, Role } from './roles.ts'

/** Every error that the service answers with, by its code. */
export const ERRORS = {
  ...REQUEST_ERRORS,
  ...ACCESS_ERRORS,
  ...WRITE_ERRORS,
  ...VOTE_ERRORS,
  ...SERVICE_ERRORS,
}

export type ErrorCode = keyof typeof ERRORS

export type DetailsOf<Code extends ErrorCode> = z.output<(typeof ERRORS)[Code]['details']>

/** For code that iterates over all errors. To read one error, use `ERRORS`, which has the type of its details. */
export const errorEntries = Object.entries(ERRORS) as [ErrorCode, ErrorEntry][]

interface Refusal<Code extends ErrorCode> {
  /** Replaces the catalogue's message with a more specific one. */
  readonly message?: string
  /** For codes with two statuses: VALIDATION_ERROR answers 400 for paging parameters. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly details?: DetailsOf<Code>
  /** The reason, for the log only: it is never sent. */
  readonly reason?: string | undefined
  readonly cause?: unknown
}

/** Requires `details` for codes that have them. */
type Refused<Code extends ErrorCode> = [DetailsOf<Code>] extends [Record<string, never>]
  ? [refusal?: Refusal<Code>]
  : [refusal: Refusal<Code> & { readonly details: DetailsOf<Code> }]

export class AppError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code
  readonly status: number
  readonly details: DetailsOf<Code>
  readonly headers: Readonly<Record<string, string>>
  readonly reason: string | undefined

  constructor(code: Code, ...[refusal = {}]: Refused<Code>) {
    const { status, message }: ErrorEntry = ERRORS[code]
    const details = refusal.details ?? {}
    super(refusal.message ?? (typeof message === 'string' ? message : message(details)), { cause: refusal.cause })
    this.name = 'AppError'
    this.code = code
    this.status = refusal.status ?? status
    this.details = details as DetailsOf<Code>
    this.headers = refusal.headers ?? {}
    this.reason = refusal.reason
  }
}

export type FieldProblem = z.output<typeof fieldProblem>

export const idempotencyInProgress = () => new AppError('IDEMPOTENCY_IN_PROGRESS', { headers: { 'Retry-After': '1' } })

export const invalidPaging = (field: FieldProblem) =>
  new AppError('VALIDATION_ERROR', {
    status: 400,
    details: { fields: [field] },
  })

export const repeatedHost = () =>
  new AppError('VALIDATION_ERROR', {
    message: 'A request has one Host header.',
    status: 400,
    details: { fields: [{ path: 'Host', code: 'duplicate_header', message: 'Must not be repeated.' }] },
    headers: { Connection: 'close' },
  })

export const invalidInput = (fields: FieldProblem[]) => new AppError('VALIDATION_ERROR', { details: { fields } })

export const invalidField = (path: string, code: string, message: string) => invalidInput([{ path, code, message }])

export const malformedJson = (message: string) => new AppError('MALFORMED_JSON', { message })

/** Closes the connection instead of waiting for the rest of an endless body. */
export const payloadTooLarge = (limit: number, { isEndless }: { isEndless: boolean }) =>
  new AppError('PAYLOAD_TOO_LARGE', { details: { limit }, headers: isEndless ? { Connection: 'close' } : {} })

export const unsupportedMediaType = (contentType = 'application/json') =>
  new AppError('UNSUPPORTED_MEDIA_TYPE', {
    message: `The content type must be ${contentType}.`,
    details: { contentType },
  })

export const unsupportedContentCoding = () =>
  new AppError('UNSUPPORTED_MEDIA_TYPE', {
    message: 'The body must be sent without a content encoding.',
    details: { contentEncoding: 'identity' },
    headers: { 'Accept-Encoding': 'identity' },
  })

export const rangeNotSatisfiable = (size: number) =>
  new AppError('RANGE_NOT_SATISFIABLE', { details: { size }, headers: { 'Content-Range': `bytes */${size}` } })

export const credentialsMissing = () =>
  new AppError('UNAUTHORIZED', { headers: { 'WWW-Authenticate': 'Bearer realm="tossup"' } })

const INVALID_TOKEN = { 'WWW-Authenticate': 'Bearer realm="tossup", error="invalid_token"' }

export const invalidAccessToken = () =>
  new AppError('UNAUTHORIZED', {
    message: 'The access token is not valid or has expired. Send "Authorization: Bearer TOKEN" with a new one.',
    headers: INVALID_TOKEN,
  })

export const invalidApiKey = () =>
  new AppError('INVALID_API_KEY', { headers: { 'WWW-Authenticate': 'ApiKey realm="tossup"' } })

export const invalidRefreshToken = () => new AppError('INVALID_REFRESH_TOKEN', { headers: INVALID_TOKEN })

const SESSION = { 'WWW-Authenticate': 'Session realm="tossup"' }

export const sessionRequired = () =>
  new AppError('UNAUTHORIZED', { message: 'There is no session, or it has ended. Sign in first.', headers: SESSION })

/** One message for unknown, used and expired links, so that it reveals nothing about other links. */
export const invalidLink = () => new AppError('INVALID_LINK', { headers: SESSION })

export const invalidPasskey = () => new AppError('INVALID_PASSKEY', { headers: SESSION })

export const roleRequired = (role: Role | typeof OPERATOR) => new AppError('ROLE_REQUIRED', { details: { role } })

/** One message for both: a missing resource and a resource of another brand must be indistinguishable. */
export const notFound = () => new AppError('NOT_FOUND')

export function orNotFound<Found extends object>(found: Found | null | undefined): Found {
  if (!found) throw notFound()
  return found
}

/** One message for invented, altered, used and expired tickets, so that it reveals nothing about other tickets. */
export const ticketNotFound = () =>
  new AppError('NOT_FOUND', {
    message: 'The upload ticket is not valid. It may have been used, or have expired after ten minutes.',
  })

export const methodNotAllowed = (allowed: readonly string[]) =>
  new AppError('METHOD_NOT_ALLOWED', { headers: { Allow: allowed.join(', ') } })

export const pollClosed = (details: DetailsOf<'POLST_CLOSED'>) => new AppError('POLST_CLOSED', { details })

export const rateLimited = (headers: Record<string, string>) => new AppError('RATE_LIMITED', { headers })

/** `reason` and `cause` are for the log. Clients only learn when to retry. */
export const unavailable = (retryAfterSeconds = 1, why: { reason?: string; cause?: unknown } = {}) =>
  new AppError('UNAVAILABLE', { headers: { 'Retry-After': String(retryAfterSeconds) }, ...why })

export const exportOutdated = () =>
  new AppError('UNAVAILABLE', {
    message: 'The campaign or its polls were changed or deleted during the download. Request the file again.',
    reason: 'the polls of a campaign changed during an export',
    headers: { 'Retry-After': '1' },
  })

export const exportTooEarly = () =>
  new AppError('UNAVAILABLE', {
    message: 'Votes from before the polls joined the campaign are still being read. Request the file again later.',
    reason: 'an export of responses was requested before they were complete',
    headers: { 'Retry-After': '5' },
  })

export const internalError = (cause: unknown) => new AppError('INTERNAL', { reason: 'a request failed', cause })

/** Ends a command with one line on standard error, without a stack. */
export class PlainFailure extends Error {}

export const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message || error.name : String(error)

/** The code of a failure of the system, a database or a library. Empty if it has none. */
export const errorCodeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** A failure of the file system is told as one of the setting that the operator chose. */
export function inDataDir<T>(dataDir: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof PlainFailure) throw error
    throw new PlainFailure(`Cannot use DATA_DIR ${dataDir}: ${reasonOf(error)}.`, { cause: error })
  }
}
