/** So many at a time, and the others in the order in which they came. */
export class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  async take(): Promise<void> {
    if (this.tryTake()) return
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  tryTake(): boolean {
    if (this.#free === 0) return false
    this.#free--
    return true
  }

  give(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free++
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    await this.take()
    try {
      return await work()
    } finally {
      this.give()
    }
  }
}
