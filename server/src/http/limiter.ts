/** At most `quota` in any `windowSeconds`, on a sliding window. */
export interface Quota {
  readonly policy: string
  readonly quota: number
  readonly windowSeconds: number
}

export interface Claim {
  readonly quota: Quota
  readonly key: string
}

export interface Verdict {
  readonly isAllowed: boolean
  readonly remaining: number
  /** Until the oldest counted request leaves the window. */
  readonly resetSeconds: number
  /** Where this request is counted, for `giveBack`. */
  readonly place: Place
}

/** A moment where limits are in memory, a name where they are in Redis. */
export type Place = number | string

/** Several claims are taken together or not at all: what one of them refuses is counted by none. */
export interface Limiter {
  take(claims: readonly Claim[]): Promise<Verdict[]> | Verdict[]
  /** As `take` would answer, without counting. */
  peek(claims: readonly Claim[]): Promise<Verdict[]> | Verdict[]
  /** Undoes a `take` that was allowed, and no other. Answers as `peek` would afterwards. */
  giveBack(claims: readonly Claim[], verdicts: readonly Verdict[]): Promise<Verdict[]> | Verdict[]
}
