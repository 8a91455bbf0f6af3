/** Runs what it is given after a fixed time, in the same order, however much waits. */
export class DelayLine {
  readonly #milliseconds: number
  readonly #waiting: { readonly dueAt: number; readonly run: () => void }[] = []
  #isArmed = false

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds
  }

  add(run: () => void): void {
    if (this.#milliseconds === 0) {
      run()
      return
    }
    this.#waiting.push({ dueAt: performance.now() + this.#milliseconds, run })
    this.#arm()
  }

  /** One timer for the first of the queue: several could fire in another order. */
  #arm(): void {
    const [first] = this.#waiting
    if (this.#isArmed || !first) return
    this.#isArmed = true
    // Real time: the delay is the subject.
    setTimeout(() => this.#runDue(), Math.max(0, first.dueAt - performance.now()))
  }

  #runDue(): void {
    this.#isArmed = false
    const now = performance.now()
    let due = 0
    while ((this.#waiting[due]?.dueAt ?? Number.POSITIVE_INFINITY) <= now) due++
    for (const { run } of this.#waiting.splice(0, due)) run()
    this.#arm()
  }
}
