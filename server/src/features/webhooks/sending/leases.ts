import { setTimeout as pause } from 'node:timers/promises'
import { newUuid } from '../../../base/ids.ts'
import type { Log } from '../../../base/log.ts'
import type { Engine } from '../../../db/store.ts'
import { relaxedTransaction } from '../../../db/transaction.ts'

/** Part of a lease's time after which it is renewed: two heartbeats may be late or fail. */
const BEAT_AT = 1 / 3
/** A webhook that is just being written, as when outcomes are recorded, is skipped, and free again in a moment. */
const TRIES = 10
const TRY_AGAIN_MS = 20

/**
 * A server leases the webhooks that it delivers to, so that the limit of five at a time holds across servers. A heartbeat renews
 * the leases. Those of a server that dies expire soon, and its unrecorded deliveries are due again. Leases are compared by the
 * clock of the database, because a server whose clock is ahead would see the leases of all others as expired.
 */
export class Leases {
  readonly #engine: Engine
  readonly #log: Log
  readonly #leaseMs: number
  readonly #name = newUuid()
  /** Until when each lease is held, by the monotonic clock of this process. */
  readonly #heldUntil = new Map<number, number>()
  #timer: ReturnType<typeof setInterval> | null = null
  #beat: Promise<void> | null = null

  constructor({ engine, log }: { engine: Engine; log: Log }, leaseMs: number) {
    this.#engine = engine
    this.#log = log
    this.#leaseMs = leaseMs
  }

  /** Takes the leases of these webhooks that no other server holds, and returns their keys. A single process needs none. */
  async take(keys: readonly number[]): Promise<readonly number[]> {
    const { db, isAlone } = this.#engine
    if (isAlone) {
      const rows = await db.selectFrom('webhooks').select('key').where('key', 'in', keys).execute()
      return rows.map(({ key }) => key)
    }
    // A heartbeat locks the rows that it renews, and `takeFromOthers` skips locked rows.
    await this.#beat
    const until = performance.now() + this.#leaseMs
    const held = await this.#takeFromOthers(keys)
    for (const key of held) this.#heldUntil.set(key, until)
    this.#keepBeating()
    return held
  }

  isHeld(key: number): boolean {
    return this.#engine.isAlone || performance.now() < (this.#heldUntil.get(key) ?? Number.NEGATIVE_INFINITY)
  }

  async release(keys: readonly number[]): Promise<void> {
    if (this.#engine.isAlone || keys.length === 0) return
    for (const key of keys) this.#heldUntil.delete(key)
    // A heartbeat under way could renew the leases after their release.
    await this.#beat
    await relaxedTransaction(this.#engine, (tx) =>
      tx
        .updateTable('webhooks')
        .set({ leased_by: null, leased_until: null })
        .where('key', 'in', keys)
        .where('leased_by', '=', this.#name)
        .execute(),
    )
  }

  #keepBeating(): void {
    this.#timer ??= setInterval(() => {
      this.#beat ??= this.#renew().finally(() => {
        this.#beat = null
      })
    }, this.#leaseMs * BEAT_AT)
    this.#timer.unref()
  }

  async #renew(): Promise<void> {
    let left: readonly number[] = [...this.#heldUntil.keys()]
    if (left.length === 0) {
      if (this.#timer) clearInterval(this.#timer)
      this.#timer = null
      return
    }
    try {
      for (let tries = 1; left.length > 0 && tries <= TRIES; tries++) {
        if (tries > 1) await pause(TRY_AGAIN_MS, undefined, { ref: false })
        const until = performance.now() + this.#leaseMs
        const renewed = new Set(await this.#takeFromOthers(left))
        for (const key of renewed) if (this.#heldUntil.has(key)) this.#heldUntil.set(key, until)
        left = left.filter((key) => !renewed.has(key) && this.isHeld(key))
      }
    } catch (error) {
      // The next heartbeat tries again. A lease that expires before that is taken again with the next delivery.
      this.#log.warn({ err: error }, 'renewing the leases of webhooks failed')
    }
  }

  #takeFromOthers(keys: readonly number[]): Promise<readonly number[]> {
    return relaxedTransaction(this.#engine, async (tx) => {
      const now = await this.#engine.votingTime(tx)
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
        .set({ leased_by: this.#name, leased_until: now + this.#leaseMs })
        .where('key', 'in', (from) => from.selectFrom('free').select('free.key'))
        .returning('key')
        .execute()
      return rows.map(({ key }) => key)
    })
  }
}
