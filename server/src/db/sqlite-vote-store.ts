import type { Database } from 'bun:sqlite'
import type { OptionName } from './tables.ts'
import {
  type Ballot,
  type CastVote,
  type GroupFacts,
  gainsOf,
  type NewVote,
  type PollState,
  sortedVotes,
  type VoteStore,
} from './vote-store.ts'

/** Runs work while nobody else of this process is inside a transaction. */
type Alone = <T>(work: () => T) => Promise<T>

/** Synchronous from begin to commit: a group costs no turn of the event loop. */
export function createSqliteVoteStore(file: Database, alone: Alone): VoteStore {
  const statements = prepare(file)
  return {
    commit: (ballots, decide) =>
      alone(() => {
        file.run('begin immediate')
        try {
          const facts = readFacts(statements, ballots)
          const decision = decide(facts)
          write(statements, decision.votes, facts.now)
          file.run('commit')
          return decision
        } catch (error) {
          if (file.inTransaction) file.run('rollback')
          throw error
        }
      }),
  }
}

type Statements = ReturnType<typeof prepare>

const prepare = (file: Database) => ({
  readPoll: file.query<PollState, [number]>(
    `select opens_at, closes_at, archived_at, results_visibility, option_a, option_b, version
     from polls join tallies on tallies.poll_key = polls.key
     where polls.key = ? and is_draft = 0 and deleted_at is null`,
  ),
  readVote: file.query<{ option: OptionName; voted_at: number }, [number, Uint8Array]>(
    'select option, voted_at from votes where poll_key = ? and device = ?',
  ),
  addVote: file.query('insert into votes (poll_key, device, option, voted_at, position) values (?, ?, ?, ?, ?)'),
  addGuest: file.query(
    `insert into guests (device, first_seen_at, last_seen_at) values (?, ?, ?)
     on conflict (device) do update set last_seen_at = excluded.last_seen_at`,
  ),
  addTally: file.query(
    `update tallies set option_a = option_a + ?, option_b = option_b + ?, version = version + 1, updated_at = ?
     where poll_key = ?`,
  ),
})

function readFacts({ readPoll, readVote }: Statements, ballots: readonly Ballot[]): GroupFacts {
  const polls = new Map<number, PollState>()
  for (const key of new Set(ballots.map((ballot) => ballot.pollKey))) {
    const poll = readPoll.get(key)
    if (poll) polls.set(key, poll)
  }
  const existing = ballots.map(({ pollKey, device }): CastVote | null => {
    const row = readVote.get(pollKey, device)
    return row && { option: row.option, votedAt: row.voted_at }
  })
  return { now: Date.now(), polls, existing }
}

function write({ addVote, addGuest, addTally }: Statements, votes: readonly NewVote[], now: number): void {
  for (const { ballot, position } of sortedVotes(votes)) {
    addVote.run(ballot.pollKey, ballot.device, ballot.option, now, position)
    addGuest.run(ballot.device, now, now)
  }
  for (const { pollKey, a, b } of gainsOf(votes)) addTally.run(a, b, now, pollKey)
}
