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

/** Decides a group from the state read under its locks: the first ballot of a device on an open poll wins. */
export function decide(ballots: readonly Ballot[], { now, polls, existing }: GroupFacts): Decision<Outcome> {
  const counts = new Map([...polls].map(([key, poll]) => [key, { ...poll }]))
  const winners = new Winners()
  const votes: NewVote[] = []
  const outcomes = ballots.map((ballot, i): Outcome => {
    const poll = counts.get(ballot.pollKey)
    if (!poll) return { kind: 'missing' }
    const earlier = existing[i] ?? winners.find(ballot)
    if (statusAt(poll, now) !== 'open') {
      return { kind: 'closed', now, poll, existing: earlier }
    }
    if (earlier) return { kind: 'already', existing: earlier }
    if (ballot.isUnproven) return { kind: 'unproven' }
    const vote = { option: ballot.option, votedAt: now }
    winners.add(ballot, vote)
    if (ballot.option === 'A') poll.option_a++
    else poll.option_b++
    votes.push({ ballot, position: poll.option_a + poll.option_b })
    // The counts keep changing until the whole group is decided: its votes share one commit and one answer.
    return { kind: 'accepted', poll, vote }
  })
  const counted = new Map<number, Counted>()
  for (const [key, { option_a, option_b, version }] of counts) {
    const before = polls.get(key)
    if (!before || option_a + option_b === before.option_a + before.option_b) continue
    counted.set(key, { option_a, option_b, version: version + 1, counted_at: now })
  }
  return { votes, counted, outcomes }
}

interface Winner {
  readonly ballot: Ballot
  readonly vote: CastVote
  /** Another one with the same print. */
  readonly next: Winner | undefined
}

/** The votes of this group, by poll and device. By a print, because making a text of the bytes costs more than the rest. */
class Winners {
  readonly #byPrint = new Map<number, Winner>()

  find(ballot: Ballot): CastVote | null {
    let winner = this.#byPrint.get(printOf(ballot.pollKey, ballot.device))
    while (winner && !isSameVoter(winner.ballot, ballot)) winner = winner.next
    return winner?.vote ?? null
  }

  add(ballot: Ballot, vote: CastVote): void {
    const print = printOf(ballot.pollKey, ballot.device)
    this.#byPrint.set(print, { ballot, vote, next: this.#byPrint.get(print) })
  }
}

const isSameVoter = (left: Ballot, right: Ballot): boolean =>
  left.pollKey === right.pollKey && isSameDevice(left.device, right.device)
