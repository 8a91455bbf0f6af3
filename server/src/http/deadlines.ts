const LOOK_EVERY_MS = 250

/** A request that nobody is to wait for any longer. What it began may still come to an end. */
export class TookTooLong extends Error {
  constructor() {
    super('The request was not answered in time.')
  }
}

interface Bounded {
  /** By `performance.now()`. It may be moved while the work goes on. */
  readonly answerBy: number
}

interface Open {
  readonly bounded: Bounded
  readonly giveUp: () => void
}

/** Bounds what requests wait for, with one timer for all of them: a timer for each would cost every vote. */
export class Deadlines {
  readonly #open = new Set<Open>()
  #timer: NodeJS.Timeout | null = null

  /** Settles as `work`, or rejects with `TookTooLong`; then `discard` is given what comes late. */
  within<T>(bounded: Bounded, work: Promise<T>, discard: (late: T) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      let isLate = false
      const giveUp = () => {
        isLate = true
        reject(new TookTooLong())
      }
      const open = { bounded, giveUp }
      this.#open.add(open)
      this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref()
      work.then(
        (value) => {
          this.#open.delete(open)
          if (isLate) discard(value)
          else resolve(value)
        },
        (error) => {
          this.#open.delete(open)
          reject(error)
        },
      )
    })
  }

  #look(): void {
    const now = performance.now()
    for (const open of this.#open) {
      if (open.bounded.answerBy > now) continue
      this.#open.delete(open)
      open.giveUp()
    }
    if (this.#open.size > 0 || !this.#timer) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}
