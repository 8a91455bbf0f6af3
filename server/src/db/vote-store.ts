import type { OptionName } from './tables.ts'

export interface Ballot {
  readonly pollKey: number
  /** 16 bytes. */
  readonly device: Uint8Array
  readonly option: OptionName
}

export interface CastVote {
  readonly option: OptionName
  readonly votedAt: number
}

/** A poll as it stands under its lock; a draft or a deleted poll is not there at all. */
export interface PollState {
  readonly opens_at: number | null
  readonly closes_at: number | null
  readonly archived_at: number | null
  readonly results_visibility: string
  readonly option_a: number
  readonly option_b: number
  readonly version: number
}

/** What a group leaves of a poll's tally. */
export interface Counted {
  readonly option_a: number
  readonly option_b: number
  readonly version: number
  readonly counted_at: number
}

export interface GroupFacts {
  readonly now: number
  readonly polls: ReadonlyMap<number, PollState>
  /** For each ballot, in the same order, the vote that its device has on its poll already. */
  readonly existing: readonly (CastVote | null)[]
}

export interface NewVote {
  readonly ballot: Ballot
  readonly position: number
}

export interface Decision<Outcome> {
  readonly votes: readonly NewVote[]
  readonly counted: ReadonlyMap<number, Counted>
  readonly outcomes: readonly Outcome[]
}

/** Where the two engines differ most, and where every microsecond is paid for each vote: each has its own hand. */
export interface VoteStore {
  /**
   * One transaction: locks the polls, reads the facts under the locks, asks what to do, writes it, and resolves when
   * that is durable.
   */
  commit<Outcome>(
    ballots: readonly Ballot[],
    decide: (facts: GroupFacts) => Decision<Outcome>,
  ): Promise<Decision<Outcome>>
}

export interface Gain {
  readonly pollKey: number
  a: number
  b: number
}

export function gainsOf(votes: readonly NewVote[]): Gain[] {
  const gains = new Map<number, Gain>()
  for (const { ballot } of votes) {
    const gain = gains.get(ballot.pollKey) ?? { pollKey: ballot.pollKey, a: 0, b: 0 }
    if (ballot.option === 'A') gain.a++
    else gain.b++
    gains.set(ballot.pollKey, gain)
  }
  return [...gains.values()]
}

/** Two groups that write the same rows in different orders can lock each other out; sorted rows also land closer. */
export const sortedVotes = (votes: readonly NewVote[]): NewVote[] =>
  votes.toSorted(
    (left, right) =>
      left.ballot.pollKey - right.ballot.pollKey || Buffer.compare(left.ballot.device, right.ballot.device),
  )
