import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { engines } from '../../../../test/engines.ts'
import { startTestService, type TestBrand, type TestService } from '../../../../test/service.ts'
import { createWebhook } from '../../../../test/webhooks.ts'
import { outboxRow, votedRow } from '../../../events/outbox.ts'
import { fanOut } from './fan-out.ts'

const poll = { id: 'p', slug: 's' }

describe.each([...engines])('%s: events that are spread', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    // No job and no delivery runs during the test, so only the test changes the queue.
    service = await startTestService(engine, { jobs: 'by hand' })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const votes = (count: number) =>
    votedRow(brand.brandKey, {
      poll,
      at: service.clock.now(),
      optionA: 0,
      optionB: 0,
      votes: Array.from({ length: count }, (_, i) => ['A' as const, `respondent ${i}`] as const),
    })
  const other = () => {
    const now = service.clock.now()
    return outboxRow({ brandKey: brand.brandKey, type: 'poll.deleted', at: now, data: { poll } }, now)
  }
  const write = (rows: ReturnType<typeof votes | typeof other>[]) =>
    service.db.insertInto('outbox').values(rows).execute()
  const spread = (isSlow: boolean) => fanOut(service.deps.engine, { now: service.clock.now(), isSlow })
  const waiting = () => service.db.selectFrom('outbox').select(['id', 'type']).orderBy('key').execute()
  /** The queued deliveries. Removes them for the next call. */
  async function queued() {
    const rows = await service.db.deleteFrom('webhook_deliveries').returningAll().execute()
    return rows.toSorted((left, right) => left.key - right.key)
  }

  test('each event becomes one delivery for each webhook that wants it, with one id, and the outbox is empty', async () => {
    const all = { url: 'https://hooks.example/', events: ['poll.voted', 'poll.deleted'] }
    await createWebhook(service, brand, all)
    await createWebhook(service, brand, all)
    await createWebhook(service, brand, { ...all, events: ['poll.deleted'] })
    await createWebhook(service, brand, { ...all, status: 'DISABLED' })
    await createWebhook(service, await service.createBrand(), all)
    await write([votes(3), other()])
    expect(await spread(false)).toBe(false)
    const rows = await queued()
    expect(rows.map(({ event_type }) => event_type).sort()).toEqual([
      ...Array.from({ length: 3 }, () => 'poll.deleted'),
      ...Array.from({ length: 6 }, () => 'poll.voted'),
    ])
    const byEvent = Map.groupBy(rows, ({ event_id }) => event_id)
    expect([...byEvent.values()].map(({ length }) => length).sort()).toEqual([2, 2, 2, 3])
    for (const same of byEvent.values()) expect(new Set(same.map(({ payload }) => payload)).size).toBe(1)
    expect(await waiting()).toEqual([])
    expect(await spread(false)).toBe(false)
  })

  test('other events are fanned out before votes, however many votes wait', async () => {
    const crowd = Array.from({ length: 40 }, () => votes(200))
    const [one, two] = [other(), other()]
    await write([...crowd, one, two])
    expect(await spread(true)).toBe(true)
    const events = await queued()
    expect(events.filter(({ event_type }) => event_type === 'poll.deleted').map(({ event_id }) => event_id)).toEqual([
      ...[one, one, one, two, two, two].map(({ id }) => id),
    ])
    // Under pressure one row of votes at a time.
    expect(await waiting()).toHaveLength(39)
    expect(events.filter(({ event_type }) => event_type === 'poll.voted')).toHaveLength(2 * 200)
    let rounds = 0
    while (await spread(false)) rounds++
    expect(await waiting()).toEqual([])
    const rest = await queued()
    expect(rest).toHaveLength(39 * 200 * 2)
    expect(new Set(rest.map(({ event_id }) => event_id)).size).toBe(39 * 200)
    // A transaction ends after some hundreds of events.
    expect(rounds).toBeGreaterThanOrEqual(39 / 3 - 1)
  })
})
