import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../base/log.ts'
import type { Metric } from '../base/metrics-text.ts'
import type { Config } from '../config.ts'
import { type Sent, sendTo } from './collector.ts'
import { metricsJson, type Resource, tracesJson } from './otlp-json.ts'
import { noTelemetry, type Signal, type TelemetryCounts } from './telemetry-counts.ts'
import { type Span, Tracer } from './tracer.ts'

const BATCH = 512
const MOST_ATTEMPTS = 5
const LONGEST_BACKOFF_MS = 30_000

export interface TelemetryTimes {
  /** Spans wait this long at most before they are sent. */
  readonly tracesMs: number
  readonly metricsMs: number
  /** Before the second attempt; each further one waits twice as long. */
  readonly backoffMs: number
  /** For what is left when the server stops. */
  readonly stopMs: number
}

const TIMES: TelemetryTimes = { tracesMs: 5_000, metricsMs: 60_000, backoffMs: 1_000, stopMs: 2_000 }

export interface TelemetryConfig extends Pick<Config, 'otlpHeaders' | 'otelServiceName' | 'otelSamplerRatio'> {
  readonly otlpEndpoint: string
}

export interface MetricSource {
  /** The values now. */
  read(): readonly Metric[]
  close(): void
}

interface Surroundings {
  readonly log: Log
  readonly times?: Partial<TelemetryTimes>
}

/** Sends spans and metrics to a collector, one request of each kind at a time, and drops what the collector does not take. */
export class Telemetry {
  readonly #config: TelemetryConfig
  readonly #log: Log
  readonly #times: TelemetryTimes
  readonly #resource: Resource
  readonly #startedAt = Date.now()
  readonly #stopping = new AbortController()
  /** Ends the requests themselves, later than `#stopping`. */
  readonly #ended = new AbortController()
  #wake = Promise.withResolvers<void>()
  #loops: readonly Promise<void>[] = []
  #source: MetricSource | null = null
  readonly counts: TelemetryCounts = noTelemetry()
  readonly tracer: Tracer

  constructor(config: TelemetryConfig, { log, times }: Surroundings) {
    this.#config = config
    this.#log = log
    this.#times = { ...TIMES, ...times }
    this.#resource = { serviceName: config.otelServiceName, instanceId: randomUUID() }
    this.tracer = new Tracer({
      ratio: config.otelSamplerRatio,
      onFull: () => void this.counts.dropped.traces++,
      onMany: (many) => many === BATCH && this.#wake.resolve(),
    })
  }

  start(source: MetricSource): void {
    this.#source = source
    this.#loops = [this.#exportTraces(), this.#exportMetrics(source)]
  }

  /** Sends what is left, but no longer than `stopMs`. */
  async stop(): Promise<void> {
    const late = setTimeout(() => this.#ended.abort(), this.#times.stopMs)
    this.#stopping.abort()
    this.#wake.resolve()
    await Promise.all(this.#loops)
    clearTimeout(late)
    this.#source?.close()
  }

  async #exportTraces(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await Promise.race([this.#pause(this.#times.tracesMs), this.#wake.promise])
      this.#wake = Promise.withResolvers()
      while (this.tracer.waiting > 0 && !this.#ended.signal.aborted) await this.#exportSpans(this.tracer.take(BATCH))
    }
    this.counts.dropped.traces += this.tracer.waiting
  }

  async #exportSpans(spans: readonly Span[]): Promise<void> {
    const sent = await this.#send('traces', tracesJson(spans, this.#resource), MOST_ATTEMPTS)
    const rejected = sent.kind === 'taken' ? Math.min(sent.rejected, spans.length) : spans.length
    this.counts.dropped.traces += rejected
    this.counts.exported.traces += spans.length - rejected
  }

  async #exportMetrics(source: MetricSource): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#pause(this.#times.metricsMs)
      const period = { from: this.#startedAt, to: Date.now() }
      // Once: the next export has all of it and more.
      const sent = await this.#send('metrics', metricsJson(source.read(), period, this.#resource), 1)
      this.counts[sent.kind === 'taken' ? 'exported' : 'dropped'].metrics++
    }
  }

  async #send(signal: Signal, body: string, attempts: number): Promise<Sent> {
    const { otlpEndpoint: endpoint, otlpHeaders: headers } = this.#config
    for (let attempt = 1; ; attempt++) {
      const sent = await sendTo({ endpoint, headers }, { signal, body, ended: this.#ended.signal })
      if (sent.kind === 'taken') return sent
      // While the server stops there is no time for a second attempt.
      const isLast = sent.kind === 'refused' || attempt >= attempts || this.#stopping.signal.aborted
      if (isLast) {
        this.#log.warn({ signal, reason: sent.reason }, 'the OpenTelemetry collector did not take an export')
        return sent
      }
      const backoff = Math.min(this.#times.backoffMs * 2 ** (attempt - 1), LONGEST_BACKOFF_MS)
      await this.#pause(sent.afterMs ?? backoff * (0.5 + Math.random() / 2))
    }
  }

  /** Ends early when the server stops. */
  #pause(milliseconds: number): Promise<void> {
    return pause(milliseconds, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => undefined)
  }
}
