import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { JobMode } from '../src/app/worker.ts'
import { version } from '../src/config/config.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { metricsOf } from './metrics.ts'
import { deletePoll, fromNow, HOUR } from './polls.ts'
import { startTestService } from './service.ts'
import { StreamClient } from './stream-client.ts'

setDefaultTimeout(60_000)

describe.each([...engines])('%s: metrics', (engine) => {
  const start = (options: { jobs?: JobMode } = {}) =>
    startTestService(engine, { settings: { METRICS_PORT: String(freePort()) }, ...options })

  test('count votes by outcome, open streams and answers', async () => {
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
      tossup_stream_events_total: 1,
      tossup_stream_slow_readers_total: 0,
      tossup_vote_wait_seconds_count: 10,
      tossup_vote_queue_seconds_count: 10,
      tossup_backup_failed: 0,
      tossup_backup_last_success_timestamp_seconds: 0,
      'tossup_requests_total{route="castVote",status="201",code=""}': 6,
      'tossup_requests_total{route="castVote",status="409",code="VOTE_ALREADY_CAST"}': 2,
      'tossup_requests_total{route="castVote",status="409",code="POLST_CLOSED"}': 1,
      'tossup_requests_total{route="castVote",status="404",code="NOT_FOUND"}': 1,
      'tossup_requests_total{route="getPoll",status="200",code=""}': 5,
      'tossup_requests_total{route="getPoll",status="404",code="NOT_FOUND"}': 1,
      'tossup_requests_total{route="streamTallies",status="200",code=""}': 1,
      'tossup_requests_total{route="",status="404",code="NOT_FOUND"}': 1,
    })
    client.leave()
    await service.stop()
  })

  test('count lookups in each cache, and deliveries that wait for their webhook', async () => {
    const service = await start({ jobs: 'by hand' })
    const brand = await service.createBrand()
    const poll = await service.createPoll(brand)
    const lookups = async (cache: string) => {
      const all = await metricsOf(service)
      return ['hit', 'miss'].map((result) => all.get(`tossup_cache_lookups_total{cache="${cache}",result="${result}"}`))
    }
    for (const [cache, path] of [
      ['polls', `polls/${poll.slug}`],
      ['feeds', `brands/${brand.slug}/polls`],
      ['pages', `/p/${poll.slug}`],
    ] as const) {
      expect([cache, ...(await lookups(cache))]).toEqual([cache, 0, 0])
      await service.get(path)
      expect([cache, ...(await lookups(cache))]).toEqual([cache, 0, 1])
      // On PostgreSQL, the notice of the new poll may come now, and what was kept is read again.
      await eventually(async () => {
        const [hits = 0, misses] = await lookups(cache)
        await service.get(path)
        return Bun.deepEquals(await lookups(cache), [hits + 1, misses])
      })
    }

    const now = service.clock.now()
    const rows = [-90_000, 60_000].map((due, at) => ({
      id: `d${at}`,
      // No webhook has this key, so nothing delivers them. The job that removes such deliveries runs after the count.
      webhook_key: 1_000_000,
      event_id: 'e',
      event_type: 'poll.deleted',
      payload: '{}',
      status: 'pending' as const,
      next_attempt_at: now + due,
      created_at: now,
    }))
    await service.db.insertInto('webhook_deliveries').values(rows).execute()
    await service.runDue()
    const all = await metricsOf(service)
    expect(all.get('tossup_webhook_backlog{stage="deliveries"}')).toBe(2)
    // The poll was created and opened. These events go to the feed of its brand after the jobs, so after the count.
    expect(all.get('tossup_webhook_backlog{stage="events"}')).toBe(2)
    expect(all.get('tossup_webhook_lag_seconds')).toBeWithin(90, 120)
    await service.stop()
  })

  test('show a tally that differs from its votes, and its repair', async () => {
    const service = await start({ jobs: 'by hand' })
    const { slug } = await service.createPoll(await service.createBrand())
    await service.vote(slug, 'A')
    const afterPass = async () => {
      service.clock.advance(1_000)
      await service.runDue()
      return Object.fromEntries(await metricsOf(service))
    }
    await service.db.updateTable('tallies').set({ option_b: 9 }).execute()
    expect(await afterPass()).toMatchObject({ tally_drift: 1, tossup_audit_passes_total: 1 })
    await service.db.updateTable('tallies').set({ option_b: 0 }).execute()
    const { tossup_audit_last_pass_timestamp_seconds: passedAt, ...rest } = await afterPass()
    expect(rest).toMatchObject({ tally_drift: 0, tossup_audit_passes_total: 2 })
    expect(rest['tossup_audited_votes_total']).toBeGreaterThanOrEqual(2)
    expect(passedAt).toBeWithin(service.clock.now() / 1e3 - 3_600, service.clock.now() / 1e3 + 1)
    await service.stop()
  })
})

test('show memory, processor time, and the lag of the event loop since the last scrape', async () => {
  const service = await startTestService('sqlite', { settings: { METRICS_PORT: String(freePort()) } })
  await metricsOf(service)
  // Real time: the lag of the event loop is the subject.
  await Bun.sleep(100)
  const busyUntil = performance.now() + 1_000
  while (performance.now() < busyUntil);
  // Real time: the lag of the event loop is the subject.
  await Bun.sleep(50)
  const after = await metricsOf(service)
  expect(after.get('tossup_event_loop_lag_seconds{quantile="1"}')).toBeWithin(0.9, 10)
  expect(after.get('process_resident_memory_bytes')).toBeWithin(10e6, 10e9)
  expect(after.get('tossup_memory_bytes{kind="heap"}')).toBeGreaterThan(0)
  expect(after.get('tossup_memory_bytes{kind="heap_used"}')).toBeWithin(
    1,
    after.get('process_resident_memory_bytes') ?? 0,
  )
  for (const kind of ['external', 'array_buffers'])
    expect(after.get(`tossup_memory_bytes{kind="${kind}"}`)).toBeGreaterThanOrEqual(0)
  expect(after.get(`tossup_build_info{version="${version}",engine="sqlite",bun="${Bun.version}"}`)).toBe(1)
  expect(after.get('process_cpu_seconds_total')).toBeGreaterThan(0.2)
  expect(after.get('process_start_time_seconds')).toBeWithin(Date.now() / 1e3 - 7_200, Date.now() / 1e3)
  // A scrape tells the lag since the one before. On a busy machine, other programs may delay the event loop again.
  const isQuick = async () => ((await metricsOf(service)).get('tossup_event_loop_lag_seconds{quantile="1"}') ?? 9) < 0.9
  await eventually(isQuick, { everyMs: 100 })
  await service.stop()
})

test('are the only thing on their port, are not on the other port, and both close with the service', async () => {
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

test('name no poll, brand, device or address', async () => {
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

test.skipIf(!engines.includes('postgres'))('postgres: count work that waits for a connection', async () => {
  const service = await startTestService('postgres', { settings: { DATABASE_POOL: '4' }, jobs: 'by hand' })
  const becomes = (busy: number, waiting: number) =>
    eventually(() => Bun.deepEquals(service.deps.engine.connections(), { open: 4, busy, waiting }))
  const released = Promise.withResolvers<void>()
  const holding = Array.from({ length: 7 }, () => service.db.connection().execute(() => released.promise))
  await becomes(4, 3)
  released.resolve()
  await Promise.all(holding)
  await becomes(0, 0)
  await service.stop()
})

test('are off without METRICS_PORT', async () => {
  const service = await startTestService('sqlite')
  expect(service.service.metricsUrl).toBeNull()
  await service.stop()
})
