import type { Database } from 'bun:sqlite'
import { totalmem } from 'node:os'
import type { OptionName } from '../tables.ts'
import { type Ballot, type CastVote, isSameDevice, type NewVote, printOf } from '../vote-store.ts'
import { DeviceTables, unlessUnwritable } from './device-tables.ts'
import { isFilterable, VoterFilter } from './voter-filter.ts'

/** The tables follow so many votes behind: in their order, many cost less than one by one. */
const SWEEP_EVERY = 512
/** Eight bytes a place: at most 64 MiB, or a sixteenth of the memory. */
const MOST_PLACES = Math.min(2 ** 23, 2 ** Math.floor(Math.log2((process.constrainedMemory() || totalmem()) / 128)))

interface Sizes {
  /** How many entries the tables keep in memory, of so many votes. */
  readonly kept?: (stored: number) => number
  readonly sweepEvery?: number
  readonly mostPlaces?: number
}

interface FoundVote {
  readonly device: Uint8Array
  readonly option: OptionName
  readonly voted_at: number
}

/**
 * Which device has voted on which poll. A filter in memory has the votes that came since the start, and the tables, which
 * statements read, follow it. The filter is not rolled back with a transaction; what it holds of one is refuted by the votes.
 */
export class VoteDevices {
  readonly #file: Database
  readonly #tables: DeviceTables
  readonly #filter: VoterFilter
  readonly #statements: ReturnType<typeof prepare>
  readonly #sweepEvery: number
  /** Polls with votes that the tables may lack. A poll too many costs a look. */
  readonly #behind = new Set<number>()
  /** Votes since the last sweep, which goes at their pace however often readers let the tables follow. */
  #unswept = 0

  constructor(file: Database, { kept, sweepEvery = SWEEP_EVERY, mostPlaces = MOST_PLACES }: Sizes = {}) {
    this.#file = file
    this.#tables = new DeviceTables(file, kept)
    file.run(
      'create temp table filtered_polls (poll_key integer primary key, known integer not null, older integer not null) strict',
    )
    file.run(
      `create temp trigger filtered_tally_removed after delete on main.tallies begin
         delete from filtered_polls where poll_key = old.poll_key;
       end`,
    )
    this.#filter = new VoterFilter(mostPlaces)
    this.#statements = prepare(file)
    this.#sweepEvery = sweepEvery
  }

  /** `older`: votes of the poll up to this position may be missing from the filter, as `catchUp` returned it. */
  find({ pollKey, device }: Pick<Ballot, 'pollKey' | 'device'>, older: number): CastVote | null {
    const print = printOf(pollKey, device)
    for (let place = this.#filter.first(print); place >= 0; place = this.#filter.next(print, place)) {
      const vote = this.#statements.readVote.get(pollKey, this.#filter.positionAt(place))
      if (vote && isSameDevice(vote.device, device)) return { option: vote.option, votedAt: vote.voted_at }
    }
    return older > 0 ? this.#tables.find(pollKey, device) : null
  }

  /** Call it under the write lock: learns the votes that other processes have stored. Returns `older` for `find`. */
  catchUp(pollKey: number): number {
    const { readLast, readKnown, setKnown } = this.#statements
    const last = readLast.get(pollKey)?.last ?? 0
    const before = readKnown.get(pollKey) ?? this.#firstKnown(pollKey)
    const after = last > before.known ? this.#learn(pollKey, before, last) : before
    setKnown.run(pollKey, after.known, after.older)
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
      this.#statements.addKnown.run(pollKey, end)
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
    this.#behind.clear()
  }

  /** Call it in a transaction: lets `device_votes` show every vote on these polls that is stored. */
  show(pollKeys: readonly number[]): void {
    for (const pollKey of pollKeys) this.#tables.show(pollKey)
  }

  /** Call it between transactions, after votes: lets the tables follow once enough votes have come. */
  sweep(): void {
    if (this.#unswept < this.#sweepEvery) return
    const { isFull } = this.#filter
    const sweepAll = this.#file.transaction(() => {
      this.#showBehind()
      this.#tables.sweep(this.#unswept)
      if (isFull) this.#statements.forgetKnown.run()
    })
    if (!unlessUnwritable(() => sweepAll.immediate())) return
    this.#behind.clear()
    this.#unswept = 0
    if (isFull) this.#filter.clear()
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

  /** For votes at positions that no sound tally gives, which the filter cannot hold. */
  #showInstead(pollKey: number): void {
    this.#tables.show(pollKey)
    this.#statements.setOlder.run(Number.MAX_SAFE_INTEGER, pollKey)
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
  readVote: file.query<FoundVote, [number, number]>(
    'select device, option, voted_at from votes where poll_key = ? and position = ?',
  ),
  readVotes: file.query<{ device: Uint8Array; position: number }, [number, number]>(
    'select device, position from votes where poll_key = ? and position > ?',
  ),
  readLast: file.query<{ last: number | null }, [number]>(
    'select max(position) as last from votes where poll_key = +?',
  ),
  readKnown: file.query<Known, [number]>('select known, older from filtered_polls where poll_key = ?'),
  setKnown: file.query(
    `insert into filtered_polls (poll_key, known, older) values (?, ?, ?)
     on conflict (poll_key) do update set known = excluded.known, older = excluded.older`,
  ),
  addKnown: file.query(
    `insert into filtered_polls (poll_key, known, older) values (?, ?, 0)
     on conflict (poll_key) do update set known = excluded.known`,
  ),
  setOlder: file.query('update filtered_polls set older = ? where poll_key = ?'),
  forgetKnown: file.query('delete from filtered_polls'),
})
