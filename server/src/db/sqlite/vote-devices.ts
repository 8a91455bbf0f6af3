import type { Database } from 'bun:sqlite'
import { type CastVote, isSameDevice, type NewVote, printOf } from '../vote-store.ts'
import { DeviceRuns, type PollEntries, type RunSizes } from './device-runs.ts'
import type { PendingVotes, StoredVote } from './pending-votes.ts'
import { fitsInEntry, RecentVotes } from './recent-votes.ts'
import { tryToWrite } from './unwritable.ts'

/** The filter holds so many votes before they become a run: writing it then takes about five milliseconds. */
const RUN_OF = 32_768
/** A start that finds more votes without a run writes them first, so many at once. */
const INDEXED_AT_ONCE = 2 ** 18

interface Found extends CastVote {
  readonly position: number
}

interface Sizes extends Partial<RunSizes> {
  readonly indexedAtOnce?: number
}

/**
 * Which device has voted on which poll. `RecentVotes` has the newest votes in memory; the others are in the runs of `DeviceRuns`. Both
 * only name positions: the vote there is read and its device compared. So entries of votes that were rolled back or deleted do no
 * harm, but a missing entry would let a device vote twice. `IndexedPoll.indexedTo` is the position up to which none is missing.
 */
export class VoteDevices {
  readonly #file: Database
  readonly #pending: PendingVotes
  readonly #recent = new RecentVotes()
  readonly #runs: DeviceRuns
  readonly #known = new Map<number, IndexedPoll>()
  /** What `#known` held before this transaction. */
  readonly #before = new Map<number, Before | null>()
  readonly #statements: ReturnType<typeof prepare>
  readonly #runOf: number
  readonly #indexedAtOnce: number
  /** Votes since the last call of `writeOrMergeRuns`. */
  #added = 0
  /** Votes in the filter that no run has. */
  #unwritten = 0
  /** A reader may have learned votes in a transaction that may have been rolled back since. */
  #mayBeRolledBack = false

  constructor(
    file: Database,
    pending: PendingVotes,
    { runOf = RUN_OF, indexedAtOnce = INDEXED_AT_ONCE, ...sizes }: Sizes = {},
  ) {
    this.#file = file
    this.#pending = pending
    this.#runs = new DeviceRuns(file, { runOf, ...sizes })
    this.#statements = prepare(file)
    this.#runOf = runOf
    this.#indexedAtOnce = indexedAtOnce
  }

  /** Call it before `begin immediate`: if that fails, `rollback` must find nothing of an earlier transaction. */
  begin(): void {
    if (this.#mayBeRolledBack) this.rollback()
    this.#before.clear()
  }

  /** Call it after a transaction that failed. */
  rollback(): void {
    this.#mayBeRolledBack = false
    for (const [pollKey, before] of this.#before) {
      const known = this.#known.get(pollKey)
      this.#unwritten += (before?.size ?? 0) - (known?.size ?? 0)
      if (before) known?.restore(before)
      else this.#known.delete(pollKey)
    }
    this.#before.clear()
  }

  /** Call it under the write lock, before `catchUp` and `find`. */
  refresh(): void {
    this.#runs.refresh()
  }

  /** Call it under the write lock, with the position of the poll's last vote: learns the votes that other processes have stored. */
  catchUp(pollKey: number, last: number): IndexedPoll {
    let known = this.#known.get(pollKey)
    if (known && known.indexedTo >= last) return known
    known ??= this.#firstIndexed(pollKey)
    this.#note(known)
    this.#known.set(pollKey, known)
    this.#learn(known, last)
    return known
  }

  /** `known` is what `catchUp` returned. */
  find(known: IndexedPoll, device: Uint8Array): Found | null {
    const { pollKey } = known
    const print = printOf(pollKey, device)
    for (let place = this.#recent.first(print); place >= 0; place = this.#recent.next(print, place)) {
      const vote = this.#voteAt(pollKey, this.#recent.positionAt(place), device)
      if (vote) return vote
    }
    if (known.hasRuns && this.#runs.mayHave(print)) {
      const vote = this.#runs.find(pollKey, print, (position) => this.#voteAt(pollKey, position, device))
      if (vote) return vote
    }
    if (!known.hasUnindexable) return null
    const vote = this.#statements.findUnindexable.get(pollKey, device)
    return vote && { option: vote.option, votedAt: vote.voted_at, position: vote.position }
  }

  /** Call it under the write lock, after `refresh`: the votes of each poll in the order of the devices. */
  findAll(pollKeys: readonly number[], devices: readonly Uint8Array[]): Map<number, (Found | null)[]> {
    const found = new Map<number, (Found | null)[]>()
    for (const pollKey of pollKeys) {
      const known = this.catchUp(pollKey, this.#lastOf(pollKey))
      const votes = devices.map((device) => this.find(known, device))
      found.set(pollKey, votes)
    }
    return found
  }

  /** The same for readers, also in a transaction of theirs. Pending votes of other processes must have been settled before. */
  findStored(pollKeys: readonly number[], devices: readonly Uint8Array[]): Map<number, (Found | null)[]> {
    if (this.#mayBeRolledBack) this.rollback()
    this.#mayBeRolledBack = this.#file.inTransaction
    return this.#file.transaction(() => {
      this.refresh()
      return this.findAll(pollKeys, devices)
    })()
  }

  /**
   * Call it in the transaction that stored these votes, which must be in the order of their positions. `lastOf`: the position of the
   * poll's last vote before, which a wrong tally that was repaired may have put above theirs.
   */
  add(votes: readonly NewVote[], lastOf: (pollKey: number) => number): void {
    this.#added += votes.length
    let pollKey = -1
    let known: IndexedPoll | undefined
    for (const { ballot, position } of votes) {
      if (known === undefined || ballot.pollKey !== pollKey) {
        pollKey = ballot.pollKey
        known = this.#known.get(pollKey) ?? this.catchUp(pollKey, lastOf(pollKey))
        this.#note(known)
      }
      this.#put(known, printOf(pollKey, ballot.device), position)
      const last = lastOf(pollKey)
      if (position <= last) this.#lower(known, position - 1)
      known.indexedTo = Math.max(position, last)
    }
  }

  /** Call it between transactions, after each group. */
  writeOrMergeRuns(): void {
    // Of the group, which is committed.
    this.#before.clear()
    if (this.#unwritten >= this.#runOf) tryToWrite(() => this.#writeRun())
    else this.#runs.mergeGradually(this.#added)
    this.#added = 0
  }

  /**
   * Call it at a start: writes the runs of all votes if many have none, as after a restore. Later, one group may vote on hundreds of
   * polls, and would read all of their votes.
   */
  indexOlder(): void {
    const polls = this.#statements.readUnindexed.all()
    if (polls.reduce((sum, { votes }) => sum + votes, 0) <= this.#runOf) return
    for (const { poll_key, last } of polls) {
      const known = this.#known.get(poll_key) ?? this.#firstIndexed(poll_key)
      this.#known.set(poll_key, known)
      while (this.#learn(known, last, this.#indexedAtOnce - this.#unwritten)) this.#writeRun()
    }
    if (this.#unwritten > 0) this.#writeRun()
    // Most of them may not get another vote soon.
    this.#known.clear()
  }

  #lastOf(pollKey: number): number {
    return this.#pending.of(pollKey)?.last ?? this.#statements.readLast.get(pollKey)?.last ?? 0
  }

  #voteAt(pollKey: number, position: number, device: Uint8Array): Found | null {
    const vote = this.#pending.at(pollKey, position) ?? this.#statements.readVote.get(pollKey, position)
    if (!vote || !isSameDevice(vote.device, device)) return null
    return { option: vote.option, votedAt: vote.voted_at, position }
  }

  #firstIndexed(pollKey: number): IndexedPoll {
    const written = this.#statements.readWritten.get(pollKey)?.position ?? 0
    const { first, last } = this.#statements.readEnds.get(pollKey) ?? { first: null, last: null }
    return new IndexedPoll(pollKey, written, (first ?? 1) < 1 || !fitsInEntry(last ?? 1))
  }

  /** True if it has stopped at `most` votes. */
  #learn(known: IndexedPoll, last: number, most = Number.POSITIVE_INFINITY): boolean {
    const { pollKey } = known
    let left = most
    for (const { device, position } of this.#statements.readVotes.iterate(pollKey, known.indexedTo)) {
      this.#put(known, printOf(pollKey, device), position)
      if (--left > 0) continue
      known.indexedTo = position
      return true
    }
    known.indexedTo = last
    return false
  }

  #put(known: IndexedPoll, print: number, position: number): void {
    if (!fitsInEntry(position)) {
      known.hasUnindexable = true
      return
    }
    this.#recent.add(print, position)
    known.push(print, position)
    this.#unwritten++
  }

  /** For a vote below the poll's last one: the next start has to read the votes from there on again. */
  #lower(known: IndexedPoll, position: number): void {
    this.#statements.lowerWritten.run(known.pollKey, Math.max(0, position))
    known.inRunsTo = Math.min(known.inRunsTo, Math.max(0, position))
  }

  #note(known: IndexedPoll): void {
    const { pollKey } = known
    if (this.#before.has(pollKey)) return
    this.#before.set(pollKey, this.#known.has(pollKey) ? known.copy() : null)
  }

  #writeRun(): void {
    const polls = [...this.#known].filter(([, { size }]) => size > 0).toSorted(([left], [right]) => left - right)
    const stored: PollEntries[] = []
    this.#runs.write(this.#unwritten, () => {
      for (const [pollKey, known] of polls) {
        const written = this.#statements.readWritten.get(pollKey)?.position
        // The poll has been removed.
        if (written === undefined) continue
        // Another process has stored a vote far below: what is known here does not include it.
        if (written >= known.inRunsTo) this.#statements.setWritten.run(pollKey, Math.max(known.indexedTo, written))
        stored.push({ pollKey, entries: known.sorted() })
      }
      return stored
    })
    for (const [, known] of polls) known.clear()
    this.#recent.clear()
    this.#before.clear()
    this.#unwritten = 0
  }
}

interface Before {
  readonly indexedTo: number
  readonly inRunsTo: number
  readonly hasUnindexable: boolean
  readonly size: number
}

const NOTHING = new Uint32Array(0)

/** What is known of a poll. */
export class IndexedPoll implements Before {
  readonly pollKey: number
  /** The filter and the runs have all votes up to this position, except strange ones. */
  indexedTo: number
  /** Up to this position the runs have them, as far as this process knows. */
  inRunsTo: number
  hasRuns: boolean
  /** The poll has votes at positions that no sound tally gives, and that an entry cannot hold. */
  hasUnindexable: boolean
  /** How many votes are in the filter alone. */
  size = 0
  /** Their positions and prints in turn. */
  #entries = NOTHING

  constructor(pollKey: number, inRunsTo: number, hasUnindexable: boolean) {
    this.pollKey = pollKey
    this.indexedTo = inRunsTo
    this.inRunsTo = inRunsTo
    this.hasRuns = inRunsTo > 0
    this.hasUnindexable = hasUnindexable
  }

  push(print: number, position: number): void {
    const at = 2 * this.size
    if (at === this.#entries.length) this.#grow()
    this.#entries[at] = position
    this.#entries[at + 1] = print
    this.size++
  }

  sorted(): Uint32Array {
    // As numbers of 64 bits, of which the print is the upper half.
    new BigUint64Array(this.#entries.buffer, 0, this.size).sort()
    return this.#entries.subarray(0, 2 * this.size)
  }

  /** The runs have all of them. */
  clear(): void {
    this.#entries = NOTHING
    this.size = 0
    this.inRunsTo = Math.max(this.inRunsTo, this.indexedTo)
    this.hasRuns = true
  }

  copy(): Before {
    return { indexedTo: this.indexedTo, inRunsTo: this.inRunsTo, hasUnindexable: this.hasUnindexable, size: this.size }
  }

  restore({ indexedTo, inRunsTo, hasUnindexable, size }: Before): void {
    this.indexedTo = indexedTo
    this.inRunsTo = inRunsTo
    this.hasUnindexable = hasUnindexable
    this.size = size
  }

  #grow(): void {
    const old = this.#entries
    this.#entries = new Uint32Array(Math.max(8, 2 * old.length))
    this.#entries.set(old)
  }
}

const prepare = (file: Database) => ({
  readVote: file.query<StoredVote, [number, number]>(
    'select device, option, voted_at from votes where poll_key = ? and position = ?',
  ),
  readVotes: file.query<{ device: Uint8Array; position: number }, [number, number]>(
    'select device, position from votes where poll_key = ? and position > ?',
  ),
  findUnindexable: file.query<StoredVote & { position: number }, [number, Uint8Array]>(
    `select device, option, voted_at, position from votes
     where poll_key = +?1 and (position < 1 or position > 4294967295) and device = +?2`,
  ),
  readEnds: file.query<{ first: number | null; last: number | null }, [number]>(
    `select (select min(position) from votes where poll_key = +?1) as first,
       (select max(position) from votes where poll_key = +?1) as last`,
  ),
  readLast: file.query<{ last: number | null }, [number]>(
    'select max(position) as last from votes where poll_key = +?',
  ),
  /** No row for a poll that was removed. */
  readWritten: file.query<{ position: number }, [number]>(
    `select coalesce(vote_devices_to.position, 0) as position from tallies
     left join vote_devices_to on vote_devices_to.poll_key = tallies.poll_key where tallies.poll_key = +?`,
  ),
  setWritten: file.query(
    `insert into vote_devices_to (poll_key, position) values (?, ?)
     on conflict (poll_key) do update set position = excluded.position`,
  ),
  lowerWritten: file.query('update vote_devices_to set position = ?2 where poll_key = ?1 and position > ?2'),
  readUnindexed: file.query<{ poll_key: number; last: number; votes: number }, []>(
    `select tallies.poll_key, coalesce((select max(position) from votes where votes.poll_key = tallies.poll_key), 0) as last,
       option_a + option_b - coalesce(vote_devices_to.position, 0) as votes
     from tallies left join vote_devices_to on vote_devices_to.poll_key = tallies.poll_key
     where option_a + option_b > coalesce(vote_devices_to.position, 0) order by tallies.poll_key`,
  ),
})
