import type { Insertable } from 'kysely'
import { HOUR, MINUTE } from '../base/clock.ts'
import type { OptionName, Tables } from './tables.ts'

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
  readonly campaign_count: number
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

export type OutboxRow = Insertable<Tables['outbox']>

/** How far the device of a vote has come in a campaign, with all votes of the group. */
export interface StepRow {
  /** The vote's place among those that were asked for. */
  readonly at: number
  readonly campaign_id: string
  readonly title: string
  readonly done: number
  readonly total: number
}

/** What is told of a group's votes, in their transaction. */
export interface Raised {
  readonly events: readonly OutboxRow[]
  /** Polls of which it is to be told that their counts have changed. */
  readonly tallyPolls: readonly number[]
  /** Votes that are steps of a campaign: what is told of them is known when they are written. */
  readonly stepVotes: readonly NewVote[]
  stepEvents(steps: readonly StepRow[]): readonly OutboxRow[]
}

export interface Decision<Outcome> {
  readonly votes: readonly NewVote[]
  readonly counted: ReadonlyMap<number, Counted>
  readonly outcomes: readonly Outcome[]
  /** Absent where nobody wants to know. */
  readonly raised?: Raised | undefined
}

export interface Committing<Outcome> {
  readonly decision: Decision<Outcome>
  /** Nobody may be told of the decision before this resolves; the next group need not wait for it. */
  readonly durable: Promise<void>
}

/** The votes of a group may be stored or not: the answer to its commit is lost, or the disk would not say. */
export class OutcomeUnknown extends Error {}

/** Where the two engines differ most, and where every microsecond is paid for each vote: each has its own hand. */
export interface VoteStore {
  /** One transaction: locks the polls, reads the facts under the locks, asks what to do, and writes it. */
  commit<Outcome>(
    ballots: readonly Ballot[],
    decide: (facts: GroupFacts) => Decision<Outcome>,
  ): Promise<Committing<Outcome>>
}

/** The spans for which votes are counted: what is finer than an hour is asked for of a short time only. */
export const COUNTED_WIDTHS = [MINUTE, HOUR] as const

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

/** Those that make their device a respondent of a campaign. */
export const votesInCampaigns = (votes: readonly NewVote[], polls: GroupFacts['polls']): NewVote[] =>
  votes.filter(({ ballot }) => (polls.get(ballot.pollKey)?.campaign_count ?? 0) > 0)
