import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { JobKilled } from '../../server/src/base/isolation/job.ts'
import { engines } from '../../server/test/engines.ts'
import type { OddJob } from '../../server/test/isolation/odd-work.ts'
import { leastOf } from '../../server/test/least-of.ts'
import { startTestService, type TestService } from '../../server/test/service.ts'

// Runs alone: it measures how soon votes are answered.

setDefaultTimeout(120_000)

const entry = new URL('../../server/test/isolation/odd-work.ts', import.meta.url)
const VOTERS = 4
const CALM_MS = 2_000
/** A limit of processor time, long enough for a thousand votes meanwhile: ten of them are slower than the 99th percentile. */
const LIMIT_MS = 1_000
/** Two processes compute without end on a machine that may have two cores; they have a lower priority. */
const MOST_RATIO = 6

describe.each([...engines])('%s: votes beside input that is read without end', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine, { settings: { NETWORK_VOTES_PER_MINUTE: '0' } })
  })
  afterAll(() => service.stop())

  async function waitsDuring(work: Promise<unknown>): Promise<{ votes: number; p99: number }> {
    const { slug } = await service.createPoll(await service.createBrand())
    let isOver = false
    const waits: number[] = []
    const voters = Array.from({ length: VOTERS }, async () => {
      while (!isOver) {
        const startedAt = performance.now()
        expect((await service.vote(slug, 'A')).status).toBe(201)
        waits.push(performance.now() - startedAt)
      }
    })
    await work
    isOver = true
    await Promise.all(voters)
    waits.sort((left, right) => left - right)
    return { votes: waits.length, p99: waits[Math.floor(waits.length * 0.99)] ?? 0 }
  }

  test('go on, and each job is given up at its limit', async () => {
    const works = ['stylesheets', 'drawings'].map((name) =>
      service.deps.isolation.open<OddJob, unknown>({ name, entry, cpuMs: LIMIT_MS, memoryBytes: 400e6 }),
    )
    await Promise.all(works.map((work) => work.run({ do: 'answer', value: 1 }, { withinMs: 20_000 })))
    const ratio = async () => {
      const calm = await waitsDuring(Bun.sleep(CALM_MS))
      const loops = works.map((work) => work.run({ do: 'loop' }, { withinMs: 60_000 }).catch((error) => error))
      const beside = await waitsDuring(Promise.all(loops))
      for (const loop of loops) expect(await loop).toEqual(new JobKilled('processor time'))
      // The slowest of a hundred needs more of them.
      return beside.votes > 100 ? beside.p99 / calm.p99 : Number.POSITIVE_INFINITY
    }
    expect(await leastOf(MOST_RATIO, ratio)).toBeLessThan(MOST_RATIO)
  })
})
