// Made from server/openapi.json by `npm run facts`. A test fails when the two differ.

export type Brand = {
  slug: string
  name: string
  theme: Theme
  displayName: string | null
  description: string | null
  avatarUrl: string | null
  locationCity: string | null
  locationState: string | null
}

export type BrandContextRequiredError = {
  /** Which error it is, for programs. */
  code: 'BRAND_CONTEXT_REQUIRED'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: Record<string, unknown>
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type BrandProfile = {
  slug: string
  name: string
  theme: Theme
  displayName: string | null
  description: string | null
  avatarUrl: string | null
  locationCity: string | null
  locationState: string | null
  brandId: string
  scopes: ('view' | 'vote' | 'manage' | 'analytics')[]
}

export type BrandSummary = {
  slug: string
  name: string
  theme: Theme
}

export type BrandUpdate = {
  name?: string | undefined
  displayName?: string | null | undefined
  description?: string | null | undefined
  avatarUrl?: string | null | undefined
  locationCity?: string | null | undefined
  locationState?: string | null | undefined
}

export type Campaign = {
  campaignId: string
  title: string
  description: string | null
  polsts: PollListItem[]
  totalSteps: number
  polstCount: number
  brand: BrandSummary
  status: 'open' | 'closed' | 'scheduled'
  state: 'published' | 'draft' | 'archived'
  isPublic: boolean
  opensAt: string | null
  closesAt: string | null
  createdAt: string
  updatedAt: string
}

export type CampaignCreate = {
  title?: string | undefined
  /** The same as `title`. */
  name?: string | undefined
  description?: string | null | undefined
  isPublic?: boolean | undefined
  opensAt?: string | null | undefined
  closesAt?: string | null | undefined
  state?: 'published' | 'draft' | 'archived' | undefined
  polstIds: string[]
}

export type CampaignNameTakenError = {
  /** Which error it is, for programs. */
  code: 'CAMPAIGN_NAME_TAKEN'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: Record<string, unknown>
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type CampaignProgress = {
  completedSteps: number
  totalSteps: number
  currentPoll: PollListItem | null
  completed: boolean
}

export type CampaignTallies = {
  campaignId: string
  polsts: ({
    slug: string
    status: 'open' | 'closed' | 'scheduled'
    tallies: Tallies
  })[]
}

export type CampaignUpdate = {
  title?: string | undefined
  /** The same as `title`. */
  name?: string | undefined
  description?: string | null | undefined
  isPublic?: boolean | undefined
  opensAt?: string | null | undefined
  closesAt?: string | null | undefined
  state?: 'published' | 'draft' | 'archived' | undefined
  polstIds?: string[] | undefined
}

export type Category = {
  id: string
  slug: string
  name: string
}

export type ErrorBody = {
  error: MalformedJsonError | ValidationErrorError | PayloadTooLargeError | UnsupportedMediaTypeError | RangeNotSatisfiableError | FormatNotSupportedError | MethodNotAllowedError | NotFoundError | UnauthorizedError | InvalidApiKeyError | InvalidRefreshTokenError | InvalidScopeError | ScopeRequiredError | BrandContextRequiredError | RateLimitedError | IdempotencyKeyRequiredError | IdempotencyKeyInvalidError | IdempotencyKeyReusedError | IdempotencyInProgressError | SlugTakenError | PreconditionFailedError | PolstHasVotesError | CampaignNameTakenError | InvalidPolstOwnershipError | PolstClosedError | VoteAlreadyCastError | InternalError | UnavailableError
}

export type ExistingVote = {
  /** The option that the device voted for. */
  option: 'A' | 'B'
  /** When the device voted. */
  votedAt: string
}

export type FieldProblem = {
  /** The field, with dots between the names; empty for the request as a whole. */
  path: string
  /** What is wrong, for programs. */
  code: string
  /** What is wrong and what is allowed, for people. */
  message: string
  /** In a stylesheet: the line, from 1. */
  line?: number | undefined
  /** In a stylesheet: the column, from 1. */
  column?: number | undefined
}

export type FormatNotSupportedError = {
  /** Which error it is, for programs. */
  code: 'FORMAT_NOT_SUPPORTED'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: {
    /** The formats that the service writes. */
    formats: string[]
  }
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type IdempotencyInProgressError = {
  /** Which error it is, for programs. */
  code: 'IDEMPOTENCY_IN_PROGRESS'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: Record<string, unknown>
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type IdempotencyKeyInvalidError = {
  /** Which error it is, for programs. */
  code: 'IDEMPOTENCY_KEY_INVALID'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: {
    /** The most characters that the route takes. */
    maxLength: number
  }
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type IdempotencyKeyRequiredError = {
  /** Which error it is, for programs. */
  code: 'IDEMPOTENCY_KEY_REQUIRED'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: Record<string, unknown>
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type IdempotencyKeyReusedError = {
  /** Which error it is, for programs. */
  code: 'IDEMPOTENCY_KEY_REUSED'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: Record<string, unknown>
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type InternalError = {
  /** Which error it is, for programs. */
  code: 'INTERNAL'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: Record<string, unknown>
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type InvalidApiKeyError = {
  /** Which error it is, for programs. */
  code: 'INVALID_API_KEY'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: Record<string, unknown>
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type InvalidPolstOwnershipError = {
  /** Which error it is, for programs. */
  code: 'INVALID_POLST_OWNERSHIP'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: {
    /** The ids that cannot join, in the order of the request. */
    foreignPolstIds: string[]
  }
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type InvalidRefreshTokenError = {
  /** Which error it is, for programs. */
  code: 'INVALID_REFRESH_TOKEN'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: Record<string, unknown>
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type InvalidScopeError = {
  /** Which error it is, for programs. */
  code: 'INVALID_SCOPE'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: {
    /** The scopes that the app does not hold. */
    scopes: string[]
  }
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type MalformedJsonError = {
  /** Which error it is, for programs. */
  code: 'MALFORMED_JSON'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: Record<string, unknown>
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type MethodNotAllowedError = {
  /** Which error it is, for programs. */
  code: 'METHOD_NOT_ALLOWED'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: Record<string, unknown>
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type NotFoundError = {
  /** Which error it is, for programs. */
  code: 'NOT_FOUND'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: Record<string, unknown>
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type OwnTheme = {
  radius: 'NONE' | 'SM' | 'MD' | 'LG' | 'FULL'
  density: 'COMFORTABLE' | 'COMPACT'
  fontStack: 'SYSTEM' | 'SERIF' | 'MONO' | 'ROUNDED'
  titlePlacement: 'ABOVE' | 'BELOW' | 'HIDDEN'
  labelPlacement: 'OVERLAY' | 'BELOW' | 'HIDDEN'
  labelAlign: 'START' | 'CENTER' | 'END'
  elevation: 'NONE' | 'LOW' | 'HIGH'
  hideWatermark: boolean
  accent: string | null
  background: string | null
  foreground: string | null
  logoLightUrl: string | null
  logoDarkUrl: string | null
  faviconUrl: string | null
  embedOrigins: string[]
  customCssUrl: string | null
  version: number
  customCss: string | null
}

export type OwnedCampaign = {
  campaignId: string
  title: string
  description: string | null
  polsts: PollListItem[]
  totalSteps: number
  polstCount: number
  brand: BrandSummary
  status: 'open' | 'closed' | 'scheduled'
  state: 'published' | 'draft' | 'archived'
  isPublic: boolean
  opensAt: string | null
  closesAt: string | null
  createdAt: string
  updatedAt: string
  withheldPolstIds: string[]
  responsesProgress: {
    isComplete: boolean
    votesRead: number
    votesToRead: number
  }
}

export type OwnedPoll = {
  id: string
  slug: string
  title: string
  optionA: PollOption
  optionB: PollOption
  images: {
    optionA: string | null
    optionB: string | null
    combined: string | null
  }
  imageVariants: ({
    url: string
    width: number
    slot: 'optionA' | 'optionB' | 'combined'
  })[]
  tallies: Tallies
  status: 'open' | 'closed' | 'scheduled'
  brand: BrandSummary | null
  createdAt: string
  isDraft: boolean
  isPrivate: boolean
  updatedAt: string
  tags: string[]
  categories: Category[]
  shortId: string
  opensAt: string | null
  closesAt: string | null
  resultsVisibility: 'always' | 'after_vote' | 'after_close' | 'never'
  shareUrl: string
  revisedAt: string | null
  archivedAt: string | null
}

export type PayloadTooLargeError = {
  /** Which error it is, for programs. */
  code: 'PAYLOAD_TOO_LARGE'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: {
    /** The largest body that the route takes, in bytes. */
    limit: number
  }
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type Poll = {
  id: string
  slug: string
  title: string
  optionA: PollOption
  optionB: PollOption
  images: {
    optionA: string | null
    optionB: string | null
    combined: string | null
  }
  imageVariants: ({
    url: string
    width: number
    slot: 'optionA' | 'optionB' | 'combined'
  })[]
  tallies: Tallies
  status: 'open' | 'closed' | 'scheduled'
  brand: BrandSummary | null
  createdAt: string
  isDraft: boolean
  isPrivate: boolean
  updatedAt: string
  tags: string[]
  categories: Category[]
  shortId: string
  opensAt: string | null
  closesAt: string | null
  resultsVisibility: 'always' | 'after_vote' | 'after_close' | 'never'
  shareUrl: string
  revisedAt: string | null
}

export type PollCreate = {
  title: string
  optionA: {
    label: string
    imageUrl?: string | null | undefined
    imageAlt?: string | null | undefined
  }
  optionB: {
    label: string
    imageUrl?: string | null | undefined
    imageAlt?: string | null | undefined
  }
  slug?: string | undefined
  isDraft?: boolean | undefined
  isPrivate?: boolean | undefined
  tags?: string[] | undefined
  categoryIds?: string[] | undefined
  opensAt?: string | null | undefined
  closesAt?: string | null | undefined
  resultsVisibility?: 'always' | 'after_vote' | 'after_close' | 'never' | undefined
}

export type PollImageTicketCreate = {
  slot: 'optionA' | 'optionB' | 'combined'
  contentType: 'image/png' | 'image/jpeg' | 'image/webp'
  byteSize?: number | undefined
}

export type PollListItem = {
  id: string
  slug: string
  title: string
  optionA: PollOption
  optionB: PollOption
  images: {
    optionA: string | null
    optionB: string | null
    combined: string | null
  }
  imageVariants: ({
    url: string
    width: number
    slot: 'optionA' | 'optionB' | 'combined'
  })[]
  tallies: Tallies
  status: 'open' | 'closed' | 'scheduled'
  brand: BrandSummary | null
  createdAt: string
}

export type PollOption = {
  label: string
  imageUrl: string | null
  imageAlt: string | null
}

export type PollTallies = {
  slug: string
  status: 'open' | 'closed' | 'scheduled'
  tallies: Tallies
  updatedAt: string
}

export type PollUpdate = {
  title?: string | undefined
  optionA?: {
    label?: string | undefined
    imageUrl?: string | null | undefined
    imageAlt?: string | null | undefined
  } | undefined
  optionB?: {
    label?: string | undefined
    imageUrl?: string | null | undefined
    imageAlt?: string | null | undefined
  } | undefined
  images?: {
    combined?: string | null | undefined
  } | undefined
  archived?: boolean | undefined
  isDraft?: boolean | undefined
  isPrivate?: boolean | undefined
  tags?: string[] | undefined
  categoryIds?: string[] | undefined
  opensAt?: string | null | undefined
  closesAt?: string | null | undefined
  resultsVisibility?: 'always' | 'after_vote' | 'after_close' | 'never' | undefined
}

export type PolstClosedError = {
  /** Which error it is, for programs. */
  code: 'POLST_CLOSED'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: {
    /** The status of the poll, by the clock. */
    status: 'open' | 'closed' | 'scheduled'
    /** Present where the brand has archived the poll. */
    archived?: true | undefined
    /** The device's earlier vote, if it has one. */
    existingVote?: ExistingVote | undefined
  }
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type PolstHasVotesError = {
  /** Which error it is, for programs. */
  code: 'POLST_HAS_VOTES'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: Record<string, unknown>
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type PreconditionFailedError = {
  /** Which error it is, for programs. */
  code: 'PRECONDITION_FAILED'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: Record<string, unknown>
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type RangeNotSatisfiableError = {
  /** Which error it is, for programs. */
  code: 'RANGE_NOT_SATISFIABLE'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: {
    /** How many bytes the file has. */
    size: number
  }
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type RateLimitedError = {
  /** Which error it is, for programs. */
  code: 'RATE_LIMITED'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: Record<string, unknown>
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type Respondent = {
  respondentId: string
  startedAt: string
  totalVotes: number
  votes: RespondentVote[]
}

export type RespondentVote = {
  position: number
  slug: string
  option: 'A' | 'B'
  votedAt: string
}

export type ScopeRequiredError = {
  /** Which error it is, for programs. */
  code: 'SCOPE_REQUIRED'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: {
    /** The scope that the route needs. */
    scope: 'view' | 'vote' | 'manage' | 'analytics'
  }
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type SlugTakenError = {
  /** Which error it is, for programs. */
  code: 'SLUG_TAKEN'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: Record<string, unknown>
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type Tallies = {
  optionA: number
  optionB: number
  total: number
  hidden?: true | undefined
}

export type Theme = {
  radius: 'NONE' | 'SM' | 'MD' | 'LG' | 'FULL'
  density: 'COMFORTABLE' | 'COMPACT'
  fontStack: 'SYSTEM' | 'SERIF' | 'MONO' | 'ROUNDED'
  titlePlacement: 'ABOVE' | 'BELOW' | 'HIDDEN'
  labelPlacement: 'OVERLAY' | 'BELOW' | 'HIDDEN'
  labelAlign: 'START' | 'CENTER' | 'END'
  elevation: 'NONE' | 'LOW' | 'HIGH'
  hideWatermark: boolean
  accent: string | null
  background: string | null
  foreground: string | null
  logoLightUrl: string | null
  logoDarkUrl: string | null
  faviconUrl: string | null
  embedOrigins: string[]
  customCssUrl: string | null
  version: number
}

export type ThemeAssetTicketCreate = {
  slot: 'logo_light' | 'logo_dark' | 'favicon'
  contentType: 'image/png' | 'image/svg+xml' | 'image/webp'
  byteSize: number
}

export type ThemeUpdate = {
  radius?: 'NONE' | 'SM' | 'MD' | 'LG' | 'FULL' | null | undefined
  density?: 'COMFORTABLE' | 'COMPACT' | null | undefined
  fontStack?: 'SYSTEM' | 'SERIF' | 'MONO' | 'ROUNDED' | null | undefined
  titlePlacement?: 'ABOVE' | 'BELOW' | 'HIDDEN' | null | undefined
  labelPlacement?: 'OVERLAY' | 'BELOW' | 'HIDDEN' | null | undefined
  labelAlign?: 'START' | 'CENTER' | 'END' | null | undefined
  elevation?: 'NONE' | 'LOW' | 'HIGH' | null | undefined
  hideWatermark?: boolean | null | undefined
  accent?: string | null | undefined
  background?: string | null | undefined
  foreground?: string | null | undefined
  logoLightUrl?: string | null | undefined
  logoDarkUrl?: string | null | undefined
  faviconUrl?: string | null | undefined
  embedOrigins?: string[] | null | undefined
  customCss?: string | null | undefined
}

export type Timeline = {
  bucket: 'minute' | 'hour' | 'day'
  from: string
  to: string
  points: {
    at: string
    optionA: number
    optionB: number
  }[]
}

export type TokenPair = {
  accessToken: string
  refreshToken: string
  expiresIn: number
  tokenType: 'Bearer'
  scopes: ('view' | 'vote' | 'manage' | 'analytics')[]
}

export type UnauthorizedError = {
  /** Which error it is, for programs. */
  code: 'UNAUTHORIZED'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: Record<string, unknown>
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type UnavailableError = {
  /** Which error it is, for programs. */
  code: 'UNAVAILABLE'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: Record<string, unknown>
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type UnsupportedMediaTypeError = {
  /** Which error it is, for programs. */
  code: 'UNSUPPORTED_MEDIA_TYPE'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: {
    /** The content type that the route takes. */
    contentType?: string | undefined
    /** Present where the body has a content encoding. */
    contentEncoding?: 'identity' | undefined
  }
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type UploadTicket = {
  uploadUrl: string
  key: string
  publicUrl: string
  expiresIn: number
  method: 'PUT'
  headers: Record<string, string>
}

export type UploadedFile = {
  key: string
  publicUrl: string
  contentType: string
  byteSize: number
  width: number
  height: number
}

export type ValidationErrorError = {
  /** Which error it is, for programs. */
  code: 'VALIDATION_ERROR'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: {
    /** Every field that was refused, at most 50. */
    fields: FieldProblem[]
  }
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type Vote = {
  option: 'A' | 'B'
  tallies: Tallies
  votedAt: string
}

export type VoteAlreadyCastError = {
  /** Which error it is, for programs. */
  code: 'VOTE_ALREADY_CAST'
  /** The error for people. Its wording may change. */
  message: string
  /** What a program needs to know of the error. */
  details: {
    /** The device's earlier vote. It stands. */
    existingVote: ExistingVote
  }
  /** What the log names the request: the header `X-Request-Id`. */
  requestId: string
}

export type VoteCreate = {
  option: 'A' | 'B' | 'optionA' | 'optionB'
}

export type VoterEvent = {
  respondentId: string
  option: 'A' | 'B'
  votedAt: string
  position: number
}

export type Webhook = {
  id: string
  url: string
  events: ('poll.voted' | 'poll.tallies_updated' | 'poll.created' | 'poll.updated' | 'poll.opened' | 'poll.closed' | 'poll.deleted' | 'campaign.created' | 'campaign.updated' | 'campaign.deleted' | 'campaign.step_completed' | 'campaign.completed' | 'brand.updated' | 'brand.theme_updated' | 'webhook.test')[]
  description: string | null
  status: 'ACTIVE' | 'DISABLED'
  createdAt: string
  updatedAt: string
  lastDeliveryAt: string | null
  failingSince: string | null
}

export type WebhookCreate = {
  /** https, on a host of the public internet. */
  url: string
  events: ('poll.voted' | 'poll.tallies_updated' | 'poll.created' | 'poll.updated' | 'poll.opened' | 'poll.closed' | 'poll.deleted' | 'campaign.created' | 'campaign.updated' | 'campaign.deleted' | 'campaign.step_completed' | 'campaign.completed' | 'brand.updated' | 'brand.theme_updated' | 'webhook.test')[]
  description?: string | null | undefined
  status?: 'ACTIVE' | 'DISABLED' | undefined
}

export type WebhookDelivery = {
  id: string
  eventId: string
  eventType: 'poll.voted' | 'poll.tallies_updated' | 'poll.created' | 'poll.updated' | 'poll.opened' | 'poll.closed' | 'poll.deleted' | 'campaign.created' | 'campaign.updated' | 'campaign.deleted' | 'campaign.step_completed' | 'campaign.completed' | 'brand.updated' | 'brand.theme_updated' | 'webhook.test'
  status: 'pending' | 'succeeded' | 'failed' | 'skipped'
  attempts: ({
    at: string
    responseStatus: number | null
    durationMs: number
    errorClass: 'http_status' | 'redirect' | 'timeout' | 'dns_failed' | 'address_refused' | 'connection_failed' | 'tls_failed' | 'malformed_answer' | null
    responseBody: string | null
  })[]
  nextAttemptAt: string | null
  createdAt: string
}

export type WebhookUpdate = {
  /** https, on a host of the public internet. */
  url?: string | undefined
  events?: ('poll.voted' | 'poll.tallies_updated' | 'poll.created' | 'poll.updated' | 'poll.opened' | 'poll.closed' | 'poll.deleted' | 'campaign.created' | 'campaign.updated' | 'campaign.deleted' | 'campaign.step_completed' | 'campaign.completed' | 'brand.updated' | 'brand.theme_updated' | 'webhook.test')[] | undefined
  description?: string | null | undefined
  status?: 'ACTIVE' | 'DISABLED' | undefined
}

export type WebhookWithSecret = {
  id: string
  url: string
  events: ('poll.voted' | 'poll.tallies_updated' | 'poll.created' | 'poll.updated' | 'poll.opened' | 'poll.closed' | 'poll.deleted' | 'campaign.created' | 'campaign.updated' | 'campaign.deleted' | 'campaign.step_completed' | 'campaign.completed' | 'brand.updated' | 'brand.theme_updated' | 'webhook.test')[]
  description: string | null
  status: 'ACTIVE' | 'DISABLED'
  createdAt: string
  updatedAt: string
  lastDeliveryAt: string | null
  failingSince: string | null
  secret: string
}

/** Every operation by its method and path. */
export interface Endpoints {
  /** Exchange an API key for a pair of tokens */
  'POST /auth/token': {
    operation: 'issueTokens'
    body: {
      externalDeviceId: string
      scopes?: string[] | undefined
    }
    data: TokenPair
  }
  /** Rotate a pair of tokens */
  'POST /auth/token/refresh': {
    operation: 'refreshTokens'
    body: {
      refreshToken: string
    }
    data: TokenPair
  }
  /** Revoke a token and its whole family */
  'POST /auth/token/revoke': {
    operation: 'revokeTokens'
    body: {
      token: string
    }
    data: {
      revoked: true
    }
  }
  /** A brand */
  'GET /brands/{brandSlug}': {
    operation: 'getBrand'
    params: {
      brandSlug: string
    }
    data: Brand
  }
  /** A brand's theme; its ETag is its version */
  'GET /brands/{brandSlug}/theme': {
    operation: 'getTheme'
    params: {
      brandSlug: string
    }
    data: Theme
  }
  /** A brand's stylesheet of one version of its theme, as v{version}.css; it never changes */
  'GET /css/{brandSlug}/{file}': {
    operation: 'getStylesheet'
    params: {
      brandSlug: string
      file: string
    }
    data: unknown
  }
  /** The own profile, and the scopes of this token */
  'GET /brands/me': {
    operation: 'getOwnBrand'
    data: BrandProfile
  }
  /** Update some fields of the own profile */
  'PATCH /brands/me': {
    operation: 'updateBrand'
    body: BrandUpdate
    data: BrandProfile
  }
  /** The own theme, with the stylesheet as it was written */
  'GET /brands/me/theme': {
    operation: 'getOwnTheme'
    data: OwnTheme
  }
  /** Update some fields of the own theme; its version goes up by one */
  'PATCH /brands/me/theme': {
    operation: 'updateTheme'
    body: ThemeUpdate
    data: OwnTheme
  }
  /** A poll, by its slug, shortId or id */
  'GET /polls/{slug}': {
    operation: 'getPoll'
    params: {
      slug: string
    }
    data: Poll
  }
  /** The counts of a poll */
  'GET /polls/{slug}/tallies': {
    operation: 'getTallies'
    params: {
      slug: string
    }
    data: PollTallies
  }
  /** A brand's public feed */
  'GET /brands/{brandSlug}/polls': {
    operation: 'listPublicPolls'
    params: {
      brandSlug: string
    }
    query: {
      status?: 'all' | 'open' | 'closed' | undefined
      order?: 'recent' | 'popular' | 'closing' | undefined
      limit?: number | undefined
      cursor?: string | undefined
    }
    data: PollListItem[]
  }
  /** The operator's categories */
  'GET /categories': {
    operation: 'listCategories'
    data: Category[]
  }
  /** The counts of a poll as they change */
  'GET /polls/{slug}/tallies/stream': {
    operation: 'streamTallies'
    params: {
      slug: string
    }
    data: unknown
  }
  /** A published campaign, with its polls in order */
  'GET /campaigns/{campaignId}': {
    operation: 'getCampaign'
    params: {
      campaignId: string
    }
    data: Campaign
  }
  /** The counts of the polls of a campaign */
  'GET /campaigns/{campaignId}/tallies': {
    operation: 'getCampaignTallies'
    params: {
      campaignId: string
    }
    data: CampaignTallies
  }
  /** A brand's public campaigns, newest first */
  'GET /brands/{brandSlug}/campaigns': {
    operation: 'listPublicCampaigns'
    params: {
      brandSlug: string
    }
    query: {
      limit?: number | undefined
      cursor?: string | undefined
    }
    data: Campaign[]
  }
  /** Vote, once for each device */
  'POST /polls/{slug}/votes': {
    operation: 'castVote'
    params: {
      slug: string
    }
    body: VoteCreate
    data: Vote
  }
  /** The calling device's own vote */
  'GET /polls/{slug}/votes/me': {
    operation: 'getOwnVote'
    params: {
      slug: string
    }
    data: Vote
  }
  /** How far the calling device has come in a campaign */
  'GET /campaigns/{campaignId}/progress': {
    operation: 'getProgress'
    params: {
      campaignId: string
    }
    data: CampaignProgress
  }
  /** Forget the calling device: its votes stay counted, and nobody can tell any more that they belong together */
  'DELETE /guests/me': {
    operation: 'forgetGuest'
    data: undefined
  }
  /** Own polls, newest first */
  'GET /brands/me/polls': {
    operation: 'listOwnPolls'
    query: {
      status?: 'open' | 'closed' | 'scheduled' | undefined
      isDraft?: boolean | undefined
      archived?: boolean | undefined
      tag?: string | undefined
      category?: string | undefined
      q?: string | undefined
      limit?: number | undefined
      cursor?: string | undefined
    }
    data: OwnedPoll[]
  }
  /** Create a poll */
  'POST /brands/me/polls': {
    operation: 'createPoll'
    body: PollCreate
    data: OwnedPoll
  }
  /** An own poll, by its slug, shortId or id */
  'GET /brands/me/polls/{slug}': {
    operation: 'getOwnPoll'
    params: {
      slug: string
    }
    data: OwnedPoll
  }
  /** Update some fields of a poll */
  'PATCH /brands/me/polls/{slug}': {
    operation: 'updatePoll'
    params: {
      slug: string
    }
    body: PollUpdate
    data: OwnedPoll
  }
  /** Delete a poll and its votes for good */
  'DELETE /brands/me/polls/{slug}': {
    operation: 'deletePoll'
    params: {
      slug: string
    }
    data: undefined
  }
  /** Own campaigns, newest first */
  'GET /brands/me/campaigns': {
    operation: 'listOwnCampaigns'
    query: {
      limit?: number | undefined
      cursor?: string | undefined
    }
    data: OwnedCampaign[]
  }
  /** Create a campaign */
  'POST /brands/me/campaigns': {
    operation: 'createCampaign'
    body: CampaignCreate
    data: OwnedCampaign
  }
  /** An own campaign */
  'GET /brands/me/campaigns/{campaignId}': {
    operation: 'getOwnCampaign'
    params: {
      campaignId: string
    }
    data: OwnedCampaign
  }
  /** Update some fields of a campaign; polstIds replaces the whole list */
  'PATCH /brands/me/campaigns/{campaignId}': {
    operation: 'updateCampaign'
    params: {
      campaignId: string
    }
    body: CampaignUpdate
    data: OwnedCampaign
  }
  /** Delete a campaign; its polls and their votes stay */
  'DELETE /brands/me/campaigns/{campaignId}': {
    operation: 'deleteCampaign'
    params: {
      campaignId: string
    }
    data: undefined
  }
  /** Who voted in a campaign, and what; by their first vote, newest first; all of them as CSV or NDJSON */
  'GET /brands/me/campaigns/{campaignId}/responses': {
    operation: 'listResponses'
    params: {
      campaignId: string
    }
    query: {
      limit?: number | undefined
      cursor?: string | undefined
    }
    data: Respondent[]
  }
  /** A ticket to upload a picture of a poll */
  'POST /brands/me/polls/{slug}/images/upload-url': {
    operation: 'createPollImageTicket'
    params: {
      slug: string
    }
    body: PollImageTicketCreate
    data: UploadTicket
  }
  /** A ticket to upload a logo or favicon */
  'POST /brands/me/theme/assets/upload-url': {
    operation: 'createThemeAssetTicket'
    body: ThemeAssetTicketCreate
    data: UploadTicket
  }
  /** Who voted on an own poll, and what, highest position first; all of them as CSV or NDJSON */
  'GET /brands/me/polls/{slug}/voters': {
    operation: 'listVoters'
    params: {
      slug: string
    }
    query: {
      limit?: number | undefined
      cursor?: string | undefined
    }
    data: VoterEvent[]
  }
  /** How many votes each minute, hour or day brought an own poll, in UTC */
  'GET /brands/me/polls/{slug}/timeline': {
    operation: 'getTimeline'
    params: {
      slug: string
    }
    query: {
      bucket?: 'minute' | 'hour' | 'day' | undefined
      from?: string | undefined
      to?: string | undefined
    }
    data: Timeline
  }
  /** Upload the bytes that a ticket is for. The ticket is the credential; an answer 503 leaves it as it was */
  'PUT /uploads/{key}': {
    operation: 'uploadFile'
    params: {
      key: string
    }
    query: {
      signature: string
    }
    data: UploadedFile
  }
  /** A picture, under an address whose content never changes */
  'GET /files/{key}': {
    operation: 'getFile'
    params: {
      key: string
    }
    data: unknown
  }
  /** Own webhooks, active and disabled, newest first, without their secrets */
  'GET /brands/me/webhooks': {
    operation: 'listWebhooks'
    query: {
      limit?: number | undefined
      cursor?: string | undefined
    }
    data: Webhook[]
  }
  /** Create a webhook; its secret is shown in this answer alone */
  'POST /brands/me/webhooks': {
    operation: 'createWebhook'
    body: WebhookCreate
    data: WebhookWithSecret
  }
  /** An own webhook, without its secret */
  'GET /brands/me/webhooks/{id}': {
    operation: 'getWebhook'
    params: {
      id: string
    }
    data: Webhook
  }
  /** Update some fields of a webhook; events replaces the whole list */
  'PATCH /brands/me/webhooks/{id}': {
    operation: 'updateWebhook'
    params: {
      id: string
    }
    body: WebhookUpdate
    data: Webhook
  }
  /** Delete a webhook and its deliveries for good */
  'DELETE /brands/me/webhooks/{id}': {
    operation: 'deleteWebhook'
    params: {
      id: string
    }
    data: undefined
  }
  /** Make a new secret; for 24 hours deliveries are signed with the one before as well */
  'POST /brands/me/webhooks/{id}/rotate-secret': {
    operation: 'rotateWebhookSecret'
    params: {
      id: string
    }
    data: WebhookWithSecret
  }
  /** Send a webhook.test event, whatever the webhook listens to */
  'POST /brands/me/webhooks/{id}/test': {
    operation: 'testWebhook'
    params: {
      id: string
    }
    data: WebhookDelivery
  }
  /** What was sent or is to be sent to a webhook within 30 days, newest first, with every attempt */
  'GET /brands/me/webhooks/{id}/deliveries': {
    operation: 'listWebhookDeliveries'
    params: {
      id: string
    }
    query: {
      limit?: number | undefined
      cursor?: string | undefined
    }
    data: WebhookDelivery[]
  }
  /** Send an event again, under the same webhook-id, as a delivery of its own */
  'POST /brands/me/webhooks/{id}/deliveries/{deliveryId}/redeliver': {
    operation: 'redeliverWebhookDelivery'
    params: {
      id: string
      deliveryId: string
    }
    data: WebhookDelivery
  }
  /** The script behind `<tossup-poll>`, `<tossup-campaign>` and `<tossup-feed>` */
  'GET /embed.js': {
    operation: 'getEmbedScript'
    data: unknown
  }
  /** What every poll looks like, before a brand says anything */
  'GET /embed/poll.css': {
    operation: 'getEmbedStyles'
    data: unknown
  }
  /** What the elements say by themselves, in one of their languages */
  'GET /embed/words/{lang}': {
    operation: 'getEmbedWords'
    params: {
      lang: string
    }
    data: unknown
  }
  /** The picture by which a poll is shared */
  'GET /p/{slug}/card.jpg': {
    operation: 'getPollCard'
    params: {
      slug: string
    }
    query: {
      v?: string | undefined
    }
    data: unknown
  }
  /** The picture by which a campaign is shared */
  'GET /c/{campaignId}/card.jpg': {
    operation: 'getCampaignCard'
    params: {
      campaignId: string
    }
    query: {
      v?: string | undefined
    }
    data: unknown
  }
  /** The picture by which a brand's polls are shared */
  'GET /b/{brandSlug}/card.jpg': {
    operation: 'getBrandCard'
    params: {
      brandSlug: string
    }
    query: {
      v?: string | undefined
    }
    data: unknown
  }
  /** A QR code of a poll's page */
  'GET /p/{slug}/qr.svg': {
    operation: 'getPollCode'
    params: {
      slug: string
    }
    query: {
      size?: number | undefined
    }
    data: unknown
  }
  /** A QR code of a campaign's page */
  'GET /c/{campaignId}/qr.svg': {
    operation: 'getCampaignCode'
    params: {
      campaignId: string
    }
    query: {
      size?: number | undefined
    }
    data: unknown
  }
  /** A QR code of a brand's page */
  'GET /b/{brandSlug}/qr.svg': {
    operation: 'getBrandCode'
    params: {
      brandSlug: string
    }
    query: {
      size?: number | undefined
    }
    data: unknown
  }
  /** How a page of ours is shown in another, by oEmbed 1.0 */
  'GET /oembed': {
    operation: 'getOEmbed'
    query: {
      url: string
      format?: string | undefined
      maxwidth?: number | undefined
      maxheight?: number | undefined
    }
    data: unknown
  }
  /** What search engines may read, which is everything, and where to begin */
  'GET /robots.txt': {
    operation: 'getRobots'
    data: unknown
  }
  /** The sitemaps of what is public */
  'GET /sitemap.xml': {
    operation: 'getSitemapIndex'
    data: unknown
  }
  /** A part of the public polls, campaigns or brands, with the time of their last change */
  'GET /sitemap/{file}': {
    operation: 'getSitemap'
    params: {
      file: string
    }
    data: unknown
  }
  /** A poll on a page of its own */
  'GET /p/{slug}': {
    operation: 'getPollPage'
    params: {
      slug: string
    }
    data: unknown
  }
  /** A poll for a frame in another page */
  'GET /embed/poll/{slug}': {
    operation: 'getPollFrame'
    params: {
      slug: string
    }
    data: unknown
  }
  /** A campaign on a page of its own */
  'GET /c/{campaignId}': {
    operation: 'getCampaignPage'
    params: {
      campaignId: string
    }
    data: unknown
  }
  /** A campaign for a frame in another page */
  'GET /embed/campaign/{campaignId}': {
    operation: 'getCampaignFrame'
    params: {
      campaignId: string
    }
    data: unknown
  }
  /** A brand's public polls on a page of their own */
  'GET /b/{brandSlug}': {
    operation: 'getBrandPage'
    params: {
      brandSlug: string
    }
    data: unknown
  }
  /** A brand's public polls for a frame in another page */
  'GET /embed/brand/{brandSlug}': {
    operation: 'getBrandFrame'
    params: {
      brandSlug: string
    }
    data: unknown
  }
  /** Where to look */
  'GET /': {
    operation: 'getWelcome'
    data: {
      name: 'Tossup'
      api: string
      reference: string
    }
  }
  /** Whether the process answers */
  'GET /livez': {
    operation: 'isAlive'
    data: {
      status: 'ok'
    }
  }
  /** Whether requests can be served: the database answers and the process is not stopping */
  'GET /readyz': {
    operation: 'isReady'
    data: {
      status: 'ok'
    }
  }
  /** This reference, as OpenAPI 3.1 */
  'GET /openapi.json': {
    operation: 'getOpenApi'
    data: unknown
  }
}
