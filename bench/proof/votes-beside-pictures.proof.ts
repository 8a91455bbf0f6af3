import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { engines } from '../../server/test/engines.ts'
import { eventually } from '../../server/test/eventually.ts'
import { leastOf, mostOf } from '../../server/test/least-of.ts'
import { startTestService, type TestService } from '../../server/test/service.ts'

// Runs alone: it measures how soon votes are answered.

const TOOK_MS = 300
/** The pause as a fraction of the time that a picture took. */
const REST = 0.5

describe.each([...engines])('%s: pictures beside votes', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine, { settings: { NETWORK_VOTES_PER_MINUTE: '0' } })
  })
  afterAll(() => service.stop())

  /** How long nothing is decoded between two queued pictures. */
  async function restBetween(): Promise<number> {
    const { pace } = service.deps.decoding
    const endedAt = performance.now()
    pace.ended(TOOK_MS)
    await pace.ready()
    return performance.now() - endedAt
  }

  test('pause after each picture while votes press, and only then', async () => {
    expect(await leastOf(REST * TOOK_MS, restBetween)).toBeLessThan(REST * TOOK_MS)
    const { slug } = await service.createPoll(await service.createBrand())
    let isOver = false
    const voters = Array.from({ length: 48 }, async () => {
      while (!isOver) await service.vote(slug, 'A')
    })
    const restUnderPressure = async () => {
      await eventually(() => service.service.ledger.isPressed)
      return restBetween()
    }
    // A pause of the machine, in which no vote comes, looks like the end of the pressure.
    const rest = await mostOf(REST * TOOK_MS, restUnderPressure)
    isOver = true
    await Promise.all(voters)
    expect(rest).toBeGreaterThanOrEqual(REST * TOOK_MS)
  })
})
