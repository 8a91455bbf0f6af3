import type { Metric, Sample } from '../base/metrics-text.ts'
import { version } from '../version.ts'
import type { Span } from './tracer.ts'

// The JSON of OTLP: ids in hexadecimal, 64-bit integers as strings, enums as numbers.

const KIND_SERVER = 2
const STATUS_ERROR = 2
const CUMULATIVE = 2
const SERVER_ERROR = 500

/** The process that reports. */
export interface Resource {
  readonly serviceName: string
  readonly instanceId: string
}

type Value = { readonly stringValue: string } | { readonly intValue: string }
interface Attribute {
  readonly key: string
  readonly value: Value
}

const text = (key: string, stringValue: string): Attribute => ({ key, value: { stringValue } })
const whole = (key: string, value: number): Attribute => ({ key, value: { intValue: String(value) } })

/** Microseconds are exact in a number until the year 2255, nanoseconds are not. */
const nanoseconds = (milliseconds: number): string => `${Math.round(milliseconds * 1e3)}000`

const resourceOf = ({ serviceName, instanceId }: Resource) => ({
  attributes: [
    text('service.name', serviceName),
    text('service.version', version),
    text('service.instance.id', instanceId),
  ],
})

const scope = { name: 'tossup', version }

export const tracesJson = (spans: readonly Span[], resource: Resource): string =>
  JSON.stringify({
    resourceSpans: [{ resource: resourceOf(resource), scopeSpans: [{ scope, spans: spans.map(spanJson) }] }],
  })

function spanJson({ parentSpanId, method, route, status, code, ...span }: Span) {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    name: route === '' ? method : `${method} ${route}`,
    kind: KIND_SERVER,
    startTimeUnixNano: nanoseconds(span.startedAt),
    endTimeUnixNano: nanoseconds(span.endedAt),
    attributes: [
      text('http.request.method', method),
      ...(route === '' ? [] : [text('http.route', route)]),
      whole('http.response.status_code', status),
      ...(code === '' ? [] : [text('error.type', code)]),
      text('tossup.request_id', span.requestId),
    ],
    status: status >= SERVER_ERROR ? { code: STATUS_ERROR } : {},
  }
}

interface Period {
  /** Milliseconds since 1970. */
  readonly from: number
  readonly to: number
}

export const metricsJson = (metrics: readonly Metric[], period: Period, resource: Resource): string =>
  JSON.stringify({
    resourceMetrics: [
      {
        resource: resourceOf(resource),
        scopeMetrics: [{ scope, metrics: metrics.map((metric) => metricJson(metric, period)) }],
      },
    ],
  })

function metricJson({ name, type, help, samples }: Metric, { from, to }: Period) {
  const times = { startTimeUnixNano: nanoseconds(from), timeUnixNano: nanoseconds(to) }
  const about = { name, description: help }
  if (type === 'histogram') {
    const dataPoints = histogramsOf(samples).map((point) => ({ ...point, ...times }))
    return { ...about, histogram: { dataPoints, aggregationTemporality: CUMULATIVE } }
  }
  const dataPoints = samples
    // JSON has no other numbers.
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }) => ({ attributes: attributesOf(labels), ...times, asDouble: value }))
  if (type === 'gauge') return { ...about, gauge: { dataPoints } }
  return { ...about, sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } }
}

const attributesOf = (labels: Sample['labels'] = {}): Attribute[] =>
  Object.entries(labels).map(([key, value]) => text(key, value))

/** Prometheus adds the smaller buckets to each bucket, OTLP does not. */
function histogramsOf(samples: readonly Sample[]) {
  const series = Map.groupBy(samples, ({ labels: { le: _, ...labels } = {} }) => JSON.stringify(labels))
  return [...series].map(([labels, all]) => {
    const buckets = all.filter(({ suffix }) => suffix === '_bucket')
    const value = (suffix: string) => all.find((sample) => sample.suffix === suffix)?.value ?? 0
    return {
      attributes: attributesOf(JSON.parse(labels)),
      count: String(value('_count')),
      sum: value('_sum'),
      bucketCounts: buckets.map((bucket, at) => String(bucket.value - (buckets[at - 1]?.value ?? 0))),
      explicitBounds: buckets.slice(0, -1).map(({ labels: { le } = {} }) => Number(le)),
    }
  })
}
