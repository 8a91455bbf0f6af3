import type { Log } from '../base/log.ts'
import { Histogram } from '../base/metrics-text.ts'
import { Repeats } from '../base/work/repeats.ts'
import type { Reply } from './answers/reply.ts'

/** Seconds. The largest is 10, because no answer begins later than that. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** How the requests of one route ended. On the path of every request, so it avoids keyed lookups. */
export class RouteCounts {
  /** Empty for requests that match no route. */
  readonly route: string
  /** With its placeholders, because the values in a path can be secrets. Empty like `route`. */
  readonly path: string
  /** One entry for each status and error code that occurred: a few. */
  readonly endings: {
    readonly status: number
    /** The error code of a refusal, otherwise empty. */
    readonly code: string
    count: number
  }[] = []
  readonly durations = new Histogram(BOUNDS)

  constructor(route: string, path: string) {
    this.route = route
    this.path = path
  }

  add(status: number, code: string, seconds: number): void {
    this.durations.observe(seconds)
    for (const ending of this.endings) {
      if (ending.status === status && ending.code === code) {
        ending.count++
        return
      }
    }
    this.endings.push({ status, code, count: 1 })
  }
}

/** Log lines for refusals, a second, for each route and code. */
const SAMPLES = 3

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/
const ZEROS = /^0+$/
const LONGEST = 256

/** Undefined for anything that is not exactly a `traceparent`: a header that is wrong is no header. */
export function readTraceId(traceparent: string | null): string | undefined {
  if (traceparent === null || traceparent.length > LONGEST) return undefined
  const [, version, traceId = '', spanId = '', rest] = TRACEPARENT.exec(traceparent) ?? []
  if (version === undefined || version === 'ff' || ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined
  // Only later versions may have more fields.
  return version === '00' && rest !== undefined ? undefined : traceId
}

/** The client left before the answer, so this counts as neither side's failure. */
export const CLIENT_GONE = 499

interface Ended {
  readonly request: Request
  readonly requestId: string
  readonly reply: Reply
  /** Milliseconds from the request's arrival until its answer could begin. */
  readonly ms: number
}

/**
 * Where every request ends: the one place that knows its route, status, code and duration. Answers from memory pass here
 * too, so it only increments numbers. The log level decides what is written, never what is executed.
 */
export class RequestRecord {
  readonly #log: Log
  readonly #isDebug: boolean
  readonly #hasSamples: boolean
  /** Each server failure is a line, or counted by one: see `createLog`. Refusals are the clients' mistakes: few are lines. */
  readonly #samples = new Repeats({ first: SAMPLES, again: SAMPLES })
  readonly routes: RouteCounts[] = []

  constructor(log: Log) {
    this.#log = log
    this.#isDebug = log.isLevelEnabled('debug')
    this.#hasSamples = log.isLevelEnabled('info')
  }

  addRoute(name: string, path: string): RouteCounts {
    const counts = new RouteCounts(name, path)
    this.routes.push(counts)
    return counts
  }

  end(counts: RouteCounts, ended: Ended): void {
    const { status } = ended.reply
    const code = codeOf(ended.reply)
    counts.add(status, code, ended.ms / 1_000)
    if (status >= 400 && status !== CLIENT_GONE) this.#note(counts, ended)
    if (this.#isDebug) {
      const { request, requestId } = ended
      const traceId = traceIdOf(request)
      const ms = rounded(ended.ms)
      const { method } = request
      const { route, path } = counts
      this.#log.debug({ requestId, traceId, method, path, route, status, code, ms }, 'request')
    }
  }

  /** Writes the counts that have not been logged yet. */
  flush(): void {
    this.#samples.flush()
  }

  /** Without body, query, address or device, and without the values in the path: they can be secrets of the caller. */
  #note({ route }: RouteCounts, { request, reply, requestId, ms }: Ended): void {
    const { status, error } = reply
    const code = codeOf(reply)
    const line = { requestId, traceId: traceIdOf(request), route, status, code, ms: rounded(ms) }
    if (status >= 500) {
      // 503 without a cause is intended: the server is full or stopping. Any other failure has a cause.
      const message = error?.reason ?? 'a request could not be served'
      if (error?.cause === undefined) this.#log.warn(line, message)
      else this.#log.error({ ...line, err: error.cause }, message)
      return
    }
    if (!this.#hasSamples) return
    const isSample = this.#samples.isAmongFirst({ message: route, detail: `${status} ${code}` }, ({ repeated }) =>
      this.#log.info({ route, status, code, repeated }, 'requests were refused'),
    )
    if (isSample) this.#log.info(line, 'a request was refused')
  }
}

const codeOf = ({ error, storedCode = '' }: Reply): string => error?.code ?? storedCode

const traceIdOf = ({ headers }: Request): string | undefined => readTraceId(headers.get('traceparent'))

const rounded = (ms: number): number => Math.round(ms * 1_000) / 1_000
