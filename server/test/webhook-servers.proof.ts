import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DELIVERY_POLICY } from '../src/features/webhooks/sending/record-outcomes.ts'
import { ChildService, createHome, createOwner, OwnerClient } from './child-service.ts'
import { engines } from './engines.ts'
import { ADMIN_URL, createDatabase, type OwnDatabase } from './own-database.ts'
import { Receiver } from './receiver.ts'
import { startTestService, type TestService } from './service.ts'
import { createWebhook, deliveriesOf, raiseEvent } from './webhooks.ts'

const settings = { WEBHOOK_ALLOW_PRIVATE: 'true' }
describe.if(engines.includes('postgres'))('postgres: several servers', () => {
  let database: OwnDatabase
  let servers: TestService[]
  beforeAll(async () => {
    database = await createDatabase()
    // The leases outlast any pause of this process, after which another server would rightly take over.
    const delivery = { pollMs: 50, leaseMs: 60_000 }
    servers = []
    for (let i = 0; i < 3; i++) servers.push(await startTestService('postgres', { settings, database, delivery }))
  })
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()))
    await database.drop()
  })

  test('deliver each event once, at most five at a time between them', async () => {
    const receiver = new Receiver()
    receiver.answer = async () => {
      // Real time: answers take some, so that attempts are concurrent.
      await Bun.sleep(5)
      return new Response('fine')
    }
    const [first] = servers
    if (!first) throw new Error('no server')
    const brand = await first.createBrand()
    const webhook = await createWebhook(first, brand, { url: receiver.url, events: ['poll.deleted'] })
    // Real time: the others notice within a second.
    await Bun.sleep(1_000)
    await Promise.all(servers.flatMap((server) => Array.from({ length: 70 }, () => raiseEvent(server, brand))))
    await receiver.untilCount(210)
    // Real time: long enough to show that there is no second delivery.
    await Bun.sleep(300)
    expect(receiver.received).toHaveLength(210)
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(210)
    expect(receiver.mostInFlight).toBeLessThanOrEqual(5)
    const log = await deliveriesOf(first, brand, webhook.id)
    expect(log.every(({ status, attempts }) => status === 'succeeded' && attempts.length === 1)).toBe(true)
    await receiver.stop()
  })

  test('take over the webhooks of a server that died, once its lease has expired', async () => {
    const receiver = new Receiver()
    const [first, second] = servers
    if (!first || !second) throw new Error('no server')
    const brand = await first.createBrand()
    const webhook = await createWebhook(first, brand, { url: receiver.url, events: ['poll.deleted'] })
    const held = { leased_by: 'a server that is gone', leased_until: Date.now() + 600_000 }
    const lease = (leased_until: number) =>
      first.db
        .updateTable('webhooks')
        .set({ ...held, leased_until })
        .where('id', '=', webhook.id)
        .execute()
    await lease(held.leased_until)
    await raiseEvent(first, brand)
    // Real time: the lease is still valid.
    await Bun.sleep(400)
    expect(receiver.received).toEqual([])
    await lease(Date.now())
    await receiver.untilCount(1)
    const holder = await second.db.selectFrom('webhooks').select('leased_by').where('id', '=', webhook.id).execute()
    expect(holder[0]?.leased_by).not.toBe(held.leased_by)
    await receiver.stop()
  })
})

describe.if(engines.includes('postgres'))('postgres: a server that is killed during an attempt', () => {
  test('is followed by another one within 5 s, but while it lives by none, however long the attempt takes', async () => {
    const home = await createHome(ADMIN_URL)
    const receiver = new Receiver()
    // The first attempt ends with its server.
    receiver.answer = () => (receiver.received.length === 1 ? new Promise(() => undefined) : new Response('fine'))
    const owner = await createOwner(home, 'killed')
    const child = await ChildService.start(home, { settings })
    const client = await OwnerClient.connect(child.url, owner)
    await client.createPoll('renamed')
    const hook = await client.write('POST', 'brands/me/webhooks', { url: receiver.url, events: ['poll.updated'] })
    expect(hook.status).toBe(201)
    expect((await client.write('PATCH', 'brands/me/polls/renamed', { title: 'Renamed' })).status).toBe(200)
    await receiver.untilCount(1)
    const other = await ChildService.start(home, { settings })
    // Real time: longer than a lease, which the heartbeat renews.
    await Bun.sleep(DELIVERY_POLICY.leaseMs + 2_000)
    expect(receiver.received).toHaveLength(1)
    const killedAt = performance.now()
    await child.kill()
    await receiver.untilCount(2)
    expect(performance.now() - killedAt).toBeLessThan(5_000 + 1_000)
    expect(receiver.received[1]?.id).toBe(receiver.received[0]?.id as string)
    await other.stop()
    await receiver.stop()
    await home.remove()
  }, 60_000)
})
