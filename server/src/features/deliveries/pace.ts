import { setTimeout as pause } from 'node:timers/promises'
import { OnDemandLoop } from '../../base/on-demand-loop.ts'

/** Under pressure so many attempts are begun in this time, together: what is looked up and written down is then shared. */
const SLOW_MS = 100
const AT_ONCE = 10

interface Waiting {
  readonly wanted: number
  readonly begin: (count: number) => void
}

/**
 * Votes come first: a delivery costs as much as ten of them. While votes press, deliveries go on slowly, and at full
 * speed as soon as they no longer do.
 */
export class Pace {
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

  /** Resolves when attempts may be begun, with how many of those that are wanted: one at least. */
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
