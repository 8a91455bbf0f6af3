import type { Database } from 'bun:sqlite'
import type { OptionName } from '../tables.ts'
import { COUNTED_WIDTHS, type NewVote } from '../vote-store.ts'
import { fitsInEntry } from './recent-votes.ts'
import { tryToWrite } from './unwritable.ts'
import { prepareVoteRows } from './vote-rows.ts'

/** The tables that settling completes, and the views over them. */
const SETTLED = /\b(?:votes|tallies|vote_counts|guests)\b/

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

/** False before the migration that creates the table. */
export const hasPendingVotesTable = (file: Database): boolean =>
  file.query("select 1 from sqlite_master where type = 'table' and name = 'pending_votes'").get() !== null

/** The number of pending votes of each poll, by its key. For callers that must not write, and so cannot settle. */
export function countPending(file: Database): Map<number, number> {
  const polls = hasPendingVotesTable(file) ? unsettled(file.query<Row, []>(READ_ALL).all(), prepareLast(file)) : []
  return new Map([...polls].map(([key, { votes }]) => [key, votes.length]))
}

interface Row {
  readonly key: number
  readonly voted_at: number
  readonly votes: Uint8Array
}

/** Pending votes are settled when they are so many: then those of a poll share pages. */
const SETTLE_AT = 4_096
const SETTLE_FOR_MS = 1
/** If so many times as many wait, because they are on tens of thousands of polls, each group waits for as many as it adds. */
const MOST_WAITING = 4

interface Sizes {
  readonly settleAt?: number
  readonly settleForMs?: number
}

/** Rows that are settled a few polls after each group. */
interface Settling {
  readonly upTo: number
  /** Polls that are left. */
  readonly polls: number[]
}

/**
 * Votes that are stored as one row a group, because a group on many polls would change a page of `votes` for each of them.
 * `settle` writes many groups at once to where readers look; call it before anything else reads or writes those tables.
 *
 * The rows are the truth, but a vote up to the last position of its poll in `votes` has been settled already. This process trusts what
 * it remembers of them only while the first and the last row are those that it remembers: another process may have settled them,
 * or a transaction that settled them was rolled back.
 */
export class PendingVotes {
  readonly #statements: ReturnType<typeof prepare>
  #polls = new Map<number, PendingPoll>()
  #firstKey: number | null = null
  #lastKey: number | null = null
  #size = 0
  #settling: Settling | null = null
  readonly #file: Database
  readonly #settleAt: number
  readonly #settleForMs: number

  constructor(file: Database, { settleAt = SETTLE_AT, settleForMs = SETTLE_FOR_MS }: Sizes = {}) {
    this.#file = file
    this.#statements = prepare(file)
    this.#settleAt = settleAt
    this.#settleForMs = settleForMs
  }

  /** The number of votes that this process remembers. */
  get size(): number {
    return this.#size
  }

  /** Is any vote pending, of this process or of another one? */
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
      if (position !== (ends.get(ballot.pollKey) ?? lastOf(ballot.pollKey)) + 1 || !fitsInEntry(position)) return false
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
    this.#settling = null
  }

  /** Call it in a transaction: writes all pending votes, also those of other processes, to where readers look. */
  settle(): void {
    const { readAll, clear } = this.#statements
    this.forget()
    const rows = readAll.all()
    if (rows.length === 0) return
    for (const [pollKey, poll] of unsettled(rows, this.#statements)) this.#settlePoll(pollKey, poll)
    clear.run(Number.MAX_SAFE_INTEGER)
  }

  /** Call it between transactions, after each group: settles a few polls if many votes are pending, so that no group waits long. */
  settleGradually(): void {
    if (this.#settling === null && this.#size < this.#settleAt) return
    try {
      if (tryToWrite(() => this.#file.transaction(() => this.#settleSome()).immediate())) return
    } catch (error) {
      this.forget()
      throw error
    }
    this.forget()
  }

  #settleSome(): void {
    const until = performance.now() + this.#settleForMs
    this.refresh()
    if (this.#lastKey === null) return
    this.#settling ??= { upTo: this.#lastKey, polls: [...this.#polls.keys()] }
    const { upTo, polls } = this.#settling
    do {
      const pollKey = polls.pop() ?? 0
      const poll = this.#polls.get(pollKey)
      if (!poll) continue
      this.#settlePoll(pollKey, poll)
      this.#polls.delete(pollKey)
      this.#size -= poll.votes.length
    } while (polls.length > 0 && (this.#size > MOST_WAITING * this.#settleAt || performance.now() < until))
    if (polls.length > 0) return
    this.#statements.clear.run(upTo)
    this.#settling = null
    this.#firstKey = this.#statements.readEnds.get()?.first ?? null
    if (this.#firstKey === null) this.#lastKey = null
  }

  #settlePoll(pollKey: number, { votes, a, b, groups, votedAt }: PendingPoll): void {
    const { addVote, addTally, addCount } = this.#statements
    for (const { device, option, voted_at, position } of votes) {
      addVote.run(pollKey, device, option, voted_at, position)
    }
    addTally.run(a, b, groups, votedAt, pollKey)
    for (const width of COUNTED_WIDTHS) {
      for (const [at, span] of spansOf(votes, width)) addCount.run(pollKey, width, at, span.a, span.b)
    }
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

/** What is pending in these rows. */
function unsettled(rows: readonly Row[], { readLast }: ReturnType<typeof prepareLast>): Map<number, PendingPoll> {
  const settledTo = new Map<number, number>()
  const polls = new Map<number, PendingPoll>()
  for (const { voted_at, votes } of rows) {
    const counted = new Set<number>()
    for (let at = 0; at < votes.length; at += BYTES) {
      const words = new DataView(votes.buffer, votes.byteOffset + at, BYTES)
      const pollKey = words.getFloat64(0)
      const position = words.getUint32(8)
      const settled = settledTo.get(pollKey) ?? readLast.get(pollKey)?.last ?? 0
      settledTo.set(pollKey, settled)
      if (position <= settled) continue
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

const prepareLast = (file: Database) => ({
  readLast: file.query<{ last: number | null }, [number]>(
    'select max(position) as last from votes where poll_key = +?',
  ),
})

const READ_ALL = 'select key, voted_at, votes from pending_votes order by key'

const prepare = (file: Database) => ({
  readEnds: file.query<{ first: number | null; last: number | null }, []>(
    'select (select min(key) from pending_votes) as first, (select max(key) from pending_votes) as last',
  ),
  readAll: file.query<Row, []>(READ_ALL),
  add: file.query('insert into pending_votes (voted_at, votes) values (?, ?)'),
  clear: file.query('delete from pending_votes where key <= ?'),
  ...prepareLast(file),
  ...prepareVoteRows(file),
})
