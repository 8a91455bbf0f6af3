export type RefusalReason = 'rate' | 'challenge' | 'origin' | 'invalid'

export interface CountedVote {
  /** From the client's own network to the widest one around it. */
  readonly networks: readonly [string, ...string[]]
  /** A challenge was solved for it. */
  readonly isSolved: boolean
  readonly hasOrigin: boolean
}

/** Is told of every vote that is counted, and of those that are refused by a measure against stuffing or as malformed. */
export interface VoteWatch {
  counted(pollKey: number, vote: CountedVote): void
  refused(pollKey: number, reason: RefusalReason): void
}
