import type { Responder } from '../base/responder.ts'

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

interface Late<T> {
  /** Receives an answer that comes after the deadline. */
  discard(answer: T): void
}

/** Passes on how the work ends, unless its deadline has passed by then. */
class BoundedWork<T> implements Responder<T> {
  readonly bounded: Bounded
  readonly #settle: Responder<T> & Late<T>
  readonly #list: BoundedWork<never>[]
  isLate = false
  /** Its index in the list. */
  place: number

  constructor(list: BoundedWork<never>[], bounded: Bounded, settle: Responder<T> & Late<T>) {
    this.bounded = bounded
    this.#settle = settle
    this.#list = list
    this.place = list.push(this as unknown as BoundedWork<never>) - 1
  }

  answer(value: T): void {
    if (this.isLate) {
      this.#settle.discard(value)
      return
    }
    this.#remove()
    this.#settle.answer(value)
  }

  fail(error: unknown): void {
    if (this.isLate) return
    this.#remove()
    this.#settle.fail(error)
  }

  expire(): void {
    this.#remove()
    this.isLate = true
    this.#settle.fail(new TookTooLong())
  }

  /** The last one takes its place. */
  #remove(): void {
    const last = this.#list.pop()
    if (!last || last === (this as unknown)) return
    this.#list[this.place] = last
    last.place = this.place
  }
}

/** Enforces request deadlines with one shared timer: a timer for each request would slow every vote. */
export class Deadlines {
  /** In any order. A Set would keep removed entries alive for a while, which gives the garbage collector more to do. */
  readonly #open: BoundedWork<never>[] = []
  #timer: NodeJS.Timeout | null = null

  /** Settles like `work`, or rejects with `TookTooLong`; `discard` then receives the late result. */
  within<T>(bounded: Bounded, work: Promise<T>, discard: (late: T) => void): Promise<T> {
    return new Promise((answer, fail) => {
      const open = this.bound<T>(bounded, { answer, fail, discard })
      work.then(
        (value) => open.answer(value),
        (error) => open.fail(error),
      )
    })
  }

  /**
   * Returns a responder for the work, which passes its outcome on to `settle`. After the deadline, `settle` has failed with
   * `TookTooLong`, and an answer that comes late goes to `discard`.
   */
  bound<T>(bounded: Bounded, settle: Responder<T> & Late<T>): Responder<T> {
    this.#timer ??= setInterval(() => this.#expire(), LOOK_EVERY_MS).unref()
    return new BoundedWork(this.#open, bounded, settle)
  }

  #expire(): void {
    const now = performance.now()
    for (const open of this.#open.filter(({ bounded }) => bounded.answerBy <= now)) open.expire()
    if (this.#open.length > 0 || !this.#timer) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}
