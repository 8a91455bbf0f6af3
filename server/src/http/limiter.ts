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
}

/** Several claims are taken together or not at all: what one of them refuses is counted by none. */
export interface Limiter {
  take(claims: readonly Claim[]): Promise<Verdict[]> | Verdict[]
  /** As `take` would answer, without counting. */
  peek(claims: readonly Claim[]): Promise<Verdict[]> | Verdict[]
}
