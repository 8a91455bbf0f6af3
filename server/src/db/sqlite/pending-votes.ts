import type { Database } from 'bun:sqlite'
import type { OptionName } from '../tables.ts'
import { COUNTED_WIDTHS, type NewVote } from '../vote-store.ts'
import { isFilterable } from './voter-filter.ts'

/** The tables that settling completes, and the views over them. */
const SETTLED = /\b(?:votes|tallies|vote_counts|device_votes|guests|vote_devices|vote_devices_to)\b/

export const readsVotes = (statement: string): boolean => SETTLED.test(statement)

export interface StoredVote {
  readonly device: Uint8Array
  readonly option: OptionName
  readonly voted_at: number
}

interface PlacedVote extends StoredVote {
  readonly position: number
}

/** What the pending votes of a poll add to its rows. */
export interface PendingPoll {
  a: number
  b: number
  /** Each group on a poll increments its version. */
  groups: number
  /** The position of the first and of the last pending vote: there are no gaps. */
  readonly first: number
  last: number
  votedAt: number
  readonly votes: PlacedVote[]
}

/** Not before the migration that makes the table. */
export const hasPendingVotes = (file: Database): boolean =>
  file.query("select 1 from sqlite_master where type = 'table' and name = 'pending_votes'").get() !== null

/** For whoever must not write: how many votes of each poll are pending, by its key. */
export function countPending(file: Database): Map<number, number> {
  const polls = hasPendingVotes(file) ? pollsOf(file.query<Row, []>(READ_ALL).all()) : []
  return new Map([...polls].map(([key, { votes }]) => [key, votes.length]))
}

interface Row {
  readonly key: number
  readonly voted_at: number
  readonly votes: Uint8Array
}

/**
 * Votes that are stored as one row a group, because a group on many polls would change a page of `votes` for each of them.
 * `settle` writes many groups at once to where readers look; call it before anything else reads or writes those tables.
 *
 * The rows are the truth. This process trusts what it remembers of them only while the first and the last row are those that
 * it remembers: another process may have settled them, or a transaction that settled them was rolled back.
 */
export class PendingVotes {
  readonly #statements: ReturnType<typeof prepare>
  #polls = new Map<number, PendingPoll>()
  #firstKey: number | null = null
  #lastKey: number | null = null
  #size = 0

  constructor(file: Database) {
    this.#statements = prepare(file)
  }

  /** The number of votes that this process remembers. */
  get size(): number {
    return this.#size
  }

  /** Is any vote pending, of whatever process? */
  get isAny(): boolean {
    return this.#statements.readEnds.get()?.last !== null
  }

  of(pollKey: number): PendingPoll | undefined {
    return this.#polls.get(pollKey)
  }

  at(pollKey: number, position: number): StoredVote | null {
    const poll = this.#polls.get(pollKey)
    return poll?.votes[position - poll.first] ?? null
  }

  /** Call it under the write lock, before `of` and `at`: settles pending votes that this process does not remember. */
  refresh(): void {
    const { first, last } = this.#statements.readEnds.get() ?? { first: null, last: null }
    if (first === this.#firstKey && last === this.#lastKey) return
    this.settle()
  }

  /** False if these votes must be written at once: their positions do not follow the last vote of their poll. */
  canHold(votes: readonly NewVote[], lastOf: (pollKey: number) => number): boolean {
    const ends = new Map<number, number>()
    for (const { ballot, position } of votes) {
      if (position !== (ends.get(ballot.pollKey) ?? lastOf(ballot.pollKey)) + 1 || !isFilterable(position)) return false
      ends.set(ballot.pollKey, position)
    }
    return true
  }

  /** Call it in a transaction, after `refresh`, and `forget` if the transaction fails. */
  add(votes: readonly NewVote[], votedAt: number): void {
    const key = Number(this.#statements.add.run(votedAt, packed(votes)).lastInsertRowid)
    this.#firstKey ??= key
    this.#lastKey = key
    this.#size += votes.length
    const counted = new Set<number>()
    for (const { ballot, position } of votes) {
      const { pollKey, device, option } = ballot
      addTo(this.#polls, pollKey, { device, option, voted_at: votedAt, position })
      counted.add(pollKey)
    }
    for (const pollKey of counted) (this.#polls.get(pollKey) as PendingPoll).groups++
  }

  /** Afterwards nothing that is remembered is trusted. */
  forget(): void {
    this.#polls = new Map()
    this.#firstKey = null
    this.#lastKey = null
    this.#size = 0
  }

  /** Call it in a transaction: writes all pending votes, also those of other processes, to where readers look. */
  settle(): void {
    const { readAll, clear, addVote, addTally, addCount } = this.#statements
    this.forget()
    const rows = readAll.all()
    if (rows.length === 0) return
    for (const [pollKey, { votes, a, b, groups, votedAt }] of pollsOf(rows)) {
      for (const { device, option, voted_at, position } of votes) {
        addVote.run(pollKey, device, option, voted_at, position)
      }
      addTally.run(a, b, groups, votedAt, pollKey)
      for (const width of COUNTED_WIDTHS) {
        for (const [at, span] of spansOf(votes, width)) addCount.run(pollKey, width, at, span.a, span.b)
      }
    }
    clear.run()
  }
}

function addTo(polls: Map<number, PendingPoll>, pollKey: number, vote: PlacedVote): void {
  let poll = polls.get(pollKey)
  if (!poll) {
    poll = { a: 0, b: 0, groups: 0, first: vote.position, last: 0, votedAt: 0, votes: [] }
    polls.set(pollKey, poll)
  }
  if (vote.option === 'A') poll.a++
  else poll.b++
  poll.last = vote.position
  poll.votedAt = vote.voted_at
  poll.votes.push(vote)
}

function pollsOf(rows: readonly Row[]): Map<number, PendingPoll> {
  const polls = new Map<number, PendingPoll>()
  for (const { voted_at, votes } of rows) {
    const counted = new Set<number>()
    for (let at = 0; at < votes.length; at += BYTES) {
      const words = new DataView(votes.buffer, votes.byteOffset + at, BYTES)
      const pollKey = words.getFloat64(0)
      const position = words.getUint32(8)
      const option = words.getUint8(12) === LETTER_A ? 'A' : 'B'
      addTo(polls, pollKey, { device: votes.subarray(at + 13, at + BYTES), option, voted_at, position })
      counted.add(pollKey)
    }
    for (const pollKey of counted) (polls.get(pollKey) as PendingPoll).groups++
  }
  return polls
}

function spansOf(votes: readonly PlacedVote[], width: number): Map<number, { a: number; b: number }> {
  const spans = new Map<number, { a: number; b: number }>()
  for (const { voted_at, option } of votes) {
    const at = voted_at - (voted_at % width)
    const span = spans.get(at) ?? { a: 0, b: 0 }
    if (option === 'A') span.a++
    else span.b++
    spans.set(at, span)
  }
  return spans
}

/** A vote in a row: its poll, its position, its option and its device. */
const BYTES = 8 + 4 + 1 + 16
const LETTER_A = 65
const LETTER_B = 66

function packed(votes: readonly NewVote[]): Uint8Array {
  const bytes = new Uint8Array(BYTES * votes.length)
  const words = new DataView(bytes.buffer)
  let at = 0
  for (const { ballot, position } of votes) {
    words.setFloat64(at, ballot.pollKey)
    words.setUint32(at + 8, position)
    words.setUint8(at + 12, ballot.option === 'A' ? LETTER_A : LETTER_B)
    bytes.set(ballot.device, at + 13)
    at += BYTES
  }
  return bytes
}

const READ_ALL = 'select key, voted_at, votes from pending_votes order by key'

const prepare = (file: Database) => ({
  readEnds: file.query<{ first: number | null; last: number | null }, []>(
    'select (select min(key) from pending_votes) as first, (select max(key) from pending_votes) as last',
  ),
  readAll: file.query<Row, []>(READ_ALL),
  add: file.query('insert into pending_votes (voted_at, votes) values (?, ?)'),
  clear: file.query('delete from pending_votes'),
  addVote: file.query('insert into votes (poll_key, device, option, voted_at, position) values (?, ?, ?, ?, ?)'),
  addTally: file.query(
    `update tallies set option_a = option_a + ?, option_b = option_b + ?, version = version + ?, updated_at = ?
     where poll_key = ?`,
  ),
  addCount: file.query(
    `insert into vote_counts (poll_key, width, at, option_a, option_b) values (?, ?, ?, ?, ?)
     on conflict (poll_key, width, at) do update
     set option_a = option_a + excluded.option_a, option_b = option_b + excluded.option_b`,
  ),
})
