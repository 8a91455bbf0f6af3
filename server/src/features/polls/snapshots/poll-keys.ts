import { isUuid } from '../../../base/ids.ts'
import type { Db } from '../../../db/store.ts'
import { findPollKey } from '../queries.ts'

const MOST_KEPT = 50_000

/** From any identifier of a poll to its key. An identifier never comes to mean another poll, so it is kept. */
export class PollKeys {
  readonly #db: Db
  readonly #kept = new Map<string, number>()

  readonly #mostKept: number

  constructor(db: Db, mostKept = MOST_KEPT) {
    this.#db = db
    this.#mostKept = mostKept
  }

  /** Only if it was found before. */
  peek(reference: string): number | null {
    return this.#kept.get(plain(reference)) ?? null
  }

  async find(reference: string): Promise<number | null> {
    const kept = this.#kept.get(plain(reference))
    if (kept !== undefined) return kept
    const key = await findPollKey(this.#db, reference)
    if (key === null) return null
    if (this.#kept.size >= this.#mostKept) this.#kept.clear()
    this.#kept.set(plain(reference), key)
    return key
  }
}

/** A UUID has many spellings, and is one identifier. */
const plain = (reference: string): string => (isUuid(reference) ? reference.toLowerCase() : reference)
