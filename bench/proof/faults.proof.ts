import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { noFindings } from '../../server/test/crash/audit.ts'
import { FaultTest } from '../../server/test/crash/fault-rounds.ts'
import { findPostgres } from '../../server/test/crash/own-postgres.ts'
import { engines, redisUrl } from '../../server/test/engines.ts'
import { leastOf } from '../../server/test/least-of.ts'

setDefaultTimeout(600_000)

const programs = engines.includes('postgres') ? await findPostgres() : null
/** Shorter than in `npm run torture -- --faults`. */
const PLAN = { votes: 50, faultMs: 2_000 }
/** The promised 5 s, with a margin for a busy machine. */
const HEALTHY_WITHIN_MS = 5_000 + 2_500

describe.if(programs !== null)('a server whose neighbours fail under votes and uploads', () => {
  const undo: (() => Promise<unknown>)[] = []
  let faults: FaultTest
  beforeAll(async () => {
    faults = await FaultTest.start({ programs: programs ?? '', redisUrl }, (work) => void undo.push(work))
  })
  afterAll(async () => {
    for (const work of undo.toReversed()) await work()
  })

  test('loses no vote and no picture, counts no vote twice, answers only 503 meanwhile, and is healthy soon after each fault', async () => {
    const late: string[] = []
    for (const fault of faults.faults) {
      const least = await leastOf(HEALTHY_WITHIN_MS, async () => {
        const { findings, acknowledged, uploaded, healthyMs } = await faults.round(fault, PLAN)
        expect([fault.name, findings]).toEqual([fault.name, noFindings()])
        expect(acknowledged).toBeGreaterThan(PLAN.votes)
        expect(uploaded).toBeGreaterThan(0)
        return healthyMs
      })
      if (least >= HEALTHY_WITHIN_MS) late.push(`${fault.name}: ${least} ms`)
    }
    expect(late).toEqual([])
  })
})
