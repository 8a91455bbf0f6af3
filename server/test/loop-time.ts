const TICK_MS = 10
/** More than a turn of the event loop takes, unless something stalls this process. */
const MOST_MS = 50

/** Real time without the stalls of this process: what a test promises of its service, a busy machine can only delay. */
export class LoopTime {
  #passed = 0
  #at = performance.now()
  readonly #timer = setInterval(() => this.#tick(), TICK_MS)

  now(): number {
    this.#tick()
    return this.#passed
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #tick(): void {
    const now = performance.now()
    this.#passed += Math.min(now - this.#at, MOST_MS)
    this.#at = now
  }
}
