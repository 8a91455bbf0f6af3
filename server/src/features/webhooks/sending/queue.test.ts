import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { engines } from '../../../../test/engines.ts'
import { startTestService, type TestBrand, type TestService } from '../../../../test/service.ts'
import { untilDone } from '../../../../test/until-done.ts'
import { createWebhook } from '../../../../test/webhooks.ts'
import { outboxRow } from '../../../events/outbox.ts'
import { DeliveryBacklog, removeOldDeliveries, removeOrphans } from './queue.ts'

const DAY = 86_400_000

describe.each([...engines])('%s: deliveries that have had their time', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    // No job and no delivery runs during the test, so only the test changes the queue.
    service = await startTestService(engine, { jobs: 'by hand' })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  async function add(webhookKey: number, createdAt: number, more: { count?: number; isPending?: boolean } = {}) {
    const { count = 1, isPending = false } = more
    const rows = Array.from({ length: count }, () => ({
      id: randomUUID(),
      webhook_key: webhookKey,
      event_id: 'e',
      event_type: 'poll.voted',
      payload: '{}',
      status: isPending ? ('pending' as const) : ('succeeded' as const),
      attempts: 1,
      next_attempt_at: isPending ? createdAt : null,
      created_at: createdAt,
    }))
    const made = await service.db.insertInto('webhook_deliveries').values(rows).returning('key').execute()
    const attempt = {
      number: 1,
      at: createdAt,
      response_status: 200,
      duration_ms: 1,
      error_class: null,
      response_body: '',
    }
    await service.db
      .insertInto('webhook_attempts')
      .values(made.map(({ key }) => ({ delivery_key: key, ...attempt })))
      .execute()
  }

  const keyOf = async (id: string) =>
    (await service.db.selectFrom('webhooks').select('key').where('id', '=', id).executeTakeFirstOrThrow()).key

  async function left() {
    const deliveries = await service.db.selectFrom('webhook_deliveries').select('created_at').orderBy('key').execute()
    const attempts = await service.db.selectFrom('webhook_attempts').select('delivery_key').execute()
    return { times: deliveries.map((row) => row.created_at), attempts: attempts.length }
  }

  test('are removed after 30 days with their attempts, for every status and number', async () => {
    const now = 100 * DAY
    const key = await keyOf((await createWebhook(service, brand)).id)
    await add(key, 1, { count: 1_100 })
    await add(key, 70 * DAY, { isPending: true })
    await add(key, 70 * DAY + 1)
    await add(key, now)
    await untilDone(() => removeOldDeliveries(service.deps.engine, now))
    expect(await left()).toEqual({ times: [70 * DAY + 1, now], attempts: 2 })
    await untilDone(() => removeOldDeliveries(service.deps.engine, now + 31 * DAY))
    expect(await left()).toEqual({ times: [], attempts: 0 })
  })

  test('are removed with a webhook that was deleted during the fan-out, and those of others stay', async () => {
    const kept = await keyOf((await createWebhook(service, brand)).id)
    await add(kept, 5, { isPending: true })
    await add(kept + 1_000, 6, { isPending: true, count: 3 })
    await untilDone(() => removeOrphans(service.deps.engine, 10))
    expect((await left()).times).toEqual([5])
    expect(await service.db.selectFrom('deleted_webhooks').selectAll().execute()).toEqual([])
  })
})

describe.each([...engines])('%s: what waits on its way to webhooks', (engine) => {
  let service: TestService
  beforeAll(async () => {
    // No job and no delivery runs during the test, so only the test changes the queue.
    service = await startTestService(engine, { jobs: 'by hand' })
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    await service.db.deleteFrom('webhook_deliveries').execute()
    await service.db.deleteFrom('outbox').execute()
  })

  const NOW = Date.now()

  async function addEvents(count: number, createdAt: number) {
    const event = () => outboxRow({ brandKey: 1, type: 'poll.deleted', at: createdAt, data: { poll } }, createdAt)
    await service.db
      .insertInto('outbox')
      .values(Array.from({ length: count }, event))
      .execute()
  }
  const poll = { id: 'p', slug: 's' }

  async function addDeliveries(webhookKey: number, dueAt: number | null, count = 1) {
    const delivery = () => ({
      id: randomUUID(),
      webhook_key: webhookKey,
      event_id: 'e',
      event_type: 'poll.deleted',
      payload: '{}',
      status: dueAt === null ? ('succeeded' as const) : ('pending' as const),
      attempts: 0,
      next_attempt_at: dueAt,
      created_at: NOW - 3_600_000,
    })
    for (let left = count; left > 0; left -= 1_000) {
      const some = Array.from({ length: Math.min(left, 1_000) }, delivery)
      await service.db.insertInto('webhook_deliveries').values(some).execute()
    }
  }

  async function look() {
    const backlog = new DeliveryBacklog(service.db)
    await backlog.look(NOW)
    const { events, deliveries, lagMs } = backlog
    return { events, deliveries, lagMs }
  }

  test('is nothing where nothing waits', async () => {
    await addDeliveries(1, null)
    expect(await look()).toEqual({ events: 0, deliveries: 0, lagMs: 0 })
  })

  test('counts events and deliveries, also those that wait for another attempt, which are not late', async () => {
    await addDeliveries(1, NOW + 60_000)
    await addDeliveries(7, NOW + 1, 2)
    await addDeliveries(7, null)
    expect(await look()).toEqual({ events: 0, deliveries: 3, lagMs: 0 })
    await addEvents(2, NOW)
    expect(await look()).toEqual({ events: 2, deliveries: 3, lagMs: 0 })
  })

  test('is as late as its oldest event or the oldest due delivery of any webhook', async () => {
    await addDeliveries(1, NOW + 60_000)
    await addDeliveries(2, NOW - 4_000)
    await addDeliveries(3, NOW - 9_000)
    await addDeliveries(3, NOW - 2_000)
    await addEvents(1, NOW - 5_000)
    expect(await look()).toEqual({ events: 1, deliveries: 4, lagMs: 9_000 })
    await addEvents(1, NOW - 4_000)
    await service.db.deleteFrom('webhook_deliveries').where('webhook_key', '=', 3).execute()
    expect(await look()).toEqual({ events: 2, deliveries: 2, lagMs: 5_000 })
  })

  test('is counted up to a bound, so that a look stays cheap', async () => {
    await addEvents(1_100, NOW)
    await addDeliveries(1, NOW, 10_100)
    expect(await look()).toEqual({ events: 1_000, deliveries: 10_000, lagMs: 0 })
  })
})
