interface ShareOptions {
  /** The share of the event loop's time, between 0 and 1. */
  readonly share: number
  /** How much unused time is kept for later, and so the longest slice without a pause. */
  readonly burstMs: number
  readonly now?: () => number
}

const LOOK_EVERY_MS = 2

/**
 * Runs short pieces of work, in order, so that together they use at most a share of the event loop. A piece that finds the
 * share used up waits; in between, the event loop serves others. Work must not throw.
 */
export class LoopShare {
  readonly #share: number
  readonly #burstMs: number
  readonly #now: () => number
  readonly #waiting: (() => void)[] = []
  #leftMs: number
  #at: number
  #timer: NodeJS.Timeout | null = null

  constructor({ share, burstMs, now = () => performance.now() }: ShareOptions) {
    this.#share = share
    this.#burstMs = burstMs
    this.#now = now
    this.#leftMs = burstMs
    this.#at = now()
  }

  /** `nativeMs` is what the piece costs outside of `work`, such as the handshake that follows a connect. */
  run(work: () => void, nativeMs = 0): void {
    if (this.#waiting.length === 0 && this.#isLeft()) this.#spend(work, nativeMs)
    else {
      this.#waiting.push(() => this.#spend(work, nativeMs))
      this.#timer ??= setInterval(() => this.#runWaiting(), LOOK_EVERY_MS)
    }
  }

  #isLeft(): boolean {
    const now = this.#now()
    this.#leftMs = Math.min(this.#burstMs, this.#leftMs + (now - this.#at) * this.#share)
    this.#at = now
    return this.#leftMs > 0
  }

  #spend(work: () => void, nativeMs: number): void {
    const startedAt = this.#now()
    work()
    this.#leftMs -= nativeMs + (this.#now() - startedAt)
  }

  #runWaiting(): void {
    while (this.#waiting.length > 0 && this.#isLeft()) this.#waiting.shift()?.()
    if (this.#waiting.length > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}
