import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { engines } from '../../../../test/engines.ts'
import { startTestService, type TestBrand, type TestService } from '../../../../test/service.ts'
import { createWebhook } from '../../../../test/webhooks.ts'
import type { EventType } from '../../../events/event-catalogue.ts'
import { outboxRow } from '../../../events/outbox.ts'
import { fanOut } from './fan-out.ts'
import { openListener, removeSilentListeners } from './listener.ts'

const poll = { id: 'p', slug: 's' }

describe.each([...engines])('%s: a listener', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    // No job and no delivery runs during the test, so only the test changes the queue.
    service = await startTestService(engine, { jobs: 'by hand' })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const open = (events: readonly EventType[]) => openListener(service.deps, { brandKey: brand.brandKey, events })
  const count = async (table: 'listeners' | 'listener_events' | 'webhook_deliveries') =>
    (await service.db.selectFrom(table).select('key').execute()).length

  async function fanOutEvents(types: readonly ('poll.deleted' | 'poll.updated')[]) {
    const now = service.clock.now()
    const rows = types.map((type) => outboxRow({ brandKey: brand.brandKey, type, at: now, data: { poll } }, now))
    await service.db.insertInto('outbox').values(rows).execute()
    await fanOut(service.deps.engine, { now, isSlow: false })
    return rows.map(({ id }) => id)
  }

  test('gets the events that it asked for, in order and once, beside the webhooks of its brand', async () => {
    await createWebhook(service, brand, { url: 'https://hooks.example/', events: ['poll.updated'] })
    const [all, few] = [await open(['poll.deleted', 'poll.updated']), await open(['poll.deleted'])]
    const [first, second, third] = await fanOutEvents(['poll.deleted', 'poll.updated', 'poll.deleted'])
    const taken = await all.take()
    expect(taken.map(({ id }) => id)).toEqual([first, second, third] as string[])
    expect(JSON.parse(taken[0]?.payload ?? '')).toMatchObject({ type: 'poll.deleted', data: { poll } })
    expect(await all.take()).toEqual([])
    expect((await few.take()).map(({ id }) => id)).toEqual([first, third] as string[])
    expect(await count('webhook_deliveries')).toBe(1)
    await Promise.all([all.close(), few.close()])
    expect([await count('listeners'), await count('listener_events')]).toEqual([0, 0])
  })

  test('counts as interested for as long as it fetches events, and is removed half a minute later', async () => {
    const { bus } = service.deps
    const wanted = async () =>
      (await bus.readWanted(service.db, [brand.brandKey])).get(brand.brandKey)?.has('poll.deleted')
    expect(await wanted()).toBe(false)
    const listener = await open(['poll.deleted'])
    expect(bus.peekWanted(brand.brandKey)).toBeNull()
    expect(await wanted()).toBe(true)
    service.clock.advance(29_000)
    await listener.take()
    await fanOutEvents(['poll.deleted'])
    service.clock.advance(29_000)
    await removeSilentListeners(service.deps, service.clock.now())
    expect([await count('listeners'), await count('listener_events')]).toEqual([1, 1])
    service.clock.advance(1_000)
    await removeSilentListeners(service.deps, service.clock.now())
    expect([await count('listeners'), await count('listener_events')]).toEqual([0, 0])
    expect(await wanted()).toBe(false)
  })

  test('leaves no event behind that was fanned out while it closed, however many', async () => {
    const kept = await open(['poll.deleted'])
    await fanOutEvents(['poll.deleted'])
    const late = Array.from({ length: 1_100 }, () => ({ listener_key: 404, event_id: 'e', payload: '{}' }))
    await service.db.insertInto('listener_events').values(late).execute()
    await removeSilentListeners(service.deps, service.clock.now())
    expect(await count('listener_events')).toBe(1)
    expect(await kept.take()).toHaveLength(1)
    await kept.close()
  })
})
