import { Cache } from '../../base/cache.ts'
import type { Decision, GroupFacts, NewVote, OutboxRow, PollState, Raised, StepRow } from '../../db/vote-store.ts'
import type { EventData, EventType } from '../../events/event-catalogue.ts'
import type { VotedTogether } from '../../events/outbox.ts'
import { outboxRow, votedRow } from '../../events/outbox.ts'
import type { Deps } from '../deps.ts'
import { type RespondentIds, respondentIds } from '../people/tokens/device.ts'
import { completesAt } from './completion.ts'

/** A poll whose brand wants vote events. */
interface WantedPoll {
  readonly id: string
  readonly slug: string
  readonly brandKey: number
  readonly wanted: ReadonlySet<EventType>
  readonly respondentId: RespondentIds
}

/** The events of these votes, in the order in which they were decided. */
function raiseVotes(polls: ReadonlyMap<number, WantedPoll>, votes: readonly NewVote[], facts: GroupFacts): Raised {
  const told = new Map<WantedPoll, VotedTogether>()
  const tallyPolls = new Set<number>()
  const stepVotes: NewVote[] = []
  for (const vote of votes) {
    const { pollKey, device, option, code } = vote.ballot
    const poll = polls.get(pollKey)
    const state = facts.polls.get(pollKey)
    if (!poll || !state) continue
    if (poll.wanted.has('poll.voted')) {
      const together = told.get(poll) ?? noneYet(poll, state, facts.now)
      together.votes.push([option, poll.respondentId(device, facts.forgottenAt(vote.ballot), code !== undefined)])
      told.set(poll, together)
    }
    if (poll.wanted.has('poll.tallies_updated')) tallyPolls.add(pollKey)
    if (state.campaign_count > 0 && wantsSteps(poll)) stepVotes.push(vote)
  }
  const events = [...told].map(([{ brandKey }, together]) => votedRow(brandKey, together))
  const stepEvents = (steps: readonly StepRow[]) =>
    ownSteps(steps, stepVotes).flatMap((step) => stepEventsOf(polls, step, facts))
  return { events, tallyPolls: [...tallyPolls], stepVotes, stepEvents }
}

const noneYet = ({ id, slug }: WantedPoll, { option_a, option_b }: PollState, at: number): VotedTogether => ({
  poll: { id, slug },
  at,
  optionA: option_a,
  optionB: option_b,
  votes: [],
})

const wantsSteps = ({ wanted }: WantedPoll): boolean =>
  wanted.has('campaign.step_completed') || wanted.has('campaign.completed')

interface OwnStep extends StepRow {
  readonly vote: NewVote
  readonly done: number
  /** No later vote of the group is a step of the same device there. */
  readonly isLast: boolean
}

/**
 * A group may hold several votes of one device in one campaign. The rows have all of them:
 * the last vote reached that count, and each earlier one a step less.
 */
function ownSteps(steps: readonly StepRow[], votes: readonly NewVote[]): OwnStep[] {
  const later = new Map<string, number>()
  const own = steps
    .toSorted((left, right) => right.at - left.at)
    .flatMap((step) => {
      const vote = votes[step.at]
      if (!vote) return []
      const walker = `${step.campaign_id} ${Buffer.from(vote.ballot.device).toString('latin1')}`
      const after = later.get(walker) ?? 0
      later.set(walker, after + 1)
      const voted = step.polls.filter(({ voted_at }) => voted_at !== null)
      return [{ ...step, vote, done: voted.length - after, isLast: after === 0 }]
    })
  return own.reverse()
}

type StepType = 'campaign.step_completed' | 'campaign.completed'

function stepEventsOf(polls: ReadonlyMap<number, WantedPoll>, step: OwnStep, facts: GroupFacts): OutboxRow[] {
  const { ballot } = step.vote
  const { now } = facts
  const poll = polls.get(ballot.pollKey)
  if (!poll) return []
  const data: EventData[StepType] = {
    campaign: { campaignId: step.campaign_id, title: step.title },
    respondentId: poll.respondentId(ballot.device, facts.forgottenAt(ballot), ballot.code !== undefined),
    completedSteps: step.done,
    totalSteps: step.polls.length,
  }
  const types: StepType[] = ['campaign.step_completed']
  if (step.isLast && completesAt(step.polls, now)) types.push('campaign.completed')
  return types
    .filter((type) => poll.wanted.has(type))
    .map((type) => outboxRow({ brandKey: poll.brandKey, type, at: now, data }, now))
}

const MOST_KEPT = 50_000

/** The immutable part of a poll. */
type KnownPoll = Pick<WantedPoll, 'id' | 'slug' | 'brandKey'>
type WantedEvents = WantedPoll['wanted']

/** Makes the events of a decided group. */
export type Raise = (decision: Pick<Decision<unknown>, 'votes'>, facts: GroupFacts) => Raised

const ON_VOTES: readonly EventType[] = [
  'poll.voted',
  'poll.tallies_updated',
  'campaign.step_completed',
  'campaign.completed',
]

/** Tells the ledger which polls' votes raise which events. */
export class VoteEvents {
  readonly #deps: Pick<Deps, 'engine' | 'bus' | 'keys'>
  readonly #polls = new Cache<number, KnownPoll | null>(MOST_KEPT)
  readonly #respondentIds = new Cache<number, RespondentIds>(MOST_KEPT)

  constructor(deps: Pick<Deps, 'engine' | 'bus' | 'keys'>) {
    this.#deps = deps
  }

  /** Null where no brand wants events. For most polls that is in memory, so a vote pays nothing. */
  prepare(pollKeys: ReadonlySet<number>): Raise | null | Promise<Raise | null> {
    const wantedBy = this.#peek(pollKeys)
    return wantedBy ? this.#raiseFor(pollKeys, wantedBy) : this.#read(pollKeys)
  }

  #peek(pollKeys: ReadonlySet<number>): Map<number, WantedEvents> | null {
    const wantedBy = new Map<number, WantedEvents>()
    for (const key of pollKeys) {
      const poll = this.#polls.get(key)
      if (poll === undefined) return null
      const wanted = poll && (wantedBy.get(poll.brandKey) ?? this.#deps.bus.peekWanted(poll.brandKey))
      if (poll && !wanted) return null
      if (poll && wanted) wantedBy.set(poll.brandKey, wanted)
    }
    return wantedBy
  }

  async #read(pollKeys: ReadonlySet<number>): Promise<Raise | null> {
    const { bus, engine } = this.#deps
    const unknown = [...pollKeys].filter((key) => this.#polls.get(key) === undefined)
    if (unknown.length > 0) await this.#readPolls(unknown)
    const brandKeys = new Set([...pollKeys].flatMap((key) => this.#polls.get(key)?.brandKey ?? []))
    const wantedBy = brandKeys.size > 0 ? await bus.readWanted(engine.db, [...brandKeys]) : new Map()
    return this.#raiseFor(pollKeys, wantedBy)
  }

  async #readPolls(keys: readonly number[]): Promise<void> {
    const rows = await this.#deps.engine.db
      .selectFrom('polls')
      .select(['key', 'id', 'slug', 'brand_key'])
      .where('key', 'in', keys)
      .execute()
    for (const key of keys) this.#polls.set(key, null)
    for (const { key, id, slug, brand_key } of rows) this.#polls.set(key, { id, slug, brandKey: brand_key })
  }

  #raiseFor(pollKeys: ReadonlySet<number>, wantedBy: ReadonlyMap<number, WantedEvents>): Raise | null {
    const polls = new Map<number, WantedPoll>()
    for (const key of pollKeys) {
      const poll = this.#polls.get(key)
      const wanted = poll && wantedBy.get(poll.brandKey)
      if (!poll || !wanted || !ON_VOTES.some((type) => wanted.has(type))) continue
      polls.set(key, { ...poll, wanted, respondentId: this.#respondentIdsOf(poll.brandKey) })
    }
    return polls.size === 0 ? null : ({ votes }, facts) => raiseVotes(polls, votes, facts)
  }

  #respondentIdsOf(brandKey: number): RespondentIds {
    const made = this.#respondentIds.get(brandKey) ?? respondentIds(this.#deps, { brandKey })
    this.#respondentIds.set(brandKey, made)
    return made
  }
}
