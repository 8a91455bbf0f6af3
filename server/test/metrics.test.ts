import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { engines } from './engines.ts'
import { deletePoll, fromNow, HOUR } from './polls.ts'
import { startTestService, type TestService } from './service.ts'
import { StreamClient } from './stream-client.ts'

setDefaultTimeout(20_000)

/** One that is free now. */
function freePort(): number {
  using listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
  return listener.port
}

const SAMPLE = /^([a-z_][a-z0-9_]*)(\{[a-z]+="[^"\\\n]*"(?:,[a-z]+="[^"\\\n]*")*\})? (-?\d+(?:\.\d+)?(?:e[+-]\d+)?)$/

/** Reads the format by the letter: help, type, then that metric's samples, none of them twice. */
function readMetrics(text: string): Map<string, number> {
  const samples = new Map<string, number>()
  let current = ''
  for (const line of text.split('\n').slice(0, -1)) {
    const [, announced] = /^# (?:HELP|TYPE) ([a-z_]+) .+$/.exec(line) ?? []
    if (announced !== undefined) {
      current = announced
      continue
    }
    const [, name, labels = '', value] = SAMPLE.exec(line) ?? []
    if (name === undefined || name !== current || samples.has(name + labels)) throw new Error(`not a sample: ${line}`)
    samples.set(name + labels, Number(value))
  }
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  return samples
}

async function metricsOf({ service }: TestService): Promise<Map<string, number>> {
  const response = await fetch(`${service.metricsUrl}metrics`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return readMetrics(await response.text())
}

describe.each([...engines])('%s: metrics', (engine) => {
  const start = () => startTestService(engine, { settings: { METRICS_PORT: String(freePort()) } })

  test('say what became of votes, who listens and what was answered', async () => {
    const service = await start()
    const brand = await service.createBrand()
    const poll = await service.createPoll(brand)
    const closed = await service.createPoll(brand, { closesAt: fromNow(-HOUR) })
    const deleted = await service.createPoll(brand)
    await service.vote(deleted.slug, 'A')
    await deletePoll(service, brand, deleted.slug)
    const device = randomUUID()
    for (const [slug, count] of [
      [poll.slug, 3],
      [closed.slug, 1],
      [deleted.slug, 1],
    ] as const)
      for (let i = 0; i < count; i++) await service.vote(slug, 'B')
    for (let i = 0; i < 3; i++) await service.vote(poll.slug, 'A', device)
    const client = await StreamClient.open(`${service.service.url}/api/rest/v1/polls/${poll.slug}/tallies/stream`)
    await client.until(({ events }) => events.length === 1)
    await service.vote(poll.slug, 'A')
    await client.until(({ events }) => events.length === 2)
    for (let i = 0; i < 5; i++) await service.get(`polls/${poll.slug}`)
    await service.get('polls/nothing')
    await fetch(`${service.service.url}/nowhere`)
    expect(Object.fromEntries(await metricsOf(service))).toMatchObject({
      tally_drift: 0,
      'tossup_votes_total{outcome="accepted"}': 6,
      'tossup_votes_total{outcome="already"}': 2,
      'tossup_votes_total{outcome="closed"}': 1,
      'tossup_votes_total{outcome="missing"}': 1,
      'tossup_votes_total{outcome="unavailable"}': 0,
      tossup_vote_groups_total: 10,
      tossup_vote_queue_length: 0,
      tossup_stream_listeners: 1,
      tossup_stream_listeners_behind: 0,
      tossup_stream_events_total: 1,
      tossup_stream_slow_readers_total: 0,
      'tossup_requests_total{route="castVote",status="2xx"}': 6,
      'tossup_requests_total{route="castVote",status="4xx"}': 4,
      'tossup_requests_total{route="getPoll",status="2xx"}': 5,
      'tossup_requests_total{route="getPoll",status="4xx"}': 1,
      'tossup_requests_total{route="streamTallies",status="2xx"}': 1,
      'tossup_requests_total{route="",status="4xx"}': 1,
    })
    client.leave()
    await service.stop()
  })

  test('tell of a stream that is left behind, and the log tells of it once', async () => {
    const service = await start()
    const { slug } = await service.createPoll(await service.createBrand())
    const client = await StreamClient.open(`${service.service.url}/api/rest/v1/polls/${slug}/tallies/stream`)
    await client.until(({ events }) => events.length === 1)
    // From the next round on, nobody finds out that another process has written.
    Object.assign(service.deps.engine, { epoch: () => 0 })
    await Bun.sleep(1_000)
    await service.db.updateTable('tallies').set({ option_b: 1, version: 1 }).execute()
    const end = performance.now() + 18_000
    let behind = 0
    while (behind === 0 && performance.now() < end) {
      await Bun.sleep(100)
      behind = (await metricsOf(service)).get('tossup_stream_listeners_behind') ?? 0
    }
    expect([behind, client.totals]).toEqual([1, [0]])
    const isOfStreams = (line: string) => line.includes('behind their polls')
    expect(service.logLines.filter(isOfStreams)).toHaveLength(1)
    client.leave()
    await service.stop()
  })

  test('tell of a tally that drifts, and of its repair', async () => {
    const service = await start()
    const { slug } = await service.createPoll(await service.createBrand())
    await service.vote(slug, 'A')
    const becomes = async (drift: number) => {
      const end = performance.now() + 8_000
      let now = await metricsOf(service)
      while (now.get('tally_drift') !== drift && performance.now() < end) {
        await Bun.sleep(50)
        now = await metricsOf(service)
      }
      return Object.fromEntries(now)
    }
    await service.db.updateTable('tallies').set({ option_b: 9 }).execute()
    expect(await becomes(1)).toMatchObject({ tally_drift: 1 })
    await service.db.updateTable('tallies').set({ option_b: 0 }).execute()
    const { tossup_audited_votes_total: rows, tossup_audit_passes_total: passes, ...rest } = await becomes(0)
    expect(rest).toMatchObject({ tally_drift: 0 })
    expect(rows).toBeGreaterThanOrEqual(1)
    expect(passes).toBeGreaterThanOrEqual(1)
    await service.stop()
  })
})

test('the process is described: memory, time, and how late its event loop was since the last question', async () => {
  const service = await startTestService('sqlite', { settings: { METRICS_PORT: String(freePort()) } })
  await metricsOf(service)
  await Bun.sleep(100)
  const busyUntil = performance.now() + 1_000
  while (performance.now() < busyUntil);
  await Bun.sleep(50)
  const after = await metricsOf(service)
  expect(after.get('tossup_event_loop_lag_seconds{quantile="1"}')).toBeWithin(0.9, 10)
  expect(after.get('process_resident_memory_bytes')).toBeWithin(10e6, 10e9)
  expect(after.get('tossup_heap_used_bytes')).toBeGreaterThan(0)
  expect(after.get('process_cpu_seconds_total')).toBeGreaterThan(0.2)
  expect(after.get('process_start_time_seconds')).toBeWithin(Date.now() / 1e3 - 7_200, Date.now() / 1e3)
  await Bun.sleep(100)
  expect((await metricsOf(service)).get('tossup_event_loop_lag_seconds{quantile="1"}')).toBeLessThan(0.9)
  await service.stop()
})

test('their port has nothing else, the other port has no metrics, and both close with the service', async () => {
  const service = await startTestService('sqlite', { settings: { METRICS_PORT: String(freePort()) } })
  const url = service.service.metricsUrl ?? ''
  for (const path of ['', 'livez', 'api/rest/v1/categories', 'metrics/'])
    expect((await fetch(url + path)).status).toBe(404)
  for (const method of ['POST', 'DELETE', 'OPTIONS']) {
    const response = await fetch(`${url}metrics`, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  }
  const head = await fetch(`${url}metrics`, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  expect(head.headers.get('access-control-allow-origin')).toBeNull()
  expect((await service.get('/metrics')).status).toBe(404)
  await service.stop()
  await expect(fetch(`${url}metrics`)).rejects.toThrow()
})

test('nothing that is told names a poll, a brand, a device or an address', async () => {
  const service = await startTestService('sqlite', { settings: { METRICS_PORT: String(freePort()) } })
  const brand = await service.createBrand()
  const poll = await service.createPoll(brand)
  const device = randomUUID()
  await service.vote(poll.slug, 'A', device)
  const text = await (await fetch(`${service.service.metricsUrl}metrics`)).text()
  for (const secret of [poll.id, poll.slug, poll.shortId, brand.slug, brand.token, device, '127.0.0.1'])
    expect(text).not.toContain(secret)
  await service.stop()
})

test('without METRICS_PORT there are none', async () => {
  const service = await startTestService('sqlite')
  expect(service.service.metricsUrl).toBeNull()
  await service.stop()
})
