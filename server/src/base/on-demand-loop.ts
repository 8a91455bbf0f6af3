/**
 * Work that runs while there is some, one run at a time. A start during a run is followed by another run, so that no start is
 * lost in a run's last moments; however a run ends, the loop can be started again.
 */
export class OnDemandLoop {
  readonly #run: () => Promise<void>
  readonly #onError: (error: unknown) => void
  #isRunning = false
  #isWanted = false
  #ended: Promise<void> = Promise.resolve()

  /** `onError` hears of each run that failed; without it, for runs that cannot fail, a failure is an unhandled rejection. */
  constructor(run: () => Promise<void>, onError: (error: unknown) => void = rethrow) {
    this.#run = run
    this.#onError = onError
  }

  /** Begins a run in this very call when none is under way. */
  start(): void {
    this.#isWanted = true
    if (this.#isRunning) return
    this.#isRunning = true
    this.#ended = this.#runWhileWanted()
  }

  /** Resolves when nothing runs. */
  async idle(): Promise<void> {
    // Asked within a run's first turn, the promise is still that of the run before.
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
      // In the turn of the last look at `isWanted`: a start comes before both or after both.
      this.#isRunning = false
    }
  }
}

function rethrow(error: unknown): never {
  throw error
}
