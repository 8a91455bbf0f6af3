import type { Database } from 'bun:sqlite'
import { totalmem } from 'node:os'
import { type Ballot, type CastVote, isSameDevice, type NewVote, printOf } from '../vote-store.ts'
import { DeviceTables, unlessUnwritable } from './device-tables.ts'
import type { PendingVotes, StoredVote } from './pending-votes.ts'
import { isFilterable, VoterFilter } from './voter-filter.ts'

/** The tables follow so many votes behind: in their order, many cost less than one by one. */
const SWEEP_EVERY = 512
/** Pending votes are settled when they are so many: then those of a poll share pages. */
const SETTLE_AT = 4_096
/** Eight bytes a place: at most 64 MiB, or a sixteenth of the memory. */
const MOST_PLACES = Math.min(2 ** 23, 2 ** Math.floor(Math.log2((process.constrainedMemory() || totalmem()) / 128)))

interface Sizes {
  /** How many entries the tables keep in memory, of so many votes. */
  readonly kept?: (stored: number) => number
  readonly sweepEvery?: number
  readonly settleAt?: number
  readonly mostPlaces?: number
}

/**
 * Which device has voted on which poll. A filter in memory has the votes that came since the start, and the tables, which
 * statements read, follow it. The filter is not rolled back with a transaction; what it holds of one is refuted by the votes.
 */
export class VoteDevices {
  readonly #file: Database
  readonly #tables: DeviceTables
  readonly #pending: PendingVotes
  readonly #filter: VoterFilter
  readonly #known = new Map<number, Known>()
  /** What `#known` held before this transaction. */
  readonly #before = new Map<number, Known | undefined>()
  readonly #statements: ReturnType<typeof prepare>
  readonly #sweepEvery: number
  readonly #settleAt: number
  /** Polls with votes that the tables may lack. A poll too many costs a look. */
  readonly #behind = new Set<number>()
  /** Votes since the last sweep, which goes at their pace however often readers let the tables follow. */
  #unswept = 0

  constructor(
    file: Database,
    pending: PendingVotes,
    { kept, sweepEvery = SWEEP_EVERY, settleAt = SETTLE_AT, mostPlaces = MOST_PLACES }: Sizes = {},
  ) {
    this.#file = file
    this.#pending = pending
    this.#tables = new DeviceTables(file, kept)
    this.#filter = new VoterFilter(mostPlaces)
    this.#statements = prepare(file)
    this.#sweepEvery = sweepEvery
    this.#settleAt = settleAt
  }

  /** Call it before a transaction begins: one that cannot begin has failed, too. */
  begin(): void {
    this.#before.clear()
  }

  /** Call it after a transaction that failed. */
  rollback(): void {
    for (const [pollKey, known] of this.#before) {
      if (known) this.#known.set(pollKey, known)
      else this.#known.delete(pollKey)
    }
    this.#before.clear()
  }

  /** As `catchUp`, if nothing is to be learned of a poll with this last vote; otherwise null. */
  knows(pollKey: number, last: number): number | null {
    const known = this.#known.get(pollKey)
    return known?.known === last ? known.older : null
  }

  /** `older`: votes of the poll up to this position may be missing from the filter, as `catchUp` returned it. */
  find({ pollKey, device }: Pick<Ballot, 'pollKey' | 'device'>, older: number): CastVote | null {
    const print = printOf(pollKey, device)
    for (let place = this.#filter.first(print); place >= 0; place = this.#filter.next(print, place)) {
      const position = this.#filter.positionAt(place)
      const vote = this.#pending.at(pollKey, position) ?? this.#statements.readVote.get(pollKey, position)
      if (vote && isSameDevice(vote.device, device)) return { option: vote.option, votedAt: vote.voted_at }
    }
    return older > 0 ? this.#tables.find(pollKey, device) : null
  }

  /** Call it under the write lock: learns the votes that other processes have stored. Returns `older` for `find`. */
  catchUp(pollKey: number): number {
    const last = this.#pending.of(pollKey)?.last ?? this.#statements.readLast.get(pollKey)?.last ?? 0
    const before = this.#known.get(pollKey) ?? this.#firstKnown(pollKey)
    const after = last > before.known ? this.#learn(pollKey, before, last) : before
    this.#setKnown(pollKey, after)
    return after.older
  }

  /**
   * Call it in the transaction that stored these votes, which must be in the order of their positions. `lastOf`: the position of
   * the poll's last vote before, which a wrong tally that was repaired may have put above theirs.
   */
  add(votes: readonly NewVote[], lastOf: (pollKey: number) => number): void {
    const ends = new Map<number, number>()
    const unfilterable = new Set<number>()
    for (const { ballot, position } of votes) {
      const { pollKey, device } = ballot
      if (isFilterable(position)) this.#filter.add(printOf(pollKey, device), position)
      else unfilterable.add(pollKey)
      if (position <= lastOf(pollKey) && !ends.has(pollKey)) this.#tables.lower(pollKey, position)
      ends.set(pollKey, Math.max(position, lastOf(pollKey)))
    }
    for (const [pollKey, end] of ends) {
      this.#setKnown(pollKey, { known: end, older: this.#known.get(pollKey)?.older ?? 0 })
      this.#behind.add(pollKey)
    }
    for (const pollKey of unfilterable) this.#showInstead(pollKey)
    this.#unswept += votes.length
  }

  /** Lets `device_votes` show every vote that this process knows. */
  follow(): void {
    if (this.#behind.size === 0) return
    if (this.#file.inTransaction) {
      // It may be rolled back, so the polls stay noted.
      this.#showBehind()
      return
    }
    this.#file.transaction(() => this.#showBehind())()
    // Those of pending votes stay noted, which could not be settled.
    if (!this.#pending.isAny) this.#behind.clear()
  }

  /** Call it in a transaction: lets `device_votes` show every vote on these polls that is stored. */
  show(pollKeys: readonly number[]): void {
    for (const pollKey of pollKeys) this.#tables.show(pollKey)
  }

  /** Call it between transactions, after votes: lets the tables follow once enough votes have come. */
  sweep(): void {
    // Also while readers settle so often that few are ever pending.
    if (this.#pending.size < this.#settleAt && this.#unswept - this.#pending.size < this.#sweepEvery) return
    const { isFull } = this.#filter
    const sweepAll = this.#file.transaction(() => {
      this.#pending.settle()
      this.#showBehind()
      this.#tables.sweep(this.#unswept)
    })
    if (!unlessUnwritable(() => sweepAll.immediate())) return
    this.#behind.clear()
    this.#unswept = 0
    if (!isFull) return
    this.#known.clear()
    // What was known before the last transaction was of the filter as it was.
    this.#before.clear()
    this.#filter.clear()
  }

  /** The tables have the votes from before, so the filter does not need them. */
  #firstKnown(pollKey: number): Known {
    const shown = this.#tables.shownTo(pollKey)
    return { known: shown, older: shown }
  }

  #learn(pollKey: number, { known, older }: Known, last: number): Known {
    this.#behind.add(pollKey)
    if (!isFilterable(last)) {
      this.#tables.show(pollKey)
      return { known: last, older: last }
    }
    for (const { device, position } of this.#statements.readVotes.iterate(pollKey, known)) {
      this.#filter.add(printOf(pollKey, device), position)
    }
    return { known: last, older }
  }

  #setKnown(pollKey: number, known: Known): void {
    if (!this.#before.has(pollKey)) this.#before.set(pollKey, this.#known.get(pollKey))
    this.#known.set(pollKey, known)
  }

  /** For votes at positions that no sound tally gives, which the filter cannot hold. */
  #showInstead(pollKey: number): void {
    this.#tables.show(pollKey)
    const known = this.#known.get(pollKey)
    if (known) this.#setKnown(pollKey, { ...known, older: Number.MAX_SAFE_INTEGER })
  }

  #showBehind(): void {
    this.show([...this.#behind])
  }
}

interface Known {
  /** The filter or the tables have all votes up to this position. */
  readonly known: number
  /** Up to this position the tables have them, and the filter may not. */
  readonly older: number
}

const prepare = (file: Database) => ({
  readVote: file.query<StoredVote, [number, number]>(
    'select device, option, voted_at from votes where poll_key = ? and position = ?',
  ),
  readVotes: file.query<{ device: Uint8Array; position: number }, [number, number]>(
    'select device, position from votes where poll_key = ? and position > ?',
  ),
  readLast: file.query<{ last: number | null }, [number]>(
    'select max(position) as last from votes where poll_key = +?',
  ),
})
