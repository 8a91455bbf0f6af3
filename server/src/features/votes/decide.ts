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
  /** `existing` is null if the code was used from another device. */
  | { readonly kind: 'already'; readonly existing: CastVote | null }
  | { readonly kind: 'codeless' }
  | { readonly kind: 'invalidCode' }
  | { readonly kind: 'unproven' }
  | { readonly kind: 'accepted'; readonly poll: PollState; readonly vote: CastVote }

/**
 * Decides a group from the state read under its locks: the first ballot of a device on an open poll wins. PostgreSQL has the same
 * rule in `cast_ballots` (migrations 0025 and 0029): a change needs a migration with a function of a new name. `server/test/cast-votes.test.ts`
 * compares them. To that function, a poll with a list of codes is missing: groups with codes are decided here.
 */
export function decide(ballots: readonly Ballot[], { now, polls, existing, codes }: GroupFacts): Decision<Outcome> {
  const counts = new Map([...polls].map(([key, poll]) => [key, { ...poll }]))
  const votes: NewVote[] = []
  // By a print, because making a text of the bytes costs more than the rest of the decision.
  const winners = new Map<number, Ballot[]>()
  const used = usedCodes(codes)
  const outcomes = ballots.map((ballot, i): Outcome => {
    const poll = counts.get(ballot.pollKey)
    if (!poll || !isMadeFor(poll, ballot)) return { kind: 'missing' }
    const print = printOf(ballot.pollKey, ballot.device)
    const alike = winners.get(print)
    const winner = alike?.find((other) => isSameVoter(other, ballot))
    const earlier = existing[i] ?? (winner ? { option: winner.option, votedAt: now } : null)
    if (statusAt(poll, now) !== 'open') {
      return { kind: 'closed', now, poll, existing: earlier }
    }
    const refusal = refusalOf(ballot, { earlier, codes, used })
    if (refusal) return refusal
    if (ballot.option === 'A') poll.option_a++
    else poll.option_b++
    votes.push({ ballot, position: poll.option_a + poll.option_b })
    if (alike) alike.push(ballot)
    else winners.set(print, [ballot])
    noteUse(used, ballot)
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

/** A ballot with a code is for a poll with a list, and any other for one without. If not, the caller makes another. */
const isMadeFor = ({ code_list_key: list }: PollState, { code }: Ballot): boolean =>
  (list === null) === (code === undefined)

interface Before {
  readonly earlier: CastVote | null
  readonly codes: GroupFacts['codes']
  /** The codes that were used, before or by an earlier ballot of the group. */
  readonly used: ReadonlySet<string>
}

function refusalOf(ballot: Ballot, { earlier, codes, used }: Before): Outcome | null {
  const { code } = ballot
  if (code === null) return { kind: 'codeless' }
  if (code && !codes?.get(ballot)?.isValid) return { kind: 'invalidCode' }
  if (earlier || (code && used.has(useOf(ballot)))) return { kind: 'already', existing: earlier }
  return ballot.isUnproven ? { kind: 'unproven' } : null
}

function noteUse(used: Set<string>, ballot: Ballot): void {
  if (ballot.code) used.add(useOf(ballot))
}

const usedCodes = (codes: GroupFacts['codes']): Set<string> =>
  new Set(codes && [...codes].flatMap(([ballot, { isUsed }]) => (isUsed ? [useOf(ballot)] : [])))

const useOf = ({ pollKey, code }: Ballot): string => `${pollKey} ${Buffer.from(code ?? []).toString('latin1')}`

const isSameVoter = (left: Ballot, right: Ballot): boolean =>
  left.pollKey === right.pollKey && isSameDevice(left.device, right.device)
