/** Runs `run` on demand, one run at a time. A start during a run causes another run, so that no start is lost. */
export class OnDemandLoop {
  readonly #run: () => Promise<void>
  readonly #onError: (error: unknown) => void
  #isRunning = false
  #isWanted = false
  #ended: Promise<void> = Promise.resolve()

  /** `onError` is called for each failed run. Without it, a failure is an unhandled rejection: for runs that cannot fail. */
  constructor(run: () => Promise<void>, onError: (error: unknown) => void = rethrow) {
    this.#run = run
    this.#onError = onError
  }

  /** If no run is active, the run begins synchronously within this call. */
  start(): void {
    this.#isWanted = true
    if (this.#isRunning) return
    this.#isRunning = true
    this.#ended = this.#runWhileWanted()
  }

  /** Resolves when nothing is running. */
  async idle(): Promise<void> {
    // `#ended` is assigned only after the run's synchronous part; during that part it is the previous run's promise.
    while (this.#isRunning) await this.#ended
  }

  async #runWhileWanted(): Promise<void> {
    try {
      while (this.#isWanted) {
        this.#isWanted = false
        try {
          await this.#run()
        } catch (error) {
          this.#onError(error)
        }
      }
    } finally {
      // No await since the last check of `#isWanted`, so a start cannot fall between the check and this line.
      this.#isRunning = false
    }
  }
}

function rethrow(error: unknown): never {
  throw error
}
