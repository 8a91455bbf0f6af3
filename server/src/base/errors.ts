// base: what every room may use: errors, log, clock, ids, secrets, caches and loops.
// Imports rooms: none.

import type { z } from 'zod'
import { type DetailsOf, ERRORS, type ErrorCode } from './error-catalogue/catalogue.ts'
import type { ErrorEntry } from './error-catalogue/entry.ts'
import type { fieldProblem } from './error-catalogue/request-errors.ts'
import type { Scope } from './scopes.ts'

export type { ErrorCode } from './error-catalogue/catalogue.ts'

interface Refusal<Code extends ErrorCode> {
  /** In place of the catalogue's words, where more can be said. */
  readonly message?: string
  /** Where a code has two: a page that is not valid is 400. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly details?: DetailsOf<Code>
}

/** Where the code has details, they must be given. */
type Refused<Code extends ErrorCode> = [DetailsOf<Code>] extends [Record<string, never>]
  ? [refusal?: Refusal<Code>]
  : [refusal: Refusal<Code> & { readonly details: DetailsOf<Code> }]

export class AppError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code
  readonly status: number
  readonly details: DetailsOf<Code>
  readonly headers: Readonly<Record<string, string>>

  constructor(code: Code, ...[refusal = {}]: Refused<Code>) {
    const { status, message }: ErrorEntry = ERRORS[code]
    const details = refusal.details ?? {}
    super(refusal.message ?? (typeof message === 'string' ? message : message(details)))
    this.name = 'AppError'
    this.code = code
    this.status = refusal.status ?? status
    this.details = details as DetailsOf<Code>
    this.headers = refusal.headers ?? {}
  }
}

export type FieldProblem = z.output<typeof fieldProblem>

export const idempotencyKeyRequired = () => new AppError('IDEMPOTENCY_KEY_REQUIRED')

export const idempotencyKeyInvalid = (maxLength: number) =>
  new AppError('IDEMPOTENCY_KEY_INVALID', { details: { maxLength } })

export const idempotencyKeyReused = () => new AppError('IDEMPOTENCY_KEY_REUSED')

export const idempotencyInProgress = () => new AppError('IDEMPOTENCY_IN_PROGRESS', { headers: { 'Retry-After': '1' } })

export const invalidPaging = (field: FieldProblem) =>
  new AppError('VALIDATION_ERROR', {
    message: 'The page asked for is not valid.',
    status: 400,
    details: { fields: [field] },
  })

export const invalidInput = (fields: FieldProblem[]) => new AppError('VALIDATION_ERROR', { details: { fields } })

export const invalidField = (path: string, code: string, message: string) => invalidInput([{ path, code, message }])

export const malformedJson = (message: string) => new AppError('MALFORMED_JSON', { message })

/** Does not wait for the rest of an endless body: the connection closes. */
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

export const formatNotSupported = (formats: string[]) => new AppError('FORMAT_NOT_SUPPORTED', { details: { formats } })

export const invalidScope = (scopes: string[]) => new AppError('INVALID_SCOPE', { details: { scopes } })

export const credentialsMissing = () =>
  new AppError('UNAUTHORIZED', { headers: { 'WWW-Authenticate': 'Bearer realm="tossup"' } })

const INVALID_TOKEN = { 'WWW-Authenticate': 'Bearer realm="tossup", error="invalid_token"' }

export const invalidAccessToken = () =>
  new AppError('UNAUTHORIZED', {
    message: 'The access token is not valid, or has expired: "Authorization: Bearer TOKEN".',
    headers: INVALID_TOKEN,
  })

export const invalidApiKey = () =>
  new AppError('INVALID_API_KEY', { headers: { 'WWW-Authenticate': 'ApiKey realm="tossup"' } })

export const invalidRefreshToken = () => new AppError('INVALID_REFRESH_TOKEN', { headers: INVALID_TOKEN })

export const scopeRequired = (scope: Scope) => new AppError('SCOPE_REQUIRED', { details: { scope } })

export const brandContextRequired = () => new AppError('BRAND_CONTEXT_REQUIRED')

/** One message for all: a resource that is missing and a resource of another brand must look the same. */
export const notFound = () => new AppError('NOT_FOUND')

/** One message for tickets that are made up, tampered with, used or expired: it tells nothing about other tickets. */
export const ticketNotFound = () =>
  new AppError('NOT_FOUND', {
    message: 'There is no such upload ticket: it may have been used, or be more than ten minutes old.',
  })

export const methodNotAllowed = (allowed: readonly string[]) =>
  new AppError('METHOD_NOT_ALLOWED', { headers: { Allow: allowed.join(', ') } })

export const pollClosed = (details: DetailsOf<'POLST_CLOSED'>) => new AppError('POLST_CLOSED', { details })

export const voteAlreadyCast = (existingVote: DetailsOf<'VOTE_ALREADY_CAST'>['existingVote']) =>
  new AppError('VOTE_ALREADY_CAST', { details: { existingVote } })

export const slugTaken = () => new AppError('SLUG_TAKEN')

export const pollHasVotes = () => new AppError('POLST_HAS_VOTES')

export const preconditionFailed = () => new AppError('PRECONDITION_FAILED')

export const campaignNameTaken = () => new AppError('CAMPAIGN_NAME_TAKEN')

export const invalidPolstOwnership = (foreignPolstIds: string[]) =>
  new AppError('INVALID_POLST_OWNERSHIP', { details: { foreignPolstIds } })

export const rateLimited = (headers: Record<string, string>) => new AppError('RATE_LIMITED', { headers })

export const unavailable = (retryAfterSeconds = 1) =>
  new AppError('UNAVAILABLE', { headers: { 'Retry-After': String(retryAfterSeconds) } })

export const exportOutdated = () =>
  new AppError('UNAVAILABLE', {
    message: 'The polls of the campaign were changed or deleted meanwhile. Ask for the file again.',
    headers: { 'Retry-After': '1' },
  })

export const internalError = () => new AppError('INTERNAL')

/** Ends a command with one line on standard error and no stack. */
export class PlainFailure extends Error {}

export const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message || error.name : String(error)
