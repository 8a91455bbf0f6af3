import type { Database } from 'bun:sqlite'
import type { Gain, PollState } from '../vote-store.ts'

export type GroupPoll = PollState & {
  /** The position of the last vote; null if there is none. */
  readonly last: number | null
}

/** Forgotten at once when there are more, rather than one by one. */
const MOST_ROWS = 10_000

/**
 * Polls as the last group left them, while nobody else has written since: to read 50 polls for each group costs more than
 * to store its votes. `total_changes` counts the writes of this connection, also of transactions that were rolled back, and
 * `data_version` changes with those of all others.
 */
export class PollRows {
  readonly #statements: ReturnType<typeof prepare>
  readonly #rows = new Map<number, GroupPoll>()
  #version = -1
  #changes = -1

  constructor(file: Database) {
    this.#statements = prepare(file)
  }

  /** Call it under the write lock, before `get`. */
  refresh(): void {
    const version = this.#statements.readVersion.get()?.data_version ?? -1
    if (version !== this.#version || this.#readChanges() !== this.#changes) this.#rows.clear()
    this.#version = version
  }

  get(pollKey: number): GroupPoll | undefined {
    return this.#rows.get(pollKey)
  }

  set(pollKey: number, row: GroupPoll): void {
    if (this.#rows.size >= MOST_ROWS) this.#rows.clear()
    this.#rows.set(pollKey, row)
  }

  /** A group has added this to a poll, whose last vote is now at this position. */
  advance({ pollKey, a, b }: Gain, last: number): void {
    const row = this.#rows.get(pollKey)
    if (!row) return
    const { option_a, option_b, version } = row
    this.#rows.set(pollKey, { ...row, option_a: option_a + a, option_b: option_b + b, version: version + 1, last })
  }

  delete(pollKey: number): void {
    this.#rows.delete(pollKey)
  }

  clear(): void {
    this.#rows.clear()
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
