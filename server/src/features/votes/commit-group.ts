import { sql } from 'kysely'
import type { Engine, Tx } from '../../db/store.ts'
import type { OptionName } from '../../db/tables.ts'
import { transaction } from '../../db/transaction.ts'
import { statusAt } from '../polls/status.ts'

export interface Ballot {
  readonly pollKey: number
  readonly device: Uint8Array
  readonly option: OptionName
}

export interface CastVote {
  readonly option: OptionName
  readonly votedAt: number
}

/** A poll as it stood under its lock. */
export interface PollState {
  readonly opens_at: number | null
  readonly closes_at: number | null
  readonly archived_at: number | null
  readonly results_visibility: string
  readonly option_a: number
  readonly option_b: number
}

export type Outcome =
  | { readonly kind: 'missing' }
  | { readonly kind: 'closed'; readonly now: number; readonly poll: PollState; readonly existing: CastVote | null }
  | { readonly kind: 'already'; readonly existing: CastVote }
  | { readonly kind: 'accepted'; readonly poll: PollState; readonly vote: CastVote }

type PollRow = Awaited<ReturnType<typeof readPolls>>[number]

interface Decided {
  readonly ballot: Ballot
  readonly position: number
}

/** One transaction for the whole group; what is answered is decided under the locks of its polls. */
export function commitGroup(engine: Engine, ballots: readonly Ballot[]): Promise<Outcome[]> {
  return transaction(engine, async (tx) => {
    const keys = [...new Set(ballots.map((ballot) => ballot.pollKey))].sort((a, b) => a - b)
    await engine.lockPolls(tx, keys)
    const now = await engine.now(tx)
    const polls = new Map((await readPolls(tx, keys)).map((poll) => [poll.key, poll]))
    const votes = await readVotes(tx, ballots)
    const accepted = decide(ballots, { polls, votes, now })
    await writeVotes(tx, accepted, now)
    await writeTallies(tx, accepted, now)
    const after = countedPolls(polls, accepted)
    return ballots.map((ballot) => outcomeOf(ballot, { polls: after, votes, accepted, now }))
  })
}

const readPolls = (tx: Tx, keys: readonly number[]) =>
  tx
    .selectFrom('polls')
    .innerJoin('tallies', 'tallies.poll_key', 'polls.key')
    .select([
      'polls.key',
      'polls.opens_at',
      'polls.closes_at',
      'polls.archived_at',
      'polls.results_visibility',
      'tallies.option_a',
      'tallies.option_b',
    ])
    .where('polls.key', 'in', keys)
    .where('polls.is_draft', '=', 0)
    .where('polls.deleted_at', 'is', null)
    .execute()

const nameOf = (pollKey: number, device: Uint8Array): string =>
  `${pollKey} ${Buffer.from(device).toString('base64url')}`

/** The polls are locked: nobody can add a vote to them between this read and our write. */
async function readVotes(tx: Tx, ballots: readonly Ballot[]): Promise<Map<string, CastVote>> {
  const byPoll = Map.groupBy(ballots, (ballot) => ballot.pollKey)
  const rows = await tx
    .selectFrom('votes')
    .select(['poll_key', 'device', 'option', 'voted_at'])
    .where((either) =>
      either.or(
        [...byPoll].map(([pollKey, group]) =>
          either.and([
            either('poll_key', '=', pollKey),
            either(
              'device',
              'in',
              group.map(({ device }) => device),
            ),
          ]),
        ),
      ),
    )
    .execute()
  return new Map(rows.map((row) => [nameOf(row.poll_key, row.device), { option: row.option, votedAt: row.voted_at }]))
}

interface Facts {
  readonly polls: ReadonlyMap<number, PollRow>
  readonly votes: ReadonlyMap<string, CastVote>
  readonly now: number
}

const isOpen = (poll: PollRow, now: number): boolean => poll.archived_at === null && statusAt(poll, now) === 'open'

/** The first ballot of each device on each open poll, with its running number. */
function decide(ballots: readonly Ballot[], { polls, votes, now }: Facts): Map<string, Decided> {
  const accepted = new Map<string, Decided>()
  const lastPosition = new Map<number, number>()
  for (const ballot of ballots) {
    const name = nameOf(ballot.pollKey, ballot.device)
    const poll = polls.get(ballot.pollKey)
    if (!poll || !isOpen(poll, now) || votes.has(name) || accepted.has(name)) continue
    const position = (lastPosition.get(poll.key) ?? poll.option_a + poll.option_b) + 1
    lastPosition.set(poll.key, position)
    accepted.set(name, { ballot, position })
  }
  return accepted
}

/** Sorted, because two groups that insert the same rows in different orders can lock each other out. */
async function writeVotes(tx: Tx, accepted: ReadonlyMap<string, Decided>, now: number): Promise<void> {
  if (accepted.size === 0) return
  const sorted = [...accepted.values()].sort(
    (a, b) => a.ballot.pollKey - b.ballot.pollKey || Buffer.compare(a.ballot.device, b.ballot.device),
  )
  await tx
    .insertInto('votes')
    .values(
      sorted.map(({ ballot, position }) => ({
        poll_key: ballot.pollKey,
        device: ballot.device,
        option: ballot.option,
        voted_at: now,
        position,
      })),
    )
    .execute()
  const devices = [...new Map(sorted.map(({ ballot }) => [nameOf(0, ballot.device), ballot.device])).values()]
  await tx
    .insertInto('guests')
    .values(devices.sort(Buffer.compare).map((device) => ({ device, first_seen_at: now, last_seen_at: now })))
    .onConflict((conflict) => conflict.column('device').doUpdateSet({ last_seen_at: now }))
    .execute()
}

interface Gain {
  option_a: number
  option_b: number
}

function gains(accepted: ReadonlyMap<string, Decided>): Map<number, Gain> {
  const byPoll = new Map<number, Gain>()
  for (const { ballot } of accepted.values()) {
    const gain = byPoll.get(ballot.pollKey) ?? { option_a: 0, option_b: 0 }
    gain[ballot.option === 'A' ? 'option_a' : 'option_b']++
    byPoll.set(ballot.pollKey, gain)
  }
  return byPoll
}

async function writeTallies(tx: Tx, accepted: ReadonlyMap<string, Decided>, now: number): Promise<void> {
  const rows = [...gains(accepted)].map(([poll_key, gain]) => ({ poll_key, ...gain, version: 1, updated_at: now }))
  if (rows.length === 0) return
  await tx
    .insertInto('tallies')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('poll_key').doUpdateSet({
        option_a: sql`tallies.option_a + excluded.option_a`,
        option_b: sql`tallies.option_b + excluded.option_b`,
        version: sql`tallies.version + 1`,
        updated_at: sql`excluded.updated_at`,
      }),
    )
    .execute()
}

function countedPolls(polls: ReadonlyMap<number, PollRow>, accepted: ReadonlyMap<string, Decided>) {
  const after = new Map(polls)
  for (const [key, gain] of gains(accepted)) {
    const poll = polls.get(key)
    if (!poll) continue
    after.set(key, { ...poll, option_a: poll.option_a + gain.option_a, option_b: poll.option_b + gain.option_b })
  }
  return after
}

function outcomeOf(
  ballot: Ballot,
  { polls, votes, accepted, now }: Facts & { accepted: ReadonlyMap<string, Decided> },
): Outcome {
  const name = nameOf(ballot.pollKey, ballot.device)
  const poll = polls.get(ballot.pollKey)
  if (!poll) return { kind: 'missing' }
  const winner = accepted.get(name)?.ballot
  if (winner === ballot) return { kind: 'accepted', poll, vote: { option: ballot.option, votedAt: now } }
  const existing = winner ? { option: winner.option, votedAt: now } : (votes.get(name) ?? null)
  if (!isOpen(poll, now)) return { kind: 'closed', now, poll, existing }
  if (!existing) throw new Error('a ballot was neither accepted nor refused')
  return { kind: 'already', existing }
}
