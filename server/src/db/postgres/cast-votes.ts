import type pg from 'pg'
import { reasonOf } from '../../base/errors.ts'
import type { OptionName } from '../tables.ts'
import {
  type Ballot,
  type CastVote,
  type Decision,
  type GroupFacts,
  gainsOf,
  isSameDevice,
  type NewVote,
  OutcomeUnknown,
  type PollState,
  printOf,
  sortedVotes,
} from '../vote-store.ts'
import { type AttributionList, attributionsOf, attributionValues, type KeysOfBallots } from './ballots/attributions.ts'
import { isLost } from './database-failures.ts'

/** The parameters of the statement that adds a group's votes and updates its tallies. */
export function writeValues(votes: readonly NewVote[], now: number, keysOf: KeysOfBallots): unknown[] {
  const sorted = sortedVotes(votes)
  const gains = gainsOf(votes)
  return [
    sorted.map(({ ballot }) => ballot.pollKey),
    Buffer.concat(sorted.map(({ ballot }) => ballot.device)),
    sorted.map(({ ballot }) => ballot.option).join(''),
    sorted.map(({ position }) => position),
    now,
    gains.map(({ pollKey }) => pollKey),
    gains.map(({ a }) => a),
    gains.map(({ b }) => b),
    sorted.map(({ ballot }) => keysOf.get(ballot)?.source_key),
    sorted.map(({ ballot }) => keysOf.get(ballot)?.shown),
    sorted.map(({ ballot }) => keysOf.get(ballot)?.campaign_key),
  ]
}

export const respondentValues = (votes: readonly NewVote[], now: number): unknown[] => [
  votes.map(({ ballot }) => ballot.pollKey),
  Buffer.concat(votes.map(({ ballot }) => ballot.device)),
  now,
]

/** The function of migration 0025. A statement by itself is a transaction, so its locks wait for no answer of this server. */
const CAST = { name: 'ledger-cast', text: 'select cast_ballots($1, $2, $3, $4, $5, $6, $7, $8, $9) as told' }

type Row = [
  key: number,
  opensAt: number | null,
  closesAt: number | null,
  archivedAt: number | null,
  visibility: string,
  a: number,
  b: number,
  version: number,
  campaigns: number,
]

interface Told {
  readonly now: number
  /** The polls before the group. */
  readonly polls: readonly Row[]
  /** Lists of the same length, or nothing. `place` and `at` are counted from 1. */
  readonly gains: readonly [] | readonly [places: readonly number[], a: readonly number[], b: readonly number[]]
  readonly earlier: readonly (readonly [at: number, option: OptionName, votedAt: number])[]
}

/** Casts a group by the common rule in one round trip. `decide` runs on the facts that the function had, for the outcomes. */
export async function castVotes<Outcome>(
  client: pg.Client,
  ballots: readonly Ballot[],
  decide: (facts: GroupFacts) => Decision<Outcome>,
): Promise<Decision<Outcome>> {
  const keys = [...new Set(ballots.map(({ pollKey }) => pollKey))].sort((left, right) => left - right)
  const told = await send(client, castValues(ballots, keys))
  const decision = decide(factsOf(told, ballots))
  assertSameCounts(decision, told, keys)
  return decision
}

async function send(client: pg.Client, values: unknown[]): Promise<Told> {
  try {
    const { rows } = await client.query<{ told: string }>({ ...CAST, values })
    return JSON.parse(rows[0]?.told ?? '')
  } catch (error) {
    throw isLost(error) ? new OutcomeUnknown(`The answer to a group of votes is lost: ${reasonOf(error)}`) : error
  }
}

function castValues(ballots: readonly Ballot[], keys: readonly number[]): unknown[] {
  const places = new Map(keys.map((key, i) => [key, i + 1]))
  return [
    keys,
    ballots.map(({ pollKey }) => places.get(pollKey)),
    Buffer.concat(ballots.map(({ device }) => device)),
    lettersOf(ballots).join(''),
    ...attributionsIn(attributionsOf(ballots), places),
  ]
}

/** Nothing is sent for a group without attributions. */
const attributionsIn = (list: AttributionList, places: ReadonlyMap<number, number>): unknown[] => [
  list.each.length > 0 ? list.ofBallot : [],
  list.each.map(({ pollKey }) => places.get(pollKey)),
  ...attributionValues(list),
]

/** Among ballots that could be counted, only the first of each device on a poll is a candidate. */
function lettersOf(ballots: readonly Ballot[]): string[] {
  const candidates = new Map<number, Ballot[]>()
  return ballots.map((ballot) => {
    if (ballot.isUnproven) return ballot.option.toLowerCase()
    const print = printOf(ballot.pollKey, ballot.device)
    const alike = candidates.get(print)
    if (alike?.some((other) => other.pollKey === ballot.pollKey && isSameDevice(other.device, ballot.device)))
      return '-'
    if (alike) alike.push(ballot)
    else candidates.set(print, [ballot])
    return ballot.option
  })
}

function factsOf({ now, polls, earlier }: Told, ballots: readonly Ballot[]): GroupFacts {
  const existing: (CastVote | null)[] = ballots.map(() => null)
  for (const [at, option, votedAt] of earlier) existing[at - 1] = { option, votedAt }
  return { now, existing, polls: new Map(polls.map((row) => [row[0], stateOf(row)])), forgottenAt: () => null }
}

const stateOf = ([
  ,
  opens_at,
  closes_at,
  archived_at,
  results_visibility,
  a,
  b,
  version,
  campaigns,
]: Row): PollState => ({
  opens_at,
  closes_at,
  archived_at,
  results_visibility,
  option_a: a,
  option_b: b,
  version,
  campaign_count: campaigns,
  // The function leaves out polls with a list.
  code_list_key: null,
})

/** Never fails while the function and `decide` have the same rule. If it does, each vote of the group is read again. */
function assertSameCounts({ counted }: Decision<unknown>, { polls, gains }: Told, keys: readonly number[]): void {
  const before = new Map(polls.map((row) => [row[0], row]))
  const [places = [], a = [], b = []] = gains
  const isSame = (place: number, i: number): boolean => {
    const key = keys[place - 1] ?? 0
    const [was, is] = [before.get(key), counted.get(key)]
    return was !== undefined && is?.option_a === was[5] + (a[i] ?? 0) && is.option_b === was[6] + (b[i] ?? 0)
  }
  if (places.length !== counted.size || !places.every(isSame)) {
    throw new Error('The function cast_ballots and the rule of this server disagree about a group of votes.')
  }
}
