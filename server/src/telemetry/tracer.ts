import { randomBytes } from 'node:crypto'
import { readTraceparent, type TraceContext } from './trace-context.ts'

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly method: string
  /** The path of the operation with its placeholders, or empty: a path itself can contain a secret. */
  readonly route: string
  readonly status: number
  /** The error code, or empty. */
  readonly code: string
  readonly requestId: string
  /** Milliseconds since 1970, with fractions. */
  readonly startedAt: number
  readonly endedAt: number
}

/** Where a request belongs in a trace. */
interface Place {
  readonly traceId: string
  readonly parent: TraceContext | null
}

/** Spans that wait for their export. Later ones are dropped. */
const MOST_WAITING = 4_096

interface Options {
  /** Of the requests without a `traceparent`. The others are sampled if their caller is. */
  readonly ratio: number
  readonly onFull: () => void
  /** Called when the spans are worth an export. */
  readonly onMany: (many: number) => void
}

/** Collects a span for each sampled request. */
export class Tracer {
  readonly #options: Options
  #waiting: Span[] = []

  constructor(options: Options) {
    this.#options = options
  }

  /** Null if the request is not sampled. */
  placeOf(traceparent: string | null): Place | null {
    const parent = readTraceparent(traceparent)
    if (parent) return parent.isSampled ? { traceId: parent.traceId, parent } : null
    return Math.random() < this.#options.ratio ? { traceId: randomHex(16), parent: null } : null
  }

  note({ traceId, parent }: Place, ended: Omit<Span, 'traceId' | 'spanId' | 'parentSpanId'>): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#options.onFull()
      return
    }
    this.#waiting.push({ traceId, spanId: randomHex(8), parentSpanId: parent?.spanId ?? null, ...ended })
    this.#options.onMany(this.#waiting.length)
  }

  get waiting(): number {
    return this.#waiting.length
  }

  take(most: number): Span[] {
    return this.#waiting.splice(0, most)
  }
}

/** Never all zeros: the chance of that is 1 in 2^64 at least. */
const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex')
