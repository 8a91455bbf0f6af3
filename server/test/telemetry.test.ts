import { expect, test } from 'bun:test'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { metricsOf } from './metrics.ts'
import { OtlpCollector } from './otlp-collector.ts'
import { startTestService } from './service.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01`, tracestate: 'vendor=1' }
const SECRET = 'the secret of the collector'

test('each request is a span by its route, the metrics are those of the port, and nothing tells who voted', async () => {
  const collector = new OtlpCollector()
  const service = await startTestService('sqlite', {
    settings: {
      METRICS_PORT: String(freePort()),
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: `api-key=${encodeURIComponent(SECRET)}`,
      OTEL_SERVICE_NAME: 'polls of acme',
      OTEL_TRACES_SAMPLER_ARG: '0',
      LOG_LEVEL: 'info',
    },
    telemetryTimes: { tracesMs: 50, stopMs: 30_000 },
  })
  const poll = await service.createPoll(await service.createBrand())
  const paths = [`polls/${poll.slug}`, `polls/${poll.slug}`, 'polls/nothing', '/nowhere?secret=1']
  for (const path of paths) await service.get(path, { headers: PARENT })
  await service.get(`polls/${poll.slug}`)
  await service.get(`polls/${poll.slug}`, { headers: { traceparent: PARENT.traceparent.replace(/01$/, '00') } })
  const device = crypto.randomUUID()
  const vote = await service.post(`polls/${poll.slug}/votes`, { device, json: { option: 'A' }, headers: PARENT })
  expect(vote.headers.get('traceparent')).toBeNull()
  const names = [...(await metricsOf(service)).keys()].map((name) => name.replace(/(_bucket|_sum|_count)?(\{.*)?$/, ''))
  await eventually(() => collector.spans.length === 5)
  await service.stop()

  expect(collector.faults).toEqual([])
  const spans = collector.spans.map(({ name, attributes: all }) => [name, all['http.response.status_code']].join(' '))
  expect(spans).toEqual([
    'GET /api/rest/v1/polls/{slug} 200',
    'GET /api/rest/v1/polls/{slug} 200',
    'GET /api/rest/v1/polls/{slug} 404',
    'GET 404',
    'POST /api/rest/v1/polls/{slug}/votes 201',
  ])
  expect(new Set(collector.spans.map(({ traceId, parentSpanId }) => `${traceId} ${parentSpanId}`))).toEqual(
    new Set([`${TRACE} 00f067aa0ba902b7`]),
  )
  expect(collector.spans[4]?.attributes['tossup.request_id']).toBe(vote.headers.get('x-request-id') ?? '')
  expect(collector.resources[0]).toMatchObject({ 'service.name': 'polls of acme' })
  expect(new Set(collector.headers.map((headers) => headers.get('api-key')))).toEqual(new Set([SECRET]))
  const exported = new Set(collector.metrics.keys())
  expect(names.filter((name) => !exported.has(name))).toEqual([])
  const all = JSON.stringify([collector.spans, [...collector.metrics].map(([name, { points }]) => [name, ...points])])
  for (const secret of [poll.slug, poll.id, device, 'secret=1', '127.0.0.1']) expect(all).not.toContain(secret)
  expect(service.logLines.join('\n')).not.toContain(SECRET)
  expect(service.logLines.some((line) => line.includes(TRACE))).toBe(true)
  await collector.stop()
})

test('the trace of a refused request is in its log line, also without a collector; junk is not', async () => {
  const service = await startTestService('sqlite', { settings: { LOG_LEVEL: 'info' } })
  const linesOf = (part: string) => service.logLines.filter((line) => line.includes(part))
  const known = await service.get('polls/nothing', { headers: PARENT })
  const junk = await service.get('polls/nothing', { headers: { traceparent: `00-${TRACE.toUpperCase()}-1-01` } })
  expect(linesOf(known.body.error.requestId)).toEqual([expect.stringContaining(`"traceId":"${TRACE}"`)])
  expect(linesOf(junk.body.error.requestId)).toEqual([expect.not.stringContaining('traceId')])
  await service.stop()
})
