import { afterEach, expect, test } from 'bun:test'
import { eventually } from '../../test/eventually.ts'
import { OtlpCollector, warningLog } from '../../test/otlp-collector.ts'
import type { Metric } from '../base/metrics-text.ts'
import { Telemetry, type TelemetryTimes } from './telemetry.ts'

const SECRET = 'never-logged'
const METRICS: Metric[] = [
  {
    name: 'hits_total',
    type: 'counter',
    help: 'Hits.',
    samples: [{ labels: { kind: 'a' }, value: 3 }, { value: 0.5 }],
  },
  {
    name: 'depth',
    type: 'gauge',
    help: 'Depth.',
    samples: [{ value: -1 }, { labels: { at: 'x' }, value: Number.NaN }],
  },
  {
    name: 'waits',
    type: 'histogram',
    help: 'Waits.',
    samples: [
      { suffix: '_bucket', labels: { route: 'r', le: '0.1' }, value: 2 },
      { suffix: '_bucket', labels: { route: 'r', le: '1' }, value: 2 },
      { suffix: '_bucket', labels: { route: 'r', le: '+Inf' }, value: 5 },
      { suffix: '_sum', labels: { route: 'r' }, value: 9.5 },
      { suffix: '_count', labels: { route: 'r' }, value: 5 },
    ],
  },
]

const undo: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const work of undo.splice(0).toReversed()) await work()
})

/** Long pauses, unless a test is about them: what it waits for then comes with the stop. */
function start(times: Partial<TelemetryTimes> = {}, { ratio = 1 } = {}) {
  const collector = new OtlpCollector()
  const { log, lines } = warningLog()
  const config = {
    otlpEndpoint: collector.url,
    otlpHeaders: { 'api-key': SECRET },
    otelServiceName: 'polls',
    otelSamplerRatio: ratio,
  }
  const telemetry = new Telemetry(config, {
    log,
    times: { tracesMs: 60_000, metricsMs: 60_000, backoffMs: 10, stopMs: 5_000, ...times },
  })
  telemetry.start({ read: () => METRICS, close: () => undefined })
  undo.push(async () => {
    await telemetry.stop()
    await collector.stop()
    expect(lines.join('\n')).not.toContain(SECRET)
  })
  return { telemetry, collector, lines }
}

function note({ tracer }: Telemetry, status = 200, traceparent: string | null = null): void {
  const place = tracer.placeOf(traceparent)
  if (!place) return
  const endedAt = performance.timeOrigin + performance.now()
  const code = status >= 400 ? 'INTERNAL' : ''
  tracer.note(place, {
    method: 'GET',
    route: '/p/{slug}',
    status,
    code,
    requestId: 'r',
    startedAt: endedAt - 2,
    endedAt,
  })
}

test('spans and metrics arrive in the format of OTLP, with the headers of the setting', async () => {
  const { telemetry, collector } = start()
  note(telemetry, 200, '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01')
  note(telemetry, 500)
  await telemetry.stop()
  expect(collector.faults).toEqual([])
  const [first, second] = collector.spans
  expect(first).toMatchObject({
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    parentSpanId: '00f067aa0ba902b7',
    name: 'GET /p/{slug}',
    isError: false,
    attributes: { 'http.request.method': 'GET', 'http.response.status_code': '200', 'tossup.request_id': 'r' },
  })
  expect(first?.milliseconds).toBeWithin(1.9, 2.1)
  expect(second).toMatchObject({ isError: true, attributes: { 'error.type': 'INTERNAL', 'http.route': '/p/{slug}' } })
  expect(second?.parentSpanId).toBeUndefined()
  expect(second?.traceId).not.toBe(first?.traceId)
  expect(collector.metrics.get('hits_total')).toEqual({
    kind: 'sum',
    points: new Map([
      ['{"kind":"a"}', 3],
      ['{}', 0.5],
    ]),
  })
  expect(collector.metrics.get('depth')).toEqual({ kind: 'gauge', points: new Map([['{}', -1]]) })
  expect(collector.metrics.get('waits')).toEqual({ kind: 'histogram', points: new Map([['{"route":"r"}', 5]]) })
  expect(collector.resources[0]).toMatchObject({ 'service.name': 'polls' })
  expect(collector.headers.map((headers) => headers.get('api-key'))).toEqual([SECRET, SECRET])
  expect(telemetry.counts).toEqual({ exported: { traces: 2, metrics: 1 }, dropped: { traces: 0, metrics: 0 } })
})

test('a request is sampled as its caller is, or by the ratio', async () => {
  const { telemetry } = start({}, { ratio: 0 })
  const sampled = (flags: string) => `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-${flags}`
  expect(telemetry.tracer.placeOf(null)).toBeNull()
  expect(telemetry.tracer.placeOf('junk')).toBeNull()
  expect(telemetry.tracer.placeOf(sampled('00'))).toBeNull()
  expect(telemetry.tracer.placeOf(sampled('01'))).not.toBeNull()
})

test('many spans are sent before their time, and each once', async () => {
  const { telemetry, collector } = start()
  for (let i = 0; i < 600; i++) note(telemetry)
  await eventually(() => collector.spans.length === 600)
  expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(600)
  expect(collector.faults).toEqual([])
})

test('503 with Retry-After is tried again no sooner, and nothing is lost', async () => {
  const { telemetry, collector, lines } = start({ tracesMs: 10 })
  const times: number[] = []
  collector.behave = (attempt) => {
    times.push(performance.now())
    return attempt === 1 ? new Response(null, { status: 503, headers: { 'Retry-After': '1' } }) : Response.json({})
  }
  note(telemetry)
  await eventually(() => telemetry.counts.exported.traces === 1)
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(990)
  expect(telemetry.counts.dropped.traces).toBe(0)
  expect(lines).toEqual([])
})

test('a collector that keeps failing, refuses or takes a part costs the spans, which are counted', async () => {
  const { telemetry, collector, lines } = start({ tracesMs: 10 })
  collector.behave = () => new Response(null, { status: 503 })
  note(telemetry)
  await eventually(() => telemetry.counts.dropped.traces === 1)
  expect(collector.attempts).toBe(5)
  expect(lines).toEqual([expect.stringContaining('the collector answered 503')])
  collector.behave = () => new Response(null, { status: 401 })
  note(telemetry)
  await eventually(() => telemetry.counts.dropped.traces === 2)
  expect(collector.attempts).toBe(6)
  collector.behave = () => Response.json({ partialSuccess: { rejectedSpans: '1', errorMessage: 'x' } })
  note(telemetry)
  await eventually(() => telemetry.counts.dropped.traces === 3)
  // A redirect would carry the headers elsewhere.
  collector.behave = () => Response.redirect('http://127.0.0.1:1/v1/traces', 307)
  note(telemetry)
  await eventually(() => telemetry.counts.dropped.traces === 4)
  expect(telemetry.counts.exported.traces).toBe(0)
})

test('a collector that hangs bounds what waits, and does not keep the server from stopping', async () => {
  const { telemetry, collector } = start({ tracesMs: 10, stopMs: 200 })
  collector.behave = () => null
  note(telemetry)
  await eventually(() => collector.attempts === 1)
  for (let i = 0; i < 5_000; i++) note(telemetry)
  expect(telemetry.tracer.waiting).toBe(4_096)
  expect(telemetry.counts.dropped.traces).toBe(904)
  const before = performance.now()
  await telemetry.stop()
  expect(performance.now() - before).toBeWithin(150, 5_000)
  expect(telemetry.counts).toEqual({ exported: { traces: 0, metrics: 0 }, dropped: { traces: 5_001, metrics: 1 } })
})

test('no server listens at the address of the collector', async () => {
  const { telemetry, collector, lines } = start()
  await collector.stop()
  note(telemetry)
  await telemetry.stop()
  expect(telemetry.counts.dropped).toEqual({ traces: 1, metrics: 1 })
  expect(lines).toHaveLength(2)
})
