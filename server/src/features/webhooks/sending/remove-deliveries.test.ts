import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { engines } from '../../../../test/engines.ts'
import { startTestService, type TestBrand, type TestService } from '../../../../test/service.ts'
import { createWebhook } from '../../../../test/webhooks.ts'
import { removeOldDeliveries, removeOrphans } from './remove-deliveries.ts'

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
    await removeOldDeliveries(service.deps.engine, now)
    expect(await left()).toEqual({ times: [70 * DAY + 1, now], attempts: 2 })
    await removeOldDeliveries(service.deps.engine, now + 31 * DAY)
    expect(await left()).toEqual({ times: [], attempts: 0 })
  })

  test('are removed with a webhook that was deleted during the fan-out, and those of others stay', async () => {
    const kept = await keyOf((await createWebhook(service, brand)).id)
    await add(kept, 5, { isPending: true })
    await add(kept + 1_000, 6, { isPending: true, count: 3 })
    await removeOrphans(service.deps.engine, 10)
    expect((await left()).times).toEqual([5])
    expect(await service.db.selectFrom('deleted_webhooks').selectAll().execute()).toEqual([])
  })
})
