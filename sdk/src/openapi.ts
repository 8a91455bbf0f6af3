// Made from server/openapi.json by `npm run facts`. A test fails when the two differ.

export type Brand = {
  /** The name of the brand in addresses. It never changes. */
  slug: string
  /** The name of the brand. */
  name: string
  /** How its polls look. */
  theme: Theme
  /** The name to show, where it is another one than `name`; or null. */
  displayName: string | null
  /** What visitors may want to know of the brand, or null. */
  description: string | null
  /** The picture of the brand: an https address, or null. Our own pages show it only when it is a file of this service. */
  avatarUrl: string | null
  /** The city, or null. */
  locationCity: string | null
  /** The state or region, or null. */
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
  /** The name of the brand in addresses. It never changes. */
  slug: string
  /** The name of the brand. */
  name: string
  /** How its polls look. */
  theme: Theme
  /** The name to show, where it is another one than `name`; or null. */
  displayName: string | null
  /** What visitors may want to know of the brand, or null. */
  description: string | null
  /** The picture of the brand: an https address, or null. Our own pages show it only when it is a file of this service. */
  avatarUrl: string | null
  /** The city, or null. */
  locationCity: string | null
  /** The state or region, or null. */
  locationState: string | null
  /** Names the brand for ever. */
  brandId: string
  /** What the token may do. */
  scopes: ('view' | 'vote' | 'manage' | 'analytics')[]
}

export type BrandSummary = {
  /** The name of the brand in addresses. It never changes. */
  slug: string
  /** The name of the brand. */
  name: string
  /** How its polls look. */
  theme: Theme
}

export type BrandUpdate = {
  /** The name of the brand. */
  name?: string | undefined
  /** The name to show, where it is another one than `name`; or null. */
  displayName?: string | null | undefined
  /** What visitors may want to know of the brand, or null. */
  description?: string | null | undefined
  /** The picture of the brand: an https address, or null. Our own pages show it only when it is a file of this service. */
  avatarUrl?: string | null | undefined
  /** The city, or null. */
  locationCity?: string | null | undefined
  /** The state or region, or null. */
  locationState?: string | null | undefined
}

export type Campaign = {
  /** Names the campaign for ever. */
  campaignId: string
  /** The title, unique among the campaigns of the brand. */
  title: string
  /** What visitors may want to know of it, or null. */
  description: string | null
  /** Its polls, in order. */
  polsts: PollListItem[]
  /** How many of its polls a visitor sees. */
  totalSteps: number
  /** The same as `totalSteps`. */
  polstCount: number
  /** The brand that owns it. */
  brand: BrandSummary
  /** By the clock: `scheduled` before `opensAt`, `closed` from `closesAt` on, else `open`. */
  status: 'open' | 'closed' | 'scheduled'
  /** `published`: visible to everybody; `draft` and `archived`: visible to its owner alone. */
  state: 'published' | 'draft' | 'archived'
  /** Whether it is in the brand's public list. Where it is not, its link still shows it. */
  isPublic: boolean
  /** When it opens; null where it is open from the start. */
  opensAt: string | null
  /** The first moment at which it is closed; null where it never closes. */
  closesAt: string | null
  /** When it was created. */
  createdAt: string
  /** When its owner last changed it. */
  updatedAt: string
}

export type CampaignCreate = {
  /** The title, unique among the campaigns of the brand. */
  title?: string | undefined
  /** The same as `title`. */
  name?: string | undefined
  /** What visitors may want to know of it, or null. */
  description?: string | null | undefined
  /** Whether it is in the brand's public list. Where it is not, its link still shows it. */
  isPublic?: boolean | undefined
  /** When it opens; null where it is open from the start. */
  opensAt?: string | null | undefined
  /** The first moment at which it is closed; null where it never closes. */
  closesAt?: string | null | undefined
  /** `published`: visible to everybody; `draft` and `archived`: visible to its owner alone. */
  state?: 'published' | 'draft' | 'archived' | undefined
  /** The ids of its polls, in order. The brand must own each of them. */
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
  /** How many polls of the campaign the device has voted on. */
  completedSteps: number
  /** How many polls the campaign has. */
  totalSteps: number
  /** The first poll without a vote of this device; null at the end. */
  currentPoll: PollListItem | null
  /** Whether the device has voted on all of them. */
  completed: boolean
}

export type CampaignTallies = {
  /** The id of the campaign. */
  campaignId: string
  /** The counts of its polls, in order. */
  polsts: ({
    /** The readable name of the poll. */
    slug: string
    /** By the clock: `scheduled` before `opensAt`, `closed` from `closesAt` on, else `open`. */
    status: 'open' | 'closed' | 'scheduled'
    /** Its counts, as far as everybody may see them. */
    tallies: Tallies
  })[]
}

export type CampaignUpdate = {
  /** The title, unique among the campaigns of the brand. */
  title?: string | undefined
  /** The same as `title`. */
  name?: string | undefined
  /** What visitors may want to know of it, or null. */
  description?: string | null | undefined
  /** Whether it is in the brand's public list. Where it is not, its link still shows it. */
  isPublic?: boolean | undefined
  /** When it opens; null where it is open from the start. */
  opensAt?: string | null | undefined
  /** The first moment at which it is closed; null where it never closes. */
  closesAt?: string | null | undefined
  /** `published`: visible to everybody; `draft` and `archived`: visible to its owner alone. */
  state?: 'published' | 'draft' | 'archived' | undefined
  /** The ids of its polls, in order. The brand must own each of them. */
  polstIds?: string[] | undefined
}

export type Category = {
  /** Names the category for ever. */
  id: string
  /** The readable name of the category. */
  slug: string
  /** The name to show. */
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

export type OwnBrand = {
  /** The name of the brand in addresses. It never changes. */
  slug: string
  /** The name of the brand. */
  name: string
  /** How its polls look. */
  theme: Theme
  /** The name to show, where it is another one than `name`; or null. */
  displayName: string | null
  /** What visitors may want to know of the brand, or null. */
  description: string | null
  /** The picture of the brand: an https address, or null. Our own pages show it only when it is a file of this service. */
  avatarUrl: string | null
  /** The city, or null. */
  locationCity: string | null
  /** The state or region, or null. */
  locationState: string | null
  /** Names the brand for ever. */
  brandId: string
}

export type OwnTheme = {
  /** How round the corners are. */
  radius: 'NONE' | 'SM' | 'MD' | 'LG' | 'FULL'
  /** How much room there is between things. */
  density: 'COMFORTABLE' | 'COMPACT'
  /** Which of the fonts of the device are used. */
  fontStack: 'SYSTEM' | 'SERIF' | 'MONO' | 'ROUNDED'
  /** Where the title of a poll is. */
  titlePlacement: 'ABOVE' | 'BELOW' | 'HIDDEN'
  /** Where the labels of options with a picture are. `HIDDEN` hides them from sight only. */
  labelPlacement: 'OVERLAY' | 'BELOW' | 'HIDDEN'
  /** How labels are aligned. */
  labelAlign: 'START' | 'CENTER' | 'END'
  /** How strong the shadow of a card is. */
  elevation: 'NONE' | 'LOW' | 'HIGH'
  /** Whether the line with the name of the service is left out. */
  hideWatermark: boolean
  /** The colour of buttons and bars as `#rrggbb`, or null for the default. */
  accent: string | null
  /** The colour behind a poll as `#rrggbb`, or null for the default. */
  background: string | null
  /** The colour of text as `#rrggbb`, or null for the default. */
  foreground: string | null
  /** The logo for light backgrounds: the `publicUrl` of an upload, or null. */
  logoLightUrl: string | null
  /** The logo for dark backgrounds: the `publicUrl` of an upload, or null. */
  logoDarkUrl: string | null
  /** The icon of pages: the `publicUrl` of an upload, or null. */
  faviconUrl: string | null
  /** The origins of pages that may show a poll in a frame. Empty means any. */
  embedOrigins: string[]
  /** The address of the brand's own stylesheet, another one for each version, or null. */
  customCssUrl: string | null
  /** How often the theme was updated; 0 before the first update. */
  version: number
  /** The brand's own stylesheet as it was written, or null. Only its owner sees it in this form. */
  customCss: string | null
}

export type OwnedCampaign = {
  /** Names the campaign for ever. */
  campaignId: string
  /** The title, unique among the campaigns of the brand. */
  title: string
  /** What visitors may want to know of it, or null. */
  description: string | null
  /** Its polls, in order. */
  polsts: PollListItem[]
  /** How many of its polls a visitor sees. */
  totalSteps: number
  /** The same as `totalSteps`. */
  polstCount: number
  /** The brand that owns it. */
  brand: BrandSummary
  /** By the clock: `scheduled` before `opensAt`, `closed` from `closesAt` on, else `open`. */
  status: 'open' | 'closed' | 'scheduled'
  /** `published`: visible to everybody; `draft` and `archived`: visible to its owner alone. */
  state: 'published' | 'draft' | 'archived'
  /** Whether it is in the brand's public list. Where it is not, its link still shows it. */
  isPublic: boolean
  /** When it opens; null where it is open from the start. */
  opensAt: string | null
  /** The first moment at which it is closed; null where it never closes. */
  closesAt: string | null
  /** When it was created. */
  createdAt: string
  /** When its owner last changed it. */
  updatedAt: string
  /** The ids of its polls that visitors do not see: drafts and archived ones. */
  withheldPolstIds: string[]
  /** How far the service has read the votes that its polls had before they joined. */
  responsesProgress: {
    /** Whether all of them have been read. */
    isComplete: boolean
    /** How many have been read. */
    votesRead: number
    /** How many there are to be read. */
    votesToRead: number
  }
}

export type OwnedPoll = {
  /** Names the poll for ever. */
  id: string
  /** The readable name of the poll in addresses, unique in the service. */
  slug: string
  /** The question. */
  title: string
  /** The first option. */
  optionA: PollOption
  /** The second option. */
  optionB: PollOption
  /** The addresses of all pictures. */
  images: {
    /** The picture of option A, or null. */
    optionA: string | null
    /** The picture of option B, or null. */
    optionB: string | null
    /** The picture of both options together, or null. */
    combined: string | null
  }
  /** Narrower copies of the pictures. */
  imageVariants: ({
    /** The address of this copy. */
    url: string
    /** Its width in pixels. */
    width: number
    /** Which picture it is a copy of. */
    slot: 'optionA' | 'optionB' | 'combined'
  })[]
  /** The counts, as far as this caller may see them. */
  tallies: Tallies
  /** By the clock: `scheduled` before `opensAt`, `closed` from `closesAt` on, else `open`. */
  status: 'open' | 'closed' | 'scheduled'
  /** The brand that owns the poll, or null. */
  brand: BrandSummary | null
  /** When the poll was created. */
  createdAt: string
  /** Whether the poll is a draft: only its owner sees it. */
  isDraft: boolean
  /** Whether the poll is left out of every feed. Its link works for everybody. */
  isPrivate: boolean
  /** When its owner last changed it. */
  updatedAt: string
  /** The owner's own words to find the poll by. */
  tags: string[]
  /** The categories that the poll belongs to. */
  categories: Category[]
  /** The short name of the poll, for links: 12 characters that never change. */
  shortId: string
  /** When it opens; null where it is open from the start. */
  opensAt: string | null
  /** The first moment at which it is closed; null where it never closes. */
  closesAt: string | null
  /** Who sees the results: `always` everybody; `after_vote` those who have voted; `after_close` everybody once the poll has closed; `never` the owner alone. */
  resultsVisibility: 'always' | 'after_vote' | 'after_close' | 'never'
  /** The page of the poll, to be shared. */
  shareUrl: string
  /** When the title or a label was last changed after the first vote; null where that never happened. */
  revisedAt: string | null
  /** When it was archived; null where it is not. */
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
  /** Names the poll for ever. */
  id: string
  /** The readable name of the poll in addresses, unique in the service. */
  slug: string
  /** The question. */
  title: string
  /** The first option. */
  optionA: PollOption
  /** The second option. */
  optionB: PollOption
  /** The addresses of all pictures. */
  images: {
    /** The picture of option A, or null. */
    optionA: string | null
    /** The picture of option B, or null. */
    optionB: string | null
    /** The picture of both options together, or null. */
    combined: string | null
  }
  /** Narrower copies of the pictures. */
  imageVariants: ({
    /** The address of this copy. */
    url: string
    /** Its width in pixels. */
    width: number
    /** Which picture it is a copy of. */
    slot: 'optionA' | 'optionB' | 'combined'
  })[]
  /** The counts, as far as this caller may see them. */
  tallies: Tallies
  /** By the clock: `scheduled` before `opensAt`, `closed` from `closesAt` on, else `open`. */
  status: 'open' | 'closed' | 'scheduled'
  /** The brand that owns the poll, or null. */
  brand: BrandSummary | null
  /** When the poll was created. */
  createdAt: string
  /** Whether the poll is a draft: only its owner sees it. */
  isDraft: boolean
  /** Whether the poll is left out of every feed. Its link works for everybody. */
  isPrivate: boolean
  /** When its owner last changed it. */
  updatedAt: string
  /** The owner's own words to find the poll by. */
  tags: string[]
  /** The categories that the poll belongs to. */
  categories: Category[]
  /** The short name of the poll, for links: 12 characters that never change. */
  shortId: string
  /** When it opens; null where it is open from the start. */
  opensAt: string | null
  /** The first moment at which it is closed; null where it never closes. */
  closesAt: string | null
  /** Who sees the results: `always` everybody; `after_vote` those who have voted; `after_close` everybody once the poll has closed; `never` the owner alone. */
  resultsVisibility: 'always' | 'after_vote' | 'after_close' | 'never'
  /** The page of the poll, to be shared. */
  shareUrl: string
  /** When the title or a label was last changed after the first vote; null where that never happened. */
  revisedAt: string | null
}

export type PollCreate = {
  /** The question. */
  title: string
  /** The first option. */
  optionA: {
    /** The words of the option. */
    label: string
    /** The picture of the option, or null. To set it, send the `publicUrl` of an upload for this slot. */
    imageUrl?: string | null | undefined
    /** What the picture shows, for those who cannot see it; or null. */
    imageAlt?: string | null | undefined
  }
  /** The second option. */
  optionB: {
    /** The words of the option. */
    label: string
    /** The picture of the option, or null. To set it, send the `publicUrl` of an upload for this slot. */
    imageUrl?: string | null | undefined
    /** What the picture shows, for those who cannot see it; or null. */
    imageAlt?: string | null | undefined
  }
  /** The readable name of the poll in addresses, unique in the service. */
  slug?: string | undefined
  /** Whether the poll is a draft: only its owner sees it. */
  isDraft?: boolean | undefined
  /** Whether the poll is left out of every feed. Its link works for everybody. */
  isPrivate?: boolean | undefined
  /** The owner's own words to find the poll by. */
  tags?: string[] | undefined
  /** The ids of the operator's categories that the poll belongs to. */
  categoryIds?: string[] | undefined
  /** When it opens; null where it is open from the start. */
  opensAt?: string | null | undefined
  /** The first moment at which it is closed; null where it never closes. */
  closesAt?: string | null | undefined
  /** Who sees the results: `always` everybody; `after_vote` those who have voted; `after_close` everybody once the poll has closed; `never` the owner alone. */
  resultsVisibility?: 'always' | 'after_vote' | 'after_close' | 'never' | undefined
}

export type PollImageTicketCreate = {
  /** What the picture is for. It can be used for nothing else. */
  slot: 'optionA' | 'optionB' | 'combined'
  /** What the bytes are. */
  contentType: 'image/png' | 'image/jpeg' | 'image/webp'
  /** How many bytes there are. */
  byteSize?: number | undefined
}

export type PollListItem = {
  /** Names the poll for ever. */
  id: string
  /** The readable name of the poll in addresses, unique in the service. */
  slug: string
  /** The question. */
  title: string
  /** The first option. */
  optionA: PollOption
  /** The second option. */
  optionB: PollOption
  /** The addresses of all pictures. */
  images: {
    /** The picture of option A, or null. */
    optionA: string | null
    /** The picture of option B, or null. */
    optionB: string | null
    /** The picture of both options together, or null. */
    combined: string | null
  }
  /** Narrower copies of the pictures. */
  imageVariants: ({
    /** The address of this copy. */
    url: string
    /** Its width in pixels. */
    width: number
    /** Which picture it is a copy of. */
    slot: 'optionA' | 'optionB' | 'combined'
  })[]
  /** The counts, as far as this caller may see them. */
  tallies: Tallies
  /** By the clock: `scheduled` before `opensAt`, `closed` from `closesAt` on, else `open`. */
  status: 'open' | 'closed' | 'scheduled'
  /** The brand that owns the poll, or null. */
  brand: BrandSummary | null
  /** When the poll was created. */
  createdAt: string
}

export type PollName = {
  /** Names the poll for ever. */
  id: string
  /** The readable name of the poll. */
  slug: string
}

export type PollOption = {
  /** The words of the option. */
  label: string
  /** The picture of the option, or null. To set it, send the `publicUrl` of an upload for this slot. */
  imageUrl: string | null
  /** What the picture shows, for those who cannot see it; or null. */
  imageAlt: string | null
}

export type PollTallies = {
  /** The readable name of the poll. */
  slug: string
  /** By the clock: `scheduled` before `opensAt`, `closed` from `closesAt` on, else `open`. */
  status: 'open' | 'closed' | 'scheduled'
  /** The counts, as far as everybody may see them. */
  tallies: Tallies
  /** When the counts or the poll last changed. */
  updatedAt: string
}

export type PollUpdate = {
  /** The question. */
  title?: string | undefined
  /** The first option. */
  optionA?: {
    /** The words of the option. */
    label?: string | undefined
    /** The picture of the option, or null. To set it, send the `publicUrl` of an upload for this slot. */
    imageUrl?: string | null | undefined
    /** What the picture shows, for those who cannot see it; or null. */
    imageAlt?: string | null | undefined
  } | undefined
  /** The second option. */
  optionB?: {
    /** The words of the option. */
    label?: string | undefined
    /** The picture of the option, or null. To set it, send the `publicUrl` of an upload for this slot. */
    imageUrl?: string | null | undefined
    /** What the picture shows, for those who cannot see it; or null. */
    imageAlt?: string | null | undefined
  } | undefined
  /** Pictures of the poll as a whole. */
  images?: {
    /** One picture for both options, or null for the one that the service composes. */
    combined?: string | null | undefined
  } | undefined
  /** Whether the poll is archived: it takes no votes and is in no feed. Its link still shows it. */
  archived?: boolean | undefined
  /** Whether the poll is a draft: only its owner sees it. */
  isDraft?: boolean | undefined
  /** Whether the poll is left out of every feed. Its link works for everybody. */
  isPrivate?: boolean | undefined
  /** The owner's own words to find the poll by. */
  tags?: string[] | undefined
  /** The ids of the operator's categories that the poll belongs to. */
  categoryIds?: string[] | undefined
  /** When it opens; null where it is open from the start. */
  opensAt?: string | null | undefined
  /** The first moment at which it is closed; null where it never closes. */
  closesAt?: string | null | undefined
  /** Who sees the results: `always` everybody; `after_vote` those who have voted; `after_close` everybody once the poll has closed; `never` the owner alone. */
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
  /** Names the device for this brand alone. Nobody can get the device id from it. */
  respondentId: string
  /** When its first vote in the campaign was counted. */
  startedAt: string
  /** On how many polls of the campaign it has voted. */
  totalVotes: number
  /** Its votes, in the order of the campaign. */
  votes: RespondentVote[]
}

export type RespondentVote = {
  /** The poll's place in the campaign, from 1. */
  position: number
  /** The readable name of the poll. */
  slug: string
  /** The option that the device voted for. */
  option: 'A' | 'B'
  /** When the vote was counted. */
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
  /** Votes for option A. */
  optionA: number
  /** Votes for option B. */
  optionB: number
  /** All votes. */
  total: number
  /** Present where the results are hidden from this caller: all counts are then 0. */
  hidden?: true | undefined
}

export type Theme = {
  /** How round the corners are. */
  radius: 'NONE' | 'SM' | 'MD' | 'LG' | 'FULL'
  /** How much room there is between things. */
  density: 'COMFORTABLE' | 'COMPACT'
  /** Which of the fonts of the device are used. */
  fontStack: 'SYSTEM' | 'SERIF' | 'MONO' | 'ROUNDED'
  /** Where the title of a poll is. */
  titlePlacement: 'ABOVE' | 'BELOW' | 'HIDDEN'
  /** Where the labels of options with a picture are. `HIDDEN` hides them from sight only. */
  labelPlacement: 'OVERLAY' | 'BELOW' | 'HIDDEN'
  /** How labels are aligned. */
  labelAlign: 'START' | 'CENTER' | 'END'
  /** How strong the shadow of a card is. */
  elevation: 'NONE' | 'LOW' | 'HIGH'
  /** Whether the line with the name of the service is left out. */
  hideWatermark: boolean
  /** The colour of buttons and bars as `#rrggbb`, or null for the default. */
  accent: string | null
  /** The colour behind a poll as `#rrggbb`, or null for the default. */
  background: string | null
  /** The colour of text as `#rrggbb`, or null for the default. */
  foreground: string | null
  /** The logo for light backgrounds: the `publicUrl` of an upload, or null. */
  logoLightUrl: string | null
  /** The logo for dark backgrounds: the `publicUrl` of an upload, or null. */
  logoDarkUrl: string | null
  /** The icon of pages: the `publicUrl` of an upload, or null. */
  faviconUrl: string | null
  /** The origins of pages that may show a poll in a frame. Empty means any. */
  embedOrigins: string[]
  /** The address of the brand's own stylesheet, another one for each version, or null. */
  customCssUrl: string | null
  /** How often the theme was updated; 0 before the first update. */
  version: number
}

export type ThemeAssetTicketCreate = {
  /** What the picture is for. It can be used for nothing else. */
  slot: 'logo_light' | 'logo_dark' | 'favicon'
  /** What the bytes are. */
  contentType: 'image/png' | 'image/svg+xml' | 'image/webp'
  /** How many bytes there are. */
  byteSize: number
}

export type ThemeUpdate = {
  /** How round the corners are. */
  radius?: 'NONE' | 'SM' | 'MD' | 'LG' | 'FULL' | null | undefined
  /** How much room there is between things. */
  density?: 'COMFORTABLE' | 'COMPACT' | null | undefined
  /** Which of the fonts of the device are used. */
  fontStack?: 'SYSTEM' | 'SERIF' | 'MONO' | 'ROUNDED' | null | undefined
  /** Where the title of a poll is. */
  titlePlacement?: 'ABOVE' | 'BELOW' | 'HIDDEN' | null | undefined
  /** Where the labels of options with a picture are. `HIDDEN` hides them from sight only. */
  labelPlacement?: 'OVERLAY' | 'BELOW' | 'HIDDEN' | null | undefined
  /** How labels are aligned. */
  labelAlign?: 'START' | 'CENTER' | 'END' | null | undefined
  /** How strong the shadow of a card is. */
  elevation?: 'NONE' | 'LOW' | 'HIGH' | null | undefined
  /** Whether the line with the name of the service is left out. */
  hideWatermark?: boolean | null | undefined
  /** The colour of buttons and bars as `#rrggbb`, or null for the default. */
  accent?: string | null | undefined
  /** The colour behind a poll as `#rrggbb`, or null for the default. */
  background?: string | null | undefined
  /** The colour of text as `#rrggbb`, or null for the default. */
  foreground?: string | null | undefined
  /** The logo for light backgrounds: the `publicUrl` of an upload, or null. */
  logoLightUrl?: string | null | undefined
  /** The logo for dark backgrounds: the `publicUrl` of an upload, or null. */
  logoDarkUrl?: string | null | undefined
  /** The icon of pages: the `publicUrl` of an upload, or null. */
  faviconUrl?: string | null | undefined
  /** The origins of pages that may show a poll in a frame. Empty means any. */
  embedOrigins?: string[] | null | undefined
  /** The brand's own stylesheet as it was written, or null. Only its owner sees it in this form. */
  customCss?: string | null | undefined
}

export type Timeline = {
  /** How long the span of one point is. */
  bucket: 'minute' | 'hour' | 'day'
  /** The beginning of the first span. */
  from: string
  /** The end of the last span. */
  to: string
  /** A point for each span, also for those without a vote. */
  points: {
    /** The beginning of its span. */
    at: string
    /** Votes for option A in this span. */
    optionA: number
    /** Votes for option B in this span. */
    optionB: number
  }[]
}

export type TokenExchange = {
  /** Whom the tokens are for, in your own words. The same id is the same device, and has one vote a poll. */
  externalDeviceId: string
  /** What the tokens may do; every scope of the app where this is left out. */
  scopes?: string[] | undefined
}

export type TokenPair = {
  /** Goes into the header `Authorization: Bearer …`. */
  accessToken: string
  /** Gets the next pair, once, at `POST /auth/token/refresh`. */
  refreshToken: string
  /** For how many seconds the access token is valid. */
  expiresIn: number
  /** How the access token is sent. */
  tokenType: 'Bearer'
  /** What the tokens may do. */
  scopes: ('view' | 'vote' | 'manage' | 'analytics')[]
}

export type TokenRefresh = {
  /** The refresh token of the last pair. It is used up. */
  refreshToken: string
}

export type TokenRevoke = {
  /** An access token or a refresh token. All tokens of its family end. */
  token: string
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
  /** Where the bytes go. The address is the credential. */
  uploadUrl: string
  /** The name of the file. */
  key: string
  /** The address of the picture, and what a poll or a theme is told. */
  publicUrl: string
  /** For how many seconds the ticket is valid. */
  expiresIn: number
  /** The method of the upload. */
  method: 'PUT'
  /** The headers that the upload must send. */
  headers: Record<string, string>
}

export type UploadedFile = {
  /** The name of the file. */
  key: string
  /** The address of the picture, and what a poll or a theme is told. */
  publicUrl: string
  /** What the bytes are. */
  contentType: string
  /** How many bytes there are. */
  byteSize: number
  /** Its width in pixels. */
  width: number
  /** Its height in pixels. */
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
  /** The option that the device voted for. */
  option: 'A' | 'B'
  /** The counts with this vote, as far as the voter may see them. */
  tallies: Tallies
  /** When the vote was counted. */
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
  /** The option to vote for. The long spellings mean the same. */
  option: 'A' | 'B' | 'optionA' | 'optionB'
}

export type VoterEvent = {
  /** Names the device for this brand alone. Nobody can get the device id from it. */
  respondentId: string
  /** The option that the device voted for. */
  option: 'A' | 'B'
  /** When the vote was counted. */
  votedAt: string
  /** The running number of the vote in the poll. */
  position: number
}

export type Webhook = {
  /** Names the webhook for ever. */
  id: string
  /** Where deliveries go: an https address on the public internet. */
  url: string
  /** The types of the events that it is told of. */
  events: ('poll.voted' | 'poll.tallies_updated' | 'poll.created' | 'poll.updated' | 'poll.opened' | 'poll.closed' | 'poll.deleted' | 'campaign.created' | 'campaign.updated' | 'campaign.deleted' | 'campaign.step_completed' | 'campaign.completed' | 'brand.updated' | 'brand.theme_updated' | 'webhook.test')[]
  /** What it is for, or null. */
  description: string | null
  /** `ACTIVE`, or `DISABLED`: then it is told nothing. */
  status: 'ACTIVE' | 'DISABLED'
  /** When it was created. */
  createdAt: string
  /** When its owner last changed it. */
  updatedAt: string
  /** When the last attempt ended; null before the first one. */
  lastDeliveryAt: string | null
  /** Since when every attempt has failed; null where the last one succeeded. */
  failingSince: string | null
}

export type WebhookCreate = {
  /** Where deliveries go: an https address on the public internet. */
  url: string
  /** The types of the events that it is told of. */
  events: ('poll.voted' | 'poll.tallies_updated' | 'poll.created' | 'poll.updated' | 'poll.opened' | 'poll.closed' | 'poll.deleted' | 'campaign.created' | 'campaign.updated' | 'campaign.deleted' | 'campaign.step_completed' | 'campaign.completed' | 'brand.updated' | 'brand.theme_updated' | 'webhook.test')[]
  /** What it is for, or null. */
  description?: string | null | undefined
  /** `ACTIVE`, or `DISABLED`: then it is told nothing. */
  status?: 'ACTIVE' | 'DISABLED' | undefined
}

export type WebhookDelivery = {
  /** Names the delivery for ever. */
  id: string
  /** The id of the event: the header `webhook-id` of every attempt. */
  eventId: string
  /** The type of the event. */
  eventType: 'poll.voted' | 'poll.tallies_updated' | 'poll.created' | 'poll.updated' | 'poll.opened' | 'poll.closed' | 'poll.deleted' | 'campaign.created' | 'campaign.updated' | 'campaign.deleted' | 'campaign.step_completed' | 'campaign.completed' | 'brand.updated' | 'brand.theme_updated' | 'webhook.test'
  /** `pending`: attempts go on; `succeeded`; `failed`: all attempts failed; `skipped`: the webhook was disabled when it was due. */
  status: 'pending' | 'succeeded' | 'failed' | 'skipped'
  /** All attempts so far, in order. */
  attempts: ({
    /** When it began. */
    at: string
    /** The HTTP status of your answer, or null. */
    responseStatus: number | null
    /** How long it took, in milliseconds. */
    durationMs: number
    /** What went wrong; null where it succeeded. */
    errorClass: 'http_status' | 'redirect' | 'timeout' | 'dns_failed' | 'address_refused' | 'connection_failed' | 'tls_failed' | 'malformed_answer' | null
    /** The first KiB of your answer, or null. */
    responseBody: string | null
  })[]
  /** When the next attempt is due, or null. */
  nextAttemptAt: string | null
  /** When it was queued. */
  createdAt: string
}

export type WebhookUpdate = {
  /** Where deliveries go: an https address on the public internet. */
  url?: string | undefined
  /** The types of the events that it is told of. */
  events?: ('poll.voted' | 'poll.tallies_updated' | 'poll.created' | 'poll.updated' | 'poll.opened' | 'poll.closed' | 'poll.deleted' | 'campaign.created' | 'campaign.updated' | 'campaign.deleted' | 'campaign.step_completed' | 'campaign.completed' | 'brand.updated' | 'brand.theme_updated' | 'webhook.test')[] | undefined
  /** What it is for, or null. */
  description?: string | null | undefined
  /** `ACTIVE`, or `DISABLED`: then it is told nothing. */
  status?: 'ACTIVE' | 'DISABLED' | undefined
}

export type WebhookWithSecret = {
  /** Names the webhook for ever. */
  id: string
  /** Where deliveries go: an https address on the public internet. */
  url: string
  /** The types of the events that it is told of. */
  events: ('poll.voted' | 'poll.tallies_updated' | 'poll.created' | 'poll.updated' | 'poll.opened' | 'poll.closed' | 'poll.deleted' | 'campaign.created' | 'campaign.updated' | 'campaign.deleted' | 'campaign.step_completed' | 'campaign.completed' | 'brand.updated' | 'brand.theme_updated' | 'webhook.test')[]
  /** What it is for, or null. */
  description: string | null
  /** `ACTIVE`, or `DISABLED`: then it is told nothing. */
  status: 'ACTIVE' | 'DISABLED'
  /** When it was created. */
  createdAt: string
  /** When its owner last changed it. */
  updatedAt: string
  /** When the last attempt ended; null before the first one. */
  lastDeliveryAt: string | null
  /** Since when every attempt has failed; null where the last one succeeded. */
  failingSince: string | null
  /** The key that signs deliveries. No other answer shows it: keep it now. */
  secret: string
}

/** Every operation by its method and path. */
export interface Endpoints {
  /** Exchange an API key for a pair of tokens */
  'POST /auth/token': {
    operation: 'issueTokens'
    body: TokenExchange
    data: TokenPair
  }
  /** Rotate a pair of tokens */
  'POST /auth/token/refresh': {
    operation: 'refreshTokens'
    body: TokenRefresh
    data: TokenPair
  }
  /** Revoke a token and its whole family */
  'POST /auth/token/revoke': {
    operation: 'revokeTokens'
    body: TokenRevoke
    data: {
      /** Always true, also for an unknown token. */
      revoked: true
    }
  }
  /** A brand */
  'GET /brands/{brandSlug}': {
    operation: 'getBrand'
    params: {
      /** The name of the brand in addresses. It never changes. */
      brandSlug: string
    }
    data: Brand
  }
  /** A brand's theme; its ETag is its version */
  'GET /brands/{brandSlug}/theme': {
    operation: 'getTheme'
    params: {
      /** The name of the brand in addresses. It never changes. */
      brandSlug: string
    }
    data: Theme
  }
  /** A brand's stylesheet of one version of its theme, as v{version}.css; it never changes */
  'GET /css/{brandSlug}/{file}': {
    operation: 'getStylesheet'
    params: {
      /** The slug of the brand. */
      brandSlug: string
      /** The version of the theme. */
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
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    data: Poll
  }
  /** The counts of a poll */
  'GET /polls/{slug}/tallies': {
    operation: 'getTallies'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    data: PollTallies
  }
  /** A brand's public feed */
  'GET /brands/{brandSlug}/polls': {
    operation: 'listPublicPolls'
    params: {
      /** The name of the brand in addresses. It never changes. */
      brandSlug: string
    }
    query: {
      /** Only polls with this status. */
      status?: 'all' | 'open' | 'closed' | undefined
      /** `recent`: newest first; `popular`: most votes first; `closing`: the next to close first. */
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
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    data: unknown
  }
  /** A published campaign, with its polls in order */
  'GET /campaigns/{campaignId}': {
    operation: 'getCampaign'
    params: {
      /** The id of the campaign. */
      campaignId: string
    }
    data: Campaign
  }
  /** The counts of the polls of a campaign */
  'GET /campaigns/{campaignId}/tallies': {
    operation: 'getCampaignTallies'
    params: {
      /** The id of the campaign. */
      campaignId: string
    }
    data: CampaignTallies
  }
  /** A brand's public campaigns, newest first */
  'GET /brands/{brandSlug}/campaigns': {
    operation: 'listPublicCampaigns'
    params: {
      /** The name of the brand in addresses. It never changes. */
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
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    body: VoteCreate
    data: Vote
  }
  /** The calling device's own vote */
  'GET /polls/{slug}/votes/me': {
    operation: 'getOwnVote'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    data: Vote
  }
  /** How far the calling device has come in a campaign */
  'GET /campaigns/{campaignId}/progress': {
    operation: 'getProgress'
    params: {
      /** The id of the campaign. */
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
      /** Only polls with this status. */
      status?: 'open' | 'closed' | 'scheduled' | undefined
      isDraft?: boolean | undefined
      archived?: boolean | undefined
      /** Only polls with this tag. */
      tag?: string | undefined
      /** Only polls in this category: its slug or its id. */
      category?: string | undefined
      /** Only polls whose title contains these words, in any case. */
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
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    data: OwnedPoll
  }
  /** Update some fields of a poll */
  'PATCH /brands/me/polls/{slug}': {
    operation: 'updatePoll'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    body: PollUpdate
    data: OwnedPoll
  }
  /** Delete a poll and its votes for good */
  'DELETE /brands/me/polls/{slug}': {
    operation: 'deletePoll'
    params: {
      /** The slug, the shortId or the id of the poll. */
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
      /** The id of the campaign. */
      campaignId: string
    }
    data: OwnedCampaign
  }
  /** Update some fields of a campaign; polstIds replaces the whole list */
  'PATCH /brands/me/campaigns/{campaignId}': {
    operation: 'updateCampaign'
    params: {
      /** The id of the campaign. */
      campaignId: string
    }
    body: CampaignUpdate
    data: OwnedCampaign
  }
  /** Delete a campaign; its polls and their votes stay */
  'DELETE /brands/me/campaigns/{campaignId}': {
    operation: 'deleteCampaign'
    params: {
      /** The id of the campaign. */
      campaignId: string
    }
    data: undefined
  }
  /** Who voted in a campaign, and what; by their first vote, newest first; all of them as CSV or NDJSON */
  'GET /brands/me/campaigns/{campaignId}/responses': {
    operation: 'listResponses'
    params: {
      /** The id of the campaign. */
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
      /** The slug, the shortId or the id of the poll. */
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
      /** The slug, the shortId or the id of the poll. */
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
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    query: {
      /** How long the span of one point is. */
      bucket?: 'minute' | 'hour' | 'day' | undefined
      /** The first moment; the creation of the poll where this is left out. */
      from?: string | undefined
      /** The moment after the last one; now where this is left out. */
      to?: string | undefined
    }
    data: Timeline
  }
  /** Upload the bytes that a ticket is for. The ticket is the credential; an answer 503 leaves it as it was */
  'PUT /uploads/{key}': {
    operation: 'uploadFile'
    params: {
      /** The name of the file. */
      key: string
    }
    query: {
      /** What makes the ticket valid. It is a part of `uploadUrl`. */
      signature: string
    }
    data: UploadedFile
  }
  /** A picture, under an address whose content never changes */
  'GET /files/{key}': {
    operation: 'getFile'
    params: {
      /** The name of the file. */
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
      /** The id of the webhook. */
      id: string
    }
    data: Webhook
  }
  /** Update some fields of a webhook; events replaces the whole list */
  'PATCH /brands/me/webhooks/{id}': {
    operation: 'updateWebhook'
    params: {
      /** The id of the webhook. */
      id: string
    }
    body: WebhookUpdate
    data: Webhook
  }
  /** Delete a webhook and its deliveries for good */
  'DELETE /brands/me/webhooks/{id}': {
    operation: 'deleteWebhook'
    params: {
      /** The id of the webhook. */
      id: string
    }
    data: undefined
  }
  /** Make a new secret; for 24 hours deliveries are signed with the one before as well */
  'POST /brands/me/webhooks/{id}/rotate-secret': {
    operation: 'rotateWebhookSecret'
    params: {
      /** The id of the webhook. */
      id: string
    }
    data: WebhookWithSecret
  }
  /** Send a webhook.test event, whatever the webhook listens to */
  'POST /brands/me/webhooks/{id}/test': {
    operation: 'testWebhook'
    params: {
      /** The id of the webhook. */
      id: string
    }
    data: WebhookDelivery
  }
  /** What was sent or is to be sent to a webhook within 30 days, newest first, with every attempt */
  'GET /brands/me/webhooks/{id}/deliveries': {
    operation: 'listWebhookDeliveries'
    params: {
      /** The id of the webhook. */
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
      /** The id of the webhook. */
      id: string
      /** The id of the delivery. */
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
      /** A language. */
      lang: string
    }
    data: unknown
  }
  /** The picture by which a poll is shared */
  'GET /p/{slug}/card.jpg': {
    operation: 'getPollCard'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    query: {
      /** The version that a page has seen: its picture may be cached for longer. */
      v?: string | undefined
    }
    data: unknown
  }
  /** The picture by which a campaign is shared */
  'GET /c/{campaignId}/card.jpg': {
    operation: 'getCampaignCard'
    params: {
      /** The id of the campaign. */
      campaignId: string
    }
    query: {
      /** The version that a page has seen: its picture may be cached for longer. */
      v?: string | undefined
    }
    data: unknown
  }
  /** The picture by which a brand's polls are shared */
  'GET /b/{brandSlug}/card.jpg': {
    operation: 'getBrandCard'
    params: {
      /** The name of the brand in addresses. It never changes. */
      brandSlug: string
    }
    query: {
      /** The version that a page has seen: its picture may be cached for longer. */
      v?: string | undefined
    }
    data: unknown
  }
  /** A QR code of a poll's page */
  'GET /p/{slug}/qr.svg': {
    operation: 'getPollCode'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    query: {
      /** The length of a side, in pixels. */
      size?: number | undefined
    }
    data: unknown
  }
  /** A QR code of a campaign's page */
  'GET /c/{campaignId}/qr.svg': {
    operation: 'getCampaignCode'
    params: {
      /** The id of the campaign. */
      campaignId: string
    }
    query: {
      /** The length of a side, in pixels. */
      size?: number | undefined
    }
    data: unknown
  }
  /** A QR code of a brand's page */
  'GET /b/{brandSlug}/qr.svg': {
    operation: 'getBrandCode'
    params: {
      /** The name of the brand in addresses. It never changes. */
      brandSlug: string
    }
    query: {
      /** The length of a side, in pixels. */
      size?: number | undefined
    }
    data: unknown
  }
  /** How a page of ours is shown in another, by oEmbed 1.0 */
  'GET /oembed': {
    operation: 'getOEmbed'
    query: {
      /** The address of a page of this service. */
      url: string
      /** `json` or `xml`. */
      format?: string | undefined
      /** The most pixels that there is room for, across. */
      maxwidth?: number | undefined
      /** The most pixels that there is room for, down. */
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
      /** The name of the part, from the index. */
      file: string
    }
    data: unknown
  }
  /** A poll on a page of its own */
  'GET /p/{slug}': {
    operation: 'getPollPage'
    params: {
      /** The shortId, the slug or the id of the poll. */
      slug: string
    }
    data: unknown
  }
  /** A poll for a frame in another page */
  'GET /embed/poll/{slug}': {
    operation: 'getPollFrame'
    params: {
      /** The shortId, the slug or the id of the poll. */
      slug: string
    }
    data: unknown
  }
  /** A campaign on a page of its own */
  'GET /c/{campaignId}': {
    operation: 'getCampaignPage'
    params: {
      /** The id of the campaign. */
      campaignId: string
    }
    data: unknown
  }
  /** A campaign for a frame in another page */
  'GET /embed/campaign/{campaignId}': {
    operation: 'getCampaignFrame'
    params: {
      /** The id of the campaign. */
      campaignId: string
    }
    data: unknown
  }
  /** A brand's public polls on a page of their own */
  'GET /b/{brandSlug}': {
    operation: 'getBrandPage'
    params: {
      /** The slug of the brand. */
      brandSlug: string
    }
    data: unknown
  }
  /** A brand's public polls for a frame in another page */
  'GET /embed/brand/{brandSlug}': {
    operation: 'getBrandFrame'
    params: {
      /** The slug of the brand. */
      brandSlug: string
    }
    data: unknown
  }
  /** Where to look */
  'GET /': {
    operation: 'getWelcome'
    data: {
      /** The name of this service. */
      name: 'Tossup'
      /** Where the interface begins. */
      api: string
      /** Where this reference is. */
      reference: string
    }
  }
  /** Whether the process answers */
  'GET /livez': {
    operation: 'isAlive'
    data: {
      /** That all is well. */
      status: 'ok'
    }
  }
  /** Whether requests can be served: the database answers and the process is not stopping */
  'GET /readyz': {
    operation: 'isReady'
    data: {
      /** That all is well. */
      status: 'ok'
    }
  }
  /** This reference, as OpenAPI 3.1 */
  'GET /openapi.json': {
    operation: 'getOpenApi'
    data: unknown
  }
}

/** Every event that a webhook can be told of, with its data. */
export interface Events {
  /** A vote was counted. */
  'poll.voted': {
    /** The poll that was voted on. */
    poll: PollName
    /** The option that the device voted for. */
    option: 'A' | 'B'
    /** When the vote was counted. */
    votedAt: string
    /** Names the device for this brand alone. Nobody can get the device id from it. */
    respondentId: string
    /** The counts with this vote. */
    tallies: Tallies
    /** The members that were left out, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** The counts of a poll changed: at most once a second for each poll. */
  'poll.tallies_updated': {
    /** The poll whose counts changed. */
    poll: PollName
    /** The counts, also where visitors do not see them. */
    tallies: Tallies
    /** Grows with every change of the counts. */
    version: number
    /** The members that were left out, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** A poll was created. */
  'poll.created': {
    /** The poll as its owner sees it. */
    poll: OwnedPoll
    /** The members that were left out, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** The owner changed a poll. */
  'poll.updated': {
    /** The poll as its owner sees it. */
    poll: OwnedPoll
    /** The members that were left out, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** A poll opened, by the clock or by a change. */
  'poll.opened': {
    /** The poll as its owner sees it. */
    poll: OwnedPoll
    /** The members that were left out, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** A poll closed, by the clock or by a change. */
  'poll.closed': {
    /** The poll as its owner sees it. */
    poll: OwnedPoll
    /** The members that were left out, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** A poll was deleted. */
  'poll.deleted': {
    /** The poll that is gone. */
    poll: PollName
    /** The members that were left out, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** A campaign was created. */
  'campaign.created': {
    /** The campaign as its owner sees it. */
    campaign: OwnedCampaign
    /** The members that were left out, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** The owner changed a campaign. */
  'campaign.updated': {
    /** The campaign as its owner sees it. */
    campaign: OwnedCampaign
    /** The members that were left out, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** A campaign was deleted. */
  'campaign.deleted': {
    /** The campaign as its owner sees it. */
    campaign: OwnedCampaign
    /** The members that were left out, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** A device voted on a poll of a campaign. */
  'campaign.step_completed': {
    /** Which campaign it is. */
    campaign: {
      /** Names the campaign for ever. */
      campaignId: string
      /** Its title. */
      title: string
    }
    /** Names the device for this brand alone. Nobody can get the device id from it. */
    respondentId: string
    /** How many of its polls the device has voted on. */
    completedSteps: number
    /** How many polls it has. */
    totalSteps: number
    /** The members that were left out, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** A device has voted on every poll of a campaign. */
  'campaign.completed': {
    /** Which campaign it is. */
    campaign: {
      /** Names the campaign for ever. */
      campaignId: string
      /** Its title. */
      title: string
    }
    /** Names the device for this brand alone. Nobody can get the device id from it. */
    respondentId: string
    /** How many of its polls the device has voted on. */
    completedSteps: number
    /** How many polls it has. */
    totalSteps: number
    /** The members that were left out, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** The profile of the brand changed. */
  'brand.updated': {
    /** The brand as it now is. */
    brand: OwnBrand
    /** The members that were left out, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** The theme of the brand changed. */
  'brand.theme_updated': {
    /** The theme as it now is. */
    theme: Theme
    /** The members that were left out, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** Somebody asked for a test, whatever the webhook listens to. */
  'webhook.test': {
    /** The webhook that is tested. */
    webhookId: string
    /** The members that were left out, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
}
