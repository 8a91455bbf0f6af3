import type { Counted } from '../../../db/vote-store.ts'
import type { Deps } from '../../../deps.ts'
import { type PollRow, pollsByKey } from '../queries.ts'
import { Snapshot } from './snapshot.ts'

const MOST_KEPT = 20_000
const MOST_BRANDS = 20_000

interface Entry {
  readonly loading: Promise<Snapshot | null>
  loaded: Snapshot | null
  /** Votes that were counted while the poll was being read. */
  counted: Counted | null
}

/**
 * Public polls, ready to be sent. Votes of this process are added before they are answered, and a change of this
 * process drops what it touched before it is answered; when another process may have written, all is read anew.
 */
export class PollSnapshots {
  readonly #deps: Deps
  readonly #onDrop: (pollKey: number) => void
  readonly #entries = new Map<number, Entry>()
  #epoch = Number.NaN
  #changes = 0
  /** When all may have changed, and since then each brand: moments are counted in changes. */
  #allChangedAt = 0
  readonly #brandsChangedAt = new Map<number, number>()
  #counts = 0

  /** `onDrop` is told of each poll that may have changed. */
  constructor(deps: Deps, onDrop: (pollKey: number) => void = () => undefined) {
    this.#deps = deps
    this.#onDrop = onDrop
  }

  /** A higher number whenever a poll may have come, gone or changed; its votes change `counts` alone. */
  get changes(): number {
    this.#dropOld()
    return this.#changes
  }

  /** What `changes` was when a poll of the brand last may have. */
  changedAt(brandKey: number): number {
    this.#dropOld()
    return this.#brandsChangedAt.get(brandKey) ?? this.#allChangedAt
  }

  get counts(): number {
    return this.#counts
  }

  /** Null when there is no such poll for the public. */
  async find(pollKey: number): Promise<Snapshot | null> {
    const [found = null] = await this.findAll([pollKey])
    return found
  }

  /** In the order of the keys; those that are not in memory are read together. */
  findAll(pollKeys: readonly number[]): Promise<(Snapshot | null)[]> {
    this.#dropOld()
    const missing = pollKeys.filter((key) => !this.#entries.has(key))
    if (missing.length > 0) {
      const reading = this.#read(missing)
      for (const key of missing) {
        const entry: Entry = { loading: this.#load(key, reading, () => entry), loaded: null, counted: null }
        this.#entries.set(key, entry)
      }
    }
    return Promise.all(pollKeys.map((key) => this.#entries.get(key)?.loading ?? null))
  }

  /** Only if it is in memory and still holds. */
  peek(pollKey: number): Snapshot | null {
    this.#dropOld()
    return this.#entries.get(pollKey)?.loaded ?? null
  }

  /** Also for a poll that is new: its brand's lists are made anew, and those of all where the brand is not known. */
  drop(pollKey: number, brandKey: number | null): void {
    this.#noteChange(brandKey)
    this.#entries.delete(pollKey)
    this.#onDrop(pollKey)
  }

  /** Each poll shows its brand. One that is being read now may have read the brand as it was. */
  dropBrand(brandKey: number): void {
    this.#noteChange(brandKey)
    for (const [pollKey, { loaded }] of this.#entries) {
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

  #dropOld(): void {
    const epoch = this.#deps.engine.epoch()
    if (epoch === this.#epoch && this.#entries.size < MOST_KEPT) return
    this.#epoch = epoch
    this.#noteChange(null)
    this.#entries.clear()
  }

  #noteChange(brandKey: number | null): void {
    this.#changes++
    if (brandKey !== null && this.#brandsChangedAt.size < MOST_BRANDS) {
      this.#brandsChangedAt.set(brandKey, this.#changes)
    } else {
      this.#brandsChangedAt.clear()
      this.#allChangedAt = this.#changes
    }
  }

  async #read(pollKeys: readonly number[]): Promise<ReadonlyMap<number, PollRow>> {
    const rows = await pollsByKey(this.#deps.engine.db, pollKeys)
    return new Map(rows.map((row) => [row.key, row]))
  }

  /** Its entry may have been dropped meanwhile: what is read then serves those who asked before, and nobody else. */
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
