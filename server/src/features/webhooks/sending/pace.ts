import { setTimeout as pause } from 'node:timers/promises'

/** Under pressure at most AT_ONCE attempts start in this time, together, so that they share lookups and writes. */
const SLOW_MS = 100
const AT_ONCE = 10

/** A delivery costs as much as ten votes, so deliveries are slowed down while votes press. */
export class DeliveryPace {
  readonly #isPressed: () => boolean
  readonly #stopping: AbortSignal
  #left = 0
  #last: Promise<number> = Promise.resolve(0)

  /** After `stopping` nobody waits. */
  constructor(isPressed: () => boolean, stopping: AbortSignal) {
    this.#isPressed = isPressed
    this.#stopping = stopping
  }

  get isSlow(): boolean {
    return !this.#stopping.aborted && this.#isPressed()
  }

  /** Resolves when attempts may start, with their number: at least one. Calls wait in their order. */
  turn(wanted: number): Promise<number> {
    this.#last = this.#last.then(() => this.#take(wanted))
    return this.#last
  }

  async #take(wanted: number): Promise<number> {
    if (this.isSlow && this.#left === 0) {
      await pause(SLOW_MS, undefined, { signal: this.#stopping }).catch(() => undefined)
      this.#left = AT_ONCE
    }
    if (!this.isSlow) return wanted
    const count = Math.min(wanted, this.#left)
    this.#left -= count
    return count
  }
}
