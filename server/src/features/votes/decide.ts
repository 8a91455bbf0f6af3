import {
  type Ballot,
  type CastVote,
  type Counted,
  type Decision,
  type GroupFacts,
  isSameDevice,
  type NewVote,
  type PollState,
  printOf,
} from '../../db/vote-store.ts'
import { statusAt } from '../polls/status.ts'

export type Outcome =
  | { readonly kind: 'missing' }
  | { readonly kind: 'closed'; readonly now: number; readonly poll: PollState; readonly existing: CastVote | null }
  | { readonly kind: 'already'; readonly existing: CastVote }
  | { readonly kind: 'unproven' }
  | { readonly kind: 'accepted'; readonly poll: PollState; readonly vote: CastVote }

/**
 * Decides a group from the state read under its locks: the first ballot of a device on an open poll wins. PostgreSQL has the same
 * rule in `cast_group` (migration 0018): a change needs a migration with a function of a new name. `server/test/cast-votes.test.ts`
 * compares them.
 */
export function decide(ballots: readonly Ballot[], { now, polls, existing }: GroupFacts): Decision<Outcome> {
  const counts = new Map([...polls].map(([key, poll]) => [key, { ...poll }]))
  const votes: NewVote[] = []
  const winners = new Winners(votes, { most: ballots.length, now })
  const outcomes = ballots.map((ballot, i): Outcome => {
    const poll = counts.get(ballot.pollKey)
    if (!poll) return { kind: 'missing' }
    const earlier = existing[i] ?? winners.find(ballot)
    if (statusAt(poll, now) !== 'open') {
      return { kind: 'closed', now, poll, existing: earlier }
    }
    if (earlier) return { kind: 'already', existing: earlier }
    if (ballot.isUnproven) return { kind: 'unproven' }
    if (ballot.option === 'A') poll.option_a++
    else poll.option_b++
    winners.add({ ballot, position: poll.option_a + poll.option_b })
    // The counts keep changing until the whole group is decided: its votes share one commit and one answer.
    return { kind: 'accepted', poll, vote: { option: ballot.option, votedAt: now } }
  })
  const counted = new Map<number, Counted>()
  for (const [key, { option_a, option_b, version }] of counts) {
    const before = polls.get(key)
    if (!before || option_a + option_b === before.option_a + before.option_b) continue
    counted.set(key, { option_a, option_b, version: version + 1, counted_at: now })
  }
  return { votes, counted, outcomes }
}

/**
 * Finds the votes of this group by poll and device. By a print, because making a text of the bytes costs more than the rest, and
 * in a table of numbers, because a Map would make garbage for each vote.
 */
class Winners {
  readonly #votes: NewVote[]
  readonly #now: number
  /** The place of a vote in `#votes`, plus one; 0 marks an empty slot. */
  readonly #places: Uint32Array
  /** The slot of the last ballot that was not found. */
  #free = 0

  constructor(votes: NewVote[], { most, now }: { most: number; now: number }) {
    this.#votes = votes
    this.#now = now
    this.#places = new Uint32Array(2 ** Math.ceil(Math.log2(2 * most + 1)))
  }

  find(ballot: Ballot): CastVote | null {
    const last = this.#places.length - 1
    let slot = printOf(ballot.pollKey, ballot.device) & last
    for (;;) {
      const place = this.#places[slot] as number
      if (place === 0) break
      const winner = (this.#votes[place - 1] as NewVote).ballot
      if (isSameVoter(winner, ballot)) return { option: winner.option, votedAt: this.#now }
      slot = (slot + 1) & last
    }
    this.#free = slot
    return null
  }

  /** Call it after `find` found nothing for this ballot. */
  add(vote: NewVote): void {
    this.#places[this.#free] = this.#votes.push(vote)
  }
}

const isSameVoter = (left: Ballot, right: Ballot): boolean =>
  left.pollKey === right.pollKey && isSameDevice(left.device, right.device)
