/** Limits concurrency. Waiting callers proceed in the order in which they asked. */
export class Semaphore {
  #available: number
  readonly #waiting: (() => void)[] = []

  constructor(permits: number) {
    this.#available = permits
  }

  get free(): number {
    return this.#available
  }

  get waiting(): number {
    return this.#waiting.length
  }

  async acquire(): Promise<void> {
    if (this.tryAcquire()) return
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  tryAcquire(): boolean {
    if (this.#available === 0) return false
    this.#available--
    return true
  }

  release(): void {
    // A released permit goes directly to the next waiting caller, so that nobody can overtake it.
    const next = this.#waiting.shift()
    if (next) next()
    else this.#available++
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.acquire()
    try {
      return await work()
    } finally {
      this.release()
    }
  }
}
