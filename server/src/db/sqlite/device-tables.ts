import { type Database, SQLiteError } from 'bun:sqlite'
import type { OptionName } from '../tables.ts'
import type { CastVote } from '../vote-store.ts'

/** How many entries stay in memory: the more, the more of them share a page when they are written. */
const keptOf = (stored: number): number => Math.min(100_000, Math.max(1_000, stored / 32))
/** Entries above that limit, taken over at a start, are written at so many times the rate of new votes. */
const HASTE = 4
/** A start writes everything at once above so many times the limit: earlier processes ended before their sweep was round. */
const MOST_KEPT = 4

interface Place {
  readonly poll_key: number
  readonly device: Uint8Array
}

interface Sweep extends Place {
  /** When the sweep leaves this poll, all its votes up to this position have been written. */
  readonly poll_to: number
}

const START: Sweep = { poll_key: 0, device: new Uint8Array(0), poll_to: 0 }
const END: Place = { poll_key: Number.MAX_SAFE_INTEGER, device: new Uint8Array(0) }

/** If another process is writing or the disk is full, a later sweep does the work. */
export function unlessUnwritable(work: () => void): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (!isUnwritable(error)) throw error
    return false
  }
}

export const isUnwritable = (error: unknown): boolean =>
  error instanceof SQLiteError && /^SQLITE_(BUSY|FULL|IOERR|READONLY)/.test(error.code ?? '')

/**
 * Which device has voted on which poll, for statements: they query the view `device_votes`. Older votes are in the table
 * `vote_devices`, the newest in a temporary table in memory, which each process rebuilds from the votes. A sweep moves through
 * the memory table by poll and device in a circle and writes the entries it passes. Everything is part of the connection's
 * transactions and rolled back with them.
 */
export class DeviceTables {
  readonly #keptOf: typeof keptOf
  readonly #statements: ReturnType<typeof prepare>
  /** The number of votes, and of entries in memory. Approximate, also after a rollback, but good enough to set the pace. */
  #stored: number
  #newest = 0

  constructor(file: Database, kept = keptOf) {
    this.#keptOf = kept
    file.transaction(() => makeTemporary(file))()
    this.#statements = prepare(file)
    this.#stored = this.#statements.countStored.get()?.n ?? 0
    file.transaction(() => this.#showAll())()
    if (this.#newest > MOST_KEPT * this.#keptOf(this.#stored)) {
      unlessUnwritable(() => file.transaction(() => this.#sweepOn(this.#newest + 1)).immediate())
    }
  }

  /** Finds votes up to the position that `show` returned. */
  find(pollKey: number, device: Uint8Array): CastVote | null {
    const vote = this.#statements.findVote.get(pollKey, device)
    return vote && { option: vote.option, votedAt: vote.voted_at }
  }

  /** Call it in a transaction: adds all votes of the poll that are stored and not here yet. */
  show(pollKey: number): void {
    const state = this.#statements.readState.get(pollKey)
    if (state) this.#learn(pollKey, state)
  }

  /** All votes of the poll up to this position are here. */
  shownTo(pollKey: number): number {
    return this.#statements.readState.get(pollKey)?.shown ?? 0
  }

  /**
   * Call it in the transaction that stores a vote at this position, if the poll has later ones: a wrong tally was repaired.
   * Then `show` and the next start read the poll's votes from there on again.
   */
  lower(pollKey: number, position: number): void {
    const { lowerShown, lowerReach, lowerSweep } = this.#statements
    for (const statement of [lowerShown, lowerReach, lowerSweep]) statement.run(pollKey, position - 1)
  }

  /** Call it in a transaction: writes at the rate at which votes came since the last call. */
  sweep(votes: number): void {
    this.#stored += votes
    const excess = Math.ceil(this.#newest - this.#keptOf(this.#stored))
    if (excess > 0) this.#sweepOn(Math.min(excess, HASTE * votes))
  }

  #showAll(): void {
    for (const { poll_key, ...state } of this.#statements.readStates.all()) this.#learn(poll_key, state)
  }

  #learn(pollKey: number, { shown, last }: State): void {
    if (last <= shown) return
    this.#newest += this.#statements.learn.run(pollKey, shown).changes
    this.#statements.setShown.run(pollKey, last)
  }

  /** Writes the next entries in key order, so that entries of one page are written together. */
  #sweepOn(count: number): void {
    const { readSweep, readPlace, write, removeNewest, writeReach, setSweep, readShown, countNewest } = this.#statements
    const from = readSweep.get() ?? START
    const to = readPlace.get(from.poll_key, from.device, count - 1) ?? END
    const between = [from.poll_key, from.device, to.poll_key, to.device] as const
    write.run(...between)
    this.#newest -= removeNewest.run(...between).changes
    if (to.poll_key > from.poll_key) writeReach.run(from.poll_key, from.poll_to, to.poll_key)
    if (to === END) {
      setSweep.run(START.poll_key, START.device, START.poll_to)
      this.#newest = countNewest.get()?.n ?? 0
    } else {
      const pollTo = to.poll_key > from.poll_key ? (readShown.get(to.poll_key)?.position ?? 0) : from.poll_to
      setSweep.run(to.poll_key, to.device, pollTo)
    }
  }
}

interface State {
  /** All votes up to this position are in the tables. */
  readonly shown: number
  /** The position of the poll's last vote. */
  readonly last: number
}

function makeTemporary(file: Database): void {
  for (const statement of [
    `create temp table new_devices (
       poll_key integer not null, device blob not null, position integer not null, primary key (poll_key, device)
     ) strict, without rowid`,
    'create temp table shown_polls (poll_key integer primary key, position integer not null) strict',
    'create temp table sweep (poll_key integer not null, device blob not null, poll_to integer not null) strict',
    `create temp trigger new_vote_removed after delete on main.votes begin
       delete from new_devices where poll_key = old.poll_key and device = old.device;
     end`,
    `create temp trigger shown_tally_removed after delete on main.tallies begin
       delete from shown_polls where poll_key = old.poll_key;
     end`,
    // An entry in memory may already be in the table after a start; the view must show it once.
    `create view temp.device_votes as
     select votes.poll_key, old.device, option, voted_at, votes.position
     from vote_devices as old join votes on votes.poll_key = old.poll_key and votes.position = old.position
     union all
     select votes.poll_key, new.device, option, voted_at, votes.position
     from new_devices as new join votes on votes.poll_key = new.poll_key and votes.position = new.position
     where not exists (select 1 from vote_devices where poll_key = new.poll_key and device = new.device)`,
  ]) {
    file.run(statement)
  }
  file.run('insert into sweep (poll_key, device, poll_to) values (?, ?, ?)', [0, START.device, 0])
}

const BETWEEN = '(poll_key, device) > (?1, ?2) and (poll_key, device) <= (?3, ?4)'
// Read from the votes: a wrong tally must not claim more shown votes than exist.
const LAST = '(select max(position) from votes where votes.poll_key = tallies.poll_key)'
const STATE = `coalesce(shown_polls.position, vote_devices_to.position, 0) as shown, coalesce(${LAST}, 0) as last
  from tallies
  left join shown_polls on shown_polls.poll_key = tallies.poll_key
  left join vote_devices_to on vote_devices_to.poll_key = tallies.poll_key`

const prepare = (file: Database) => ({
  findVote: file.query<{ option: OptionName; voted_at: number }, [number, Uint8Array]>(
    'select option, voted_at from temp.device_votes where poll_key = +? and device = +?',
  ),
  readState: file.query<State, [number]>(`select ${STATE} where tallies.poll_key = +?`),
  readStates: file.query<State & { poll_key: number }, []>(
    `select tallies.poll_key, ${STATE} where ${LAST} > coalesce(vote_devices_to.position, 0)`,
  ),
  learn: file.query(
    `insert into new_devices (poll_key, device, position)
     select poll_key, device, position from votes where poll_key = +? and position > +? order by device
     on conflict (poll_key, device) do nothing`,
  ),
  setShown: file.query(
    `insert into shown_polls (poll_key, position) values (?, ?)
     on conflict (poll_key) do update set position = excluded.position`,
  ),
  readShown: file.query<{ position: number }, [number]>('select position from shown_polls where poll_key = ?'),
  readSweep: file.query<Sweep, []>('select poll_key, device, poll_to from sweep'),
  setSweep: file.query('update sweep set poll_key = ?, device = ?, poll_to = ?'),
  lowerShown: file.query('update shown_polls set position = ?2 where poll_key = ?1 and position > ?2'),
  lowerReach: file.query(
    `insert into vote_devices_to (poll_key, position) values (?1, min(?2, 0))
     on conflict (poll_key) do update set position = ?2 where ?2 < position`,
  ),
  lowerSweep: file.query('update sweep set poll_to = ?2 where poll_key = ?1 and poll_to > ?2'),
  readPlace: file.query<Place, [number, Uint8Array, number]>(
    `select poll_key, device from new_devices where (poll_key, device) > (?, ?)
     order by poll_key, device limit 1 offset ?`,
  ),
  write: file.query(
    `insert into vote_devices (poll_key, device, position)
     select poll_key, device, position from new_devices where ${BETWEEN} order by poll_key, device
     on conflict (poll_key, device) do nothing`,
  ),
  removeNewest: file.query(`delete from new_devices where ${BETWEEN}`),
  // In the poll that the sweep leaves, votes are written up to `poll_to`; in the polls that it passed, all of them.
  writeReach: file.query(
    `insert into vote_devices_to (poll_key, position)
     select poll_key, case poll_key when ?1 then ?2 else position end from shown_polls
     where poll_key >= ?1 and poll_key < ?3 and poll_key in (select poll_key from tallies)
     on conflict (poll_key) do update set position = excluded.position where excluded.position > position`,
  ),
  countStored: file.query<{ n: number }, []>('select coalesce(sum(option_a + option_b), 0) as n from tallies'),
  countNewest: file.query<{ n: number }, []>('select count(*) as n from new_devices'),
})
