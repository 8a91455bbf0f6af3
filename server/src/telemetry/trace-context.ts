// telemetry: traces of requests, and their export with the metrics to a collector of OpenTelemetry.
// Imports rooms: base.
// Off without OTEL_EXPORTER_OTLP_ENDPOINT. Nothing here delays a request: what the collector does not take is dropped.

/** The caller's place in a trace: https://www.w3.org/TR/trace-context. */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  readonly isSampled: boolean
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const ZEROS = /^0+$/
const LONGEST = 256
const SAMPLED = 1

/** Null for anything that is not exactly a `traceparent`: a header that is wrong is no header. */
export function readTraceparent(text: string | null): TraceContext | null {
  if (text === null || text.length > LONGEST) return null
  const [, version, traceId = '', spanId = '', flags = '', rest] = TRACEPARENT.exec(text) ?? []
  if (version === undefined || version === 'ff' || ZEROS.test(traceId) || ZEROS.test(spanId)) return null
  // Only later versions may have more fields.
  if (version === '00' && rest !== undefined) return null
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 }
}
