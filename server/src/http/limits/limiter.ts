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
export type Receipt = number | string

/** Several claims are taken together or not at all: if one is refused, none is counted. */
export interface Limiter {
  take(claims: readonly Claim[]): Promise<Verdict[]> | Verdict[]
  /** The verdicts that `take` would give, without counting. */
  peek(claims: readonly Claim[]): Promise<Verdict[]> | Verdict[]
  /** Undoes a `take` that was allowed, and no other. Returns what `peek` would return afterwards. */
  giveBack(claims: readonly Claim[], verdicts: readonly Verdict[]): Promise<Verdict[]> | Verdict[]
}
