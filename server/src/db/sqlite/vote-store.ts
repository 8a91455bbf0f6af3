import type { Database } from 'bun:sqlite'
import {
  type Ballot,
  COUNTED_WIDTHS,
  type Decision,
  type GroupFacts,
  gainsOf,
  type NewVote,
  type PollState,
  type VoteStore,
  votesInCampaigns,
} from '../vote-store.ts'
import type { Soundness } from './soundness.ts'
import type { VoteDevices } from './vote-devices.ts'
import { createEventWriter } from './vote-events.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

interface Parts {
  readonly file: Database
  readonly log: WriteAheadLog
  readonly devices: VoteDevices
  readonly soundness: Soundness
  /** Runs `work` while nothing else in this process is inside a transaction. */
  alone<T>(work: () => T): Promise<T>
}

/**
 * Synchronous from begin to commit, so that a group does not wait for the event loop. Unlike every other transaction, this
 * one does not let SQLite wait for the disk: the log is synced on another thread, and the answers wait for that sync.
 */
export function createSqliteVoteStore({ file, log, devices, soundness, alone }: Parts): VoteStore {
  const statements = { ...prepare(file), devices }
  const writeEvents = createEventWriter(file, devices)

  /** One transaction, and the promise to await before anything is acknowledged; made before another writer can run. */
  const write = <T>(work: () => T, durable: (result: T) => Promise<void>): Promise<Written<T>> =>
    alone(() => {
      log.assertSound()
      soundness.assertSound()
      file.run('pragma synchronous = normal')
      try {
        file.run('begin immediate')
        const result = work()
        file.run('commit')
        return { result, durable: durable(result) }
      } catch (error) {
        soundness.note(error)
        if (file.inTransaction) file.run('rollback')
        throw error
      } finally {
        file.run('pragma synchronous = full')
      }
    })

  /** The group is already committed: a failure here does not undo it. */
  function sweep(): void {
    try {
      devices.sweep()
    } catch (error) {
      soundness.note(error)
      if (!soundness.isDamaged) throw error
    }
  }

  function writeGroup<Outcome>(ballots: readonly Ballot[], decide: Decide<Outcome>): Decision<Outcome> {
    const facts = readFacts(statements, ballots)
    const decision = decide(facts)
    writeVotes(statements, decision.votes, facts)
    if (decision.raised) writeEvents(decision.raised)
    return decision
  }

  return {
    async commit(ballots, decide) {
      const { result, durable } = await write(
        () => writeGroup(ballots, decide),
        ({ votes }) => {
          const synced = votes.length > 0 ? log.makeDurable() : log.whenDurable()
          // While the disk syncs. The next group is synced with what it writes; a crash before costs nothing.
          sweep()
          return synced
        },
      )
      return { decision: result, durable }
    },
    async probe() {
      const { durable } = await write(
        () => statements.writeProbe.run(Date.now(), PROBE_BYTES),
        () => log.makeDurable(),
      )
      await durable
    },
  }
}

interface Written<T> {
  readonly result: T
  readonly durable: Promise<void>
}

/** A vote changes about ten pages of 4 KiB. */
const PROBE_BYTES = 64 * 1_024

type Decide<Outcome> = (facts: GroupFacts) => Decision<Outcome>
type Statements = ReturnType<typeof prepare> & Pick<Parts, 'devices'>

type PollRow = PollState & {
  /** As in `VoteDevices`; null if the poll has no votes, or `devices` has not seen it yet. */
  readonly known: number | null
  readonly older: number | null
  /** The position of the last vote; null if there is none. */
  readonly last: number | null
}

/** What the store knows of a group's polls beyond what `decide` needs. */
interface Facts extends GroupFacts {
  readonly lastOf: (pollKey: number) => number
}

const prepare = (file: Database) => ({
  // A plus before each parameter, as in all joins (see `SteadyCompiler`).
  readPoll: file.query<PollRow, [number]>(
    `select opens_at, closes_at, archived_at, results_visibility, option_a, option_b, version, campaign_count,
       known, older, (select max(position) from votes where votes.poll_key = polls.key) as last
     from polls join tallies on tallies.poll_key = polls.key
     left join filtered_polls on filtered_polls.poll_key = polls.key
     where polls.key = +? and is_draft = 0 and deleted_at is null`,
  ),
  writeProbe: file.query('update readiness set checked_at = ?, filler = zeroblob(?) where key = 1'),
  addVote: file.query('insert into votes (poll_key, device, option, voted_at, position) values (?, ?, ?, ?, ?)'),
  addRespondent: file.query(
    `insert into campaign_respondents (campaign_key, device, started_at)
     select campaign_key, ?, ? from campaign_polls where poll_key = ? and place is not null
     on conflict (campaign_key, device) do nothing`,
  ),
  addTally: file.query(
    `update tallies set option_a = option_a + ?, option_b = option_b + ?, version = version + 1, updated_at = ?
     where poll_key = ?`,
  ),
  addCount: file.query(
    `insert into vote_counts (poll_key, width, at, option_a, option_b) values (?, ?, ?, ?, ?)
     on conflict (poll_key, width, at) do update
     set option_a = option_a + excluded.option_a, option_b = option_b + excluded.option_b`,
  ),
})

function readFacts({ readPoll, devices }: Statements, ballots: readonly Ballot[]): Facts {
  const polls = new Map<number, PollRow>()
  const older = new Map<number, number>()
  for (const key of new Set(ballots.map((ballot) => ballot.pollKey))) {
    const poll = readPoll.get(key)
    if (!poll) continue
    polls.set(key, poll)
    older.set(key, poll.known === poll.last ? (poll.older ?? 0) : devices.catchUp(key))
  }
  const existing = ballots.map((ballot) => {
    const olderVotes = older.get(ballot.pollKey)
    return olderVotes === undefined ? null : devices.find(ballot, olderVotes)
  })
  return { now: Date.now(), polls, existing, lastOf: (key) => polls.get(key)?.last ?? 0 }
}

function writeVotes(
  { addVote, addRespondent, addTally, addCount, devices }: Statements,
  votes: readonly NewVote[],
  { now, polls, lastOf }: Facts,
): void {
  for (const { ballot, position } of votes) {
    addVote.run(ballot.pollKey, ballot.device, ballot.option, now, position)
  }
  devices.add(votes, lastOf)
  for (const { ballot } of votesInCampaigns(votes, polls)) addRespondent.run(ballot.device, now, ballot.pollKey)
  for (const { pollKey, a, b } of gainsOf(votes)) {
    addTally.run(a, b, now, pollKey)
    for (const width of COUNTED_WIDTHS) addCount.run(pollKey, width, now - (now % width), a, b)
  }
}
