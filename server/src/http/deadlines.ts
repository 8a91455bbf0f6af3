const LOOK_EVERY_MS = 250

/** The request's deadline has passed. The work that it started may still complete. */
export class TookTooLong extends Error {
  constructor() {
    super('The request was not answered in time.')
  }
}

interface Bounded {
  /** A time of `performance.now()`. It may be moved while the work is running. */
  readonly answerBy: number
}

interface Open {
  readonly bounded: Bounded
  readonly reject: (error: TookTooLong) => void
  isLate: boolean
  /** Its index in the list. */
  place: number
}

/** Enforces request deadlines with one shared timer: a timer for each request would slow every vote. */
export class Deadlines {
  /** In any order. A Set would keep removed entries alive for a while, which gives the garbage collector more to do. */
  readonly #open: Open[] = []
  #timer: NodeJS.Timeout | null = null

  /** Settles like `work`, or rejects with `TookTooLong`; `discard` then receives the late result. */
  within<T>(bounded: Bounded, work: Promise<T>, discard: (late: T) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const open: Open = { bounded, reject, isLate: false, place: this.#open.length }
      this.#open.push(open)
      this.#timer ??= setInterval(() => this.#expire(), LOOK_EVERY_MS).unref()
      work.then(
        (value) => {
          if (open.isLate) return discard(value)
          this.#remove(open)
          resolve(value)
        },
        (error) => {
          if (open.isLate) return
          this.#remove(open)
          reject(error)
        },
      )
    })
  }

  /** The last one takes its place. */
  #remove(open: Open): void {
    const last = this.#open.pop()
    if (!last || last === open) return
    this.#open[open.place] = last
    last.place = open.place
  }

  #expire(): void {
    const now = performance.now()
    for (const open of this.#open.filter(({ bounded }) => bounded.answerBy <= now)) {
      this.#remove(open)
      open.isLate = true
      open.reject(new TookTooLong())
    }
    if (this.#open.length > 0 || !this.#timer) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}
