import { setTimeout as pause } from 'node:timers/promises'
import { OnDemandLoop } from '../../../base/work/on-demand-loop.ts'

/** Under pressure at most AT_ONCE attempts start in this time, together, so that they share lookups and writes. */
const SLOW_MS = 100
const AT_ONCE = 10

interface Waiting {
  readonly wanted: number
  readonly begin: (count: number) => void
}

/**
 * A delivery costs as much as ten votes. While votes press, deliveries are slowed down; afterwards they run at full
 * speed again.
 */
export class DeliveryPace {
  readonly #isPressed: () => boolean
  readonly #waiting: Waiting[] = []
  readonly #stopping: AbortSignal
  readonly #ticks = new OnDemandLoop(() => this.#tickWhileSomeWait())

  /** After `stopping` nobody waits. */
  constructor(isPressed: () => boolean, stopping: AbortSignal) {
    this.#isPressed = () => !stopping.aborted && isPressed()
    this.#stopping = stopping
  }

  get isSlow(): boolean {
    return this.#isPressed()
  }

  /** Resolves when attempts may start, with their number: at least one. */
  async turn(wanted: number): Promise<number> {
    if (!this.isSlow && this.#waiting.length === 0) return wanted
    const turn = new Promise<number>((begin) => this.#waiting.push({ wanted, begin }))
    this.#ticks.start()
    return turn
  }

  async #tickWhileSomeWait(): Promise<void> {
    while (this.#waiting.length > 0) {
      await pause(SLOW_MS, undefined, { signal: this.#stopping }).catch(() => undefined)
      this.#tick()
    }
  }

  #tick(): void {
    let left = this.isSlow ? AT_ONCE : Number.POSITIVE_INFINITY
    while (left > 0) {
      const next = this.#waiting.shift()
      if (!next) break
      const count = Math.min(next.wanted, left)
      left -= count
      next.begin(count)
    }
  }
}
