import type { Counted } from '../../db/vote-store.ts'
import type { Deps } from '../../deps.ts'
import { findPublicPollByKey } from './queries.ts'
import { Snapshot } from './snapshot.ts'

const MOST_KEPT = 20_000

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
  readonly #entries = new Map<number, Entry>()
  #epoch = Number.NaN

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Null when there is no such poll for the public. */
  find(pollKey: number): Promise<Snapshot | null> {
    this.#dropOld()
    const kept = this.#entries.get(pollKey)
    if (kept) return kept.loading
    const entry: Entry = { loading: this.#load(pollKey, () => entry), loaded: null, counted: null }
    this.#entries.set(pollKey, entry)
    return entry.loading
  }

  /** Only if it is in memory and still holds. */
  peek(pollKey: number): Snapshot | null {
    this.#dropOld()
    return this.#entries.get(pollKey)?.loaded ?? null
  }

  drop(pollKey: number): void {
    this.#entries.delete(pollKey)
  }

  count(counts: ReadonlyMap<number, Counted>): void {
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
    this.#entries.clear()
  }

  /** Its entry may have been dropped meanwhile: what is read then serves those who asked before, and nobody else. */
  async #load(pollKey: number, entryOf: () => Entry): Promise<Snapshot | null> {
    try {
      const row = await findPublicPollByKey(this.#deps.engine.db, pollKey)
      const entry = entryOf()
      entry.loaded = row ? new Snapshot(this.#deps, row) : null
      if (entry.counted) entry.loaded?.count(entry.counted)
      return entry.loaded
    } catch (error) {
      if (this.#entries.get(pollKey) === entryOf()) this.drop(pollKey)
      throw error
    }
  }
}
