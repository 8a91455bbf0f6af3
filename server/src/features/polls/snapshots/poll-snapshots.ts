// features/polls/snapshots: public polls in memory, with their answers as bytes.

import { Cache } from '../../../base/cache.ts'
import type { Counted } from '../../../db/vote-store.ts'
import type { Deps } from '../../../deps.ts'
import { type PollRow, pollsByKey } from '../queries.ts'
import { BrandChanges } from './brand-changes.ts'
import { Snapshot } from './snapshot.ts'

const MOST_KEPT = 20_000

interface Entry {
  readonly loading: Promise<Snapshot | null>
  /** The engine's epoch before the read: the entry is valid while the epoch stays the same. */
  readonly epoch: number
  loaded: Snapshot | null
  /** Votes that were counted while the poll was being read. */
  counted: Counted | null
}

/**
 * Public polls in memory, ready to be sent. Votes of this process are added, and changed polls dropped, before those
 * requests are answered. When another process may have written without a notice, each poll is read again on its next
 * request.
 */
export class PollSnapshots {
  readonly #deps: Deps
  readonly #onDrop: (pollKey: number) => void
  readonly #entries: Cache<number, Entry>
  #epoch = Number.NaN
  readonly #changes = new BrandChanges()
  #counts = 0
  /** Hits: polls in memory or already being read. Misses: polls that had to be read. */
  readonly lookups = { hit: 0, miss: 0 }

  /** `onDrop` is called for each poll that may have changed. */
  constructor(deps: Deps, onDrop: (pollKey: number) => void = () => undefined, mostKept = MOST_KEPT) {
    this.#deps = deps
    this.#entries = new Cache(mostKept)
    this.#onDrop = onDrop
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
    const epoch = this.#noticeEpoch()
    const loading = new Map(pollKeys.map((key) => [key, this.#current(key)?.loading]))
    const missing = [...loading].flatMap(([key, found]) => (found ? [] : [key]))
    this.lookups.hit += loading.size - missing.length
    this.lookups.miss += missing.length
    if (missing.length > 0) {
      const reading = this.#read(missing)
      for (const key of missing) {
        const entry: Entry = { loading: this.#load(key, reading, () => entry), epoch, loaded: null, counted: null }
        this.#entries.set(key, entry)
        loading.set(key, entry.loading)
      }
    }
    return Promise.all(pollKeys.map((key) => loading.get(key) ?? null))
  }

  /** Null if a database read would be needed. */
  peek(pollKey: number): Snapshot | null {
    this.#noticeEpoch()
    const loaded = this.#current(pollKey)?.loaded ?? null
    if (loaded) this.lookups.hit++
    return loaded
  }

  /** Also called for a new poll, because the brand's lists change with it. Null means that the brand is unknown. */
  drop(pollKey: number, brandKey: number | null): void {
    this.#changes.note(brandKey)
    this.#entries.delete(pollKey)
    this.#onDrop(pollKey)
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

  async #read(pollKeys: readonly number[]): Promise<ReadonlyMap<number, PollRow>> {
    const rows = await pollsByKey(this.#deps.engine.db, pollKeys)
    return new Map(rows.map((row) => [row.key, row]))
  }

  /** If its entry was dropped meanwhile, the result serves only the callers that already wait. */
  async #load(
    pollKey: number,
    reading: Promise<ReadonlyMap<number, PollRow>>,
    entryOf: () => Entry,
  ): Promise<Snapshot | null> {
    try {
      const row = (await reading).get(pollKey)
      const entry = entryOf()
      entry.loaded = row && row.is_draft === 0 ? new Snapshot(this.#deps, row) : null
      if (entry.counted) entry.loaded?.count(entry.counted)
      return entry.loaded
    } catch (error) {
      if (this.#entries.get(pollKey) === entryOf()) this.#entries.delete(pollKey)
      throw error
    }
  }
}
