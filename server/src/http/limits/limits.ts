// http/limits: how much one caller may ask for, and for how long.
import type { Config } from '../../config/config.ts'

/** At most `quota` in any `windowSeconds`, on a sliding window. */
export interface Quota {
  readonly policy: string
  readonly quota: number
  readonly windowSeconds: number
}

/** A caller whose name is kept nowhere, such as an address. */
export interface HiddenKey {
  /** A salted hash of 53 bits, for limits in the memory of this process. */
  readonly number: number
  /** A keyed hash that is the same in all processes, for limits that they share. */
  hash(): Uint8Array
}

export interface Claim {
  readonly quota: Quota
  /** Bytes must be a keyed hash of the caller: they are used as one, and cost less than text. */
  readonly key: string | Uint8Array | HiddenKey
  /** Counts the caller apart for each number, such as the key of a poll. */
  readonly within?: number | undefined
}

export interface Verdict {
  readonly isAllowed: boolean
  readonly remaining: number
  /** Seconds until the oldest counted request leaves the window. */
  readonly resetSeconds: number
  /** Where this request was counted, for `giveBack`. */
  readonly receipt: Receipt
}

/** A time where limits are in memory, a member name where they are in Redis. */
type Receipt = number | string

/** Several claims are taken together or not at all: if one is refused, none is counted. */
export interface Limiter {
  take(claims: readonly Claim[]): Promise<Verdict[]> | Verdict[]
  /** The verdicts that `take` would give, without counting. */
  peek(claims: readonly Claim[]): Promise<Verdict[]> | Verdict[]
  /** Undoes a `take` that was allowed, and no other. Returns what `peek` would return afterwards. */
  giveBack(claims: readonly Claim[], verdicts: readonly Verdict[]): Promise<Verdict[]> | Verdict[]
}

type LimitSetting =
  | 'votesPerMinute'
  | 'networkVotesPerMinute'
  | 'networkBrandVotesPerMinute'
  | 'tokensPerMinute'
  | 'networkStreams'
  | 'brandWritesPerMinute'
  | 'brandPollsPerDay'

/** The quota, or `times` the setting that holds it. `windowSeconds: null` limits what is open at the same time. */
export type Limit = ({ readonly quota: number } | { readonly setting: LimitSetting; readonly times?: number }) & {
  /** The name in the RateLimit headers. */
  readonly policy: string
  /** Readable text: the guide and openapi.json show it. */
  readonly counts: string
  readonly per: string
  readonly windowSeconds: number | null
}

/** How much more a wider network may do than the one inside it: one household can have many, and so can an attacker. */
const WIDER = 4
const wide = { per: 'IPv4 /24 or IPv6 /56', times: WIDER } as const
const widest = { per: 'IPv6 /48', times: WIDER * WIDER } as const

const votesOnPoll = { counts: 'votes on one poll', setting: 'networkVotesPerMinute', windowSeconds: 60 } as const
const votesOfBrand = {
  counts: 'votes on all polls of one brand',
  setting: 'networkBrandVotesPerMinute',
  windowSeconds: 60,
} as const

/** Mails of each kind to one address. No answer tells of it: further ones are dropped, or a stranger could lock a member out. */
export const mailsToAddress = { quota: 5, windowSeconds: 3_600 } as const

/** The catalogue of everything that answers 429: limiters take their quotas from it, `npm run facts` writes its table. */
export const limits = {
  votes: { policy: 'votes', counts: 'votes', per: 'device or code', setting: 'votesPerMinute', windowSeconds: 60 },
  networkVotes: { ...votesOnPoll, policy: 'network-votes', per: 'network' },
  networkVotesWide: { ...votesOnPoll, ...wide, policy: 'network-votes-wide' },
  networkVotesWidest: { ...votesOnPoll, ...widest, policy: 'network-votes-widest' },
  networkBrandVotes: { ...votesOfBrand, policy: 'network-brand-votes', per: 'network' },
  networkBrandVotesWide: { ...votesOfBrand, ...wide, policy: 'network-brand-votes-wide' },
  networkBrandVotesWidest: { ...votesOfBrand, ...widest, policy: 'network-brand-votes-widest' },
  refusedVotes: {
    policy: 'refused-votes',
    counts: 'votes that are malformed or name no poll',
    per: 'network',
    setting: 'networkVotesPerMinute',
    windowSeconds: 60,
  },
  codeFailures: {
    policy: 'code-failures',
    counts: 'votes with a code that does not count',
    per: 'network',
    quota: 10,
    windowSeconds: 60,
  },
  views: { policy: 'views', counts: 'views of one poll', per: 'network', quota: 60, windowSeconds: 60 },
  tokens: {
    policy: 'tokens',
    counts: 'requests to /auth/token and the paths below it',
    per: 'API key',
    setting: 'tokensPerMinute',
    windowSeconds: 60,
  },
  brandWrites: {
    policy: 'brand-writes',
    counts: 'writes under /brands/me',
    per: 'app or person',
    setting: 'brandWritesPerMinute',
    windowSeconds: 60,
  },
  brandPolls: {
    policy: 'brand-polls',
    counts: 'requests to create a poll',
    per: 'brand',
    setting: 'brandPollsPerDay',
    windowSeconds: 86_400,
  },
  authFailures: {
    policy: 'auth-failures',
    counts: 'requests with a wrong API key, refresh token, link or passkey',
    per: 'network',
    quota: 10,
    windowSeconds: 60,
  },
  // A page of the console asks once for each life of a token: a quarter of an hour by default.
  sessionTokens: {
    policy: 'session-tokens',
    counts: 'requests to exchange a session for an access token',
    per: 'person',
    quota: 60,
    windowSeconds: 60,
  },
  agentCalls: {
    policy: 'agent-calls',
    counts: 'messages to /mcp',
    per: 'permission of an agent',
    quota: 120,
    windowSeconds: 60,
  },
  // Each fetches the document of a client from elsewhere.
  agentRequests: {
    policy: 'agent-requests',
    counts: 'requests to look at or answer the request of an agent',
    per: 'person',
    quota: 30,
    windowSeconds: 60,
  },
  linkNetwork: {
    policy: 'link-network',
    counts: 'requests for a sign-in link',
    per: 'network',
    quota: 20,
    windowSeconds: 3_600,
  },
  oidcCallbacks: {
    policy: 'oidc-callbacks',
    counts: 'returns from the provider of OpenID Connect',
    per: 'network',
    quota: 60,
    windowSeconds: 60,
  },
  // By network, because an attacker could fill the list with invented device ids.
  forget: { policy: 'forget', counts: 'requests to forget a device', per: 'network', quota: 30, windowSeconds: 60 },
  // A page costs some reads of the database, a picture some tenths of a second of another process.
  sharedResults: {
    policy: 'shared-results',
    counts: 'requests to links to results, their pictures and files included',
    per: 'network',
    quota: 120,
    windowSeconds: 60,
  },
  streams: {
    policy: 'streams',
    counts: 'live streams',
    per: 'network',
    setting: 'networkStreams',
    windowSeconds: null,
  },
  exports: { policy: 'exports', counts: 'downloads as CSV or NDJSON', per: 'brand', quota: 4, windowSeconds: null },
} as const satisfies Record<string, Limit>

type Limits = typeof limits
type RateName = { [Name in keyof Limits]: Limits[Name]['windowSeconds'] extends number ? Name : never }[keyof Limits]
type LimitConfig = Pick<Config, LimitSetting>

/** 0 means unlimited. */
export const mostOf = (limit: Limit, config: LimitConfig): number =>
  'quota' in limit ? limit.quota : config[limit.setting] * (limit.times ?? 1)

export function quotaOf(name: RateName, config: LimitConfig): Quota {
  const { policy, windowSeconds } = limits[name]
  return { policy, quota: mostOf(limits[name], config), windowSeconds }
}
