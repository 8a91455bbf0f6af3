import type { Database } from 'bun:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
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
import { AttributedVotes, prepareAttributions } from './attributed-votes.ts'
import { CodeUses } from './code-uses.ts'
import { tryToWrite } from './connection.ts'
import type { FreshVotes } from './fresh-votes.ts'
import { PollRows } from './poll-rows.ts'
import type { Soundness } from './soundness.ts'
import { createEventWriter } from './vote-events.ts'
import type { Voters } from './voters.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

interface Parts {
  readonly file: Database
  readonly log: WriteAheadLog
  readonly voters: Voters
  readonly fresh: FreshVotes
  readonly soundness: Soundness
  /** Runs `work` while nothing else in this process is inside a transaction. */
  alone<T>(work: () => T): Promise<T>
}

/**
 * Synchronous from begin to commit, so that a group does not wait for the event loop. Unlike every other transaction, this
 * one does not let SQLite wait for the disk: the log is synced on another thread, and the answers wait for that sync.
 */
export function createSqliteVoteStore({ file, log, voters, fresh, soundness, alone }: Parts): VoteStore {
  const pollRows = new PollRows(file)
  const statements = {
    ...prepare(file),
    attributions: prepareAttributions(file),
    codeUses: new CodeUses(file),
    voters,
    pollRows,
  }
  const writeEvents = createEventWriter(file, voters)

  /** One transaction, and the promise to await before anything is acknowledged; made before another writer can run. */
  const write = <T>(work: () => T, durable: (result: T) => Promise<void>): Promise<Written<T>> =>
    alone(() => {
      log.assertSound()
      soundness.assertSound()
      file.run('pragma synchronous = normal')
      try {
        const result = voters.transaction(work)
        return { result, durable: durable(result) }
      } catch (error) {
        soundness.note(error)
        pollRows.clear()
        throw error
      } finally {
        file.run('pragma synchronous = full')
      }
    })

  /** A failure here does not undo the group. */
  function afterCommit(): void {
    try {
      fresh.settleIfMany()
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

  let isLoaded = false
  /** Before the first probe succeeds: later, a group or a request that needs a large poll would wait until it is loaded. */
  async function loadPolls(): Promise<void> {
    const polls = statements.readLarge.all(MIN_LOADED, Date.now())
    for (const { poll_key, is_open } of polls) {
      const canWrite = () => alone(() => tryToWrite(() => voters.transaction(() => voters.of(poll_key))))
      // Each transaction adds some of the blocks that are missing.
      while (!voters.hasAllBlocks(poll_key) && (await canWrite())) await nextTurn()
      if (is_open) await alone(() => voters.of(poll_key))
      await nextTurn()
    }
    isLoaded = true
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
      if (!isLoaded) await loadPolls()
      const { durable } = await write(
        () => {
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
/** Loading a smaller poll takes less than a millisecond. */
const MIN_LOADED = 1_000

type Decide<Outcome> = (facts: GroupFacts) => Decision<Outcome>
type Statements = ReturnType<typeof prepare> &
  Pick<Parts, 'voters'> & {
    readonly pollRows: PollRows
    readonly attributions: ReturnType<typeof prepareAttributions>
    readonly codeUses: CodeUses
  }

const prepare = (file: Database) => ({
  // A plus before each parameter, as in all joins (see `SteadyCompiler`).
  readPoll: file.query<PollState, [number]>(
    `select opens_at, closes_at, archived_at, results_visibility, option_a, option_b, version, campaign_count, code_list_key
     from polls join tallies on tallies.poll_key = polls.key
     where polls.key = +? and is_draft = 0 and deleted_at is null`,
  ),
  /** Open ones last, so that they stay in memory. */
  readLarge: file.query<{ poll_key: number; is_open: 0 | 1 }, [number, number]>(
    `select poll_key, deleted_at is null and archived_at is null and (closes_at is null or closes_at > +?2) as is_open
     from tallies join polls on polls.key = poll_key where option_a + option_b > +?1 order by is_open, poll_key`,
  ),
  writeProbe: file.query('update readiness set checked_at = ?, filler = zeroblob(?) where key = 1'),
  /** Each group on a poll increments its version. */
  addTally: file.query(
    `update tallies set option_a = option_a + ?, option_b = option_b + ?, version = version + 1, updated_at = ?
     where poll_key = ?`,
  ),
  addCounts: file.query(
    `insert into vote_counts (poll_key, width, at, option_a, option_b)
     values ${COUNTED_WIDTHS.map((width) => `(?1, ${width}, ?2 - ?2 % ${width}, ?3, ?4)`).join(', ')}
     on conflict (width, at, poll_key) do update
     set option_a = option_a + excluded.option_a, option_b = option_b + excluded.option_b`,
  ),
  readForgotten: file.query<{ forgotten_at: number }, [Uint8Array]>(
    'select forgotten_at from forgotten_devices where device = ?',
  ),
  addRespondent: file.query(
    `insert into campaign_respondents (campaign_key, device, started_at)
     select campaign_key, ?, ? from campaign_polls where poll_key = ? and place is not null
     on conflict (campaign_key, device) do nothing`,
  ),
})

function readFacts(
  { readPoll, readForgotten, voters, pollRows, codeUses }: Statements,
  ballots: readonly Ballot[],
): GroupFacts {
  pollRows.refresh()
  const now = Date.now()
  const polls = new Map<number, PollState>()
  for (const key of new Set(ballots.map((ballot) => ballot.pollKey))) {
    const kept = pollRows.get(key)
    const poll = kept ?? readPoll.get(key)
    if (!poll) continue
    if (!kept) pollRows.set(key, poll)
    polls.set(key, poll)
  }
  const existing = ballots.map(({ pollKey, device }) => {
    const poll = polls.get(pollKey)
    if (!poll) return null
    const vote = isClosed(poll, now) ? voters.find(pollKey, device) : voters.of(pollKey).find(device)
    return vote && { option: vote.option, votedAt: vote.voted_at }
  })
  const codes = codeUses.read(ballots, polls)
  return {
    now,
    polls,
    existing,
    ...(codes && { codes }),
    forgottenAt: ({ device }) => readForgotten.get(device)?.forgotten_at ?? null,
  }
}

const isClosed = ({ closes_at, archived_at }: PollState, now: number): boolean =>
  archived_at !== null || (closes_at !== null && closes_at <= now)

/** The positions of a decision follow the tally. Here votes are numbered after the last one in the file, also if a tally is wrong. */
function writeVotes(
  { addTally, addCounts, addRespondent, attributions, codeUses, voters, pollRows }: Statements,
  votes: readonly NewVote[],
  { now, polls }: GroupFacts,
): void {
  const attributed = new AttributedVotes(attributions)
  for (const { ballot } of votes) voters.of(ballot.pollKey).add(ballot, now, attributed.add(ballot))
  attributed.writeCounts(now)
  codeUses.write(votes, polls)
  for (const gain of gainsOf(votes)) {
    const { pollKey, a, b } = gain
    addTally.run(a, b, now, pollKey)
    addCounts.run(pollKey, now, a, b)
    pollRows.advance(gain)
  }
  for (const { ballot } of votesInCampaigns(votes, polls)) addRespondent.run(ballot.device, now, ballot.pollKey)
}
