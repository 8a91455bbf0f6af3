import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { engines } from '../../server/test/engines.ts'
import { startTestService, type TestService } from '../../server/test/service.ts'

const TOOK_MS = 300
/** Of what a picture took. */
const REST = 0.5

describe.each([...engines])('%s: pictures beside votes', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine, { settings: { NETWORK_VOTES_PER_MINUTE: '0' } })
  })
  afterAll(() => service.stop())

  /** How long nothing is decoded between two pictures that wait for their turn. */
  async function restBetween(): Promise<number> {
    const { decoding } = service.deps
    let endedAt = 0
    const first = decoding.run(async () => {
      await Bun.sleep(TOOK_MS)
      endedAt = performance.now()
    })
    const begunAt = decoding.run(async () => performance.now())
    await first
    return (await begunAt) - endedAt
  }

  test('rest after each while votes press, and only then', async () => {
    expect(await restBetween()).toBeLessThan(REST * TOOK_MS)
    const { slug } = await service.createPoll(await service.createBrand())
    let isOver = false
    const voters = Array.from({ length: 48 }, async () => {
      while (!isOver) await service.vote(slug, 'A')
    })
    while (!service.service.ledger.isPressed) await Bun.sleep(1)
    const rest = await restBetween()
    isOver = true
    await Promise.all(voters)
    expect(rest).toBeGreaterThanOrEqual(REST * TOOK_MS)
  })
})
