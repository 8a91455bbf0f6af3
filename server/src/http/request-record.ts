import type { Log } from '../base/log.ts'
import { pathOf } from './incoming.ts'
import type { Reply } from './reply.ts'
import { RequestLog } from './request-log.ts'
import { RouteCounts } from './route-counts.ts'
import { readTraceId } from './trace-context.ts'

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
  readonly #requests: RequestLog
  readonly routes: RouteCounts[] = []

  constructor(log: Log) {
    this.#log = log
    this.#isDebug = log.isLevelEnabled('debug')
    this.#requests = new RequestLog(log)
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
      const path = pathOf(request)
      const { method } = request
      this.#log.debug({ requestId, traceId, method, path, route: counts.route, status, code, ms }, 'request')
    }
  }

  /** Writes the log lines that are still held back. */
  flush(): void {
    this.#requests.flush()
  }

  #note({ route }: RouteCounts, { request, reply, requestId: ownId, ms }: Ended): void {
    const { status, error, storedRefusal } = reply
    const requestId = storedRefusal?.requestId ?? ownId
    const traceId = traceIdOf(request)
    const refused = { requestId, traceId, route, status, code: codeOf(reply), ms: rounded(ms) }
    if (status >= 500) this.#requests.failed(refused, error)
    else this.#requests.refused(refused)
  }
}

const codeOf = ({ error, storedRefusal }: Reply): string => error?.code ?? storedRefusal?.code ?? ''

const traceIdOf = ({ headers }: Request): string | undefined => readTraceId(headers.get('traceparent'))

const rounded = (ms: number): number => Math.round(ms * 1_000) / 1_000
