// features/polls/snapshots: public polls in memory, with their answers as bytes.
import { Cache } from '../../../base/cache.ts'
import type { Counted } from '../../../db/vote-store.ts'
import type { Deps } from '../../deps.ts'
import { PollReader, Snapshot } from './snapshot.ts'

/** Brands whose last change is remembered. */
const REMEMBERED = 20_000

/** When the polls of each brand last changed, as a count of changes. That of a brand that is not remembered may be too late. */
export class BrandChanges {
  readonly #remembered: number
  /** In the order of the changes. */
  readonly #known = new Map<number, number>()
  /** No brand that is not remembered has changed since. */
  #floor = 0
  #changes = 0

  constructor(remembered = REMEMBERED) {
    this.#remembered = remembered
  }

  /** Grows with each change. */
  get count(): number {
    return this.#changes
  }

  of(brandKey: number): number {
    return Math.max(this.#known.get(brandKey) ?? 0, this.#floor)
  }

  /** Null means that any brand may have changed. */
  note(brandKey: number | null): void {
    this.#changes++
    if (brandKey === null) {
      this.#floor = this.#changes
      return
    }
    this.#known.delete(brandKey)
    this.#known.set(brandKey, this.#changes)
    const [oldest] = this.#known
    if (!oldest || this.#known.size <= this.#remembered) return
    this.#known.delete(oldest[0])
    this.#floor = Math.max(this.#floor, oldest[1])
  }
}

const MOST_KEPT = 20_000
/** Polls that are read again together with the first one after a change of the epoch. */
const MOST_AHEAD = 2_000

interface Entry {
  readonly loading: Promise<Snapshot | null>
  /** The engine's epoch before the read: the entry is valid while the epoch stays the same. */
  readonly epoch: number
  loaded: Snapshot | null
  /** A request has asked for the poll since it was read. */
  isRead: boolean
  /** `isRead` of the previous read: while notices are missing, the epoch may change faster than requests come. */
  readonly wasRead: boolean
  /** Votes that were counted while the poll was being read. */
  counted: Counted | null
}

/**
 * Public polls in memory, ready to be sent. Votes of this process are added, and changed polls dropped, before those
 * requests are answered. When another process may have written without a notice, the next request reads all polls again
 * that were asked for lately, and each other poll is read on its next request.
 */
export class PollSnapshots {
  readonly #deps: Deps
  readonly #entries: Cache<number, Entry>
  #epoch = Number.NaN
  #refreshedEpoch = Number.NaN
  readonly #reader: PollReader
  readonly #changes = new BrandChanges()
  #counts = 0
  /** Hits: polls in memory or already being read. Misses: polls that had to be read. */
  readonly lookups = { hit: 0, miss: 0 }

  constructor(deps: Deps, mostKept = MOST_KEPT) {
    this.#deps = deps
    this.#entries = new Cache(mostKept)
    this.#reader = new PollReader(deps.engine.db)
  }

  /** Incremented when a poll may have been created, removed or changed. Votes only increment `counts`. */
  get changes(): number {
    this.#noticeEpoch()
    return this.#changes.count
  }

  /** The value of `changes` at the last possible change of one of the brand's polls. */
  changedAt(brandKey: number): number {
    this.#noticeEpoch()
    return this.#changes.of(brandKey)
  }

  get counts(): number {
    return this.#counts
  }

  /** Null if the public may not see such a poll. */
  async find(pollKey: number): Promise<Snapshot | null> {
    const [found = null] = await this.findAll([pollKey])
    return found
  }

  /** In the order of the keys. Polls that are not in memory are read together. */
  findAll(pollKeys: readonly number[]): Promise<(Snapshot | null)[]> {
    this.#noticeEpoch()
    return Promise.all(pollKeys.map((key) => this.#find(key)))
  }

  /** For live tallies, which look ten times a second: no request, so it is not counted as one. */
  present(pollKey: number): Snapshot | null {
    this.#noticeEpoch()
    return this.#current(pollKey)?.loaded ?? null
  }

  /** Null if a database read would be needed. */
  peek(pollKey: number): Snapshot | null {
    this.#noticeEpoch()
    const entry = this.#current(pollKey)
    if (!entry?.loaded) return null
    this.lookups.hit++
    entry.isRead = true
    return entry.loaded
  }

  /** Call it for a new poll too, because the brand's lists change with it. Null means that the brand is unknown. */
  drop(pollKey: number, brandKey: number | null): void {
    this.#changes.note(brandKey)
    this.#entries.delete(pollKey)
  }

  /** Each poll shows its brand. A poll that is loading may have read the old brand. */
  dropBrand(brandKey: number): void {
    this.#changes.note(brandKey)
    for (const [pollKey, { loaded }] of this.#entries.entries()) {
      if (loaded === null || loaded.brandKey === brandKey) this.#entries.delete(pollKey)
    }
  }

  count(counts: ReadonlyMap<number, Counted>): void {
    this.#counts++
    for (const [pollKey, counted] of counts) {
      const entry = this.#entries.get(pollKey)
      if (!entry) continue
      entry.counted = counted
      entry.loaded?.count(counted)
    }
  }

  #noticeEpoch(): number {
    const epoch = this.#deps.engine.epoch()
    if (epoch !== this.#epoch) this.#changes.note(null)
    this.#epoch = epoch
    return epoch
  }

  #current(pollKey: number): Entry | null {
    const entry = this.#entries.get(pollKey)
    return entry?.epoch === this.#epoch ? entry : null
  }

  #find(pollKey: number): Promise<Snapshot | null> {
    const kept = this.#current(pollKey)
    if (kept) this.lookups.hit++
    else {
      this.lookups.miss++
      this.#readAhead()
    }
    const entry = kept ?? this.#current(pollKey) ?? this.#read(pollKey)
    entry.isRead = true
    return entry.loading
  }

  /** Once in an epoch: one statement for many polls costs a fraction of one for each. */
  #readAhead(): void {
    if (this.#refreshedEpoch === this.#epoch) return
    this.#refreshedEpoch = this.#epoch
    const lately = this.#entries
      .entries()
      .filter(([, entry]) => (entry.isRead || entry.wasRead) && entry.epoch !== this.#epoch)
    for (const [pollKey] of lately.take(MOST_AHEAD).toArray()) this.#read(pollKey)
  }

  #read(pollKey: number): Entry {
    const before = this.#entries.get(pollKey)
    const loading = this.#load(pollKey, before?.loaded ?? null, () => entry)
    // No unhandled rejection if no request waits for this read.
    loading.catch(() => undefined)
    const wasRead = before?.isRead ?? false
    const entry: Entry = { loading, epoch: this.#epoch, loaded: null, isRead: false, wasRead, counted: null }
    this.#entries.set(pollKey, entry)
    return entry
  }

  /** If its entry was dropped meanwhile, the result serves only the callers that already wait. */
  async #load(pollKey: number, before: Snapshot | null, entryOf: () => Entry): Promise<Snapshot | null> {
    try {
      const read = await this.#reader.read(pollKey)
      const entry = entryOf()
      if (read?.row.is_draft === 0) entry.loaded = before?.isSame(read) ? before : new Snapshot(this.#deps, read)
      if (entry.counted) entry.loaded?.count(entry.counted)
      return entry.loaded
    } catch (error) {
      if (this.#entries.get(pollKey) === entryOf()) this.#entries.delete(pollKey)
      throw error
    }
  }
}
