import type { Insertable } from 'kysely'
import { HOUR, MINUTE } from '../base/clock.ts'
import type { OptionName, Tables } from './tables.ts'

/** Where a ballot says that it comes from, and which option its card showed first. */
export interface Attribution {
  readonly source: string | null
  readonly shown: 'AB' | 'BA' | null
  /** The id of a campaign. */
  readonly campaign: string | null
}

/** An attribution as stored: sources that are not declared, orders of polls that are not random and foreign campaigns are null. */
export interface AttributionKeys {
  readonly source_key: number | null
  readonly shown: string | null
  readonly campaign_key: number | null
}

export const isAttributed = ({ source_key, shown, campaign_key }: AttributionKeys): boolean =>
  source_key !== null || shown !== null || campaign_key !== null

/** Equal for ballots on one poll with one attribution. */
export const nameOf = (pollKey: number, { source, shown, campaign }: Attribution): string =>
  `${pollKey} ${source} ${shown} ${campaign}`

export interface Ballot {
  readonly pollKey: number
  /** 16 bytes. Of a vote with a code: the hash of code and device together. */
  readonly device: Uint8Array
  readonly option: OptionName
  /** A challenge is due and not solved: the vote must not be counted. */
  readonly isUnproven?: boolean
  /** Absent for most votes. */
  readonly attribution?: Attribution
  /** The hash of the voter's code, or null if none was sent; absent on polls that every device may vote on. */
  readonly code?: Uint8Array | null
}

/**
 * The print of a voter on a poll: a fingerprint of 32 bits. Two voters can share one, so devices have to be compared as well. Four bytes
 * of the device are enough, because a device is a hash.
 */
export function printOf(pollKey: number, device: Uint8Array): number {
  const first = (device[0] ?? 0) | ((device[1] ?? 0) << 8) | ((device[2] ?? 0) << 16) | ((device[3] ?? 0) << 24)
  return (first ^ Math.imul(pollKey, 0x9e3779b1)) >>> 0
}

export function isSameDevice(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false
  for (let i = 0; i < left.length; i++) if (left[i] !== right[i]) return false
  return true
}

export interface CastVote {
  readonly option: OptionName
  readonly votedAt: number
}

/** A poll as read under its lock. Drafts and deleted polls are not included. */
export interface PollState {
  readonly opens_at: number | null
  readonly closes_at: number | null
  readonly archived_at: number | null
  readonly results_visibility: string
  readonly option_a: number
  readonly option_b: number
  readonly version: number
  readonly campaign_count: number
  /** Null where every device may vote. */
  readonly code_list_key: number | null
}

/** A poll's tally after a group. */
export interface Counted {
  readonly option_a: number
  readonly option_b: number
  readonly version: number
  readonly counted_at: number
}

/** The state of the code of a ballot. */
export interface CodeState {
  /** A code of the poll's list that is not revoked. */
  readonly isValid: boolean
  /** It has admitted a vote on the poll. */
  readonly isUsed: boolean
}

export interface GroupFacts {
  readonly now: number
  readonly polls: ReadonlyMap<number, PollState>
  /** For each ballot, in the same order, the vote that its device has already cast on its poll. */
  readonly existing: readonly (CastVote | null)[]
  /** For each ballot with a code; absent if none has one. */
  readonly codes?: ReadonlyMap<Ballot, CodeState>
  /** When the device of a ballot was forgotten. Only for events: the function of PostgreSQL does not read it. */
  forgottenAt(ballot: Ballot): number | null
}

export interface NewVote {
  readonly ballot: Ballot
  readonly position: number
}

export type OutboxRow = Insertable<Tables['outbox']>

/** A poll of a campaign that visitors see, and the vote of a device on it. */
export interface StepPoll {
  readonly opens_at: number | null
  readonly closes_at: number | null
  readonly voted_at: number | null
}

/** A device's progress in a campaign, including all votes of the group. */
export interface StepRow {
  /** The index of the vote in `stepVotes`. */
  readonly at: number
  readonly campaign_id: string
  readonly title: string
  readonly polls: readonly StepPoll[]
}

/** The events and notices that a group's votes cause, written in their transaction. */
export interface Raised {
  readonly events: readonly OutboxRow[]
  /** Polls whose changed counts are to be reported. */
  readonly tallyPolls: readonly number[]
  /** Votes that are campaign steps: their events depend on the state after they are written. */
  readonly stepVotes: readonly NewVote[]
  stepEvents(steps: readonly StepRow[]): readonly OutboxRow[]
}

export interface Decision<Outcome> {
  readonly votes: readonly NewVote[]
  readonly counted: ReadonlyMap<number, Counted>
  readonly outcomes: readonly Outcome[]
  /** Absent if nothing needs to be reported. */
  readonly raised?: Raised | undefined
}

export interface Committing<Outcome> {
  readonly decision: Decision<Outcome>
  /** Acknowledge the decision only after this resolves. The next group need not wait for it. */
  readonly durable: Promise<void>
}

/** It is unknown whether the votes of a group were stored: the answer to the commit was lost, or the sync failed. */
export class OutcomeUnknown extends Error {}

export interface CommitOptions {
  /**
   * The decision is that of features/votes/decide.ts and raises no events: the engine may apply the rule itself, and then call
   * `decide` with the same facts for the outcomes.
   */
  readonly mayDecideInDatabase?: boolean
}

/** Implemented separately for each engine: here the engines differ most, and every microsecond counts for each vote. */
export interface VoteStore {
  /** One transaction: locks the polls, reads the facts under the locks, calls `decide`, and writes its decision. */
  commit<Outcome>(
    ballots: readonly Ballot[],
    decide: (facts: GroupFacts) => Decision<Outcome>,
    options?: CommitOptions,
  ): Promise<Committing<Outcome>>
  /** How long votes that arrive together may wait for more of them: a small part of what a group takes. Absent or 0: not at all. */
  pauseMs?(): number
  /** Durably writes a meaningless row in the same way as a vote. Fails whenever a vote could not be stored now. */
  probe(): Promise<void>
}

/**
 * The widths of the counted intervals. Timelines finer than an hour are allowed only for short periods. The function `cast_ballots` of
 * PostgreSQL has the same two.
 */
export const COUNTED_WIDTHS = [MINUTE, HOUR] as const

export interface Gain {
  readonly pollKey: number
  a: number
  b: number
}

/** The votes of a group with one attribution. */
export interface AttributedGain extends Gain {
  readonly keys: AttributionKeys
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

/** The votes that make their device a respondent of a campaign. */
export const votesInCampaigns = (votes: readonly NewVote[], polls: GroupFacts['polls']): NewVote[] =>
  votes.filter(({ ballot }) => (polls.get(ballot.pollKey)?.campaign_count ?? 0) > 0)
