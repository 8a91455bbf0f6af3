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
import type { VoteDevices } from './vote-devices.ts'
import { createEventWriter } from './vote-events.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

interface Parts {
  readonly file: Database
  readonly log: WriteAheadLog
  readonly devices: VoteDevices
  /** Runs work while nobody else of this process is inside a transaction. */
  alone<T>(work: () => T): Promise<T>
}

/**
 * Synchronous from begin to commit: a group costs no turn of the event loop. SQLite itself does not wait for the disk
 * here, as it does in every other transaction: the log is synced beside the event loop, and the answers wait for that.
 */
export function createSqliteVoteStore({ file, log, devices, alone }: Parts): VoteStore {
  const statements = { ...prepare(file), devices }
  const writeEvents = createEventWriter(file)

  function write<Outcome>(ballots: readonly Ballot[], decide: Decide<Outcome>): Decision<Outcome> {
    file.run('begin immediate')
    try {
      const facts = readFacts(statements, ballots)
      const decision = decide(facts)
      writeVotes(statements, decision.votes, facts)
      if (decision.raised) writeEvents(decision.raised)
      file.run('commit')
      return decision
    } catch (error) {
      if (file.inTransaction) file.run('rollback')
      throw error
    }
  }

  return {
    commit: (ballots, decide) =>
      alone(() => {
        log.assertSound()
        file.run('pragma synchronous = normal')
        try {
          const decision = write(ballots, decide)
          return { decision, durable: decision.votes.length > 0 ? log.makeDurable() : log.whenDurable() }
        } finally {
          file.run('pragma synchronous = full')
        }
      }),
  }
}

type Decide<Outcome> = (facts: GroupFacts) => Decision<Outcome>
type Statements = ReturnType<typeof prepare> & Pick<Parts, 'devices'>

/** `known` is up to which position it is known whose a poll's votes are; null where there are none. */
type PollRow = PollState & { readonly known: number | null; readonly last: number | null }

const prepare = (file: Database) => ({
  // Joins with a plus before each parameter, as all others (sqlite.ts).
  readPoll: file.query<PollRow, [number]>(
    `select opens_at, closes_at, archived_at, results_visibility, option_a, option_b, version, campaign_count,
       known_polls.position as known, (select max(position) from votes where votes.poll_key = polls.key) as last
     from polls join tallies on tallies.poll_key = polls.key left join known_polls on known_polls.poll_key = polls.key
     where polls.key = +? and is_draft = 0 and deleted_at is null`,
  ),
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

function readFacts({ readPoll, devices }: Statements, ballots: readonly Ballot[]): GroupFacts {
  const polls = new Map<number, PollState>()
  for (const key of new Set(ballots.map((ballot) => ballot.pollKey))) {
    const poll = readPoll.get(key)
    if (!poll) continue
    polls.set(key, poll)
    if (poll.known !== poll.last) devices.catchUp(key)
  }
  const existing = ballots.map(({ pollKey, device }) => devices.find(pollKey, device))
  return { now: Date.now(), polls, existing }
}

function writeVotes(
  { addVote, addRespondent, addTally, addCount, devices }: Statements,
  votes: readonly NewVote[],
  { now, polls }: GroupFacts,
): void {
  for (const { ballot, position } of votes) {
    addVote.run(ballot.pollKey, ballot.device, ballot.option, now, position)
  }
  devices.add(votes)
  for (const { ballot } of votesInCampaigns(votes, polls)) addRespondent.run(ballot.device, now, ballot.pollKey)
  for (const { pollKey, a, b } of gainsOf(votes)) {
    addTally.run(a, b, now, pollKey)
    for (const width of COUNTED_WIDTHS) addCount.run(pollKey, width, now - (now % width), a, b)
  }
}
