import { Cache } from '../../../base/cache.ts'
import { isUuid } from '../../../base/ids.ts'
import type { Db } from '../../../db/store.ts'
import { findPollKey } from '../queries.ts'

const MOST_KEPT = 50_000

/** Maps any identifier of a public poll to its key. Identifiers are never used again, so entries never go stale. */
export class PollKeys {
  readonly #db: Db
  readonly #kept: Cache<string, number>

  constructor(db: Db, mostKept = MOST_KEPT) {
    this.#db = db
    this.#kept = new Cache(mostKept)
  }

  /** Null if it has not been looked up before. */
  peek(reference: string): number | null {
    return this.#kept.get(plain(reference)) ?? null
  }

  async find(reference: string): Promise<number | null> {
    const kept = this.#kept.get(plain(reference))
    if (kept !== undefined) return kept
    const key = await findPollKey(this.#db, reference)
    if (key === null) return null
    this.#kept.set(plain(reference), key)
    return key
  }
}

/** All spellings of a UUID are one identifier. */
const plain = (reference: string): string => (isUuid(reference) ? reference.toLowerCase() : reference)
