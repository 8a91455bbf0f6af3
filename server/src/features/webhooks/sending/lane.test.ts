import { describe, expect, test } from 'bun:test'
import { engines } from '../../../../test/engines.ts'
import { startTestService } from '../../../../test/service.ts'
import { createWebhook } from '../../../../test/webhooks.ts'
import { transaction } from '../../../db/transaction.ts'
import { Leases } from './lane.ts'

/** Long enough that a busy machine misses no heartbeat. */
const LEASE_MS = 6_000
const SHORT_LEASE_MS = 600

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

  test('is taken again while the same server renews it', async () => {
    const service = await startTestService('postgres', { jobs: 'by hand' })
    const { engine, log } = service.deps
    await createWebhook(service, await service.createBrand())
    const { key } = await service.db.selectFrom('webhooks').select('key').executeTakeFirstOrThrow()
    const [renewing, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let calls = 0
    const votingTime: typeof engine.votingTime = async (tx) => {
      // The first call takes the lease, the second one renews it and has locked its row.
      if (++calls === 2) {
        renewing.resolve()
        await goOn.promise
      }
      return engine.votingTime(tx)
    }
    const own = new Leases({ engine: { ...engine, votingTime }, log }, SHORT_LEASE_MS)
    expect(await own.take([key])).toEqual([key])
    await renewing.promise
    const again = own.take([key])
    // Real time: long enough for a statement that skips the locked row.
    setTimeout(goOn.resolve, 100)
    expect(await again).toEqual([key])
    await own.release([key])
    await service.stop()
  })

  test('is taken at once while the lease of another webhook, which is locked, is renewed', async () => {
    const service = await startTestService('postgres', { jobs: 'by hand' })
    const { engine, log } = service.deps
    for (let i = 0; i < 2; i++) await createWebhook(service, await service.createBrand())
    const rows = await service.db.selectFrom('webhooks').select('key').orderBy('key').execute()
    const [locked = 0, free = 0] = rows.map(({ key }) => key)
    const renewing = Promise.withResolvers<void>()
    let calls = 0
    let isRenewed = false
    const relaxed: typeof engine.relaxed = async (work) => {
      // The first call takes the lease, the second one renews it.
      if (++calls !== 2) return engine.relaxed(work)
      renewing.resolve()
      return engine.relaxed(work).finally(() => {
        isRenewed = true
      })
    }
    const own = new Leases({ engine: { ...engine, relaxed }, log }, SHORT_LEASE_MS)
    expect(await own.take([locked])).toEqual([locked])
    await transaction(engine, async (tx) => {
      await tx.updateTable('webhooks').set({ failing_since: null }).where('key', '=', locked).execute()
      await renewing.promise
      expect(await own.take([free])).toEqual([free])
      expect(isRenewed).toBe(false)
    })
    await own.release([locked, free])
    await service.stop()
  })
})
