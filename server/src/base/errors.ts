/** Everything that this service refuses, by the code that the outside sees, with its status. */
export const STATUS_OF = {
  BRAND_CONTEXT_REQUIRED: 403,
  CAMPAIGN_NAME_TAKEN: 409,
  FORMAT_NOT_SUPPORTED: 501,
  IDEMPOTENCY_IN_PROGRESS: 409,
  IDEMPOTENCY_KEY_INVALID: 400,
  IDEMPOTENCY_KEY_REQUIRED: 400,
  IDEMPOTENCY_KEY_REUSED: 422,
  INTERNAL: 500,
  INVALID_API_KEY: 401,
  INVALID_POLST_OWNERSHIP: 400,
  INVALID_REFRESH_TOKEN: 401,
  INVALID_SCOPE: 400,
  MALFORMED_JSON: 400,
  METHOD_NOT_ALLOWED: 405,
  NOT_FOUND: 404,
  PAYLOAD_TOO_LARGE: 413,
  POLST_CLOSED: 409,
  POLST_HAS_VOTES: 409,
  RANGE_NOT_SATISFIABLE: 416,
  RATE_LIMITED: 429,
  SCOPE_REQUIRED: 403,
  SLUG_TAKEN: 409,
  UNAUTHORIZED: 401,
  UNAVAILABLE: 503,
  UNSUPPORTED_MEDIA_TYPE: 415,
  VALIDATION_ERROR: 422,
  VOTE_ALREADY_CAST: 409,
} as const

export type ErrorCode = keyof typeof STATUS_OF

export interface FieldProblem {
  path: string
  code: string
  message: string
  /** Where in a text of many lines; both from 1. */
  line?: number
  column?: number
}

interface Refusal {
  /** Where a code has two: what is wrong with a page is 400. */
  status?: number
  details?: Record<string, unknown>
  headers?: Record<string, string>
}

export class AppError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly details: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(
    code: ErrorCode,
    message: string,
    { status = STATUS_OF[code], details = {}, headers = {} }: Refusal = {},
  ) {
    super(message)
    this.name = 'AppError'
    this.code = code
    this.status = status
    this.details = details
    this.headers = headers
  }
}

export const idempotencyKeyRequired = () =>
  new AppError('IDEMPOTENCY_KEY_REQUIRED', 'This request needs the header X-Service-Idempotency-Key.')

export const idempotencyKeyInvalid = (longest: number) =>
  new AppError(
    'IDEMPOTENCY_KEY_INVALID',
    `X-Service-Idempotency-Key takes 8 to ${longest} characters of A-Z a-z 0-9 . _ ~ -`,
  )

export const idempotencyKeyReused = () =>
  new AppError('IDEMPOTENCY_KEY_REUSED', 'This idempotency key was used for another request.')

export const idempotencyInProgress = () =>
  new AppError('IDEMPOTENCY_IN_PROGRESS', 'A request with this idempotency key is still running.', {
    headers: { 'Retry-After': '1' },
  })

export const invalidPaging = (field: FieldProblem) =>
  new AppError('VALIDATION_ERROR', 'The page asked for is not valid.', { status: 400, details: { fields: [field] } })

export const invalidInput = (fields: FieldProblem[]) =>
  new AppError('VALIDATION_ERROR', 'The request is not valid.', { details: { fields } })

export const invalidField = (path: string, code: string, message: string) => invalidInput([{ path, code, message }])

export const malformedJson = (message: string) => new AppError('MALFORMED_JSON', message)

/** Of a body without an end in sight the rest is not waited for. */
export const payloadTooLarge = (limit: number, { isEndless }: { isEndless: boolean }) =>
  new AppError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`, {
    details: { limit },
    headers: isEndless ? { Connection: 'close' } : {},
  })

export const unsupportedMediaType = (wanted = 'application/json') =>
  new AppError('UNSUPPORTED_MEDIA_TYPE', `The content type must be ${wanted}.`)

export const unsupportedContentCoding = () =>
  new AppError('UNSUPPORTED_MEDIA_TYPE', 'The body must be sent as it is, without a Content-Encoding.', {
    headers: { 'Accept-Encoding': 'identity' },
  })

export const rangeNotSatisfiable = (size: number) =>
  new AppError('RANGE_NOT_SATISFIABLE', `The range begins behind the end of the file, which has ${size} bytes.`, {
    details: { size },
    headers: { 'Content-Range': `bytes */${size}` },
  })

export const formatNotSupported = (formats: readonly string[]) =>
  new AppError('FORMAT_NOT_SUPPORTED', `The format must be one of ${formats.join(', ')}.`)

export const invalidScope = (scopes: readonly string[]) =>
  new AppError('INVALID_SCOPE', 'The app does not hold every scope asked for.', { details: { scopes } })

const NOT_A_TOKEN = 'The access token is not valid, or has ended: "Authorization: Bearer TOKEN".'
const NOBODY = 'Credentials are missing: "Authorization: Bearer TOKEN", or X-Device-Id where a device is enough.'

export const unauthorized = (isTokenSent: boolean) =>
  new AppError('UNAUTHORIZED', isTokenSent ? NOT_A_TOKEN : NOBODY, {
    headers: {
      'WWW-Authenticate': isTokenSent ? 'Bearer realm="tossup", error="invalid_token"' : 'Bearer realm="tossup"',
    },
  })

export const invalidApiKey = () =>
  new AppError('INVALID_API_KEY', 'The API key is not valid.', {
    headers: { 'WWW-Authenticate': 'ApiKey realm="tossup"' },
  })

export const invalidRefreshToken = () =>
  new AppError('INVALID_REFRESH_TOKEN', 'The refresh token is not valid.', {
    headers: { 'WWW-Authenticate': 'Bearer realm="tossup", error="invalid_token"' },
  })

export const scopeRequired = (scope: string) =>
  new AppError('SCOPE_REQUIRED', `This request needs the scope ${scope}.`, { details: { scope } })

export const brandContextRequired = () =>
  new AppError('BRAND_CONTEXT_REQUIRED', 'The app of this token belongs to no brand.')

/** One message for all: a thing that is missing and a thing of somebody else's must look the same. */
export const notFound = () => new AppError('NOT_FOUND', 'There is nothing here.')

/** Made up, tampered with, used, too old: whoever holds no valid ticket learns nothing about the others. */
export const ticketNotFound = () =>
  new AppError('NOT_FOUND', 'There is no such upload ticket: it may have been used, or be more than ten minutes old.')

export const methodNotAllowed = (allowed: readonly string[]) =>
  new AppError('METHOD_NOT_ALLOWED', 'This path does not take this method.', {
    headers: { Allow: allowed.join(', ') },
  })

export const pollClosed = (details: Record<string, unknown>) =>
  new AppError('POLST_CLOSED', 'This poll takes no votes now.', { details })

export const voteAlreadyCast = (existingVote: Record<string, unknown>) =>
  new AppError('VOTE_ALREADY_CAST', 'This device has already voted on this poll.', { details: { existingVote } })

export const slugTaken = () => new AppError('SLUG_TAKEN', 'This slug is taken.')

export const pollHasVotes = () => new AppError('POLST_HAS_VOTES', 'A poll that has votes cannot become a draft again.')

export const campaignNameTaken = () =>
  new AppError('CAMPAIGN_NAME_TAKEN', 'This brand has a campaign with this name already.')

export const invalidPolstOwnership = (foreignPolstIds: readonly string[]) =>
  new AppError('INVALID_POLST_OWNERSHIP', 'Not all of these are polls of this brand that can join a campaign.', {
    details: { foreignPolstIds },
  })

export const rateLimited = (headers: Record<string, string>) =>
  new AppError('RATE_LIMITED', 'Too many requests. Try again later.', { headers })

export const unavailable = (retryAfterSeconds = 1) =>
  new AppError('UNAVAILABLE', 'The service cannot answer this now. Try again shortly.', {
    headers: { 'Retry-After': String(retryAfterSeconds) },
  })

export const exportOutdated = () =>
  new AppError('UNAVAILABLE', 'The polls of the campaign were changed or deleted meanwhile. Ask for the file again.', {
    headers: { 'Retry-After': '1' },
  })

export const internalError = () => new AppError('INTERNAL', 'Something went wrong on our side.')

/** Ends a command with one line on standard error and no stack. */
export class PlainFailure extends Error {}

export const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message || error.name : String(error)
