const WINDOW_MS = 1_000
/** Beyond so many at once, causes are told apart by their message alone. */
const MOST_CAUSES = 100
const MOST_REQUESTS = 1_000

/** What distinguishes one warning from another, and the request that met it. */
export interface Warning {
  readonly message: string
  readonly detail: string
  readonly requestId?: string | undefined
}

/** The warnings of one cause that were not written. */
export interface Repeated {
  readonly repeated: number
  /** The ids of their requests, at most 1,000. */
  readonly requestIds: readonly string[]
}

type Write = (repeated: Repeated) => void

interface Cause {
  count: number
  requestIds: string[]
  write: Write | null
}

type Later = (work: () => void, milliseconds: number) => void

const later: Later = (work, milliseconds) => void setTimeout(work, milliseconds).unref()

/** Lets one line a second through for each cause; the others are counted, and the count is written when the second ends. */
export class Repeats {
  readonly #causes = new Map<string, Cause>()
  readonly #later: Later

  constructor(schedule = later) {
    this.#later = schedule
  }

  /** True: write this line now. False: `write` is called with the count when the second ends. */
  isFirst({ message, detail, requestId }: Warning, write: Write): boolean {
    const exact = `${message}\n${detail}`
    const key = this.#causes.has(exact) || this.#causes.size < MOST_CAUSES ? exact : message
    const cause = this.#causes.get(key)
    if (!cause) {
      this.#begin(key)
      return true
    }
    cause.count++
    cause.write = write
    if (requestId !== undefined && cause.requestIds.length < MOST_REQUESTS) cause.requestIds.push(requestId)
    return false
  }

  /** Writes all counts now, as before the process ends. */
  flush(): void {
    for (const cause of this.#causes.values()) writeCount(cause)
  }

  #begin(key: string): void {
    const cause: Cause = { count: 0, requestIds: [], write: null }
    this.#causes.set(key, cause)
    this.#later(() => this.#end(key, cause), WINDOW_MS)
  }

  /** A cause that goes on is counted for another second. */
  #end(key: string, cause: Cause): void {
    this.#causes.delete(key)
    if (cause.count === 0) return
    writeCount(cause)
    this.#begin(key)
  }
}

function writeCount(cause: Cause): void {
  const { count, requestIds, write } = cause
  cause.count = 0
  cause.requestIds = []
  cause.write = null
  write?.({ repeated: count, requestIds })
}
