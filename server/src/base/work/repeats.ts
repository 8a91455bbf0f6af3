const WINDOW_MS = 1_000
/** Above this number of causes at once, causes are distinguished by their message alone. */
const MOST_CAUSES = 100
const MOST_REQUESTS = 1_000

/** A warning, identified by `message` and `detail`, and the id of the request that caused it. */
export interface Warning {
  readonly message: string
  readonly detail: string
  readonly requestId?: string | undefined
}

/** A count of the suppressed warnings of one cause. */
export interface Repeated {
  readonly repeated: number
  /** The ids of the first 1,000 requests. */
  readonly requestIds: readonly string[]
}

type Write = (repeated: Repeated) => void

interface Cause {
  /** Lines that may still be written in this second. */
  left: number
  count: number
  requestIds: string[]
  write: Write | null
}

type Later = (work: () => void, milliseconds: number) => void

const later: Later = (work, milliseconds) => void setTimeout(work, milliseconds).unref()

interface Allowed {
  /** Lines of a cause that are written in the first second. */
  readonly first: number
  /** Lines in each further second, in addition to the count of the second before. */
  readonly again: number
}

const ONE_LINE: Allowed = { first: 1, again: 0 }

/** Lets the allowed lines of each cause through, counts the others, and writes the count when the second ends. */
export class Repeats {
  readonly #causes = new Map<string, Cause>()
  readonly #allowed: Allowed
  readonly #later: Later

  constructor(allowed = ONE_LINE, schedule = later) {
    this.#allowed = allowed
    this.#later = schedule
  }

  /** True: write this line now. False: `write` is called with the count when the second ends. */
  isAmongFirst({ message, detail, requestId }: Warning, write: Write): boolean {
    const exact = `${message}\n${detail}`
    const key = this.#causes.has(exact) || this.#causes.size < MOST_CAUSES ? exact : message
    const cause = this.#causes.get(key) ?? this.#begin(key, this.#allowed.first)
    if (cause.left > 0) {
      cause.left--
      return true
    }
    cause.count++
    cause.write = write
    if (requestId !== undefined && cause.requestIds.length < MOST_REQUESTS) cause.requestIds.push(requestId)
    return false
  }

  /** Writes all counts now, before the process ends. */
  flush(): void {
    for (const cause of this.#causes.values()) writeCount(cause)
  }

  #begin(key: string, left: number): Cause {
    const cause: Cause = { left, count: 0, requestIds: [], write: null }
    this.#causes.set(key, cause)
    this.#later(() => this.#end(key, cause), WINDOW_MS)
    return cause
  }

  /** A cause that continues is counted for another second. */
  #end(key: string, cause: Cause): void {
    this.#causes.delete(key)
    if (cause.count === 0) return
    writeCount(cause)
    this.#begin(key, this.#allowed.again)
  }
}

function writeCount(cause: Cause): void {
  const { count, requestIds, write } = cause
  cause.count = 0
  cause.requestIds = []
  cause.write = null
  write?.({ repeated: count, requestIds })
}
