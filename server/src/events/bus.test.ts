import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { engines } from '../../test/engines.ts'
import { eventually } from '../../test/eventually.ts'
import { createDatabase, type OwnDatabase } from '../../test/own-database.ts'
import { startTestService, type TestBrand, type TestService } from '../../test/service.ts'
import { openPostgres } from '../db/postgres/engine.ts'
import { openSqlite } from '../db/sqlite/engine.ts'
import type { Db, Tx } from '../db/store.ts'
import { transaction } from '../db/transaction.ts'
import { Bus } from './bus.ts'
import { Changes } from './changes.ts'
import { EVENT_TYPES, type EventType, eventsOf, storedEvents } from './event-catalogue.ts'

const newWebhook = (brandKey: number, events: readonly EventType[]) => ({
  id: randomUUID(),
  brand_key: brandKey,
  url: 'https://hooks.example/',
  events: storedEvents(events),
  description: null,
  status: 'ACTIVE' as const,
  secret: new Uint8Array(32),
  created_at: 1,
  updated_at: 1,
  last_delivery_at: null,
  failing_since: null,
  leased_by: null,
  leased_until: null,
})

const COUNTS = { tallies: { optionA: 1, optionB: 0, total: 1 }, version: 1 }

const addWebhook = (db: Db, row: ReturnType<typeof newWebhook>) => db.insertInto('webhooks').values(row).execute()

test('the types of a webhook are stored in the order given, and unknown ones are not read back', () => {
  expect(eventsOf(storedEvents([...EVENT_TYPES].reverse()))).toEqual([...EVENT_TYPES].reverse())
  expect(eventsOf('poll.voted poll.imagined')).toEqual(['poll.voted'])
  expect(eventsOf('')).toEqual([])
})

describe.each([...engines])('%s: the bus', (engine) => {
  let service: TestService
  let database: OwnDatabase | null
  let bus: Bus
  let changes: Changes
  let woken: number
  let brand: TestBrand

  beforeAll(async () => {
    database = engine === 'postgres' ? await createDatabase() : null
    service = await startTestService(engine, { jobs: 'by hand', ...(database ? { database } : {}) })
    brand = await service.createBrand()
    // A bus of our own, so that the service does not empty the outbox during the test.
    changes = service.deps.changes
    bus = new Bus({ engine: service.deps.engine, clock: service.clock, changes })
    bus.listen(() => woken++)
  })
  afterAll(async () => {
    await service.stop()
    await database?.drop()
  })

  const webhooksChanged = (brandKey: number) => inTransaction((tx) => changes.webhooks(tx, brandKey))
  const inTransaction = <T>(work: (tx: Tx) => Promise<T>) => transaction(service.deps.engine, work)

  const counted = (slug: string, brandKey = brand.brandKey) =>
    ({ brandKey, type: 'poll.tallies_updated', data: () => ({ poll: { id: 'p', slug }, ...COUNTS }) }) as const

  /** Until PostgreSQL's notice has come back to this process too: late, it would wake the listener during the next test. */
  const untilWoken = () => eventually(() => woken === (engine === 'postgres' ? 2 : 1), { seen: () => woken })

  /** The rows written since the last call. Empties the outbox for the next call. */
  async function written() {
    const rows = await service.db.deleteFrom('outbox').returningAll().execute()
    return rows.map(({ key: _, ...row }) => row)
  }

  test('writes nothing and does not build the event where no webhook wants it', async () => {
    woken = 0
    const other = await service.createBrand()
    await addWebhook(service.db, newWebhook(other.brandKey, ['poll.tallies_updated']))
    await addWebhook(service.db, newWebhook(brand.brandKey, ['poll.created']))
    await addWebhook(service.db, {
      ...newWebhook(brand.brandKey, ['poll.tallies_updated']),
      status: 'DISABLED' as 'ACTIVE',
    })
    const listener = {
      brand_key: brand.brandKey,
      events: 'poll.tallies_updated',
      listening_until: service.clock.now() - 1,
    }
    await service.db.insertInto('listeners').values(listener).execute()
    let asked = 0
    const data = () => {
      asked++
      return { poll: { id: 'p', slug: 's' }, ...COUNTS }
    }
    await inTransaction((tx) => bus.emit(tx, { brandKey: brand.brandKey, type: 'poll.tallies_updated', data }))
    expect([await written(), asked, woken]).toEqual([[], 0, 0])
  })

  test('writes an event of the feed, even if no webhook wants it', async () => {
    woken = 0
    const { brandKey } = await service.createBrand()
    const data = () => ({ poll: { id: 'p', slug: 's' } })
    await inTransaction((tx) => bus.emit(tx, { brandKey, type: 'poll.deleted', data }))
    await untilWoken()
    expect((await written()).map(({ type }) => type)).toEqual(['poll.deleted'])
  })

  test('writes an event in the transaction that causes it, and wakes the deliveries after its commit', async () => {
    woken = 0
    await addWebhook(service.db, newWebhook(brand.brandKey, ['poll.opened', 'poll.tallies_updated']))
    await webhooksChanged(brand.brandKey)
    const at = service.clock.now() - 5_000
    await inTransaction(async (tx) => {
      await bus.emit(tx, { ...counted('first'), at })
      await bus.emit(tx, counted('second'))
      expect(woken).toBe(0)
    })
    expect(woken).toBeGreaterThan(0)
    await untilWoken()
    const rows = await written()
    expect(rows).toHaveLength(2)
    const [first, second] = rows
    expect(first).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      brand_key: brand.brandKey,
      type: 'poll.tallies_updated',
      payload: expect.any(String),
      created_at: expect.any(Number),
    })
    expect(JSON.parse(first?.payload ?? '')).toEqual({
      type: 'poll.tallies_updated',
      timestamp: new Date(at).toISOString(),
      data: { poll: { id: 'p', slug: 'first' }, ...COUNTS },
    })
    expect(JSON.parse(second?.payload ?? '').timestamp).toBe(new Date(second?.created_at ?? 0).toISOString())
    expect(first?.id).not.toBe(second?.id)
  })

  test('writes nothing in a transaction that fails, and wakes nobody', async () => {
    woken = 0
    const failing = inTransaction(async (tx) => {
      await bus.emit(tx, counted('gone'))
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect([await written(), woken]).toEqual([[], 0])
  })

  test('learns of a change of this process at once', async () => {
    const fresh = await service.createBrand()
    const emit = () => inTransaction((tx) => bus.emit(tx, counted('poll', fresh.brandKey)))
    await emit()
    await addWebhook(service.db, newWebhook(fresh.brandKey, ['poll.tallies_updated']))
    await webhooksChanged(fresh.brandKey)
    await emit()
    expect(await written()).toHaveLength(1)
    await service.db.deleteFrom('webhooks').where('brand_key', '=', fresh.brandKey).execute()
    await webhooksChanged(fresh.brandKey)
    await emit()
    expect(await written()).toEqual([])
  })

  test('does not cache a value that was read before a change and returned after it', async () => {
    const fresh = await service.createBrand()
    await inTransaction(async (tx) => {
      const reading = bus.wants(tx, fresh.brandKey, 'poll.tallies_updated')
      await changes.webhooks(tx, fresh.brandKey)
      expect(await reading).toBe(false)
    })
    await addWebhook(service.db, newWebhook(fresh.brandKey, ['poll.tallies_updated']))
    expect(await inTransaction((tx) => bus.wants(tx, fresh.brandKey, 'poll.tallies_updated'))).toBe(true)
  })

  test('learns of a change of another process within a second', async () => {
    const fresh = await service.createBrand()
    const wants = () => inTransaction((tx) => bus.wants(tx, fresh.brandKey, 'poll.tallies_updated'))
    expect(await wants()).toBe(false)
    const opened = database ? openPostgres(database.url, () => undefined) : openSqlite(service.deps.config.dataDir)
    const elsewhere = opened.ready()
    await transaction(elsewhere, async (tx) => {
      await addWebhook(tx, newWebhook(fresh.brandKey, ['poll.tallies_updated']))
      await new Changes(elsewhere).webhooks(tx, fresh.brandKey)
    })
    await elsewhere.close()
    // Real time: cached interests may be a second old.
    await Bun.sleep(1_000)
    expect(await wants()).toBe(true)
  })
})
