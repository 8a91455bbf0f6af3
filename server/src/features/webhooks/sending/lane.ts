import type { Semaphore } from '../../../base/work/semaphore.ts'
import type { Deps } from '../../deps.ts'
import type { Attempt } from './attempt.ts'
import type { Leases } from './leases.ts'
import type { DeliveryPace } from './pace.ts'
import { type DueDelivery, lookAt, skipDue, type WebhookRow } from './queue.ts'
import type { OutcomeRecorder } from './record-outcomes.ts'

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
    const seen = await lookAt(deps.engine.db, { webhookKey: this.#webhookKey, now, limit })
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
