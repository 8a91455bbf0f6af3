import type { Database } from 'bun:sqlite'
import {
  type Ballot,
  COUNTED_WIDTHS,
  type Decision,
  type Gain,
  type GroupFacts,
  gainsOf,
  type NewVote,
  type VoteStore,
  votesInCampaigns,
} from '../vote-store.ts'
import type { PendingPoll, PendingVotes } from './pending-votes.ts'
import { type GroupPoll, PollRows } from './poll-rows.ts'
import type { Soundness } from './soundness.ts'
import type { IndexedPoll, VoteDevices } from './vote-devices.ts'
import { createEventWriter } from './vote-events.ts'
import { prepareVoteRows } from './vote-rows.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

interface Parts {
  readonly file: Database
  readonly log: WriteAheadLog
  readonly devices: VoteDevices
  readonly pending: PendingVotes
  readonly soundness: Soundness
  /** Smaller in tests. */
  readonly mostPollsAtOnce?: number
  /** Runs `work` while nothing else in this process is inside a transaction. */
  alone<T>(work: () => T): Promise<T>
}

/**
 * Synchronous from begin to commit, so that a group does not wait for the event loop. Unlike every other transaction, this
 * one does not let SQLite wait for the disk: the log is synced on another thread, and the answers wait for that sync.
 */
export function createSqliteVoteStore({
  file,
  log,
  devices,
  pending,
  soundness,
  mostPollsAtOnce = MOST_POLLS_AT_ONCE,
  alone,
}: Parts): VoteStore {
  const pollRows = new PollRows(file)
  const statements = { ...prepare(file), devices, pending, pollRows, mostPollsAtOnce }
  const writeEvents = createEventWriter(file, devices)

  /** One transaction, and the promise to await before anything is acknowledged; made before another writer can run. */
  const write = <T>(work: () => T, durable: (result: T) => Promise<void>): Promise<Written<T>> =>
    alone(() => {
      log.assertSound()
      soundness.assertSound()
      file.run('pragma synchronous = normal')
      devices.begin()
      try {
        file.run('begin immediate')
        const result = work()
        file.run('commit')
        return { result, durable: durable(result) }
      } catch (error) {
        soundness.note(error)
        // First: on a failing disk, the rollback may fail, too.
        devices.rollback()
        pending.forget()
        pollRows.clear()
        if (file.inTransaction) file.run('rollback')
        throw error
      } finally {
        file.run('pragma synchronous = full')
      }
    })

  /** A failure here does not undo the group. */
  function afterCommit(): void {
    try {
      pending.settleGradually()
      devices.writeOrMergeRuns()
    } catch (error) {
      soundness.note(error)
      if (!soundness.isDamaged) throw error
    }
  }

  function writeGroup<Outcome>(ballots: readonly Ballot[], decide: Decide<Outcome>): Decision<Outcome> {
    const facts = readFacts(statements, ballots)
    const decision = decide(facts)
    writeVotes(statements, decision.votes, facts)
    if (decision.raised) {
      // The events of steps are made from the votes that statements see.
      if (decision.raised.stepVotes.length > 0) pending.settle()
      writeEvents(decision.raised)
    }
    return decision
  }

  return {
    async commit(ballots, decide) {
      const { result, durable } = await write(
        () => writeGroup(ballots, decide),
        ({ votes }) => {
          // A refusal may show a vote that is not on the disk yet: it waits for the sync of that vote, and needs none of its own.
          const synced = votes.length > 0 ? log.makeDurable() : log.whenDurable()
          // While the disk syncs. The sync of the next group covers these writes; after a crash before it, the work is done again.
          afterCommit()
          pollRows.keep()
          return synced
        },
      )
      return { decision: result, durable }
    },
    async probe() {
      const { durable } = await write(
        () => {
          // Settles votes that an earlier process left, if the disk was full when this one started.
          pending.refresh()
          statements.writeProbe.run(Date.now(), PROBE_BYTES)
        },
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
type Statements = ReturnType<typeof prepare> &
  Pick<Parts, 'devices' | 'pending'> & {
    readonly pollRows: PollRows
    readonly mostPollsAtOnce: number
  }

/** The votes of a group on more polls wait in one row: to write a page for each of them costs more than to settle them later. */
const MOST_POLLS_AT_ONCE = 8

/** What the store knows of a group's polls beyond what `decide` needs. */
interface Facts extends GroupFacts {
  readonly lastOf: (pollKey: number) => number
}

const prepare = (file: Database) => ({
  // A plus before each parameter, as in all joins (see `SteadyCompiler`).
  readPoll: file.query<GroupPoll, [number]>(
    `select opens_at, closes_at, archived_at, results_visibility, option_a, option_b, version, campaign_count,
       (select max(position) from votes where votes.poll_key = polls.key) as last
     from polls join tallies on tallies.poll_key = polls.key
     where polls.key = +? and is_draft = 0 and deleted_at is null`,
  ),
  writeProbe: file.query('update readiness set checked_at = ?, filler = zeroblob(?) where key = 1'),
  ...prepareVoteRows(file),
  addRespondent: file.query(
    `insert into campaign_respondents (campaign_key, device, started_at)
     select campaign_key, ?, ? from campaign_polls where poll_key = ? and place is not null
     on conflict (campaign_key, device) do nothing`,
  ),
})

function readFacts({ readPoll, devices, pending, pollRows }: Statements, ballots: readonly Ballot[]): Facts {
  pollRows.refresh()
  pending.refresh()
  devices.refresh()
  const polls = new Map<number, GroupPoll>()
  const known = new Map<number, IndexedPoll>()
  for (const key of new Set(ballots.map((ballot) => ballot.pollKey))) {
    const kept = pollRows.get(key)
    const poll = kept ?? withPending(readPoll.get(key), pending.of(key))
    if (!poll) continue
    if (!kept) pollRows.set(key, poll)
    polls.set(key, poll)
    known.set(key, devices.catchUp(key, poll.last ?? 0))
  }
  const existing = ballots.map((ballot) => {
    const ofPoll = known.get(ballot.pollKey)
    return ofPoll === undefined ? null : devices.find(ofPoll, ballot.device)
  })
  return { now: Date.now(), polls, existing, lastOf: (key) => polls.get(key)?.last ?? 0 }
}

const withPending = (row: GroupPoll | null, pending: PendingPoll | undefined): GroupPoll | null =>
  row && pending
    ? {
        ...row,
        option_a: row.option_a + pending.a,
        option_b: row.option_b + pending.b,
        version: row.version + pending.groups,
        last: pending.last,
      }
    : row

function writeVotes(statements: Statements, votes: readonly NewVote[], facts: Facts): void {
  const { addRespondent, devices, pending, pollRows, mostPollsAtOnce } = statements
  const { now, polls, lastOf } = facts
  const gains = gainsOf(votes)
  if (gains.length > mostPollsAtOnce && pending.canHold(votes, lastOf)) {
    pending.add(votes, now)
    for (const gain of gains) pollRows.advance(gain, pending.of(gain.pollKey)?.last ?? 0)
  } else {
    writeRows(statements, votes, { now, gains })
    for (const { pollKey } of gains) pollRows.delete(pollKey)
  }
  devices.add(votes, lastOf)
  for (const { ballot } of votesInCampaigns(votes, polls)) addRespondent.run(ballot.device, now, ballot.pollKey)
}

interface Gained {
  readonly now: number
  readonly gains: readonly Gain[]
}

function writeRows(
  { addVote, addTally, addCount, pending }: Statements,
  votes: readonly NewVote[],
  { now, gains }: Gained,
): void {
  if (votes.length > 0 && pending.size > 0) pending.settle()
  for (const { ballot, position } of votes) {
    addVote.run(ballot.pollKey, ballot.device, ballot.option, now, position)
  }
  for (const { pollKey, a, b } of gains) {
    addTally.run(a, b, 1, now, pollKey)
    for (const width of COUNTED_WIDTHS) addCount.run(pollKey, width, now - (now % width), a, b)
  }
}
