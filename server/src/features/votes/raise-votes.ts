import type { GroupFacts, NewVote, OutboxRow, PollState, Raised, StepRow } from '../../db/vote-store.ts'
import type { EventData, EventType } from '../../events/event-catalogue.ts'
import { outboxRow, type VotedTogether, votedRow } from '../../events/outbox.ts'
import type { Device } from '../people/tokens/device.ts'

/** A poll whose brand wants vote events. */
export interface WantedPoll {
  readonly id: string
  readonly slug: string
  readonly brandKey: number
  readonly wanted: ReadonlySet<EventType>
  readonly respondentId: (device: Device) => string
}

/** The events of these votes, in the order in which they were decided. */
export function raiseVotes(
  polls: ReadonlyMap<number, WantedPoll>,
  votes: readonly NewVote[],
  facts: GroupFacts,
): Raised {
  const told = new Map<WantedPoll, VotedTogether>()
  const tallyPolls = new Set<number>()
  const stepVotes: NewVote[] = []
  for (const vote of votes) {
    const { pollKey, device, option } = vote.ballot
    const poll = polls.get(pollKey)
    const state = facts.polls.get(pollKey)
    if (!poll || !state) continue
    if (poll.wanted.has('poll.voted')) {
      const together = told.get(poll) ?? noneYet(poll, state, facts.now)
      together.votes.push([option, poll.respondentId(device)])
      told.set(poll, together)
    }
    if (poll.wanted.has('poll.tallies_updated')) tallyPolls.add(pollKey)
    if (state.campaign_count > 0 && wantsSteps(poll)) stepVotes.push(vote)
  }
  const events = [...told].map(([{ brandKey }, together]) => votedRow(brandKey, together))
  const stepEvents = (steps: readonly StepRow[]) =>
    ownSteps(steps, stepVotes).flatMap((step) => stepEventsOf(polls, step, facts.now))
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
}

/**
 * A group may hold several votes of one device in one campaign. The rows count all of them as done:
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
      return [{ ...step, vote, done: step.done - after }]
    })
  return own.reverse()
}

type StepType = 'campaign.step_completed' | 'campaign.completed'

function stepEventsOf(polls: ReadonlyMap<number, WantedPoll>, step: OwnStep, now: number): OutboxRow[] {
  const poll = polls.get(step.vote.ballot.pollKey)
  if (!poll) return []
  const data: EventData[StepType] = {
    campaign: { campaignId: step.campaign_id, title: step.title },
    respondentId: poll.respondentId(step.vote.ballot.device),
    completedSteps: step.done,
    totalSteps: step.total,
  }
  const types: StepType[] = ['campaign.step_completed']
  if (step.done === step.total) types.push('campaign.completed')
  return types
    .filter((type) => poll.wanted.has(type))
    .map((type) => outboxRow({ brandKey: poll.brandKey, type, at: now, data }, now))
}
