import type { Db } from '../../../db/store.ts'
import { labelsOf, type PollLabels, type PollRow, pollsByKey } from '../queries.ts'
import { type Revision, revisionsOf } from './revisions.ts'

/** Polls in one statement: their rows are parsed in one turn of the event loop, which votes wait for. */
const BATCH = 200
/** A batch takes one connection of the pool at a time. */
const MOST_BATCHES = 4

export interface ReadPoll {
  readonly row: PollRow
  readonly labels: PollLabels
  readonly revisions: readonly Revision[]
}

/** Null for a missing poll. */
type PendingRead = PromiseWithResolvers<ReadPoll | null>

/**
 * Reads polls with their labels. Polls that are wanted in the same turn of the event loop, or while `MOST_BATCHES` are under
 * way, share a statement. Each reading begins after the call that wants it.
 */
export class PollReader {
  readonly #db: Db
  #wanted = new Map<number, PendingRead>()
  #batches = 0
  #isScheduled = false

  constructor(db: Db) {
    this.#db = db
  }

  read(pollKey: number): Promise<ReadPoll | null> {
    const known = this.#wanted.get(pollKey)
    if (known) return known.promise
    const wanted: PendingRead = Promise.withResolvers()
    this.#wanted.set(pollKey, wanted)
    this.#schedule()
    return wanted.promise
  }

  #schedule(): void {
    if (this.#isScheduled || this.#batches >= MOST_BATCHES || this.#wanted.size === 0) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      void this.#readBatch()
      this.#schedule()
    })
  }

  async #readBatch(): Promise<void> {
    const batch = new Map(this.#wanted.entries().take(BATCH))
    for (const key of batch.keys()) this.#wanted.delete(key)
    this.#batches++
    try {
      const { rows, labels, revisions } = await this.#db.connection().execute((one) => readAll(one, [...batch.keys()]))
      for (const [key, wanted] of batch) {
        const row = rows.get(key)
        wanted.resolve(row ? { row, labels: labels(key), revisions: revisions(key) } : null)
      }
    } catch (error) {
      for (const wanted of batch.values()) wanted.reject(error)
    } finally {
      this.#batches--
      this.#schedule()
    }
  }
}

async function readAll(db: Db, keys: readonly number[]) {
  const rows = new Map((await pollsByKey(db, keys)).map((row) => [row.key, row]))
  const revised = [...rows.values()].filter((row) => row.revised_at !== null).map(({ key }) => key)
  return { rows, labels: await labelsOf(db, [...rows.keys()]), revisions: await revisionsOf(db, revised) }
}
