import { newUuid } from '../../../base/ids.ts'
import type { Log } from '../../../base/log.ts'
import type { Semaphore } from '../../../base/work/semaphore.ts'
import type { Engine, Tx } from '../../../db/store.ts'
import { relaxedTransaction } from '../../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Attempt } from './attempt.ts'
import type { DeliveryPace } from './pace.ts'
import { type DueDelivery, lookAt, skipDue, type WebhookRow } from './queue.ts'
import type { OutcomeRecorder } from './record-outcomes.ts'

/** Part of a lease's time after which it is renewed: two heartbeats may be late or fail. */
const BEAT_AT = 1 / 3
/**
 * A server leases the webhooks that it delivers to, so that the limit of five at a time holds across servers. Leases are compared
 * by the clock of the database, because a server whose clock is ahead would see the leases of all others as expired.
 */
export class Leases {
  readonly #engine: Engine
  readonly #log: Log
  readonly #leaseMs: number
  readonly #isAlone: boolean
  readonly #name = newUuid()
  /** Until when each lease is held, by the monotonic clock of this process. */
  readonly #heldUntil = new Map<number, number>()
  #beat: Promise<void> | null = null
  #timer: ReturnType<typeof setInterval> | null = null

  constructor({ engine, log }: { engine: Engine; log: Log }, leaseMs: number) {
    this.#engine = engine
    this.#log = log
    this.#leaseMs = leaseMs
    this.#isAlone = engine.name === 'sqlite'
  }

  /** Takes the leases of these webhooks that no other server holds, and returns their keys. A single process needs none. */
  async take(keys: readonly number[]): Promise<readonly number[]> {
    if (this.#isAlone) return keys
    const until = performance.now() + this.#leaseMs
    // Locked rows are skipped, as this server's own are while it renews them.
    const held = keys.filter((key) => this.isHeld(key))
    const free = keys.filter((key) => !held.includes(key))
    const taken = free.length > 0 ? await this.#takeFromOthers(free) : []
    for (const key of taken) this.#heldUntil.set(key, until)
    this.#keepBeating()
    return [...held, ...taken]
  }

  isHeld(key: number): boolean {
    return this.#isAlone || performance.now() < (this.#heldUntil.get(key) ?? Number.NEGATIVE_INFINITY)
  }

  async release(keys: readonly number[]): Promise<void> {
    if (this.#isAlone || keys.length === 0) return
    for (const key of keys) this.#heldUntil.delete(key)
    await relaxedTransaction(this.#engine, async (tx) => {
      const own = await this.#lockOwn(tx, keys)
      if (own.length === 0) return
      await tx.updateTable('webhooks').set({ leased_by: null, leased_until: null }).where('key', 'in', own).execute()
    })
  }

  async #lockOwn(tx: Tx, keys: readonly number[]): Promise<number[]> {
    const own = tx.selectFrom('webhooks').select('key').where('key', 'in', keys).where('leased_by', '=', this.#name)
    const rows = await own.orderBy('key').forUpdate().execute()
    return rows.map(({ key }) => key)
  }

  #keepBeating(): void {
    this.#timer ??= setInterval(() => {
      // One that still waits for a row also renews the others.
      this.#beat ??= this.#renew().finally(() => {
        this.#beat = null
      })
    }, this.#leaseMs * BEAT_AT)
    this.#timer.unref()
  }

  /** Waits for a webhook that is just being written, as when outcomes are recorded. A released lease is not renewed. */
  async #renew(): Promise<void> {
    const keys = [...this.#heldUntil.keys()]
    if (keys.length === 0) {
      if (this.#timer) clearInterval(this.#timer)
      this.#timer = null
      return
    }
    try {
      const until = performance.now() + this.#leaseMs
      const renewed = await relaxedTransaction(this.#engine, async (tx) => {
        const locked = await this.#lockOwn(tx, keys)
        const leased_until = (await this.#engine.votingTime(tx)) + this.#leaseMs
        if (locked.length > 0)
          await tx.updateTable('webhooks').set({ leased_until }).where('key', 'in', locked).execute()
        return locked
      })
      for (const key of renewed) if (this.#heldUntil.has(key)) this.#heldUntil.set(key, until)
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

const MOST_IN_FLIGHT = 5
/** A failing webhook gains nothing from parallel attempts, and while it hangs it would take others' permits. */
const MOST_WHILE_FAILING = 1

export interface LaneParts {
  readonly deps: Pick<Deps, 'clock' | 'engine'>
  readonly attempt: Attempt
  readonly recorder: OutcomeRecorder
  readonly pace: DeliveryPace
  readonly leases: Leases
  /** Attempts under way, to all webhooks. */
  readonly inFlight: Semaphore
  /** Aborted when nothing new may start. */
  readonly stopping: AbortSignal
  /** Aborts running attempts. */
  readonly breakingOff: AbortSignal
}

/** Delivers to one webhook until nothing is due, isolated from other webhooks. */
export class Lane {
  readonly #parts: LaneParts
  readonly #webhookKey: number
  readonly #inFlight = new Map<number, Promise<void>>()
  isTold = true
  /** The last lookup left deliveries in the queue. */
  #isMore = false
  #wake: () => void = () => undefined
  #failure: unknown = null

  constructor(parts: LaneParts, webhookKey: number) {
    this.#parts = parts
    this.#webhookKey = webhookKey
  }

  /** Tells the lane that there may be new deliveries. */
  tell(): void {
    this.isTold = true
    this.#wake()
  }

  /** Rejects when the database fails, after running attempts have ended. */
  async run(): Promise<void> {
    const { stopping } = this.#parts
    try {
      while (!stopping.aborted && this.#failure === null && (this.isTold || this.#inFlight.size > 0)) {
        if (this.isTold) await this.#fill()
        else await this.#untilChange()
      }
    } finally {
      await Promise.all(this.#inFlight.values())
    }
    if (this.#failure !== null) throw this.#failure
  }

  /** Resolves when the lane was told of something new, or an attempt ended. */
  #untilChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  async #fill(): Promise<void> {
    this.isTold = false
    const { inFlight, pace } = this.#parts
    const room = MOST_IN_FLIGHT - this.#inFlight.size
    if (room <= 0) {
      this.#isMore = true
      return
    }
    const most = await pace.turn(room)
    await inFlight.acquire()
    let unused = 1
    while (unused < most && inFlight.tryAcquire()) unused++
    try {
      const begin = await this.#next(unused)
      for (const [webhook, delivery] of begin) {
        unused--
        this.#begin(webhook, delivery)
      }
    } finally {
      for (; unused > 0; unused--) inFlight.release()
    }
  }

  /** Read again each time, so that nothing is sent to a webhook that was just disabled or deleted. */
  async #next(room: number): Promise<[WebhookRow, DueDelivery][]> {
    const { deps, stopping } = this.#parts
    const now = deps.clock.now()
    if (stopping.aborted || !(await this.#isHeld())) return []
    // Taken before the lookup, which may still see attempts as running that end meanwhile.
    const busy = new Set(this.#inFlight.keys())
    const limit = room + busy.size
    const seen = await lookAt(deps.engine.db, this.#webhookKey, now, limit)
    if (!seen) return []
    const { webhook, due } = seen
    if (webhook.status === 'DISABLED') {
      await skipDue(deps.engine, this.#webhookKey, now)
      return []
    }
    this.#isMore = due.length === limit
    const most = webhook.failing_since === null ? MOST_IN_FLIGHT : MOST_WHILE_FAILING
    const free = Math.max(0, Math.min(room, most - busy.size))
    const fresh = due.filter(({ key }) => !busy.has(key))
    if (free < fresh.length) this.#isMore = true
    return fresh.slice(0, free).map((delivery) => [webhook, delivery])
  }

  async #isHeld(): Promise<boolean> {
    const { leases } = this.#parts
    return leases.isHeld(this.#webhookKey) || (await leases.take([this.#webhookKey])).length > 0
  }

  #begin(webhook: WebhookRow, delivery: DueDelivery): void {
    const task = this.#deliver(webhook, delivery)
      .catch((error) => {
        if (!this.#parts.breakingOff.aborted) this.#failure = error
      })
      .finally(() => {
        this.#inFlight.delete(delivery.key)
        if (this.#isMore) this.isTold = true
        this.#wake()
      })
    this.#inFlight.set(delivery.key, task)
  }

  async #deliver(webhook: WebhookRow, delivery: DueDelivery): Promise<void> {
    const { attempt, recorder, inFlight, breakingOff } = this.#parts
    const outcome = await attempt(webhook, delivery, breakingOff).finally(() => inFlight.release())
    await recorder.record(outcome)
  }
}
