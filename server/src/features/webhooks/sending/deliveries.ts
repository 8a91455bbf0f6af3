// features/webhooks/sending: everything between the outbox and the receiver of a webhook.
// Each event is delivered at least once; a slow receiver delays no other.

import { setTimeout as pause } from 'node:timers/promises'
import { Semaphore } from '../../../base/work/semaphore.ts'
import type { Deps } from '../../deps.ts'
import { createAttempt } from './attempt.ts'
import { fanOut } from './fan-out.ts'
import { Lane, type LaneParts, Leases } from './lane.ts'
import { DeliveryPace } from './pace.ts'
import { webhooksWithDue } from './queue.ts'
import { DELIVERY_POLICY, type DeliveryPolicy, OutcomeRecorder } from './record-outcomes.ts'
import { createPost } from './target/post.ts'

const MOST_IN_FLIGHT_OF_ALL = 512
const LEASED_AT_ONCE = 200
/** After a round, rest for a multiple of its duration: requests come first. */
const REST = 2
const LEAST_REST_MS = 5
const LONGEST_REST_MS = 100
/** Between two rounds while votes press. */
const SLOW_REST_MS = 250

interface Options {
  /** Whether votes need the processor. */
  readonly isPressed: () => boolean
  readonly policy?: DeliveryPolicy | undefined
  /** Somebody else looks for what is due, and calls `wake`. */
  readonly isTold?: boolean
}

/** How many times longer it rests if somebody else looks. */
const TOLD = 30

/** Fans out the outbox and delivers due deliveries: by itself from `start` until `stop`, or when a test says `runDue`. */
export class Deliveries {
  readonly #deps: Deps
  readonly #policy: DeliveryPolicy
  readonly #restMs: number
  readonly #parts: LaneParts
  readonly #stopping = new AbortController()
  readonly #breakingOff = new AbortController()
  readonly #lanes = new Map<number, Lane>()
  readonly #running = new Set<Promise<void>>()
  readonly #ended = new Set<number>()
  #loop: Promise<void> = Promise.resolve()
  #isAwake = true
  #wake: () => void = () => undefined

  constructor(deps: Deps, { isPressed, policy = DELIVERY_POLICY, isTold = false }: Options) {
    this.#deps = deps
    this.#policy = policy
    this.#restMs = policy.pollMs * (isTold ? TOLD : 1)
    const pace = new DeliveryPace(isPressed, this.#stopping.signal)
    const breakingOff = this.#breakingOff.signal
    this.#parts = {
      deps,
      attempt: createAttempt(deps, createPost({ rules: deps.config, ...policy })),
      recorder: new OutcomeRecorder({ deps, policy, pace, breakingOff }),
      leases: new Leases(deps, policy.leaseMs),
      pace,
      inFlight: new Semaphore(MOST_IN_FLIGHT_OF_ALL),
      stopping: this.#stopping.signal,
      breakingOff,
    }
    deps.bus.listen(() => this.wake())
  }

  start(): void {
    this.#loop = this.#run()
  }

  /** Resolves when every event is fanned out, and every delivery that is due by the clock has been attempted and recorded. */
  async runDue(): Promise<void> {
    do {
      this.#isAwake = false
      if (await this.#round()) this.#isAwake = true
      await Promise.all(this.#running)
    } while (this.#isAwake)
    await this.#release()
  }

  wake(): void {
    this.#isAwake = true
    this.#wake()
  }

  /** Starts nothing new, waits briefly for running attempts, and aborts the rest, which stay due. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.wake()
    await this.#loop
    const late = setTimeout(() => this.#breakingOff.abort(new Error('stopping')), this.#policy.drainMs)
    await Promise.all(this.#running)
    clearTimeout(late)
    await this.#release().catch((error) =>
      this.#deps.log.error({ err: error }, 'releasing the leases of webhooks failed'),
    )
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const started = performance.now()
      let waitMs = this.#restMs
      this.#isAwake = false
      try {
        if (await this.#round()) this.#isAwake = true
      } catch (error) {
        waitMs = this.#policy.pollMs
        this.#deps.log.error({ err: error }, 'polling for due webhook deliveries failed')
      }
      const rest = Math.max(LEAST_REST_MS, REST * (performance.now() - started))
      const restMs = this.#parts.pace.isSlow ? SLOW_REST_MS : Math.min(rest, LONGEST_REST_MS)
      await pause(restMs, undefined, { ref: false })
      if (!this.#isAwake) await this.#untilAwake(waitMs)
    }
  }

  async #untilAwake(mostMs: number): Promise<void> {
    const timer = setTimeout(() => this.#wake(), mostMs)
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    clearTimeout(timer)
  }

  /** True when there is more in the outbox. */
  async #round(): Promise<boolean> {
    const { clock, engine } = this.#deps
    const now = clock.now()
    const isMore = await fanOut(engine, { now, isSlow: this.#parts.pace.isSlow })
    const due = await webhooksWithDue(engine.db, now)
    for (const key of due) {
      this.#lanes.get(key)?.tell()
      this.#ended.delete(key)
    }
    await this.#release()
    const idle = due.filter((key) => !this.#lanes.has(key))
    for (let at = 0; at < idle.length; at += LEASED_AT_ONCE) await this.#open(idle.slice(at, at + LEASED_AT_ONCE))
    return isMore
  }

  async #open(keys: readonly number[]): Promise<void> {
    const held = await this.#parts.leases.take(keys)
    if (this.#stopping.signal.aborted) {
      for (const key of held) this.#ended.add(key)
      return
    }
    for (const webhookKey of held) {
      const lane = new Lane(this.#parts, webhookKey)
      this.#lanes.set(webhookKey, lane)
      const running = this.#follow(webhookKey, lane)
      this.#running.add(running)
      void running.finally(() => this.#running.delete(running))
    }
  }

  async #follow(webhookKey: number, lane: Lane): Promise<void> {
    let isOver = true
    try {
      await lane.run()
      isOver = !lane.isTold && this.#deps.engine.name === 'sqlite'
    } catch (error) {
      // Retried at the next poll, not sooner.
      this.#deps.log.error({ err: error }, 'deliveries to a webhook failed')
    }
    this.#lanes.delete(webhookKey)
    this.#ended.add(webhookKey)
    if (!isOver) this.wake()
  }

  /** Webhooks whose lanes have ended, many at once. */
  async #release(): Promise<void> {
    const keys = [...this.#ended]
    this.#ended.clear()
    await this.#parts.leases.release(keys)
  }
}
