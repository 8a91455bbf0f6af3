import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { secretBox } from '../../server/src/features/deliveries/secret-box.ts'
import { newWebhookSecret } from '../../server/src/features/deliveries/sign.ts'
import { engines } from '../../server/test/engines.ts'
import { Receiver } from '../../server/test/receiver.ts'
import { startTestService, type TestBrand, type TestService } from '../../server/test/service.ts'
import { raiseEvent } from '../../server/test/webhooks.ts'

const settings = { WEBHOOK_ALLOW_PRIVATE: 'true' }
const MOST = 10

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((left, right) => left - right)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0

/** Beside the door, which lets a brand have ten: as many brands as are wanted, with ten webhooks each. */
async function manyWebhooks({ db, deps }: TestService, brands: readonly TestBrand[], urlOf: (i: number) => string) {
  const rows = brands.flatMap(({ brandKey }, brand) =>
    Array.from({ length: MOST }, (_, i) => ({
      id: randomUUID(),
      brand_key: brandKey,
      url: urlOf(brand * MOST + i),
      events: 'poll.deleted',
      status: 'ACTIVE' as const,
      secret: secretBox(deps).seal(newWebhookSecret()),
      created_at: 1,
      updated_at: 1,
    })),
  )
  await db.insertInto('webhooks').values(rows).execute()
}

describe.each([...engines])('%s: many webhooks', (engine) => {
  let service: TestService
  const receivers: Receiver[] = []
  beforeAll(async () => {
    service = await startTestService(engine, { settings })
  })
  afterAll(async () => {
    await service.stop()
    await Promise.all(receivers.map((receiver) => receiver.stop()))
  })

  test('a thousand, one of which hangs: the 99th of a hundred others has its event within a second', async () => {
    const good = new Receiver()
    const hanging = new Receiver()
    receivers.push(good, hanging)
    hanging.answer = () => new Promise(() => undefined)
    const brands: TestBrand[] = []
    for (let i = 0; i < 100; i++) brands.push(await service.createBrand())
    await manyWebhooks(service, brands, (i) => (i === 0 ? hanging.url : `${good.url}?${i}`))
    const raisedAt = new Map<string, number>()
    const say = async (brand: TestBrand) => {
      const slug = randomUUID()
      await raiseEvent(service, brand, slug)
      raisedAt.set(slug, Date.now())
    }
    // The one that hangs has a backlog first.
    const [first] = brands
    if (!first) throw new Error('no brand')
    for (let i = 0; i < 20; i++) await say(first)
    await hanging.untilCount(5)
    await good.untilCount(20 * 9)
    good.received.length = 0
    for (let round = 0; round < 3; round++) {
      for (const brand of brands) {
        await say(brand)
        await Bun.sleep(4)
      }
    }
    const received = await good.untilCount(3 * 999, 30_000)
    const delays = received.map(
      ({ at, payload }) => at - (raisedAt.get((payload.data['poll'] as { slug: string }).slug) ?? 0),
    )
    expect(percentile(delays, 0.99)).toBeLessThan(1_000)
    expect(hanging.mostInFlight).toBeLessThanOrEqual(5)
    expect(new Set(received.map(({ id, headers }) => `${id} ${headers['webhook-signature']}`)).size).toBe(3 * 999)
  }, 60_000)
})
