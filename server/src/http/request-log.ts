import type { AppError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { Repeats } from '../base/repeats.ts'

/** Log lines for refusals, a second, for each route and code. */
const SAMPLES = 3

/** Without body, query, address, device or path: a path can contain a secret of the caller. */
interface Refused {
  readonly requestId: string
  /** Undefined if the request has no valid `traceparent`. */
  readonly traceId: string | undefined
  readonly route: string
  readonly status: number
  readonly code: string
  readonly ms: number
}

/**
 * Logs requests that were not served. Each server failure is a line, or counted by one: see `createLog`. Refusals are
 * the clients' mistakes, so only the first few of each second become lines.
 */
export class RequestLog {
  readonly #log: Log
  readonly #hasSamples: boolean
  readonly #samples = new Repeats({ first: SAMPLES, again: SAMPLES })

  constructor(log: Log) {
    this.#log = log
    this.#hasSamples = log.isLevelEnabled('info')
  }

  /** 503 without a cause is intended: the server is full or stopping. Any other failure has a cause. */
  failed(request: Refused, error: AppError | undefined): void {
    const message = error?.reason ?? 'a request could not be served'
    if (error?.cause === undefined) this.#log.warn(request, message)
    else this.#log.error({ ...request, err: error.cause }, message)
  }

  refused(request: Refused): void {
    if (!this.#hasSamples) return
    const { route, status, code } = request
    const kind = { message: route, detail: `${status} ${code}` }
    const isSample = this.#samples.isAmongFirst(kind, ({ repeated }) =>
      this.#log.info({ route, status, code, repeated }, 'requests were refused'),
    )
    if (isSample) this.#log.info(request, 'a request was refused')
  }

  /** Writes the counts that have not been logged yet. */
  flush(): void {
    this.#samples.flush()
  }
}
