// Made from server/openapi.json by `npm run facts`. A test fails when the two differ.

export type ActivityEntry = {
  /** The permanent id of the entry. */
  id: string
  /** When it happened. */
  at: string
  /** Who acted. */
  actor: Actor
  /** What happened. */
  action: 'brand.created' | 'brand.updated' | 'brand.theme_updated' | 'source_name.created' | 'source_name.deleted' | 'poll.created' | 'poll.updated' | 'poll.published' | 'poll.deleted' | 'campaign.created' | 'campaign.updated' | 'campaign.deleted' | 'code_list.created' | 'code_list.updated' | 'code_list.deleted' | 'codes.issued' | 'codes.revoked' | 'upload.requested' | 'results_link.created' | 'results_link.deleted' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.secret_rotated' | 'webhook.test' | 'webhook.redelivered' | 'app.created' | 'app.updated' | 'app.secret_rotated' | 'app.revoked' | 'invitation.created' | 'invitation.deleted' | 'member.joined' | 'member.updated' | 'member.removed' | 'agent.allowed' | 'agent.ended' | 'agent.called'
  /** What was changed. */
  subject: Subject
}

export type Actor = {
  /** `member`: a person; `app`: a program with an API key; `agent`: a program that a person allowed to act for them; `operator`: a command on the server. */
  kind: 'member' | 'app' | 'agent' | 'operator'
  /** The id of the member, app or agent; `operator` for the operator. */
  id: string
  /** Its name at that time; null for the operator and for an app without a name. */
  name: string | null
  /** Only with an agent: the person for whom it acted. */
  person?: {
    /** The id of the member. */
    id: string
    /** The name or address at that time. */
    name: string
  } | undefined
}

export type Agent = {
  /** The id of the permission. */
  agentId: string
  /** The name that the agent gives itself. */
  name: string
  /** The host that answers for the agent. */
  host: string
  /** The permissions of the agent. */
  permissions: ('read' | 'draft' | 'publish')[]
  /** The person for whom it acts. */
  member: {
    /** The permanent id of the person. */
    memberId: string
    /** The address, as it was typed. */
    email: string
    /** The name, or null if none is known. */
    name: string | null
  }
  /** When the person allowed it. */
  createdAt: string
  /** When it last called a tool, to the minute, or null. */
  lastUsedAt: string | null
}

export type AgentAllow = {
  /** The query of `/oauth/authorize`, as the agent sent it. */
  query: string
  /** The brand for which the agent may act. */
  brandSlug: string
  /** The permissions of the agent. Reading is always part of them. */
  permissions: ('read' | 'draft' | 'publish')[]
}

export type AgentAllowed = {
  /** The address of the agent to which the browser goes now. */
  redirectTo: string
}

export type AgentRequest = {
  /** The name that the agent gives itself; null if its request was refused. */
  name: string | null
  /** The host that answers for the agent, or null. */
  host: string | null
  /** The host or app to which the answer leads. */
  leadsTo: string
  /** The address to which a refusal leads: of the person, or of a request that is not valid. */
  refusalTo: string
}

export type AgentRequestRead = {
  /** The query of `/oauth/authorize`, as the agent sent it. */
  query: string
}

export type AlreadyMemberError = {
  /** The error code, for programs. */
  code: 'ALREADY_MEMBER'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type App = {
  /** The permanent id of the app. */
  appId: string
  /** The public half of its API key. */
  apiKeyId: string
  /** What people call it; null if the operator made it without a name. */
  name: string | null
  /** What its tokens may do. */
  scopes: ('view' | 'vote' | 'manage' | 'analytics')[]
  /** When it was created. */
  createdAt: string
  /** When it last made a request with one of its tokens, to the minute. */
  lastUsedAt: string | null
  /** When it was revoked, or null. */
  revokedAt: string | null
}

export type AppCreate = {
  /** What people call the app. */
  name: string
  /** What the tokens of the app may do. */
  scopes: ('view' | 'vote' | 'manage' | 'analytics')[]
}

export type AppRevokedError = {
  /** The error code, for programs. */
  code: 'APP_REVOKED'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type AppSecretRotation = {
  /** For how long the present secret still works, at most a day. */
  overlapSeconds?: number | undefined
}

export type AppUpdate = {
  /** What people call the app. */
  name: string
}

export type AppWithSecret = {
  /** The permanent id of the app. */
  appId: string
  /** The public half of its API key. */
  apiKeyId: string
  /** What people call it; null if the operator made it without a name. */
  name: string | null
  /** What its tokens may do. */
  scopes: ('view' | 'vote' | 'manage' | 'analytics')[]
  /** When it was created. */
  createdAt: string
  /** When it last made a request with one of its tokens, to the minute. */
  lastUsedAt: string | null
  /** When it was revoked, or null. */
  revokedAt: string | null
  /** The secret half of its API key. No other answer shows it: store it. */
  apiKeySecret: string
}

export type Brand = {
  /** The slug of the brand, as in its URLs. It never changes. */
  slug: string
  /** The name of the brand. */
  name: string
  /** The look of its polls. */
  theme: Theme
  /** The name to show instead of `name`, or null. */
  displayName: string | null
  /** A description for visitors, or null. */
  description: string | null
  /** The picture of the brand as an https URL, or null. Hosted pages show it only if it is a file of this service. */
  avatarUrl: string | null
  /** The city, or null. */
  locationCity: string | null
  /** The state or region, or null. */
  locationState: string | null
}

export type BrandContextRequiredError = {
  /** The error code, for programs. */
  code: 'BRAND_CONTEXT_REQUIRED'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type BrandNumbers = {
  /** The votes on all polls of the brand, at most 60 seconds old. */
  votes: {
    /** Votes since midnight. */
    today: number
    /** All votes, without those of deleted polls. */
    total: number
    /** Votes within the span. */
    span: number
    /** Votes in as many days before the span. */
    before: number
  }
  /** How often polls of the brand were seen. Counted by hour, so a day that begins within an hour misses a part of it. */
  views: {
    /** Views since midnight. */
    today: number
    /** Views within the span. */
    span: number
    /** Views in as many days before the span. */
    before: number
  }
  /** One point for each day of the span, also without votes. */
  points: {
    /** The start of the day. */
    at: string
    /** Votes on this day. */
    votes: number
    /** How often polls were seen on this day. */
    views: number
  }[]
  /** How many polls there are. Each is counted once. */
  polls: {
    /** Polls that take votes now. */
    open: number
    /** Polls that open later. */
    scheduled: number
    /** Polls that have closed. */
    closed: number
    /** Drafts. */
    draft: number
    /** Archived polls, drafts included. */
    archived: number
  }
  /** The five polls with the most votes, most votes first. */
  top: {
    /** The poll, with its counts even if they are hidden from visitors. */
    poll: PollListItem
    /** All its votes. */
    votes: number
  }[]
  /** The state of the webhooks. */
  webhooks: {
    /** Webhooks that are active. */
    active: number
    /** Webhooks, active or disabled, whose last attempt failed. */
    failing: number
  }
}

export type BrandProfile = {
  /** The slug of the brand, as in its URLs. It never changes. */
  slug: string
  /** The name of the brand. */
  name: string
  /** The look of its polls. */
  theme: Theme
  /** The name to show instead of `name`, or null. */
  displayName: string | null
  /** A description for visitors, or null. */
  description: string | null
  /** The picture of the brand as an https URL, or null. Hosted pages show it only if it is a file of this service. */
  avatarUrl: string | null
  /** The city, or null. */
  locationCity: string | null
  /** The state or region, or null. */
  locationState: string | null
  /** The permanent id of the brand. */
  brandId: string
  /** The scopes of the token. */
  scopes: ('view' | 'vote' | 'manage' | 'analytics')[]
}

export type BrandSummary = {
  /** The slug of the brand, as in its URLs. It never changes. */
  slug: string
  /** The name of the brand. */
  name: string
  /** The look of its polls. */
  theme: Theme
}

export type BrandUpdate = {
  /** The name of the brand. */
  name?: string | undefined
  /** The name to show instead of `name`, or null. */
  displayName?: string | null | undefined
  /** A description for visitors, or null. */
  description?: string | null | undefined
  /** The picture of the brand as an https URL, or null. Hosted pages show it only if it is a file of this service. */
  avatarUrl?: string | null | undefined
  /** The city, or null. */
  locationCity?: string | null | undefined
  /** The state or region, or null. */
  locationState?: string | null | undefined
}

export type Campaign = {
  /** The permanent id of the campaign. */
  campaignId: string
  /** The title, unique among the campaigns of the brand. */
  title: string
  /** A description for visitors, or null. */
  description: string | null
  /** Its polls, in order. */
  polsts: PollListItem[]
  /** The number of polls that visitors see. */
  totalSteps: number
  /** The same as `totalSteps`. */
  polstCount: number
  /** The brand that owns it. */
  brand: BrandSummary
  /** `scheduled` before `opensAt`, `closed` from `closesAt` on, otherwise `open`. */
  status: 'open' | 'closed' | 'scheduled'
  /** `published`: visible to everybody; `draft` and `archived`: visible to its owner alone. */
  state: 'published' | 'draft' | 'archived'
  /** Whether it is in the brand's public list. Its link works in any case. */
  isPublic: boolean
  /** When it opens; null if it is open from the start. */
  opensAt: string | null
  /** When it closes; null if it never closes. */
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
  /** A description for visitors, or null. */
  description?: string | null | undefined
  /** Whether it is in the brand's public list. Its link works in any case. */
  isPublic?: boolean | undefined
  /** When it opens; null if it is open from the start. */
  opensAt?: string | null | undefined
  /** When it closes; null if it never closes. */
  closesAt?: string | null | undefined
  /** `published`: visible to everybody; `draft` and `archived`: visible to its owner alone. */
  state?: 'published' | 'draft' | 'archived' | undefined
  /** The ids of its polls, in order. The brand must own each of them. */
  polstIds: string[]
}

export type CampaignNameTakenError = {
  /** The error code, for programs. */
  code: 'CAMPAIGN_NAME_TAKEN'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type CampaignProgress = {
  /** How many polls of the campaign the device has voted on. */
  completedSteps: number
  /** The number of polls in the campaign. */
  totalSteps: number
  /** The first poll, not closed, that this device has not voted on, or null. */
  currentPoll: PollListItem | null
  /** Whether the device has voted on every poll that it could have voted on since its first vote there. */
  completed: boolean
}

export type CampaignTallies = {
  /** The id of the campaign. */
  campaignId: string
  /** The counts of its polls, in order. */
  polsts: ({
    /** The readable name of the poll. */
    slug: string
    /** `scheduled` before `opensAt`, `closed` from `closesAt` on, otherwise `open`. */
    status: 'open' | 'closed' | 'scheduled'
    /** The public counts; 0 if they are hidden. */
    tallies: Tallies
  })[]
}

export type CampaignUpdate = {
  /** The title, unique among the campaigns of the brand. */
  title?: string | undefined
  /** The same as `title`. */
  name?: string | undefined
  /** A description for visitors, or null. */
  description?: string | null | undefined
  /** Whether it is in the brand's public list. Its link works in any case. */
  isPublic?: boolean | undefined
  /** When it opens; null if it is open from the start. */
  opensAt?: string | null | undefined
  /** When it closes; null if it never closes. */
  closesAt?: string | null | undefined
  /** `published`: visible to everybody; `draft` and `archived`: visible to its owner alone. */
  state?: 'published' | 'draft' | 'archived' | undefined
  /** The ids of its polls, in order. The brand must own each of them. */
  polstIds?: string[] | undefined
}

export type Category = {
  /** The permanent id of the category. */
  id: string
  /** The readable name of the category. */
  slug: string
  /** The name to show. */
  name: string
}

export type Challenge = {
  /** The hash function. */
  algorithm: 'SHA-256'
  /** The hash to find, in hexadecimal. */
  challenge: string
  /** The text that is hashed before the number. It ends the challenge after 120 seconds. */
  salt: string
  /** Shows that the challenge is ours. Send it back unchanged. */
  signature: string
  /** The largest number that it can be. */
  maxnumber: number
}

export type ChallengeRequiredError = {
  /** The error code, for programs. */
  code: 'CHALLENGE_REQUIRED'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: {
    /** What to solve. It is for this device and this poll. */
    challenge: Challenge
  }
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type ClosingInsight = {
  /** All votes. */
  votes: number
  /** The share of option A, from 0 to 1. Null without votes. */
  shareA: number | null
  /** The lower bound of the 95% interval of `shareA` (Wilson). Null without votes. */
  low: number | null
  /** The upper bound of the 95% interval of `shareA` (Wilson). Null without votes. */
  high: number | null
  /** `leading` while the evidence against an even split is at least 20: if each vote were an independent fair coin, a poll would ever be called with a probability of at most 5 %, however often one looks. The interval holds for one look at a number of votes that was fixed before. Both are about those who voted, not about a population. */
  verdict: 'no_votes' | 'too_close' | 'leading'
  /** The leading option. Null unless `verdict` is `leading`. */
  leader: 'A' | 'B' | null
  /** When the votes were counted. */
  countedAt: string
}

export type CodeList = {
  /** The id of the list: `codeListId` of a poll names it. */
  codeListId: string
  /** The name of the list, unique in the brand without regard to case. */
  name: string
  /** How many codes were issued, revoked ones included. */
  issued: number
  /** How many codes have voted, on one poll or several. */
  used: number
  /** How many codes were revoked. */
  revoked: number
  /** How many polls ask for codes of this list. */
  polls: number
  /** When the list was created. */
  createdAt: string
  /** When it was renamed, or when codes were last issued or revoked. */
  updatedAt: string
}

export type CodeListCreate = {
  /** The name of the list, unique in the brand without regard to case. */
  name: string
}

export type CodeListInUseError = {
  /** The error code, for programs. */
  code: 'CODE_LIST_IN_USE'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type CodeListUpdate = {
  /** The name of the list, unique in the brand without regard to case. */
  name?: string | undefined
}

export type CodeRequiredError = {
  /** The error code, for programs. */
  code: 'CODE_REQUIRED'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type CodesIssue = {
  /** How many codes to issue. */
  count: number
}

export type CodesRevoke = {
  /** The codes to revoke, with or without hyphens and in any case. */
  codes: string[]
}

export type CrossOriginError = {
  /** The error code, for programs. */
  code: 'CROSS_ORIGIN'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type Crosstab = {
  /** Devices that voted on both polls. */
  respondents: number
  /** How many of them chose what: `[[AA, AB], [BA, BB]]`, where `AB` chose A on the poll of the rows and B on the other. */
  cells: number[][]
  /** The share of option A of the columns within each row; null for a row without respondents. */
  rows: ({
    /** The share of option A, from 0 to 1. Null without votes. */
    shareA: number | null
    /** The lower bound of the 95% interval of `shareA` (Wilson). Null without votes. */
    low: number | null
    /** The upper bound of the 95% interval of `shareA` (Wilson). Null without votes. */
    high: number | null
  } | null)[]
  /** The share in the first row minus that in the second; null if a row has no respondents. */
  difference: number | null
  /** The lower bound of the 95% interval of `difference` (Newcombe). Null where it is null. */
  low: number | null
  /** The upper bound of the 95% interval of `difference` (Newcombe). Null where it is null. */
  high: number | null
  /** When the votes were counted: at most 60 seconds ago. */
  countedAt: string
}

export type ExistingVote = {
  /** The option that the device voted for. */
  option: 'A' | 'B'
  /** When the device voted. */
  votedAt: string
}

export type FedEvent = {
  /** The id of the event: the header `webhook-id` of its deliveries. */
  id: string
  /** The type of the event. */
  type: 'poll.created' | 'poll.updated' | 'poll.opened' | 'poll.closed' | 'poll.milestone' | 'poll.deleted' | 'poll.integrity_alert' | 'campaign.created' | 'campaign.updated' | 'campaign.deleted' | 'brand.updated' | 'brand.theme_updated'
  /** When it happened. */
  timestamp: string
  /** The `data` that a webhook receives for this type. */
  data: Record<string, unknown>
}

export type FieldProblem = {
  /** The path of the field, separated by dots; empty for the request as a whole. */
  path: string
  /** The problem as a code, for programs. */
  code: string
  /** The problem and the allowed values, for people. */
  message: string
  /** In a stylesheet: the line, from 1. */
  line?: number | undefined
  /** In a stylesheet: the column, from 1. */
  column?: number | undefined
}

export type Funnel = {
  /** The polls that visitors see, in the order of the campaign. */
  steps: ({
    /** The readable name of the poll. */
    slug: string
    /** The question. */
    title: string
    /** Devices that voted on this poll. */
    respondents: number
    /** Those that voted on it within the campaign, on its page or in its element. */
    inCampaign: number
    /** Those that voted on it elsewhere, or before votes named their campaign. */
    elsewhere: number
    /** The result of the poll: all its votes, wherever they were cast. */
    result: {
      /** Votes for option A. */
      optionA: number
      /** Votes for option B. */
      optionB: number
      /** All votes. */
      votes: number
      /** The share of option A, from 0 to 1. Null without votes. */
      shareA: number | null
      /** The lower bound of the 95% interval of `shareA` (Wilson). Null without votes. */
      low: number | null
      /** The upper bound of the 95% interval of `shareA` (Wilson). Null without votes. */
      high: number | null
      /** `leading` while the evidence against an even split is at least 20: if each vote were an independent fair coin, a poll would ever be called with a probability of at most 5 %, however often one looks. The interval holds for one look at a number of votes that was fixed before. Both are about those who voted, not about a population. */
      verdict: 'no_votes' | 'too_close' | 'leading'
      /** The leading option. Null unless `verdict` is `leading`. */
      leader: 'A' | 'B' | null
    }
  })[]
  /** Devices that voted on any poll of the campaign, as the list of responses has them. */
  respondents: number
  /** Devices that voted on every step that they could have voted on since their first vote. */
  completed: number
  /** The votes cast within the campaign alone, for rates: a vote elsewhere is in none of these numbers. */
  inCampaign: {
    /** Devices that voted on any step within the campaign. */
    respondents: number
    /** Those of them that voted there on every step that they could have voted on since their first vote there. */
    completed: number
  }
  /** When the votes were counted: at most 60 seconds ago. */
  countedAt: string
}

export type IdempotencyInProgressError = {
  /** The error code, for programs. */
  code: 'IDEMPOTENCY_IN_PROGRESS'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type IdempotencyKeyInvalidError = {
  /** The error code, for programs. */
  code: 'IDEMPOTENCY_KEY_INVALID'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: {
    /** The maximum length of the key. */
    maxLength: number
  }
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type IdempotencyKeyRequiredError = {
  /** The error code, for programs. */
  code: 'IDEMPOTENCY_KEY_REQUIRED'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type IdempotencyKeyReusedError = {
  /** The error code, for programs. */
  code: 'IDEMPOTENCY_KEY_REUSED'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type Insight = {
  /** All votes. */
  votes: number
  /** The share of option A, from 0 to 1. Null without votes. */
  shareA: number | null
  /** The lower bound of the 95% interval of `shareA` (Wilson). Null without votes. */
  low: number | null
  /** The upper bound of the 95% interval of `shareA` (Wilson). Null without votes. */
  high: number | null
  /** `leading` while the evidence against an even split is at least 20: if each vote were an independent fair coin, a poll would ever be called with a probability of at most 5 %, however often one looks. The interval holds for one look at a number of votes that was fixed before. Both are about those who voted, not about a population. */
  verdict: 'no_votes' | 'too_close' | 'leading'
  /** The leading option. Null unless `verdict` is `leading`. */
  leader: 'A' | 'B' | null
  /** Votes by the order of the options. Null if no vote was cast in a random order. */
  order: {
    /** The votes of those who saw option A first. */
    AB: {
      /** Votes for option A. */
      optionA: number
      /** Votes for option B. */
      optionB: number
    }
    /** The votes of those who saw option B first. */
    BA: {
      /** Votes for option A. */
      optionA: number
      /** Votes for option B. */
      optionB: number
    }
    /** The share of A when it was shown first minus that when it was second; null if either has no votes. */
    difference: number | null
    /** The lower bound of the 95% interval of `difference` (Newcombe). Null where it is null. */
    low: number | null
    /** The upper bound of the 95% interval of `difference` (Newcombe). Null where it is null. */
    high: number | null
  } | null
  /** Where the votes came from, as `/sources` has it. */
  sources: SourceCounts[]
  /** When `order` and `sources` were counted: at most 60 seconds ago. The other numbers are those of now. */
  countedAt: string
}

export type IntegrityReport = {
  /** How conspicuous the votes are, from 0 to 100. It is no proof: the reasons say what was seen. */
  score: number
  /** The conspicuous facts, in English sentences; empty at 0. */
  reasons: string[]
  /** How many votes of the poll were cast with codes, each of which votes once: all, or none. Their networks are not counted below. */
  votesByCode: number
  /** Each hour with a vote or a refusal. */
  hours: ({
    /** The start of the hour. */
    at: string
    /** Counted votes. */
    votes: number
    /** The share of the votes that the largest network cast: an IPv4 address or a /48 of IPv6. Null if no vote was watched. With several servers it is an upper bound. */
    largestNetworkShare: number | null
    /** The same for the ten largest networks together. */
    topTenShare: number | null
    /** Counted votes that solved a challenge. */
    challenged: number
    /** Counted votes that came from no web page. */
    withoutOrigin: number
    /** Requests for votes that were refused, by reason. */
    refused: {
      /** Requests beyond a rate limit. */
      rate: number
      /** Requests without the solution of a challenge that was due. An honest device sends one such request for each challenge that it solves. */
      challenge: number
      /** Requests from pages of other origins than `embedOrigins`. */
      origin: number
      /** Malformed requests. */
      invalid: number
    }
  })[]
}

export type InternalError = {
  /** The error code, for programs. */
  code: 'INTERNAL'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type InvalidApiKeyError = {
  /** The error code, for programs. */
  code: 'INVALID_API_KEY'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type InvalidCodeError = {
  /** The error code, for programs. */
  code: 'INVALID_CODE'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type InvalidLinkError = {
  /** The error code, for programs. */
  code: 'INVALID_LINK'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type InvalidPasskeyError = {
  /** The error code, for programs. */
  code: 'INVALID_PASSKEY'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type InvalidPolstOwnershipError = {
  /** The error code, for programs. */
  code: 'INVALID_POLST_OWNERSHIP'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: {
    /** The ids of the polls that cannot join, in the order of the request. */
    foreignPolstIds: string[]
  }
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type InvalidRefreshTokenError = {
  /** The error code, for programs. */
  code: 'INVALID_REFRESH_TOKEN'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type InvalidScopeError = {
  /** The error code, for programs. */
  code: 'INVALID_SCOPE'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: {
    /** The scopes that the app does not hold. */
    scopes: string[]
  }
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type Invitation = {
  /** The id of the invitation. */
  invitationId: string
  /** The address, as it was typed. */
  email: string
  /** `owner` and `editor` may do everything with polls; only an owner manages members and keys. `analyst` reads. */
  role: 'owner' | 'editor' | 'analyst'
  /** When the person was invited. */
  createdAt: string
  /** When the link stops working. */
  expiresAt: string
}

export type InvitationCreate = {
  /** The address, as it was typed. */
  email: string
  /** `owner` and `editor` may do everything with polls; only an owner manages members and keys. `analyst` reads. */
  role: 'owner' | 'editor' | 'analyst'
}

export type InvitationWithUrl = {
  /** The id of the invitation. */
  invitationId: string
  /** The address, as it was typed. */
  email: string
  /** `owner` and `editor` may do everything with polls; only an owner manages members and keys. `analyst` reads. */
  role: 'owner' | 'editor' | 'analyst'
  /** When the person was invited. */
  createdAt: string
  /** When the link stops working. */
  expiresAt: string
  /** The one-time link, shown only now. Give it to the person yourself. */
  url: string
}

export type IssuedCodes = {
  /** The new codes. */
  codes: string[]
  /** How many codes of the list were issued in all. */
  issued: number
}

export type LastOwnerError = {
  /** The error code, for programs. */
  code: 'LAST_OWNER'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type LinkRequest = {
  /** The address of a member. */
  email: string
}

export type MailPreferences = {
  /** A mail when a poll closes, with its result. */
  pollClosed: boolean
  /** A mail when a poll gets its first vote. */
  firstVote: boolean
  /** A mail when a poll reaches 100, 1,000, 10,000 votes and so on. */
  roundNumbers: boolean
  /** A mail each Monday with the numbers of the last seven days; none for a week without votes. */
  weeklyDigest: boolean
  /** The language of the mails. */
  lang: 'en' | 'de' | 'fr' | 'es' | 'pt' | 'ja' | 'zh' | 'ar' | 'hi' | 'uk'
  /** False while the operator has not set `SMTP_URL`: then nothing is mailed. */
  available: boolean
}

export type MailPreferencesUpdate = {
  /** A mail when a poll closes, with its result. */
  pollClosed?: boolean | undefined
  /** A mail when a poll gets its first vote. */
  firstVote?: boolean | undefined
  /** A mail when a poll reaches 100, 1,000, 10,000 votes and so on. */
  roundNumbers?: boolean | undefined
  /** A mail each Monday with the numbers of the last seven days; none for a week without votes. */
  weeklyDigest?: boolean | undefined
  /** The language of the mails. Default: the one that `Accept-Language` prefers. */
  lang?: 'en' | 'de' | 'fr' | 'es' | 'pt' | 'ja' | 'zh' | 'ar' | 'hi' | 'uk' | undefined
}

export type MalformedJsonError = {
  /** The error code, for programs. */
  code: 'MALFORMED_JSON'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type Member = {
  /** The permanent id of the person, the same for every brand. */
  memberId: string
  /** The address, as it was typed. */
  email: string
  /** The name of the person, or null if none is known. */
  name: string | null
  /** `owner` and `editor` may do everything with polls; only an owner manages members and keys. `analyst` reads. */
  role: 'owner' | 'editor' | 'analyst'
  /** When the person joined the brand. */
  createdAt: string
  /** When the person last worked for the brand, or null. */
  lastSeenAt: string | null
  /** How many passkeys the person has. */
  passkeys: number
}

export type MemberRequiredError = {
  /** The error code, for programs. */
  code: 'MEMBER_REQUIRED'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type MemberUpdate = {
  /** `owner` and `editor` may do everything with polls; only an owner manages members and keys. `analyst` reads. */
  role: 'owner' | 'editor' | 'analyst'
}

export type MethodNotAllowedError = {
  /** The error code, for programs. */
  code: 'METHOD_NOT_ALLOWED'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type NameTakenError = {
  /** The error code, for programs. */
  code: 'NAME_TAKEN'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type NewPasskey = {
  /** The id of the passkey. */
  id: string
  /** A name to tell it from others. */
  name: string
  /** When it was registered. */
  createdAt: string
}

export type NotFoundError = {
  /** The error code, for programs. */
  code: 'NOT_FOUND'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type OriginNotAllowedError = {
  /** The error code, for programs. */
  code: 'ORIGIN_NOT_ALLOWED'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type OwnBrand = {
  /** The slug of the brand, as in its URLs. It never changes. */
  slug: string
  /** The name of the brand. */
  name: string
  /** The look of its polls. */
  theme: Theme
  /** The name to show instead of `name`, or null. */
  displayName: string | null
  /** A description for visitors, or null. */
  description: string | null
  /** The picture of the brand as an https URL, or null. Hosted pages show it only if it is a file of this service. */
  avatarUrl: string | null
  /** The city, or null. */
  locationCity: string | null
  /** The state or region, or null. */
  locationState: string | null
  /** The permanent id of the brand. */
  brandId: string
}

export type OwnTheme = {
  /** The roundness of corners. */
  radius: 'NONE' | 'SM' | 'MD' | 'LG' | 'FULL'
  /** The spacing. */
  density: 'COMFORTABLE' | 'COMPACT'
  /** Which fonts are used: those of the system, `MANROPE`, which the service delivers, or `INHERIT`: in elements the font of the page around them, elsewhere that of the system. */
  fontStack: 'SYSTEM' | 'SERIF' | 'MONO' | 'ROUNDED' | 'MANROPE' | 'INHERIT'
  /** Where the title of a poll is. */
  titlePlacement: 'ABOVE' | 'BELOW' | 'HIDDEN'
  /** Where the labels of options with a picture are. `HIDDEN` hides them visually; screen readers still read them. */
  labelPlacement: 'OVERLAY' | 'BELOW' | 'HIDDEN'
  /** How labels are aligned. */
  labelAlign: 'START' | 'CENTER' | 'END'
  /** The strength of the shadow of a card. */
  elevation: 'NONE' | 'LOW' | 'HIGH'
  /** Whether the line with the name of the service is hidden. */
  hideWatermark: boolean
  /** Whether cards move when a vote is cast. `NONE` shows results at once. */
  motion: 'FULL' | 'NONE'
  /** The colours of cards and pages: `AUTO` follows the visitor, `HOST` the page around an element, `LIGHT` and `DARK` follow nothing. */
  colorScheme: 'AUTO' | 'LIGHT' | 'DARK' | 'HOST'
  /** Whether share pictures show the results of polls that are open. Those of closed polls show them in any case, if everybody may see them. */
  shareResults: 'HIDDEN' | 'SHOWN'
  /** Behaviour of a frame that cannot remember a vote: `ASK` opens the page of the poll to vote there, `ALLOW` takes the vote. */
  embedStorage: 'ASK' | 'ALLOW'
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
  /** The origins of pages that may show a poll in a frame, and whose visitors may vote on it. Empty means any. */
  embedOrigins: string[]
  /** The URL of the brand's stylesheet, different for each version, or null. */
  customCssUrl: string | null
  /** The number of updates of the theme; 0 before the first one. */
  version: number
  /** The stylesheet as the brand wrote it, or null. Only the owner sees it in this form. */
  customCss: string | null
}

export type OwnedCampaign = {
  /** The permanent id of the campaign. */
  campaignId: string
  /** The title, unique among the campaigns of the brand. */
  title: string
  /** A description for visitors, or null. */
  description: string | null
  /** Its polls, in order. */
  polsts: PollListItem[]
  /** The number of polls that visitors see. */
  totalSteps: number
  /** The same as `totalSteps`. */
  polstCount: number
  /** The brand that owns it. */
  brand: BrandSummary
  /** `scheduled` before `opensAt`, `closed` from `closesAt` on, otherwise `open`. */
  status: 'open' | 'closed' | 'scheduled'
  /** `published`: visible to everybody; `draft` and `archived`: visible to its owner alone. */
  state: 'published' | 'draft' | 'archived'
  /** Whether it is in the brand's public list. Its link works in any case. */
  isPublic: boolean
  /** When it opens; null if it is open from the start. */
  opensAt: string | null
  /** When it closes; null if it never closes. */
  closesAt: string | null
  /** When it was created. */
  createdAt: string
  /** When its owner last changed it. */
  updatedAt: string
  /** The ids of its polls that visitors do not see: drafts and archived polls. */
  withheldPolstIds: string[]
  /** How many of the votes from before a poll joined have been added to the responses. */
  responsesProgress: {
    /** Whether all of them have been read. */
    isComplete: boolean
    /** How many have been read. */
    votesRead: number
    /** How many have to be read. */
    votesToRead: number
  }
}

export type OwnedPoll = {
  /** The permanent id of the poll. */
  id: string
  /** The readable name of the poll in URLs, unique in the service. */
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
  /** The counts; 0 if they are hidden from this caller. */
  tallies: Tallies
  /** `scheduled` before `opensAt`, `closed` from `closesAt` on, otherwise `open`. */
  status: 'open' | 'closed' | 'scheduled'
  /** The brand that owns the poll, or null. */
  brand: BrandSummary | null
  /** When the poll was created. */
  createdAt: string
  /** Who votes: `open`: every device, once; `code`: whoever sends a code in `X-Vote-Code`, once for each code. */
  admission: 'open' | 'code'
  /** Whether the poll is a draft: only its owner sees it. */
  isDraft: boolean
  /** Whether the poll is omitted from every feed. Its link works for everybody. */
  isPrivate: boolean
  /** When its owner last changed it. */
  updatedAt: string
  /** Keywords of the owner to find the poll by. */
  tags: string[]
  /** The categories that the poll belongs to. */
  categories: Category[]
  /** The short name of the poll, for links: 12 characters that never change. */
  shortId: string
  /** When it opens; null if it is open from the start. */
  opensAt: string | null
  /** When it closes; null if it never closes. */
  closesAt: string | null
  /** Who sees the results: `always`: everybody; `after_vote`: voters; `after_close`: everybody once the poll has closed; `never`: only the owner. */
  resultsVisibility: 'always' | 'after_vote' | 'after_close' | 'never'
  /** Whether cards offer to show results that everybody may see to those who have not voted. */
  resultsBeforeVote: boolean
  /** The order in which cards show the options: `fixed`: A first; `random`: drawn once for each device and poll, so that the order favours neither. Their letters stay the same. */
  optionOrder: 'fixed' | 'random'
  /** Whether a vote must bring the solution of a challenge, which costs its device some computing: `off`: never; `adaptive`: while unusually many votes come from its network or to the poll; `always`: each time. */
  challenge: 'off' | 'adaptive' | 'always'
  /** The URL of the poll, for sharing. */
  shareUrl: string
  /** When the title or a label was last changed after the first vote, or null. */
  revisedAt: string | null
  /** When it was archived, or null. */
  archivedAt: string | null
  /** The code list whose codes vote on the poll, each once, or null: then every device votes. Fixed from the first vote on. The published polls of a campaign have one list, or none. */
  codeListId: string | null
}

export type Passkey = {
  /** The id of the passkey. */
  id: string
  /** A name to tell it from others. */
  name: string
  /** When it was registered. */
  createdAt: string
  /** When it last signed in, or null. */
  lastUsedAt: string | null
}

export type PasskeyCreate = {
  /** The credential of the browser, as its `toJSON()` gives it. */
  credential: Record<string, unknown>
  /** A name to tell it from others. Default: `Passkey`. */
  name?: string | undefined
}

export type PasskeySignIn = {
  /** The credential of the browser, as its `toJSON()` gives it. */
  credential: Record<string, unknown>
}

export type PasskeyUpdate = {
  /** A name to tell it from others. */
  name: string
}

export type PayloadTooLargeError = {
  /** The error code, for programs. */
  code: 'PAYLOAD_TOO_LARGE'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: {
    /** The largest body that the route accepts, in bytes. */
    limit: number
  }
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type Poll = {
  /** The permanent id of the poll. */
  id: string
  /** The readable name of the poll in URLs, unique in the service. */
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
  /** The counts; 0 if they are hidden from this caller. */
  tallies: Tallies
  /** `scheduled` before `opensAt`, `closed` from `closesAt` on, otherwise `open`. */
  status: 'open' | 'closed' | 'scheduled'
  /** The brand that owns the poll, or null. */
  brand: BrandSummary | null
  /** When the poll was created. */
  createdAt: string
  /** Who votes: `open`: every device, once; `code`: whoever sends a code in `X-Vote-Code`, once for each code. */
  admission: 'open' | 'code'
  /** Whether the poll is a draft: only its owner sees it. */
  isDraft: boolean
  /** Whether the poll is omitted from every feed. Its link works for everybody. */
  isPrivate: boolean
  /** When its owner last changed it. */
  updatedAt: string
  /** Keywords of the owner to find the poll by. */
  tags: string[]
  /** The categories that the poll belongs to. */
  categories: Category[]
  /** The short name of the poll, for links: 12 characters that never change. */
  shortId: string
  /** When it opens; null if it is open from the start. */
  opensAt: string | null
  /** When it closes; null if it never closes. */
  closesAt: string | null
  /** Who sees the results: `always`: everybody; `after_vote`: voters; `after_close`: everybody once the poll has closed; `never`: only the owner. */
  resultsVisibility: 'always' | 'after_vote' | 'after_close' | 'never'
  /** Whether cards offer to show results that everybody may see to those who have not voted. */
  resultsBeforeVote: boolean
  /** The order in which cards show the options: `fixed`: A first; `random`: drawn once for each device and poll, so that the order favours neither. Their letters stay the same. */
  optionOrder: 'fixed' | 'random'
  /** Whether a vote must bring the solution of a challenge, which costs its device some computing: `off`: never; `adaptive`: while unusually many votes come from its network or to the poll; `always`: each time. */
  challenge: 'off' | 'adaptive' | 'always'
  /** The URL of the poll, for sharing. */
  shareUrl: string
  /** When the title or a label was last changed after the first vote, or null. */
  revisedAt: string | null
}

export type PollCreate = {
  /** The question. */
  title: string
  /** The first option. */
  optionA: {
    /** The text of the option. */
    label: string
    /** The picture of the option, or null. To set it, send the `publicUrl` of an upload for this slot. */
    imageUrl?: string | null | undefined
    /** A description of the picture for people who cannot see it, or null. */
    imageAlt?: string | null | undefined
    /** How the picture fills its frame: `cover` cuts off what does not fit, around the focal point; `contain` shows all of it. */
    fit?: 'cover' | 'contain' | undefined
    /** The focal point of the picture, which stays in sight where the frame cuts: 0 is its left edge, 1 its right one. Stored with four decimals. */
    focusX?: number | undefined
    /** The same from the top, 0, to the bottom, 1. */
    focusY?: number | undefined
  }
  /** The second option. */
  optionB: {
    /** The text of the option. */
    label: string
    /** The picture of the option, or null. To set it, send the `publicUrl` of an upload for this slot. */
    imageUrl?: string | null | undefined
    /** A description of the picture for people who cannot see it, or null. */
    imageAlt?: string | null | undefined
    /** How the picture fills its frame: `cover` cuts off what does not fit, around the focal point; `contain` shows all of it. */
    fit?: 'cover' | 'contain' | undefined
    /** The focal point of the picture, which stays in sight where the frame cuts: 0 is its left edge, 1 its right one. Stored with four decimals. */
    focusX?: number | undefined
    /** The same from the top, 0, to the bottom, 1. */
    focusY?: number | undefined
  }
  /** The readable name of the poll in URLs, unique in the service. */
  slug?: string | undefined
  /** Whether the poll is a draft: only its owner sees it. */
  isDraft?: boolean | undefined
  /** Whether the poll is omitted from every feed. Its link works for everybody. */
  isPrivate?: boolean | undefined
  /** Keywords of the owner to find the poll by. */
  tags?: string[] | undefined
  /** The ids of the operator's categories that the poll belongs to. */
  categoryIds?: string[] | undefined
  /** When it opens; null if it is open from the start. */
  opensAt?: string | null | undefined
  /** When it closes; null if it never closes. */
  closesAt?: string | null | undefined
  /** Who sees the results: `always`: everybody; `after_vote`: voters; `after_close`: everybody once the poll has closed; `never`: only the owner. */
  resultsVisibility?: 'always' | 'after_vote' | 'after_close' | 'never' | undefined
  /** Whether cards offer to show results that everybody may see to those who have not voted. */
  resultsBeforeVote?: boolean | undefined
  /** The order in which cards show the options: `fixed`: A first; `random`: drawn once for each device and poll, so that the order favours neither. Their letters stay the same. */
  optionOrder?: 'fixed' | 'random' | undefined
  /** Whether a vote must bring the solution of a challenge, which costs its device some computing: `off`: never; `adaptive`: while unusually many votes come from its network or to the poll; `always`: each time. */
  challenge?: 'off' | 'adaptive' | 'always' | undefined
  /** The code list whose codes vote on the poll, each once, or null: then every device votes. Fixed from the first vote on. The published polls of a campaign have one list, or none. */
  codeListId?: string | null | undefined
}

export type PollImageTicketCreate = {
  /** Where the picture is used. It cannot be used elsewhere. */
  slot: 'optionA' | 'optionB' | 'combined'
  /** The content type of the picture. */
  contentType: 'image/png' | 'image/jpeg' | 'image/webp'
  /** The size of the picture in bytes. */
  byteSize?: number | undefined
}

export type PollListItem = {
  /** The permanent id of the poll. */
  id: string
  /** The readable name of the poll in URLs, unique in the service. */
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
  /** The counts; 0 if they are hidden from this caller. */
  tallies: Tallies
  /** `scheduled` before `opensAt`, `closed` from `closesAt` on, otherwise `open`. */
  status: 'open' | 'closed' | 'scheduled'
  /** The brand that owns the poll, or null. */
  brand: BrandSummary | null
  /** When the poll was created. */
  createdAt: string
  /** In a list only where it is `code`: the poll takes votes by code alone. */
  admission?: 'open' | 'code' | undefined
}

export type PollLog = {
  /** The prefix of `/checkpoint`, `/tile/{L}/{N}`, `/tile/entries/{N}` (C2SP `tlog-tiles`) and `/bundle`. */
  url: string
  /** The name of the log, which its checkpoints begin with: its address without the scheme. */
  origin: string
  /** The verifier key of the checkpoints, in the format of C2SP `signed-note`. */
  publicKey: string
  /** The votes in the checkpoint. */
  size: number
  /** A C2SP `tlog-checkpoint` in a signed note: origin, size and root hash, signed with Ed25519. */
  checkpoint: string
  /** When the checkpoint was made. */
  checkpointAt: string
  /** When the log began. */
  startedAt: string
  /** Earlier logs of the poll, oldest first. */
  restarts: PollLogRestart[]
}

export type PollLogRestart = {
  /** The name of the log, which its checkpoints begin with: its address without the scheme. */
  origin: string
  /** The votes in the last checkpoint that is known of it. */
  size: number
  /** When it ended. */
  at: string
}

export type PollMail = {
  /** A block of HTML for the mail: a table and a sheet for dark mode, no script. */
  html: string
  /** The same as plain text. */
  text: string
}

export type PollName = {
  /** The permanent id of the poll. */
  id: string
  /** The readable name of the poll. */
  slug: string
}

export type PollOption = {
  /** The text of the option. */
  label: string
  /** The picture of the option, or null. To set it, send the `publicUrl` of an upload for this slot. */
  imageUrl: string | null
  /** A description of the picture for people who cannot see it, or null. */
  imageAlt: string | null
  /** How the picture fills its frame: `cover` cuts off what does not fit, around the focal point; `contain` shows all of it. */
  fit: 'cover' | 'contain'
  /** The focal point of the picture, which stays in sight where the frame cuts: 0 is its left edge, 1 its right one. Stored with four decimals. */
  focusX: number
  /** The same from the top, 0, to the bottom, 1. */
  focusY: number
  /** Present where the `optionOrder` of the poll is `random`: each device draws which option comes first. */
  shuffled?: true | undefined
}

export type PollPreview = {
  /** The page of the poll, with a signature. */
  url: string
  /** When the link stops showing the draft. */
  expiresAt: string
}

export type PollResult = {
  /** The permanent id of the poll. */
  id: string
  /** The readable name of the poll. */
  slug: string
  /** The question. */
  title: string
  /** The label of option A. */
  labelA: string
  /** The label of option B. */
  labelB: string
  /** The status now. */
  status: 'open' | 'closed' | 'scheduled'
  /** Votes for option A. */
  optionA: number
  /** Votes for option B. */
  optionB: number
  /** All votes. */
  votes: number
  /** The share of option A, or null without votes. */
  shareA: number | null
  /** The lower end of the Wilson interval of that share at 95 %, or null without votes. */
  low: number | null
  /** The upper end of that interval, or null without votes. */
  high: number | null
  /** `leading` while the evidence against an even split is strong enough, else `too_close`; it speaks of those who voted, not of a population. */
  verdict: 'no_votes' | 'too_close' | 'leading'
  /** The option that leads, or null. */
  leader: 'A' | 'B' | null
  /** When the poll was created. */
  createdAt: string
  /** When voting opened or will open; null for a poll that opened when it was published. */
  opensAt: string | null
  /** When voting closed or will close, or null. */
  closesAt: string | null
  /** When the poll was archived, which closed it, or null. */
  archivedAt: string | null
  /** Votes by source, most first. `other` is last: votes of no source, of one that is not declared, and of sources with fewer than 10 votes. */
  sources: {
    /** The name of the source. */
    source: string
    /** Votes that came from it. */
    votes: number
  }[]
}

export type PollTallies = {
  /** The readable name of the poll. */
  slug: string
  /** `scheduled` before `opensAt`, `closed` from `closesAt` on, otherwise `open`. */
  status: 'open' | 'closed' | 'scheduled'
  /** The public counts; 0 if they are hidden. */
  tallies: Tallies
  /** When the counts or the poll last changed. */
  updatedAt: string
}

export type PollUpdate = {
  /** The question. */
  title?: string | undefined
  /** The first option. */
  optionA?: {
    /** The text of the option. */
    label?: string | undefined
    /** The picture of the option, or null. To set it, send the `publicUrl` of an upload for this slot. */
    imageUrl?: string | null | undefined
    /** A description of the picture for people who cannot see it, or null. */
    imageAlt?: string | null | undefined
    /** How the picture fills its frame: `cover` cuts off what does not fit, around the focal point; `contain` shows all of it. */
    fit?: 'cover' | 'contain' | undefined
    /** The focal point of the picture, which stays in sight where the frame cuts: 0 is its left edge, 1 its right one. Stored with four decimals. */
    focusX?: number | undefined
    /** The same from the top, 0, to the bottom, 1. */
    focusY?: number | undefined
  } | undefined
  /** The second option. */
  optionB?: {
    /** The text of the option. */
    label?: string | undefined
    /** The picture of the option, or null. To set it, send the `publicUrl` of an upload for this slot. */
    imageUrl?: string | null | undefined
    /** A description of the picture for people who cannot see it, or null. */
    imageAlt?: string | null | undefined
    /** How the picture fills its frame: `cover` cuts off what does not fit, around the focal point; `contain` shows all of it. */
    fit?: 'cover' | 'contain' | undefined
    /** The focal point of the picture, which stays in sight where the frame cuts: 0 is its left edge, 1 its right one. Stored with four decimals. */
    focusX?: number | undefined
    /** The same from the top, 0, to the bottom, 1. */
    focusY?: number | undefined
  } | undefined
  /** Pictures of the poll as a whole. */
  images?: {
    /** One picture for both options, or null to let the service compose one. */
    combined?: string | null | undefined
  } | undefined
  /** Whether the poll is archived: it accepts no votes and is in no feed, but its link still works. */
  archived?: boolean | undefined
  /** Whether the poll is a draft: only its owner sees it. */
  isDraft?: boolean | undefined
  /** Whether the poll is omitted from every feed. Its link works for everybody. */
  isPrivate?: boolean | undefined
  /** Keywords of the owner to find the poll by. */
  tags?: string[] | undefined
  /** The ids of the operator's categories that the poll belongs to. */
  categoryIds?: string[] | undefined
  /** When it opens; null if it is open from the start. */
  opensAt?: string | null | undefined
  /** When it closes; null if it never closes. */
  closesAt?: string | null | undefined
  /** Who sees the results: `always`: everybody; `after_vote`: voters; `after_close`: everybody once the poll has closed; `never`: only the owner. */
  resultsVisibility?: 'always' | 'after_vote' | 'after_close' | 'never' | undefined
  /** Whether cards offer to show results that everybody may see to those who have not voted. */
  resultsBeforeVote?: boolean | undefined
  /** The order in which cards show the options: `fixed`: A first; `random`: drawn once for each device and poll, so that the order favours neither. Their letters stay the same. */
  optionOrder?: 'fixed' | 'random' | undefined
  /** Whether a vote must bring the solution of a challenge, which costs its device some computing: `off`: never; `adaptive`: while unusually many votes come from its network or to the poll; `always`: each time. */
  challenge?: 'off' | 'adaptive' | 'always' | undefined
  /** The code list whose codes vote on the poll, each once, or null: then every device votes. Fixed from the first vote on. The published polls of a campaign have one list, or none. */
  codeListId?: string | null | undefined
}

export type PolstClosedError = {
  /** The error code, for programs. */
  code: 'POLST_CLOSED'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: {
    /** The current status of the poll. */
    status: 'open' | 'closed' | 'scheduled'
    /** Present if the brand has archived the poll. */
    archived?: true | undefined
    /** The device's earlier vote, if it has one. */
    existingVote?: ExistingVote | undefined
  }
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type PolstHasVotesError = {
  /** The error code, for programs. */
  code: 'POLST_HAS_VOTES'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type PreconditionFailedError = {
  /** The error code, for programs. */
  code: 'PRECONDITION_FAILED'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type RateLimitedError = {
  /** The error code, for programs. */
  code: 'RATE_LIMITED'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type Respondent = {
  /** An id of the device for this brand only. The device id cannot be derived from it. */
  respondentId: string
  /** When its first vote in the campaign was counted. */
  startedAt: string
  /** The number of polls of the campaign that it has voted on. */
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

export type ResultsLink = {
  /** The id of the link. */
  linkId: string
  /** When the link stops working, or null. */
  expiresAt: string | null
  /** When the link was made. */
  createdAt: string
}

export type ResultsLinkCreate = {
  /** When the link stops working, in the future; null for a link that works until you end it. */
  expiresAt?: string | null | undefined
}

export type ResultsLinkWithUrl = {
  /** The id of the link. */
  linkId: string
  /** When the link stops working, or null. */
  expiresAt: string | null
  /** When the link was made. */
  createdAt: string
  /** The address of the page. No other answer shows it: store it. */
  url: string
}

export type RevokedCodes = {
  /** How many of them were valid until now. */
  revoked: number
  /** How many of them are no codes of the list. One that was revoked before counts in neither number. */
  unknown: number
}

export type RoleRequiredError = {
  /** The error code, for programs. */
  code: 'ROLE_REQUIRED'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: {
    /** The role that the route requires. */
    role: 'owner' | 'editor' | 'analyst' | 'operator'
  }
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type ScopeRequiredError = {
  /** The error code, for programs. */
  code: 'SCOPE_REQUIRED'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: {
    /** The scope that the route requires. */
    scope: 'view' | 'vote' | 'manage' | 'analytics'
  }
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type ServedBrand = {
  /** The slug of the brand. */
  slug: string
  /** Its name. */
  name: string
  /** When it was created. */
  createdAt: string
  /** Its polls, counted up to 1000. */
  polls: number
  /** All votes, some seconds old. */
  votes: number
  /** Votes of the last 24 hours, to the hour. */
  votesOfDay: number
}

export type ServiceFinding = {
  /** What was found. `votes_refused`: votes cannot be stored. `tally_drift`: the tally of a poll differs from its votes. `disk_full`: less than 200 MB are free on the disk. `backup_failed`: the last attempt to make a backup failed. `backup_overdue`: the newest backup is older than twice `BACKUP_EVERY`. `untrusted_proxy`: all visitors behind a proxy share the limits of one network. `silent_proxy`: a trusted proxy does not name its visitors, so they share the limits of one network. `integrity_alerts`: the votes of some polls looked conspicuous within a day. `webhooks_failing`: the receivers of some webhooks fail. `webhooks_late`: an event or a delivery has been due for 5 minutes. `jobs_failing`: the last run of a background job failed. `disk_low`: less than 1 GB is free on the disk. `open_files`: four fifths of the open files that are allowed are in use. `backups_off`: the server makes no backups by itself. `not_encrypted`: `PUBLIC_URL` is not encrypted. */
  code: 'votes_refused' | 'tally_drift' | 'disk_full' | 'backup_failed' | 'backup_overdue' | 'untrusted_proxy' | 'silent_proxy' | 'integrity_alerts' | 'webhooks_failing' | 'webhooks_late' | 'jobs_failing' | 'disk_low' | 'open_files' | 'backups_off' | 'not_encrypted'
  /** `fault`: something does not work. `warning`: it soon may not. */
  level: 'warning' | 'fault'
}

export type ServiceState = {
  /** Whether a vote could be stored now. */
  ready: boolean
  /** When the server started. */
  startedAt: string
  /** What runs. */
  versions: {
    /** The version of the server. */
    tossup: string
    /** The version of Bun. */
    bun: string
    /** The kind of the database. */
    engine: 'sqlite' | 'postgres'
    /** The version of the database. */
    database: string
    /** The last migration of the database. */
    schema: string
  }
  /** What waits. Numbers of webhooks are some seconds old. */
  queues: {
    /** Votes waiting for their commit. */
    votes: number
    /** At this number further votes are refused. */
    mostVotes: number
    /** Events not yet turned into deliveries, counted up to 1,000. */
    events: number
    /** Unfinished deliveries, counted up to 10,000. */
    deliveries: number
    /** How long the oldest event or delivery has been due. */
    lagSeconds: number
    /** Webhooks whose last attempts failed, counted up to 1000. */
    failingWebhooks: number
    /** Background jobs whose last run failed. */
    failingJobs: string[]
  }
  /** The result of the last recount of votes. */
  audit: {
    /** When the last audit ended; null before the first since the start. */
    endedAt: string | null
    /** Polls whose tally differs from their votes. */
    differing: number
  }
  /** Backups that the server makes by itself. */
  backups: {
    /** Whether `BACKUP_URL` is set. */
    enabled: boolean
    /** The time of the newest complete backup in `BACKUP_URL`; null if none is known. */
    lastAt: string | null
    /** When the next backup is due; null if none is known. */
    nextAt: string | null
    /** Why the last attempt failed; null if it did not. */
    failure: string | null
  }
  /** The room on the disk. */
  disk: {
    /** Free bytes on the disk of `DATA_DIR`. */
    freeBytes: number
    /** The size of that disk. */
    totalBytes: number
    /** The size of the database. */
    databaseBytes: number
  }
  /** Open files and connections. */
  openFiles: {
    /** Files and connections of the process; null where unknown. */
    open: number | null
    /** How many it may have; null where there is no limit. */
    limit: number | null
  }
  /** The setting to change if a proxy that is not trusted forwards visitors; null if none was seen. */
  untrustedProxy: string | null
  /** Polls whose votes looked conspicuous within a day, counted up to 1000. */
  integrityAlerts: number
  /** What to look at, faults first; empty if all is well. */
  findings: ServiceFinding[]
}

export type Session = {
  /** The id of the session. */
  id: string
  /** When the person signed in. */
  createdAt: string
  /** When the session was last used, to the minute. */
  lastSeenAt: string
  /** What the browser calls itself. */
  userAgent: string
  /** True for the session of this request. */
  current: boolean
}

export type SessionToken = {
  /** Send it in the header `Authorization: Bearer …`. */
  accessToken: string
  /** Its lifetime in seconds. For another one, ask again. */
  expiresIn: number
  /** Always `Bearer`. */
  tokenType: 'Bearer'
  /** The scopes of the role. */
  scopes: ('view' | 'vote' | 'manage' | 'analytics')[]
  /** The person's role in the brand. */
  role: 'owner' | 'editor' | 'analyst'
}

export type SessionTokenRequest = {
  /** The brand to act for. */
  brandSlug: string
}

export type SignIn = {
  /** The last part of the address of the link. */
  token: string
}

export type SignedInMember = {
  /** The permanent id of the person. */
  memberId: string
  /** The address, as it was typed. */
  email: string
  /** The name, or null if none is known. */
  name: string | null
}

export type SlugTakenError = {
  /** The error code, for programs. */
  code: 'SLUG_TAKEN'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: {
    /** A similar slug that is free. */
    suggestion: string
  }
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type SourceCounts = {
  /** The name of the source, or `other`: every source that is not declared, none at all, and those with fewer than ten votes. */
  source: string
  /** How often a poll was seen. Approximate. */
  views: number
  /** All votes from there. */
  votes: number
  /** Votes for option A. */
  optionA: number
  /** Votes for option B. */
  optionB: number
  /** The share of option A, or null without votes. */
  shareA: number | null
  /** The lower end of its Wilson interval at 95 %, or null without votes. */
  low: number | null
  /** The upper end of its Wilson interval at 95 %, or null without votes. */
  high: number | null
}

export type SourceName = {
  /** The name of the source. */
  name: string
  /** When it was declared. */
  createdAt: string
}

export type SourceNameCreate = {
  /** A place that links to polls, such as a newsletter, a page or a poster. Never name a person. */
  name: string
}

export type Subject = {
  /** The kind of the resource. */
  kind: 'brand' | 'poll' | 'campaign' | 'code_list' | 'webhook' | 'app' | 'member' | 'invitation' | 'agent' | 'tool'
  /** The id of the resource. */
  id: string
  /** Its title or name at that time; for a webhook the host of its URL. */
  title: string
}

export type Tallies = {
  /** Votes for option A. */
  optionA: number
  /** Votes for option B. */
  optionB: number
  /** All votes. */
  total: number
  /** Present if the results are hidden from this caller: all counts are then 0. */
  hidden?: true | undefined
}

export type Theme = {
  /** The roundness of corners. */
  radius: 'NONE' | 'SM' | 'MD' | 'LG' | 'FULL'
  /** The spacing. */
  density: 'COMFORTABLE' | 'COMPACT'
  /** Which fonts are used: those of the system, `MANROPE`, which the service delivers, or `INHERIT`: in elements the font of the page around them, elsewhere that of the system. */
  fontStack: 'SYSTEM' | 'SERIF' | 'MONO' | 'ROUNDED' | 'MANROPE' | 'INHERIT'
  /** Where the title of a poll is. */
  titlePlacement: 'ABOVE' | 'BELOW' | 'HIDDEN'
  /** Where the labels of options with a picture are. `HIDDEN` hides them visually; screen readers still read them. */
  labelPlacement: 'OVERLAY' | 'BELOW' | 'HIDDEN'
  /** How labels are aligned. */
  labelAlign: 'START' | 'CENTER' | 'END'
  /** The strength of the shadow of a card. */
  elevation: 'NONE' | 'LOW' | 'HIGH'
  /** Whether the line with the name of the service is hidden. */
  hideWatermark: boolean
  /** Whether cards move when a vote is cast. `NONE` shows results at once. */
  motion: 'FULL' | 'NONE'
  /** The colours of cards and pages: `AUTO` follows the visitor, `HOST` the page around an element, `LIGHT` and `DARK` follow nothing. */
  colorScheme: 'AUTO' | 'LIGHT' | 'DARK' | 'HOST'
  /** Whether share pictures show the results of polls that are open. Those of closed polls show them in any case, if everybody may see them. */
  shareResults: 'HIDDEN' | 'SHOWN'
  /** Behaviour of a frame that cannot remember a vote: `ASK` opens the page of the poll to vote there, `ALLOW` takes the vote. */
  embedStorage: 'ASK' | 'ALLOW'
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
  /** The origins of pages that may show a poll in a frame, and whose visitors may vote on it. Empty means any. */
  embedOrigins: string[]
  /** The URL of the brand's stylesheet, different for each version, or null. */
  customCssUrl: string | null
  /** The number of updates of the theme; 0 before the first one. */
  version: number
}

export type ThemeAssetTicketCreate = {
  /** Where the picture is used. It cannot be used elsewhere. */
  slot: 'logo_light' | 'logo_dark' | 'favicon'
  /** The content type of the picture. */
  contentType: 'image/png' | 'image/svg+xml' | 'image/webp'
  /** The size of the picture in bytes. */
  byteSize: number
}

export type ThemeUpdate = {
  /** The roundness of corners. */
  radius?: 'NONE' | 'SM' | 'MD' | 'LG' | 'FULL' | null | undefined
  /** The spacing. */
  density?: 'COMFORTABLE' | 'COMPACT' | null | undefined
  /** Which fonts are used: those of the system, `MANROPE`, which the service delivers, or `INHERIT`: in elements the font of the page around them, elsewhere that of the system. */
  fontStack?: 'SYSTEM' | 'SERIF' | 'MONO' | 'ROUNDED' | 'MANROPE' | 'INHERIT' | null | undefined
  /** Where the title of a poll is. */
  titlePlacement?: 'ABOVE' | 'BELOW' | 'HIDDEN' | null | undefined
  /** Where the labels of options with a picture are. `HIDDEN` hides them visually; screen readers still read them. */
  labelPlacement?: 'OVERLAY' | 'BELOW' | 'HIDDEN' | null | undefined
  /** How labels are aligned. */
  labelAlign?: 'START' | 'CENTER' | 'END' | null | undefined
  /** The strength of the shadow of a card. */
  elevation?: 'NONE' | 'LOW' | 'HIGH' | null | undefined
  /** Whether the line with the name of the service is hidden. */
  hideWatermark?: boolean | null | undefined
  /** Whether cards move when a vote is cast. `NONE` shows results at once. */
  motion?: 'FULL' | 'NONE' | null | undefined
  /** The colours of cards and pages: `AUTO` follows the visitor, `HOST` the page around an element, `LIGHT` and `DARK` follow nothing. */
  colorScheme?: 'AUTO' | 'LIGHT' | 'DARK' | 'HOST' | null | undefined
  /** Whether share pictures show the results of polls that are open. Those of closed polls show them in any case, if everybody may see them. */
  shareResults?: 'HIDDEN' | 'SHOWN' | null | undefined
  /** Behaviour of a frame that cannot remember a vote: `ASK` opens the page of the poll to vote there, `ALLOW` takes the vote. */
  embedStorage?: 'ASK' | 'ALLOW' | null | undefined
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
  /** The origins of pages that may show a poll in a frame, and whose visitors may vote on it. Empty means any. */
  embedOrigins?: string[] | null | undefined
  /** The stylesheet as the brand wrote it, or null. Only the owner sees it in this form. */
  customCss?: string | null | undefined
}

export type Timeline = {
  /** The length of a bucket. */
  bucket: 'minute' | 'hour' | 'day' | 'week'
  /** The start of the first bucket. */
  from: string
  /** The end of the last bucket. */
  to: string
  /** One point for each bucket, including buckets without votes. */
  points: ({
    /** The start of the bucket. */
    at: string
    /** Votes for option A in this bucket. */
    optionA: number
    /** Votes for option B in this bucket. */
    optionB: number
    /** How often the poll was seen in this bucket. Absent for `minute`: views are counted by hour. */
    views?: number | undefined
  })[]
}

export type TokenExchange = {
  /** Your own id of the device that the tokens are for. One id is one device, with one vote per poll. */
  externalDeviceId: string
  /** The scopes of the tokens. Default: every scope of the app. */
  scopes?: string[] | undefined
}

export type TokenPair = {
  /** Send it in the header `Authorization: Bearer …`. */
  accessToken: string
  /** Exchange it once, at `POST /auth/token/refresh`, for the next pair. */
  refreshToken: string
  /** The lifetime of the access token in seconds. */
  expiresIn: number
  /** Always `Bearer`. */
  tokenType: 'Bearer'
  /** The scopes of the tokens. */
  scopes: ('view' | 'vote' | 'manage' | 'analytics')[]
}

export type TokenRefresh = {
  /** The refresh token of the last pair. It works once. */
  refreshToken: string
}

export type TokenRevoke = {
  /** An access token or a refresh token. All tokens of its family are revoked. */
  token: string
}

export type UnauthorizedError = {
  /** The error code, for programs. */
  code: 'UNAUTHORIZED'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type UnavailableError = {
  /** The error code, for programs. */
  code: 'UNAVAILABLE'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type UnsupportedMediaTypeError = {
  /** The error code, for programs. */
  code: 'UNSUPPORTED_MEDIA_TYPE'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: {
    /** The content type that the route accepts. */
    contentType?: string | undefined
    /** Present if the body has a content encoding. */
    contentEncoding?: 'identity' | undefined
  }
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type UploadTicket = {
  /** The URL to send the picture to. It is the credential. */
  uploadUrl: string
  /** The name of the file. */
  key: string
  /** The URL of the picture, to set on a poll or a theme. */
  publicUrl: string
  /** The lifetime of the ticket in seconds. */
  expiresIn: number
  /** The method of the upload. */
  method: 'PUT'
  /** The headers that the upload must send. */
  headers: Record<string, string>
}

export type ValidationErrorError = {
  /** The error code, for programs. */
  code: 'VALIDATION_ERROR'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: {
    /** The refused fields, at most 50. */
    fields: FieldProblem[]
  }
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type Vote = {
  /** The option that the device voted for. */
  option: 'A' | 'B'
  /** The counts including this vote; 0 if they are hidden from voters. */
  tallies: Tallies
  /** When the vote was counted. */
  votedAt: string
}

export type VoteAlreadyCastError = {
  /** The error code, for programs. */
  code: 'VOTE_ALREADY_CAST'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: {
    /** The earlier vote. It counts. Null if the code was used from another device: only that device is shown the vote. */
    existingVote: ExistingVote | null
  }
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type VoteCreate = {
  /** The option to vote for. The long spellings mean the same. */
  option: 'A' | 'B' | 'optionA' | 'optionB'
  /** Where the visitor came from: a source that the brand has declared. Any other counts as `other`, and its name is not stored. */
  source?: string | undefined
  /** The id of the campaign that shows the poll. Ignored if there is no such campaign, or the poll is not in it. */
  campaign?: string | undefined
  /** The order in which the visitor saw the options. Stored only while the `optionOrder` of the poll is `random`. */
  shown?: 'AB' | 'BA' | undefined
}

export type VoteReceipt = {
  /** Known only to the voter and the service: 16 bytes in unpadded Base64url. */
  nonce: string
  /** The SHA-256 of the bytes of the nonce, in unpadded Base64url: it is in the entry of the vote. */
  commitment: string
  /** The place of the entry in the log, from 0. Null until a checkpoint holds it. */
  index?: number | null | undefined
  /** The inclusion proof of RFC 6962: hashes in Base64. Null until a checkpoint holds the entry. */
  proof?: string[] | null | undefined
  /** The checkpoint of the proof, or null. */
  checkpoint?: string | null | undefined
}

export type VoterEvent = {
  /** An id of the device for this brand only. The device id cannot be derived from it. */
  respondentId: string
  /** The option that the device voted for. */
  option: 'A' | 'B'
  /** When the vote was counted. */
  votedAt: string
  /** The number of the vote in the poll, counted from 1. */
  position: number
}

export type Webhook = {
  /** The permanent id of the webhook. */
  id: string
  /** The URL of your receiver: https, on the public internet. Answers show an international host in punycode. */
  url: string
  /** The types of events that it receives. */
  events: ('poll.voted' | 'poll.tallies_updated' | 'poll.created' | 'poll.updated' | 'poll.opened' | 'poll.closed' | 'poll.milestone' | 'poll.deleted' | 'poll.integrity_alert' | 'campaign.created' | 'campaign.updated' | 'campaign.deleted' | 'campaign.step_completed' | 'campaign.completed' | 'brand.updated' | 'brand.theme_updated' | 'webhook.test')[]
  /** `standard`: the event as JSON, signed. `slack`, `discord`, `teams`, `mattermost`: a message in the form of that product, for `poll.opened`, `poll.closed`, `poll.milestone` and `poll.integrity_alert` alone. */
  format: 'standard' | 'slack' | 'discord' | 'teams' | 'mattermost'
  /** A note on its purpose, or null. */
  description: string | null
  /** `ACTIVE`, or `DISABLED`: it receives no events. */
  status: 'ACTIVE' | 'DISABLED'
  /** When it was created. */
  createdAt: string
  /** When its owner last changed it. */
  updatedAt: string
  /** When the last attempt ended; null before the first one. */
  lastDeliveryAt: string | null
  /** The time since which every attempt has failed; null if the last attempt succeeded. */
  failingSince: string | null
}

export type WebhookCreate = {
  /** The URL of your receiver: https, on the public internet. Answers show an international host in punycode. */
  url: string
  /** The types of events that it receives. */
  events: ('poll.voted' | 'poll.tallies_updated' | 'poll.created' | 'poll.updated' | 'poll.opened' | 'poll.closed' | 'poll.milestone' | 'poll.deleted' | 'poll.integrity_alert' | 'campaign.created' | 'campaign.updated' | 'campaign.deleted' | 'campaign.step_completed' | 'campaign.completed' | 'brand.updated' | 'brand.theme_updated' | 'webhook.test')[]
  /** `standard`: the event as JSON, signed. `slack`, `discord`, `teams`, `mattermost`: a message in the form of that product, for `poll.opened`, `poll.closed`, `poll.milestone` and `poll.integrity_alert` alone. */
  format?: 'standard' | 'slack' | 'discord' | 'teams' | 'mattermost' | undefined
  /** A note on its purpose, or null. */
  description?: string | null | undefined
  /** `ACTIVE`, or `DISABLED`: it receives no events. */
  status?: 'ACTIVE' | 'DISABLED' | undefined
}

export type WebhookDelivery = {
  /** The permanent id of the delivery. */
  id: string
  /** The id of the event: the header `webhook-id` of every attempt. */
  eventId: string
  /** The type of the event. */
  eventType: 'poll.voted' | 'poll.tallies_updated' | 'poll.created' | 'poll.updated' | 'poll.opened' | 'poll.closed' | 'poll.milestone' | 'poll.deleted' | 'poll.integrity_alert' | 'campaign.created' | 'campaign.updated' | 'campaign.deleted' | 'campaign.step_completed' | 'campaign.completed' | 'brand.updated' | 'brand.theme_updated' | 'webhook.test'
  /** `pending`: more attempts follow; `succeeded`; `failed`: all attempts failed; `skipped`: the webhook was disabled when the delivery was due. */
  status: 'pending' | 'succeeded' | 'failed' | 'skipped'
  /** All attempts so far, in order. */
  attempts: ({
    /** When it began. */
    at: string
    /** The HTTP status of your answer, or null. */
    responseStatus: number | null
    /** How long it took, in milliseconds. */
    durationMs: number
    /** The error, or null if the attempt succeeded. `address_refused`: the host has no address, or one that is not public. */
    errorClass: 'http_status' | 'redirect' | 'timeout' | 'address_refused' | 'connection_failed' | 'tls_failed' | 'malformed_answer' | null
    /** The first KiB of the body of your answer, or null. */
    responseBody: string | null
  })[]
  /** When the next attempt is due, or null. */
  nextAttemptAt: string | null
  /** When it was queued. */
  createdAt: string
}

export type WebhookDisabledError = {
  /** The error code, for programs. */
  code: 'WEBHOOK_DISABLED'
  /** The error message, for people. Its wording may change. */
  message: string
  /** Data about the error, for programs. */
  details: Record<string, unknown>
  /** The id of the request in the log, same as the header `X-Request-Id`. */
  requestId: string
}

export type WebhookUpdate = {
  /** The URL of your receiver: https, on the public internet. Answers show an international host in punycode. */
  url?: string | undefined
  /** The types of events that it receives. */
  events?: ('poll.voted' | 'poll.tallies_updated' | 'poll.created' | 'poll.updated' | 'poll.opened' | 'poll.closed' | 'poll.milestone' | 'poll.deleted' | 'poll.integrity_alert' | 'campaign.created' | 'campaign.updated' | 'campaign.deleted' | 'campaign.step_completed' | 'campaign.completed' | 'brand.updated' | 'brand.theme_updated' | 'webhook.test')[] | undefined
  /** `standard`: the event as JSON, signed. `slack`, `discord`, `teams`, `mattermost`: a message in the form of that product, for `poll.opened`, `poll.closed`, `poll.milestone` and `poll.integrity_alert` alone. */
  format?: 'standard' | 'slack' | 'discord' | 'teams' | 'mattermost' | undefined
  /** A note on its purpose, or null. */
  description?: string | null | undefined
  /** `ACTIVE`, or `DISABLED`: it receives no events. */
  status?: 'ACTIVE' | 'DISABLED' | undefined
}

export type WebhookWithSecret = {
  /** The permanent id of the webhook. */
  id: string
  /** The URL of your receiver: https, on the public internet. Answers show an international host in punycode. */
  url: string
  /** The types of events that it receives. */
  events: ('poll.voted' | 'poll.tallies_updated' | 'poll.created' | 'poll.updated' | 'poll.opened' | 'poll.closed' | 'poll.milestone' | 'poll.deleted' | 'poll.integrity_alert' | 'campaign.created' | 'campaign.updated' | 'campaign.deleted' | 'campaign.step_completed' | 'campaign.completed' | 'brand.updated' | 'brand.theme_updated' | 'webhook.test')[]
  /** `standard`: the event as JSON, signed. `slack`, `discord`, `teams`, `mattermost`: a message in the form of that product, for `poll.opened`, `poll.closed`, `poll.milestone` and `poll.integrity_alert` alone. */
  format: 'standard' | 'slack' | 'discord' | 'teams' | 'mattermost'
  /** A note on its purpose, or null. */
  description: string | null
  /** `ACTIVE`, or `DISABLED`: it receives no events. */
  status: 'ACTIVE' | 'DISABLED'
  /** When it was created. */
  createdAt: string
  /** When its owner last changed it. */
  updatedAt: string
  /** When the last attempt ended; null before the first one. */
  lastDeliveryAt: string | null
  /** The time since which every attempt has failed; null if the last attempt succeeded. */
  failingSince: string | null
  /** The key that signs deliveries. No other answer shows it: store it. */
  secret: string
}

/** Every error of the interface. */
export interface ErrorBody {
  error:
    | AlreadyMemberError
    | AppRevokedError
    | BrandContextRequiredError
    | CampaignNameTakenError
    | ChallengeRequiredError
    | CodeListInUseError
    | CodeRequiredError
    | CrossOriginError
    | IdempotencyInProgressError
    | IdempotencyKeyInvalidError
    | IdempotencyKeyRequiredError
    | IdempotencyKeyReusedError
    | InternalError
    | InvalidApiKeyError
    | InvalidCodeError
    | InvalidLinkError
    | InvalidPasskeyError
    | InvalidPolstOwnershipError
    | InvalidRefreshTokenError
    | InvalidScopeError
    | LastOwnerError
    | MalformedJsonError
    | MemberRequiredError
    | MethodNotAllowedError
    | NameTakenError
    | NotFoundError
    | OriginNotAllowedError
    | PayloadTooLargeError
    | PolstClosedError
    | PolstHasVotesError
    | PreconditionFailedError
    | RateLimitedError
    | RoleRequiredError
    | ScopeRequiredError
    | SlugTakenError
    | UnauthorizedError
    | UnavailableError
    | UnsupportedMediaTypeError
    | ValidationErrorError
    | VoteAlreadyCastError
    | WebhookDisabledError
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
      /** Always true, even for an unknown token. */
      revoked: true
    }
  }
  /** Your apps and their API keys, newest first */
  'GET /brands/me/apps': {
    operation: 'listApps'
    query: {
      /** The number of items on a page. */
      limit?: number | undefined
      /** The `nextCursor` of the previous page. It is valid only for the same list with the same filters. */
      cursor?: string | undefined
    }
    data: App[]
  }
  /** Create an app with an API key */
  'POST /brands/me/apps': {
    operation: 'createApp'
    body: AppCreate
    data: AppWithSecret
  }
  /** Rename an app */
  'PATCH /brands/me/apps/{appId}': {
    operation: 'updateApp'
    params: {
      /** The id of the app. */
      appId: string
    }
    body: AppUpdate
    data: App
  }
  /** Revoke an app */
  'DELETE /brands/me/apps/{appId}': {
    operation: 'revokeApp'
    params: {
      /** The id of the app. */
      appId: string
    }
    data: undefined
  }
  /** Rotate the secret of an app */
  'POST /brands/me/apps/{appId}/rotate-secret': {
    operation: 'rotateAppSecret'
    params: {
      /** The id of the app. */
      appId: string
    }
    body: AppSecretRotation
    data: AppWithSecret
  }
  /** The members of your brand, in the order in which they joined */
  'GET /brands/me/members': {
    operation: 'listMembers'
    query: {
      /** The number of items on a page. */
      limit?: number | undefined
      /** The `nextCursor` of the previous page. It is valid only for the same list with the same filters. */
      cursor?: string | undefined
    }
    data: Member[]
  }
  /** Change the role of a member */
  'PATCH /brands/me/members/{memberId}': {
    operation: 'updateMember'
    params: {
      /** The id of the member. */
      memberId: string
    }
    body: MemberUpdate
    data: Member
  }
  /** Remove a member */
  'DELETE /brands/me/members/{memberId}': {
    operation: 'removeMember'
    params: {
      /** The id of the member. */
      memberId: string
    }
    data: undefined
  }
  /** Invitations that nobody has accepted yet, newest first */
  'GET /brands/me/invitations': {
    operation: 'listInvitations'
    query: {
      /** The number of items on a page. */
      limit?: number | undefined
      /** The `nextCursor` of the previous page. It is valid only for the same list with the same filters. */
      cursor?: string | undefined
    }
    data: Invitation[]
  }
  /** Invite a person */
  'POST /brands/me/invitations': {
    operation: 'createInvitation'
    body: InvitationCreate
    data: InvitationWithUrl
  }
  /** Withdraw an invitation */
  'DELETE /brands/me/invitations/{invitationId}': {
    operation: 'deleteInvitation'
    params: {
      /** The id of the invitation. */
      invitationId: string
    }
    data: undefined
  }
  /** Your mails about your brand */
  'GET /brands/me/mail-preferences': {
    operation: 'getMailPreferences'
    data: MailPreferences
  }
  /** Turn mails about your brand on or off */
  'PATCH /brands/me/mail-preferences': {
    operation: 'updateMailPreferences'
    body: MailPreferencesUpdate
    data: MailPreferences
  }
  /** Mail a sign-in link to a member */
  'POST /auth/links': {
    operation: 'requestLink'
    body: LinkRequest
    data: {
      /** Always true, also if nobody has this address. */
      accepted: true
    }
  }
  /** Who is signed in, and for which brands */
  'GET /auth/session': {
    operation: 'getSession'
    data: {
      /** Who is signed in. */
      member: SignedInMember
      /** The brands that the person works for. */
      brands: ({
        /** The slug of the brand. */
        slug: string
        /** The name of the brand. */
        name: string
        /** The person's role. */
        role: 'owner' | 'editor' | 'analyst'
      })[]
      /** True for a person who looks after the whole service. */
      operator: boolean
    }
  }
  /** Sign in with a one-time link */
  'POST /auth/session': {
    operation: 'signIn'
    body: SignIn
    data: {
      /** Who is signed in. */
      member: SignedInMember
    }
  }
  /** Sign out */
  'DELETE /auth/session': {
    operation: 'signOut'
    data: undefined
  }
  /** Exchange the session for an access token of a brand */
  'POST /auth/session/token': {
    operation: 'issueSessionToken'
    body: SessionTokenRequest
    data: SessionToken
  }
  /** Where you are signed in, newest first */
  'GET /auth/sessions': {
    operation: 'listSessions'
    query: {
      /** The number of items on a page. */
      limit?: number | undefined
      /** The `nextCursor` of the previous page. It is valid only for the same list with the same filters. */
      cursor?: string | undefined
    }
    data: Session[]
  }
  /** End one of your sessions */
  'DELETE /auth/sessions/{id}': {
    operation: 'endSession'
    params: {
      /** The id of the session. */
      id: string
    }
    data: undefined
  }
  /** Begin to sign in with a passkey */
  'POST /auth/passkeys/challenge': {
    operation: 'challengePasskey'
    data: Record<string, unknown>
  }
  /** Sign in with a passkey */
  'POST /auth/passkeys/session': {
    operation: 'signInWithPasskey'
    body: PasskeySignIn
    data: {
      /** Who is signed in. */
      member: SignedInMember
    }
  }
  /** Begin to register a passkey */
  'POST /auth/passkeys/options': {
    operation: 'beginPasskey'
    data: Record<string, unknown>
  }
  /** Your passkeys, newest first */
  'GET /auth/passkeys': {
    operation: 'listPasskeys'
    query: {
      /** The number of items on a page. */
      limit?: number | undefined
      /** The `nextCursor` of the previous page. It is valid only for the same list with the same filters. */
      cursor?: string | undefined
    }
    data: Passkey[]
  }
  /** Register a passkey */
  'POST /auth/passkeys': {
    operation: 'createPasskey'
    body: PasskeyCreate
    data: NewPasskey
  }
  /** Rename a passkey */
  'PATCH /auth/passkeys/{id}': {
    operation: 'updatePasskey'
    params: {
      /** The id of the passkey. */
      id: string
    }
    body: PasskeyUpdate
    data: Passkey
  }
  /** Remove a passkey */
  'DELETE /auth/passkeys/{id}': {
    operation: 'deletePasskey'
    params: {
      /** The id of the passkey. */
      id: string
    }
    data: undefined
  }
  /** The public profile of a brand */
  'GET /brands/{brandSlug}': {
    operation: 'getBrand'
    params: {
      /** The slug of the brand, as in its URLs. It never changes. */
      brandSlug: string
    }
    data: Brand
  }
  /** A brand's theme */
  'GET /brands/{brandSlug}/theme': {
    operation: 'getTheme'
    params: {
      /** The slug of the brand, as in its URLs. It never changes. */
      brandSlug: string
    }
    data: Theme
  }
  /** Your profile, and the scopes of this token */
  'GET /brands/me': {
    operation: 'getOwnBrand'
    data: BrandProfile
  }
  /** Update your profile */
  'PATCH /brands/me': {
    operation: 'updateBrand'
    body: BrandUpdate
    data: BrandProfile
  }
  /** Your theme, with the original stylesheet */
  'GET /brands/me/theme': {
    operation: 'getOwnTheme'
    data: OwnTheme
  }
  /** Update your theme */
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
      /** The slug of the brand, as in its URLs. It never changes. */
      brandSlug: string
    }
    query: {
      /** Only polls with this status. */
      status?: 'all' | 'open' | 'closed' | undefined
      /** `recent`: newest first; `popular`: most votes first; `closing`: the next to close first. */
      order?: 'recent' | 'popular' | 'closing' | undefined
      /** The number of items on a page. */
      limit?: number | undefined
      /** The `nextCursor` of the previous page. It is valid only for the same list with the same filters. */
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
  /** The counts of several polls over one connection */
  'GET /tallies/stream': {
    operation: 'streamManyTallies'
    query: {
      /** The slugs, shortIds or ids of 1 to 50 polls, separated by commas. */
      polls: string
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
      /** The slug of the brand, as in its URLs. It never changes. */
      brandSlug: string
    }
    query: {
      /** The number of items on a page. */
      limit?: number | undefined
      /** The `nextCursor` of the previous page. It is valid only for the same list with the same filters. */
      cursor?: string | undefined
    }
    data: Campaign[]
  }
  /** Vote, once per device */
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
  /** The log by which anybody can check the count */
  'GET /polls/{slug}/log': {
    operation: 'getPollLog'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    data: PollLog
  }
  /** The log of a poll, for its owner */
  'GET /brands/me/polls/{slug}/log': {
    operation: 'getOwnPollLog'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    data: PollLog
  }
  /** Where the calling device's vote is in the log */
  'GET /polls/{slug}/votes/me/receipt': {
    operation: 'getOwnReceipt'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    data: VoteReceipt
  }
  /** The progress of the calling device in a campaign */
  'GET /campaigns/{campaignId}/progress': {
    operation: 'getProgress'
    params: {
      /** The id of the campaign. */
      campaignId: string
    }
    data: CampaignProgress
  }
  /** Forget the calling device */
  'DELETE /guests/me': {
    operation: 'forgetGuest'
    data: undefined
  }
  /** Your polls */
  'GET /brands/me/polls': {
    operation: 'listOwnPolls'
    query: {
      /** Only polls with this status; no drafts, unless `isDraft` is true. */
      status?: 'open' | 'closed' | 'scheduled' | undefined
      /** Only drafts, or no drafts. */
      isDraft?: boolean | undefined
      /** Only archived polls, or no archived ones. */
      archived?: boolean | undefined
      /** Only polls with this tag, in any case. */
      tag?: string | undefined
      /** Only polls in this category: its slug or its id. */
      category?: string | undefined
      /** Only polls whose title, labels or tags contain each of these words, without regard to case and accents, or whose slug, shortId or id it is. */
      q?: string | undefined
      /** `recent`: newest first; `popular`: most votes first, hidden ones included; `closing`: the next to close first; `title`: by title. */
      order?: 'recent' | 'popular' | 'closing' | 'title' | undefined
      /** The number of items on a page. */
      limit?: number | undefined
      /** The `nextCursor` of the previous page. It is valid only for the same list with the same filters. */
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
  /** One of your polls, by its slug, shortId or id */
  'GET /brands/me/polls/{slug}': {
    operation: 'getOwnPoll'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    data: OwnedPoll
  }
  /** Update a poll */
  'PATCH /brands/me/polls/{slug}': {
    operation: 'updatePoll'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    body: PollUpdate
    data: OwnedPoll
  }
  /** Delete a poll and its votes */
  'DELETE /brands/me/polls/{slug}': {
    operation: 'deletePoll'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    data: undefined
  }
  /** Your campaigns, newest first */
  'GET /brands/me/campaigns': {
    operation: 'listOwnCampaigns'
    query: {
      /** The number of items on a page. */
      limit?: number | undefined
      /** The `nextCursor` of the previous page. It is valid only for the same list with the same filters. */
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
  /** One of your campaigns */
  'GET /brands/me/campaigns/{campaignId}': {
    operation: 'getOwnCampaign'
    params: {
      /** The id of the campaign. */
      campaignId: string
    }
    data: OwnedCampaign
  }
  /** Update a campaign */
  'PATCH /brands/me/campaigns/{campaignId}': {
    operation: 'updateCampaign'
    params: {
      /** The id of the campaign. */
      campaignId: string
    }
    body: CampaignUpdate
    data: OwnedCampaign
  }
  /** Delete a campaign */
  'DELETE /brands/me/campaigns/{campaignId}': {
    operation: 'deleteCampaign'
    params: {
      /** The id of the campaign. */
      campaignId: string
    }
    data: undefined
  }
  /** The respondents of a campaign, with their votes */
  'GET /brands/me/campaigns/{campaignId}/responses': {
    operation: 'listResponses'
    params: {
      /** The id of the campaign. */
      campaignId: string
    }
    query: {
      /** `1`: the CSV file begins with a byte order mark, by which Excel reads it as UTF-8. */
      bom?: '0' | '1' | undefined
      /** The rows of the CSV file. `long`, the default: one vote a row; `wide`: one respondent a row, with a column for each poll. */
      layout?: 'long' | 'wide' | undefined
      /** The number of items on a page. */
      limit?: number | undefined
      /** The `nextCursor` of the previous page. It is valid only for the same list with the same filters. */
      cursor?: string | undefined
    }
    data: Respondent[]
  }
  /** How many respondents reached each step of a campaign, and what won it */
  'GET /brands/me/campaigns/{campaignId}/funnel': {
    operation: 'getFunnel'
    params: {
      /** The id of the campaign. */
      campaignId: string
    }
    data: Funnel
  }
  /** How the respondents of one step of a campaign chose on another */
  'GET /brands/me/campaigns/{campaignId}/crosstab': {
    operation: 'getCrosstab'
    params: {
      /** The id of the campaign. */
      campaignId: string
    }
    query: {
      /** The slug, the shortId or the id of the poll whose options are the rows. */
      rows: string
      /** The slug, the shortId or the id of the poll whose options are the columns. */
      columns: string
    }
    data: Crosstab
  }
  /** Get a ticket to upload a picture of a poll */
  'POST /brands/me/polls/{slug}/images/upload-url': {
    operation: 'createPollImageTicket'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    body: PollImageTicketCreate
    data: UploadTicket
  }
  /** Get a ticket to upload a logo or favicon */
  'POST /brands/me/theme/assets/upload-url': {
    operation: 'createThemeAssetTicket'
    body: ThemeAssetTicketCreate
    data: UploadTicket
  }
  /** The voters of a poll, with their votes */
  'GET /brands/me/polls/{slug}/voters': {
    operation: 'listVoters'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    query: {
      /** `1`: the CSV file begins with a byte order mark, by which Excel reads it as UTF-8. */
      bom?: '0' | '1' | undefined
      /** The number of items on a page. */
      limit?: number | undefined
      /** The `nextCursor` of the previous page. It is valid only for the same list with the same filters. */
      cursor?: string | undefined
    }
    data: VoterEvent[]
  }
  /** The votes of a poll over time */
  'GET /brands/me/polls/{slug}/timeline': {
    operation: 'getTimeline'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    query: {
      /** The length of a bucket. */
      bucket?: 'minute' | 'hour' | 'day' | 'week' | undefined
      /** The time zone of the buckets, by its IANA name. */
      tz?: string | undefined
      /** The start of the timeline. Default: the first vote, or as far back as 2,000 points reach. */
      from?: string | undefined
      /** The end of the timeline, exclusive. Default: now. */
      to?: string | undefined
    }
    data: Timeline
  }
  /** The counts of a poll with what they mean */
  'GET /brands/me/polls/{slug}/insight': {
    operation: 'getInsight'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    data: Insight
  }
  /** Your brand at a glance */
  'GET /brands/me/summary': {
    operation: 'getSummary'
    query: {
      /** The length of the span in days, today included. */
      days?: number | undefined
      /** The time zone of the days, by its IANA name. */
      tz?: string | undefined
    }
    data: BrandNumbers
  }
  /** The results of all your polls, newest first */
  'GET /brands/me/results': {
    operation: 'listResults'
    query: {
      /** `1`: the CSV file begins with a byte order mark, by which Excel reads it as UTF-8. */
      bom?: '0' | '1' | undefined
      /** The number of items on a page. */
      limit?: number | undefined
      /** The `nextCursor` of the previous page. It is valid only for the same list with the same filters. */
      cursor?: string | undefined
    }
    data: PollResult[]
  }
  /** How conspicuous the votes of a poll are */
  'GET /brands/me/polls/{slug}/integrity': {
    operation: 'getIntegrity'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    query: {
      /** The start of the report. Default: 2,000 hours before its end. */
      from?: string | undefined
      /** The end of the report, exclusive. Default: now. */
      to?: string | undefined
    }
    data: IntegrityReport
  }
  /** The sources that you have declared */
  'GET /brands/me/source-names': {
    operation: 'listSourceNames'
    data: SourceName[]
  }
  /** Declare a source */
  'POST /brands/me/source-names': {
    operation: 'createSourceName'
    body: SourceNameCreate
    data: SourceName
  }
  /** Delete a source */
  'DELETE /brands/me/source-names/{name}': {
    operation: 'deleteSourceName'
    params: {
      /** The name of the source. */
      name: string
    }
    data: undefined
  }
  /** Your code lists, newest first */
  'GET /brands/me/code-lists': {
    operation: 'listCodeLists'
    query: {
      /** The number of items on a page. */
      limit?: number | undefined
      /** The `nextCursor` of the previous page. It is valid only for the same list with the same filters. */
      cursor?: string | undefined
    }
    data: CodeList[]
  }
  /** Create a code list */
  'POST /brands/me/code-lists': {
    operation: 'createCodeList'
    body: CodeListCreate
    data: CodeList
  }
  /** One of your code lists */
  'GET /brands/me/code-lists/{codeListId}': {
    operation: 'getCodeList'
    params: {
      /** The id of the code list. */
      codeListId: string
    }
    data: CodeList
  }
  /** Rename a code list */
  'PATCH /brands/me/code-lists/{codeListId}': {
    operation: 'updateCodeList'
    params: {
      /** The id of the code list. */
      codeListId: string
    }
    body: CodeListUpdate
    data: CodeList
  }
  /** Delete a code list and its codes */
  'DELETE /brands/me/code-lists/{codeListId}': {
    operation: 'deleteCodeList'
    params: {
      /** The id of the code list. */
      codeListId: string
    }
    data: undefined
  }
  /** Issue codes */
  'POST /brands/me/code-lists/{codeListId}/codes': {
    operation: 'issueCodes'
    params: {
      /** The id of the code list. */
      codeListId: string
    }
    body: CodesIssue
    data: IssuedCodes
  }
  /** Revoke codes */
  'POST /brands/me/code-lists/{codeListId}/codes/revoke': {
    operation: 'revokeCodes'
    params: {
      /** The id of the code list. */
      codeListId: string
    }
    body: CodesRevoke
    data: RevokedCodes
  }
  /** Where the votes of a poll came from */
  'GET /brands/me/polls/{slug}/sources': {
    operation: 'getPollSources'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    query: {
      /** The start of the span, rounded down to the hour (UTC). */
      from?: string | undefined
      /** The end of the span, exclusive, rounded up to the hour (UTC). Default: now. */
      to?: string | undefined
    }
    data: SourceCounts[]
  }
  /** Where the votes on all your polls came from */
  'GET /brands/me/sources': {
    operation: 'getBrandSources'
    query: {
      /** The start of the span, rounded down to the hour (UTC). */
      from?: string | undefined
      /** The end of the span, exclusive, rounded up to the hour (UTC). Default: now. */
      to?: string | undefined
    }
    data: SourceCounts[]
  }
  /** Where the visitors of a campaign came from */
  'GET /brands/me/campaigns/{campaignId}/sources': {
    operation: 'getCampaignSources'
    params: {
      /** The id of the campaign. */
      campaignId: string
    }
    query: {
      /** The start of the span, rounded down to the hour (UTC). */
      from?: string | undefined
      /** The end of the span, exclusive, rounded up to the hour (UTC). Default: now. */
      to?: string | undefined
    }
    data: SourceCounts[]
  }
  /** Count that a visitor has seen a poll */
  'POST /polls/{slug}/views': {
    operation: 'countView'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    query: {
      /** Where the visitor came from: a source that the brand has declared. Any other counts as `other`, and its name is not stored. */
      source?: string | undefined
      /** The id of the campaign that shows the poll. Ignored if there is no such campaign, or the poll is not in it. */
      campaign?: string | undefined
    }
    data: undefined
  }
  /** Links to the results of a poll, newest first */
  'GET /brands/me/polls/{slug}/results-links': {
    operation: 'listPollResultsLinks'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    query: {
      /** The number of items on a page. */
      limit?: number | undefined
      /** The `nextCursor` of the previous page. It is valid only for the same list with the same filters. */
      cursor?: string | undefined
    }
    data: ResultsLink[]
  }
  /** Share the results of a poll by a link */
  'POST /brands/me/polls/{slug}/results-links': {
    operation: 'createPollResultsLink'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    body: ResultsLinkCreate
    data: ResultsLinkWithUrl
  }
  /** End a link to the results of a poll */
  'DELETE /brands/me/polls/{slug}/results-links/{linkId}': {
    operation: 'deletePollResultsLink'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
      /** The id of the link. */
      linkId: string
    }
    data: undefined
  }
  /** Links to the results of a campaign, newest first */
  'GET /brands/me/campaigns/{campaignId}/results-links': {
    operation: 'listCampaignResultsLinks'
    params: {
      /** The id of the campaign. */
      campaignId: string
    }
    query: {
      /** The number of items on a page. */
      limit?: number | undefined
      /** The `nextCursor` of the previous page. It is valid only for the same list with the same filters. */
      cursor?: string | undefined
    }
    data: ResultsLink[]
  }
  /** Share the results of a campaign by a link */
  'POST /brands/me/campaigns/{campaignId}/results-links': {
    operation: 'createCampaignResultsLink'
    params: {
      /** The id of the campaign. */
      campaignId: string
    }
    body: ResultsLinkCreate
    data: ResultsLinkWithUrl
  }
  /** End a link to the results of a campaign */
  'DELETE /brands/me/campaigns/{campaignId}/results-links/{linkId}': {
    operation: 'deleteCampaignResultsLink'
    params: {
      /** The id of the campaign. */
      campaignId: string
      /** The id of the link. */
      linkId: string
    }
    data: undefined
  }
  /** Your webhooks, newest first */
  'GET /brands/me/webhooks': {
    operation: 'listWebhooks'
    query: {
      /** The number of items on a page. */
      limit?: number | undefined
      /** The `nextCursor` of the previous page. It is valid only for the same list with the same filters. */
      cursor?: string | undefined
    }
    data: Webhook[]
  }
  /** Create a webhook */
  'POST /brands/me/webhooks': {
    operation: 'createWebhook'
    body: WebhookCreate
    data: WebhookWithSecret
  }
  /** One of your webhooks */
  'GET /brands/me/webhooks/{id}': {
    operation: 'getWebhook'
    params: {
      /** The id of the webhook. */
      id: string
    }
    data: Webhook
  }
  /** Update a webhook */
  'PATCH /brands/me/webhooks/{id}': {
    operation: 'updateWebhook'
    params: {
      /** The id of the webhook. */
      id: string
    }
    body: WebhookUpdate
    data: Webhook
  }
  /** Delete a webhook and its deliveries */
  'DELETE /brands/me/webhooks/{id}': {
    operation: 'deleteWebhook'
    params: {
      /** The id of the webhook. */
      id: string
    }
    data: undefined
  }
  /** Rotate the secret of a webhook */
  'POST /brands/me/webhooks/{id}/rotate-secret': {
    operation: 'rotateWebhookSecret'
    params: {
      /** The id of the webhook. */
      id: string
    }
    data: WebhookWithSecret
  }
  /** Send a test event */
  'POST /brands/me/webhooks/{id}/test': {
    operation: 'testWebhook'
    params: {
      /** The id of the webhook. */
      id: string
    }
    data: WebhookDelivery
  }
  /** The deliveries of a webhook, newest first */
  'GET /brands/me/webhooks/{id}/deliveries': {
    operation: 'listWebhookDeliveries'
    params: {
      /** The id of the webhook. */
      id: string
    }
    query: {
      /** The number of items on a page. */
      limit?: number | undefined
      /** The `nextCursor` of the previous page. It is valid only for the same list with the same filters. */
      cursor?: string | undefined
    }
    data: WebhookDelivery[]
  }
  /** Send an event again */
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
  /** The events of the last 30 days, oldest first */
  'GET /brands/me/events': {
    operation: 'listEvents'
    query: {
      /** Only events of these types, separated by commas: poll.created, poll.updated, poll.opened, poll.closed, poll.milestone, poll.deleted, poll.integrity_alert, campaign.created, campaign.updated, campaign.deleted, brand.updated, brand.theme_updated. */
      types?: string | undefined
      /** The number of items on a page. */
      limit?: number | undefined
      /** The `nextCursor` of the previous page. It is valid only for the same list with the same filters. */
      cursor?: string | undefined
    }
    data: FedEvent[]
  }
  /** Who changed what, newest first */
  'GET /brands/me/activity': {
    operation: 'listActivity'
    query: {
      /** `1`: the CSV file begins with a byte order mark, by which Excel reads it as UTF-8. */
      bom?: '0' | '1' | undefined
      /** Only actions of this member, app or agent, by its id, or of actors of this kind. */
      actor?: string | undefined
      /** Only this action. */
      action?: 'brand.created' | 'brand.updated' | 'brand.theme_updated' | 'source_name.created' | 'source_name.deleted' | 'poll.created' | 'poll.updated' | 'poll.published' | 'poll.deleted' | 'campaign.created' | 'campaign.updated' | 'campaign.deleted' | 'code_list.created' | 'code_list.updated' | 'code_list.deleted' | 'codes.issued' | 'codes.revoked' | 'upload.requested' | 'results_link.created' | 'results_link.deleted' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.secret_rotated' | 'webhook.test' | 'webhook.redelivered' | 'app.created' | 'app.updated' | 'app.secret_rotated' | 'app.revoked' | 'invitation.created' | 'invitation.deleted' | 'member.joined' | 'member.updated' | 'member.removed' | 'agent.allowed' | 'agent.ended' | 'agent.called' | undefined
      /** Only actions on the resource with this id, or on resources of this kind. */
      subject?: string | undefined
      /** The number of items on a page. */
      limit?: number | undefined
      /** The `nextCursor` of the previous page. It is valid only for the same list with the same filters. */
      cursor?: string | undefined
    }
    data: ActivityEntry[]
  }
  /** Agents that may act for the brand, newest first */
  'GET /brands/me/agents': {
    operation: 'listAgents'
    query: {
      /** The number of items on a page. */
      limit?: number | undefined
      /** The `nextCursor` of the previous page. It is valid only for the same list with the same filters. */
      cursor?: string | undefined
    }
    data: Agent[]
  }
  /** End the permission of an agent */
  'DELETE /brands/me/agents/{agentId}': {
    operation: 'endAgent'
    params: {
      /** The id of the permission. */
      agentId: string
    }
    data: undefined
  }
  /** Who asks to act for you, and where that leads */
  'POST /auth/agents/request': {
    operation: 'readAgentRequest'
    body: AgentRequestRead
    data: AgentRequest
  }
  /** Allow an agent to act for you */
  'POST /auth/agents': {
    operation: 'allowAgent'
    body: AgentAllow
    data: AgentAllowed
  }
  /** The state of the service, for its operator */
  'GET /service': {
    operation: 'getService'
    data: ServiceState
  }
  /** Every brand with its volumes, newest first */
  'GET /service/brands': {
    operation: 'listServedBrands'
    query: {
      /** Only brands whose slug or name contains this. The letters A to Z match in any case. */
      q?: string | undefined
      /** The number of items on a page. */
      limit?: number | undefined
      /** The `nextCursor` of the previous page. It is valid only for the same list with the same filters. */
      cursor?: string | undefined
    }
    data: ServedBrand[]
  }
  /** A link that shows a draft for an hour */
  'GET /brands/me/polls/{slug}/preview': {
    operation: 'getPollPreview'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    data: PollPreview
  }
  /** A poll for a newsletter */
  'GET /brands/me/polls/{slug}/email': {
    operation: 'getPollEmail'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    query: {
      /** The declared name of the place, such as a newsletter: its links carry it, so that votes count for it. */
      source?: string | undefined
      /** The language of the words around the poll. */
      lang?: 'en' | 'de' | 'fr' | 'es' | 'pt' | 'ja' | 'zh' | 'ar' | 'hi' | 'uk' | undefined
    }
    data: PollMail
  }
  /** The results of a poll as a picture for slides */
  'GET /brands/me/polls/{slug}/results.png': {
    operation: 'getPollResultsPicture'
    params: {
      /** The slug, the shortId or the id of the poll. */
      slug: string
    }
    query: {
      /** `wide`: 1920 by 1080 pixels; `square`: 1080 by 1080. */
      shape?: 'wide' | 'square' | undefined
      /** The language of its words and numbers. */
      lang?: 'en' | 'de' | 'fr' | 'es' | 'pt' | 'ja' | 'zh' | 'ar' | 'hi' | 'uk' | undefined
    }
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
    /** An id of the device for this brand only. The device id cannot be derived from it. */
    respondentId: string
    /** The counts including this vote. */
    tallies: Tallies
    /** The fields that were omitted, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** The counts of a poll changed. Sent at most once per second and poll. */
  'poll.tallies_updated': {
    /** The poll whose counts changed. */
    poll: PollName
    /** The counts, even if they are hidden from visitors. */
    tallies: Tallies
    /** Increases with every change of the counts. */
    version: number
    /** The fields that were omitted, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** A poll was created. */
  'poll.created': {
    /** The poll as its owner sees it. */
    poll: OwnedPoll
    /** The fields that were omitted, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** The owner changed a poll. */
  'poll.updated': {
    /** The poll as its owner sees it. */
    poll: OwnedPoll
    /** The fields that were omitted, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** A poll opened, at its `opensAt` or because of a change. */
  'poll.opened': {
    /** The poll as its owner sees it. */
    poll: OwnedPoll
    /** The fields that were omitted, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** A poll closed, at its `closesAt` or because of a change. */
  'poll.closed': {
    /** The poll as its owner sees it. */
    poll: OwnedPoll
    /** The meaning of the counts at that time. */
    insight: ClosingInsight
    /** The fields that were omitted, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** The votes of a poll have reached 10, 100, 1,000 and so on, each once. */
  'poll.milestone': {
    /** The poll as its owner sees it. */
    poll: OwnedPoll
    /** The number of votes that was reached. */
    total: number
    /** The fields that were omitted, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** A poll was deleted. */
  'poll.deleted': {
    /** The deleted poll. */
    poll: PollName
    /** The fields that were omitted, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** The votes of a poll are conspicuous. At most once an hour and poll. */
  'poll.integrity_alert': {
    /** The poll with the conspicuous votes. */
    poll: PollName
    /** How conspicuous the votes of this hour are, from 0 to 100. */
    score: number
    /** The conspicuous facts, in English sentences. */
    reasons: string[]
    /** The fields that were omitted, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** A campaign was created. */
  'campaign.created': {
    /** The campaign as its owner sees it. */
    campaign: OwnedCampaign
    /** The fields that were omitted, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** The owner changed a campaign. */
  'campaign.updated': {
    /** The campaign as its owner sees it. */
    campaign: OwnedCampaign
    /** The fields that were omitted, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** A campaign was deleted. */
  'campaign.deleted': {
    /** The campaign as its owner sees it. */
    campaign: OwnedCampaign
    /** The fields that were omitted, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** A device voted on a poll of a campaign. */
  'campaign.step_completed': {
    /** The campaign, by its id and title. */
    campaign: {
      /** The permanent id of the campaign. */
      campaignId: string
      /** The title of the campaign. */
      title: string
    }
    /** An id of the device for this brand only. The device id cannot be derived from it. */
    respondentId: string
    /** How many polls of the campaign the device has voted on. */
    completedSteps: number
    /** The number of polls in the campaign. */
    totalSteps: number
    /** The fields that were omitted, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** A device has completed a campaign, as its progress says. Raised once for a device. */
  'campaign.completed': {
    /** The campaign, by its id and title. */
    campaign: {
      /** The permanent id of the campaign. */
      campaignId: string
      /** The title of the campaign. */
      title: string
    }
    /** An id of the device for this brand only. The device id cannot be derived from it. */
    respondentId: string
    /** How many polls of the campaign the device has voted on. */
    completedSteps: number
    /** The number of polls in the campaign. */
    totalSteps: number
    /** The fields that were omitted, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** The profile of the brand changed. */
  'brand.updated': {
    /** The brand after the change. */
    brand: OwnBrand
    /** The fields that were omitted, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** The theme of the brand changed. */
  'brand.theme_updated': {
    /** The theme after the change. */
    theme: Theme
    /** The fields that were omitted, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
  /** The brand requested a test delivery. Sent even if the webhook does not subscribe to it. */
  'webhook.test': {
    /** The id of the tested webhook. */
    webhookId: string
    /** The fields that were omitted, such as `poll.tags`, because the event would have been too large. */
    omitted?: string[] | undefined
  }
}
