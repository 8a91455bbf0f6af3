import { newUuid } from '../../base/ids.ts'
import type { Engine } from '../../db/store.ts'
import { relaxedTransaction } from '../../db/transaction.ts'

/** A renewed lease still covers one attempt and the recording of its outcome. */
const RENEW_AT = 2 / 3

interface Taken {
  readonly held: readonly number[]
  readonly until: number
}

/**
 * A server leases the webhooks that it delivers to, so that the limit of five at a time holds across servers. The lease of
 * a server that dies expires, and its unrecorded deliveries are due again.
 */
export class Leases {
  readonly #engine: Engine
  readonly #leaseMs: number
  readonly #name = newUuid()

  constructor(engine: Engine, leaseMs: number) {
    this.#engine = engine
    this.#leaseMs = leaseMs
  }

  /** Takes the leases of these webhooks that no other server holds. A single process needs none. */
  async take(keys: readonly number[], now: number): Promise<Taken> {
    const { db, isAlone } = this.#engine
    if (!isAlone) return this.#takeFromOthers(keys, now)
    const rows = await db.selectFrom('webhooks').select('key').where('key', 'in', keys).execute()
    return { held: rows.map(({ key }) => key), until: Number.POSITIVE_INFINITY }
  }

  #takeFromOthers(keys: readonly number[], now: number): Promise<Taken> {
    const until = now + this.#leaseMs
    return relaxedTransaction(this.#engine, async (tx) => {
      const rows = await tx
        .with(
          (free) => free('free').materialized(),
          (db) =>
            db
              .selectFrom('webhooks')
              .select('key')
              .where('key', 'in', keys)
              .where(({ eb, or }) =>
                or([eb('leased_until', 'is', null), eb('leased_until', '<=', now), eb('leased_by', '=', this.#name)]),
              )
              .orderBy('key')
              .modifyEnd(this.#engine.skipLocked),
        )
        .updateTable('webhooks')
        .set({ leased_by: this.#name, leased_until: until })
        .where('key', 'in', (from) => from.selectFrom('free').select('free.key'))
        .returning('key')
        .execute()
      return { held: rows.map(({ key }) => key), until }
    })
  }

  isRunningOut(until: number, now: number): boolean {
    return now > until - this.#leaseMs * RENEW_AT
  }

  async release(keys: readonly number[]): Promise<void> {
    if (this.#engine.isAlone || keys.length === 0) return
    await relaxedTransaction(this.#engine, (tx) =>
      tx
        .updateTable('webhooks')
        .set({ leased_by: null, leased_until: null })
        .where('key', 'in', keys)
        .where('leased_by', '=', this.#name)
        .execute(),
    )
  }
}
