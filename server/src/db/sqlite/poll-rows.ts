import type { Database } from 'bun:sqlite'
import { Cache } from '../../base/cache.ts'
import type { Gain, PollState } from '../vote-store.ts'

/** Half of them is a generation, so the 10,000 polls that were used last are always kept. */
const MOST_ROWS = 20_000

/**
 * Polls as the last group left them: to read 50 polls for each group costs more than to store its votes. `total_changes` counts
 * the writes of this connection, rolled back or not, and `data_version` changes with those of all others.
 */
export class PollRows {
  readonly #statements: ReturnType<typeof prepare>
  /** `advance` replaces a row in its object, which costs less than a new entry in the cache. */
  readonly #kept = new Cache<number, { row: PollState }>(MOST_ROWS)
  #version = -1
  #changes = -1

  constructor(file: Database) {
    this.#statements = prepare(file)
  }

  /** Call it under the write lock, before `get`. */
  refresh(): void {
    const version = this.#statements.readVersion.get()?.data_version ?? -1
    if (version !== this.#version || this.#readChanges() !== this.#changes) this.#kept.clear()
    this.#version = version
  }

  get(pollKey: number): PollState | undefined {
    return this.#kept.get(pollKey)?.row
  }

  set(pollKey: number, row: PollState): void {
    this.#kept.set(pollKey, { row })
  }

  /** Adds the votes of a group. */
  advance({ pollKey, a, b }: Gain): void {
    const kept = this.#kept.get(pollKey)
    if (!kept) return
    const { option_a, option_b, version } = kept.row
    kept.row = { ...kept.row, option_a: option_a + a, option_b: option_b + b, version: version + 1 }
  }

  clear(): void {
    this.#kept.clear()
  }

  /** Call it after own writes that the rows include, with the connection still held. */
  keep(): void {
    this.#changes = this.#readChanges()
  }

  #readChanges(): number {
    return this.#statements.readChanges.get()?.changes ?? -1
  }
}

const prepare = (file: Database) => ({
  readVersion: file.query<{ data_version: number }, []>('pragma data_version'),
  readChanges: file.query<{ changes: number }, []>('select total_changes() as changes'),
})
