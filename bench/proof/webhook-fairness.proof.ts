import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { engines } from '../../server/test/engines.ts'
import { Receiver } from '../../server/test/receiver.ts'
import { startTestService, type TestBrand, type TestService } from '../../server/test/service.ts'
import { manyWebhooks, raiseEvent, WEBHOOKS_OF_A_BRAND } from '../../server/test/webhooks.ts'

const settings = { WEBHOOK_ALLOW_PRIVATE: 'true' }
/** A hanging attempt does not time out during the test, so deliveries that wait behind it would never arrive. */
const NEVER_MS = 600_000

/** At most this many deliveries are pending when the next event is raised, so that a slow machine raises slowly too. */
const BACKLOG = 500

describe.each([...engines])('%s: many webhooks', (engine) => {
  let service: TestService
  const receivers: Receiver[] = []
  beforeAll(async () => {
    service = await startTestService(engine, { settings, delivery: { timeoutMs: NEVER_MS } })
  })
  afterAll(async () => {
    await service.stop()
    await Promise.all(receivers.map((receiver) => receiver.stop()))
  })

  test('a thousand, one of which hangs: no event of the others waits while later events are delivered', async () => {
    const good = new Receiver()
    const hanging = new Receiver()
    receivers.push(good, hanging)
    hanging.answer = () => new Promise(() => undefined)
    const brands: TestBrand[] = []
    for (let i = 0; i < 100; i++) brands.push(await service.createBrand())
    await manyWebhooks(service, brands, (i) => (i === 0 ? hanging.url : `${good.url}?${i}`))
    const [first] = brands
    if (!first) throw new Error('no brand')
    // The hanging webhook gets a backlog first.
    for (let i = 0; i < 20; i++) await raiseEvent(service, first)
    await hanging.untilCount(5)
    await good.untilCount(20 * 9)
    good.received.length = 0
    /** For each delivery, the number of other deliveries that had arrived when its event was raised. */
    const arrivedBefore = new Map<string, number>()
    let raised = 0
    for (let round = 0; round < 3; round++) {
      for (const brand of brands) {
        const slug = randomUUID()
        arrivedBefore.set(slug, good.received.length)
        await raiseEvent(service, brand, slug)
        raised += brand === first ? WEBHOOKS_OF_A_BRAND - 1 : WEBHOOKS_OF_A_BRAND
        await good.untilCount(raised - BACKLOG, 30_000)
      }
    }
    const received = await good.untilCount(raised, 30_000)
    expect(raised).toBe(3 * 999)
    const slugOf = ({ payload }: (typeof received)[number]) => (payload.data['poll'] as { slug: string }).slug
    const overtakenBy = received.map((each, place) => place - (arrivedBefore.get(slugOf(each)) ?? 0))
    expect(Math.max(...overtakenBy)).toBeLessThan(3 * BACKLOG)
    expect(hanging.mostInFlight).toBeLessThanOrEqual(5)
    expect(hanging.received.length).toBe(5)
    expect(new Set(received.map(({ id, headers }) => `${id} ${headers['webhook-signature']}`)).size).toBe(3 * 999)
  }, 120_000)
})
