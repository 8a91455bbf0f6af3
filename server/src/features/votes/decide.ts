import type { Ballot, CastVote, Counted, Decision, GroupFacts, NewVote, PollState } from '../../db/vote-store.ts'
import { statusAt } from '../polls/status.ts'

export type Outcome =
  | { readonly kind: 'missing' }
  | { readonly kind: 'closed'; readonly now: number; readonly poll: PollState; readonly existing: CastVote | null }
  | { readonly kind: 'already'; readonly existing: CastVote }
  | { readonly kind: 'unproven' }
  | { readonly kind: 'accepted'; readonly poll: PollState; readonly vote: CastVote }

/** Decides a group from the state read under its locks: the first ballot of a device on an open poll wins. */
export function decide(ballots: readonly Ballot[], { now, polls, existing }: GroupFacts): Decision<Outcome> {
  const counts = new Map([...polls].map(([key, poll]) => [key, { ...poll }]))
  const winners = new Map<string, CastVote>()
  const votes: NewVote[] = []
  const outcomes = ballots.map((ballot, i): Outcome => {
    const poll = counts.get(ballot.pollKey)
    if (!poll) return { kind: 'missing' }
    const name = `${ballot.pollKey} ${Buffer.from(ballot.device).toString('latin1')}`
    const earlier = existing[i] ?? winners.get(name) ?? null
    if (statusAt(poll, now) !== 'open') {
      return { kind: 'closed', now, poll, existing: earlier }
    }
    if (earlier) return { kind: 'already', existing: earlier }
    if (ballot.isUnproven) return { kind: 'unproven' }
    const vote = { option: ballot.option, votedAt: now }
    winners.set(name, vote)
    if (ballot.option === 'A') poll.option_a++
    else poll.option_b++
    votes.push({ ballot, position: poll.option_a + poll.option_b })
    // The counts keep changing until the whole group is decided: its votes share one commit and one answer.
    return { kind: 'accepted', poll, vote }
  })
  const counted = new Map<number, Counted>()
  for (const { ballot } of votes) {
    const poll = counts.get(ballot.pollKey)
    if (!poll) continue
    const { option_a, option_b, version } = poll
    counted.set(ballot.pollKey, { option_a, option_b, version: version + 1, counted_at: now })
  }
  return { votes, counted, outcomes }
}
