import type { Database, SQLQueryBindings } from 'bun:sqlite'
import type { OptionName } from '../tables.ts'
import { type AttributionKeys, type Ballot, isSameDevice, printOf } from '../vote-store.ts'
import { PrintTable } from './print-table.ts'

/** Votes whose prints are one row of `vote_prints`. */
const BLOCK = 4_096
/** Blocks that a transaction writes at most: after a restore or an upgrade, many are missing. */
const MAX_BLOCKS = 4
/** Votes in memory, of about 11 bytes each. A single poll with more votes is still kept. */
const MAX_VOTES = 100_000_000
/** The memory overhead of a poll, counted in votes. */
const POLL_COST = 64

export interface StoredVote {
  readonly device: Uint8Array
  readonly option: OptionName
  readonly voted_at: number
  readonly position: number
}

interface Sizes {
  /** Smaller in tests. */
  readonly block?: number
  readonly maxVotes?: number
}

/**
 * Who has voted on which poll: a table in memory that follows the file.
 *
 * 1. `votes` with `fresh_votes` is the truth. All else is derived from it and may be dropped at any time, in memory and in the file.
 * 2. An entry (print, position) only names a position: the vote there is read and its device compared. A superfluous entry costs a read.
 * 3. `known` is the position up to which no committed vote of the poll is missing in memory. Only `Voters.of` hands out the voters of a
 *    poll, and it first brings `known` up to the last vote in the file.
 * 4. Votes are stored only by `PollVoters.add`, after the last one of their poll, in `Voters.transaction`. Until the commit they are in
 *    `#added` alone, so a rollback only empties that list.
 * 5. A block is derived from its votes in the transaction that stores the last of them, and never changes. If one is missing, the votes
 *    are read instead.
 */
export class Voters {
  readonly #file: Database
  readonly #statements: Statements
  readonly #block: number
  readonly #maxVotes: number
  /** Two generations: a poll of the older one moves to the newer one when it is asked for; the others are dropped with it. */
  #newer = new Map<number, PollVoters>()
  #older = new Map<number, PollVoters>()
  #size = 0
  /** The polls of the running transaction. */
  #asked: Set<PollVoters> | null = null
  /** SQLite's `data_version`: changes when another process has written. */
  #version = -1

  constructor(file: Database, { block = BLOCK, maxVotes = MAX_VOTES }: Sizes = {}) {
    this.#file = file
    this.#block = block
    this.#maxVotes = maxVotes
    this.#statements = prepare(file)
  }

  transaction<T>(work: () => T): T {
    this.#file.run('begin immediate')
    const asked = new Set<PollVoters>()
    this.#asked = asked
    try {
      const result = work()
      for (const poll of asked) poll.writeBlocks()
      this.#file.run('commit')
      for (const poll of asked) this.#size += poll.keep()
      return result
    } catch (error) {
      // First: on a failing disk, the rollback may fail, too.
      for (const poll of asked) poll.forget()
      if (this.#file.inTransaction) this.#file.run('rollback')
      throw error
    } finally {
      this.#asked = null
    }
  }

  /** The voters of a poll, with all votes that the file has now. */
  of(pollKey: number): PollVoters {
    let poll = this.#inMemory(pollKey)
    if (poll && this.#asked?.has(poll)) return poll
    if (this.#asked === null || this.#asked.size === 0)
      this.#version = this.#statements.readVersion.get()?.data_version ?? -1
    if (poll?.version !== this.#version) {
      const last = this.lastOf(pollKey)
      // Votes of this poll were removed, as by a restore in another process.
      if (poll === undefined || poll.known > last) poll = new PollVoters(pollKey, this.#statements, this.#block)
      poll.follow(last, this.#version)
    }
    if (this.#newer.get(pollKey) !== poll) this.#put(poll)
    this.#asked?.add(poll)
    return poll
  }

  /** The same vote as `of(pollKey).find(device)`, without loading a large poll that nobody can vote on any more. */
  find(pollKey: number, device: Uint8Array): StoredVote | null {
    if (this.#inMemory(pollKey) || this.lastOf(pollKey) <= this.#block) return this.of(pollKey).find(device)
    const print = printOf(pollKey, device)
    let block = 0
    for (; ; block++) {
      const prints = readBlock(this.#statements, pollKey, block)
      if (prints === null) break
      for (let at = prints.indexOf(print); at >= 0; at = prints.indexOf(print, at + 1)) {
        const vote = readVote(this.#statements, pollKey, block * this.#block + at + 1)
        if (vote && isSameDevice(vote.device, device)) return vote
      }
    }
    return this.#statements.findAfter.get(pollKey, block * this.#block, device)
  }

  lastOf(pollKey: number): number {
    return this.#statements.readLast.get(pollKey)?.last ?? 0
  }

  /** False after an upgrade or a restore, until each whole block of the poll is in the file. */
  hasAllBlocks(pollKey: number): boolean {
    const stored = this.#statements.countBlocks.get(pollKey)?.blocks ?? 0
    return stored >= Math.floor(this.lastOf(pollKey) / this.#block)
  }

  #inMemory(pollKey: number): PollVoters | undefined {
    return this.#newer.get(pollKey) ?? this.#older.get(pollKey)
  }

  #put(poll: PollVoters): void {
    if (this.#size > this.#maxVotes / 2) {
      this.#older = this.#newer
      this.#newer = new Map()
      this.#size = 0
    }
    this.#newer.set(poll.pollKey, poll)
    this.#older.delete(poll.pollKey)
    this.#size += POLL_COST + poll.known
  }
}

export class PollVoters {
  readonly pollKey: number
  readonly #statements: Statements
  readonly #block: number
  readonly #prints = new PrintTable()
  /** Votes that the running transaction has stored. */
  #added: StoredVote[] = []
  /** At most a group: to look through so few costs less than a set for each. */
  readonly #addedPrints: number[] = []
  /** No committed vote up to this position is missing in `#prints`. */
  known = 0
  version = -1
  /** How many blocks the file has, from the first one on without a gap; `#written` with those of the running transaction. */
  #blocks = 0
  #written = 0

  constructor(pollKey: number, statements: Statements, block: number) {
    this.pollKey = pollKey
    this.#statements = statements
    this.#block = block
  }

  get last(): number {
    return this.known + this.#added.length
  }

  find(device: Uint8Array): StoredVote | null {
    const print = printOf(this.pollKey, device)
    const stored = this.#prints.find(print, (position) => {
      const vote = readVote(this.#statements, this.pollKey, position)
      return vote && isSameDevice(vote.device, device) ? vote : null
    })
    return stored ?? this.#findAdded(print, device)
  }

  /** Stores the vote of a device that `find` did not find. */
  add({ device, option }: Ballot, votedAt: number, keys: AttributionKeys | null = null): StoredVote {
    const print = printOf(this.pollKey, device)
    if (this.#findAdded(print, device)) throw new Error('a device votes twice in one transaction')
    const vote = { device, option, voted_at: votedAt, position: this.last + 1 }
    this.#addedPrints.push(print)
    const { source_key = null, shown = null, campaign_key = null } = keys ?? {}
    this.#statements.addVote.run(this.pollKey, vote.position, device, option, votedAt, source_key, shown, campaign_key)
    this.#added.push(vote)
    return vote
  }

  writeBlocks(): void {
    const end = Math.min(this.#blocks + MAX_BLOCKS, Math.floor(this.last / this.#block))
    for (this.#written = this.#blocks; this.#written < end; this.#written++) {
      const prints = this.#printsOf(this.#written * this.#block, (this.#written + 1) * this.#block)
      this.#statements.addBlock.run(this.pollKey, this.#written, new Uint8Array(prints.buffer))
    }
  }

  /** After the commit. Returns how many votes were added. */
  keep(): number {
    const { length } = this.#added
    this.#blocks = Math.max(this.#blocks, this.#written)
    for (const { device, position } of this.#added) {
      this.#prints.add(printOf(this.pollKey, device), position)
      this.known = position
    }
    this.#added = []
    this.#addedPrints.length = 0
    return length
  }

  /** After a rollback, or a commit that there was no memory to keep: what is missing is read from the file. */
  forget(): void {
    this.#added = []
    this.#addedPrints.length = 0
    this.version = -1
  }

  follow(last: number, version: number): void {
    if (last - this.known > this.#block) this.#prints.reserve(last)
    while (this.known < last) {
      const at = Math.floor(this.known / this.#block)
      const end = Math.min(last, (at + 1) * this.#block)
      const isWhole = this.known === at * this.#block && end === (at + 1) * this.#block
      const stored = isWhole ? readBlock(this.#statements, this.pollKey, at) : null
      if (stored && at === this.#blocks) this.#blocks++
      const prints = stored ?? this.#printsOf(this.known, end)
      this.#prints.addAll(prints, this.known + 1)
      this.known = end
    }
    this.version = version
  }

  #findAdded(print: number, device: Uint8Array): StoredVote | null {
    if (!this.#addedPrints.includes(print)) return null
    return this.#added.find((vote) => isSameDevice(vote.device, device)) ?? null
  }

  /** Prints of the votes between two positions. A gap gets the print 0, which is a superfluous entry. */
  #printsOf(after: number, to: number): Uint32Array<ArrayBuffer> {
    const prints = new Uint32Array(to - after)
    for (const [position, device] of this.#statements.readDevices.values(this.pollKey, after, to))
      prints[(position as number) - after - 1] = printOf(this.pollKey, device as Uint8Array)
    return prints
  }
}

type Statements = ReturnType<typeof prepare>

/** `fresh_votes` has no index: it is asked only if `votes` has nothing. */
const readVote = ({ readSettled, readFresh }: Statements, pollKey: number, position: number): StoredVote | null =>
  readSettled.get(pollKey, position) ?? readFresh.get(pollKey, position)

function readBlock({ readPrints }: Statements, pollKey: number, block: number): Uint32Array<ArrayBuffer> | null {
  const stored = readPrints.get(pollKey, block)?.prints
  // Copied, because numbers of 32 bits need an aligned buffer.
  return stored ? new Uint32Array(stored.slice().buffer) : null
}

const prepare = (file: Database) => ({
  readVersion: file.query<{ data_version: number }, []>('pragma data_version'),
  // A plus before each parameter, as in all joins (see `SteadyCompiler`).
  readLast: file.query<{ last: number | null }, [number]>(
    `select max(position) as last from (
       select max(position) as position from votes where poll_key = +?1
       union all select max(position) from fresh_votes where poll_key = +?1)`,
  ),
  readSettled: file.query<StoredVote, [number, number]>(
    'select device, option, voted_at, position from votes where poll_key = ? and position = ?',
  ),
  readFresh: file.query<StoredVote, [number, number]>(
    'select device, option, voted_at, position from fresh_votes where poll_key = ? and position = ?',
  ),
  readDevices: file.query<unknown, SQLQueryBindings[]>(
    `select position, device from votes where poll_key = ?1 and position > ?2 and position <= ?3
     union all select position, device from fresh_votes where poll_key = ?1 and position > ?2 and position <= ?3`,
  ),
  findAfter: file.query<StoredVote, [number, number, Uint8Array]>(
    `select device, option, voted_at, position from votes where poll_key = ?1 and position > ?2 and device = ?3
     union all
     select device, option, voted_at, position from fresh_votes where poll_key = ?1 and position > ?2 and device = ?3`,
  ),
  readPrints: file.query<{ prints: Uint8Array }, [number, number]>(
    'select prints from vote_prints where poll_key = ? and block = ?',
  ),
  countBlocks: file.query<{ blocks: number }, [number]>(
    'select count(*) as blocks from vote_prints where poll_key = ?',
  ),
  addBlock: file.query('insert or ignore into vote_prints (poll_key, block, prints) values (?, ?, ?)'),
  addVote: file.query(
    `insert into fresh_votes (poll_key, position, device, option, voted_at, source_key, shown, campaign_key)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
  ),
})
