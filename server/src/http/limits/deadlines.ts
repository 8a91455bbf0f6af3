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
  readonly expire: () => void
  /** The index in `#open`; -1 once the request has ended. */
  place: number
}

/** Enforces request deadlines with one shared timer: a timer for each request would slow every vote. */
export class Deadlines {
  /** In any order. A Set would keep removed entries alive for a while, which gives the garbage collector more to do. */
  readonly #open: Open[] = []
  #timer: NodeJS.Timeout | null = null

  /** Settles like `work`, or rejects with `TookTooLong`; `discard` then receives the late result. */
  within<T>(bounded: Bounded, work: Promise<T>, discard: (late: T) => void): Promise<T> {
    this.#timer ??= setInterval(() => this.#expire(), LOOK_EVERY_MS).unref()
    return new Promise((resolve, reject) => {
      const open = { bounded, expire: () => reject(new TookTooLong()), place: this.#open.length }
      this.#open.push(open)
      work.then(
        (value) => (this.#remove(open) ? resolve(value) : discard(value)),
        (error) => this.#remove(open) && reject(error),
      )
    })
  }

  /** False if the deadline has passed. The last entry takes the place of the removed one. */
  #remove(open: Open): boolean {
    if (open.place === -1) return false
    const last = this.#open.pop() as Open
    if (last !== open) {
      this.#open[open.place] = last
      last.place = open.place
    }
    open.place = -1
    return true
  }

  #expire(): void {
    const now = performance.now()
    for (const open of this.#open.filter(({ bounded }) => bounded.answerBy <= now)) {
      this.#remove(open)
      open.expire()
    }
    if (this.#open.length > 0 || !this.#timer) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}
