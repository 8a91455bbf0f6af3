import { describe, expect, test } from 'bun:test'
import { engines } from '../../../../test/engines.ts'
import { startTestService } from '../../../../test/service.ts'
import { createWebhook } from '../../../../test/webhooks.ts'
import { transaction } from '../../../db/transaction.ts'
import { Leases } from './lane.ts'

/** Long enough that a busy machine misses no heartbeat. */
const LEASE_MS = 6_000

describe.if(engines.includes('postgres'))('postgres: a lease', () => {
  test('is renewed although its webhook is being written most of the time', async () => {
    const service = await startTestService('postgres', { jobs: 'by hand' })
    const { engine } = service.deps
    await createWebhook(service, await service.createBrand())
    const { key } = await service.db.selectFrom('webhooks').select('key').executeTakeFirstOrThrow()
    const [own, others] = [new Leases(service.deps, LEASE_MS), new Leases(service.deps, LEASE_MS)]
    expect(await own.take([key])).toEqual([key])
    const until = performance.now() + 2.2 * LEASE_MS
    const writer = async () => {
      while (performance.now() < until) {
        await transaction(engine, async (tx) => {
          await tx.updateTable('webhooks').set({ failing_since: null }).where('key', '=', key).execute()
          // Real time: heartbeats come during the transaction.
          await Bun.sleep(400)
        })
        // Real time: a pause in which a heartbeat can succeed.
        await Bun.sleep(30)
      }
    }
    const thief = async () => {
      while (performance.now() < until) {
        expect(own.isHeld(key)).toBe(true)
        expect(await others.take([key])).toEqual([])
        // Real time: again and again.
        await Bun.sleep(10)
      }
    }
    await Promise.all([writer(), thief()])
    await own.release([key])
    expect(await others.take([key])).toEqual([key])
    await others.release([key])
    await service.stop()
  })
})
