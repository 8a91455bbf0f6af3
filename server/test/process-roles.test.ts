import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { ProcessRole } from '../src/app/process-role.ts'
import type { JobMode } from '../src/app/worker.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { leastOf } from './least-of.ts'
import { createDatabase, type OwnDatabase } from './own-database.ts'
import { fromNow } from './polls.ts'
import { Receiver } from './receiver.ts'
import { startTestService, type TestService } from './service.ts'
import { createWebhook } from './webhooks.ts'

setDefaultTimeout(60_000)

describe.if(engines.includes('postgres'))('processes with a role, at one database', () => {
  let database: OwnDatabase
  let receiver: Receiver
  const services: TestService[] = []
  beforeEach(async () => {
    database = await createDatabase()
    receiver = new Receiver()
  })
  afterEach(async () => {
    for (const service of services.splice(0)) await service.stop()
    await receiver.stop()
    await database.drop()
  })

  async function start(role: ProcessRole, jobs: JobMode = 'by hand'): Promise<TestService> {
    const settings = { WEBHOOK_ALLOW_PRIVATE: 'true' }
    const service = await startTestService('postgres', { database, role, settings, jobs })
    services.push(service)
    return service
  }

  test('`api` does the jobs about its own votes, and leaves those of all to `worker`', async () => {
    const [api, worker] = [await start('api'), await start('worker')]
    const brand = await api.createBrand()
    await createWebhook(api, brand, { url: receiver.url, events: ['poll.created'] })
    const poll = await api.createPoll(brand)
    await api.vote(poll.slug, 'A')
    const popularity = async () =>
      (await api.db.selectFrom('polls').select('popularity').where('slug', '=', poll.slug).executeTakeFirstOrThrow())
        .popularity
    const outbox = async () => (await api.db.selectFrom('outbox').select('id').execute()).length

    await api.runDue()
    // `poll.created`, and `poll.opened` for the feed of the brand.
    expect([receiver.types, await outbox(), await popularity()]).toEqual([[], 2, 1])
    await worker.runDue()
    expect([receiver.types, await outbox()]).toEqual([['poll.created'], 0])
  })

  test('a worker hears at once of what another process raised', async () => {
    const [api] = [await start('api', 'by time'), await start('worker', 'by time')]
    const brand = await api.createBrand()
    await createWebhook(api, brand, {
      url: receiver.url,
      events: ['poll.created', 'poll.tallies_updated', 'poll.opened'],
    })
    /** When the event of this poll arrived. */
    const heard = (type: string, slug: string) =>
      eventually(() => receiver.received.find(({ payload, body }) => payload.type === type && body.includes(slug))?.at)
    const usualDelay = async () => {
      const delays: number[] = []
      for (let polls = 1; polls <= 8; polls++) {
        const startedAt = Date.now()
        const { slug } = await api.createPoll(brand)
        delays.push((await heard('poll.created', slug)) - startedAt)
      }
      return delays.toSorted((a, b) => a - b)[4] ?? Number.NaN
    }
    // Without a notice the worker looks every three seconds: chance would make one of them late.
    expect(await leastOf(500, usualDelay)).toBeLessThan(500)
    let slug = ''
    const delayOfOpening = async () => {
      const poll = await api.createPoll(brand, { opensAt: fromNow(3_000) })
      slug = poll.slug
      return (await heard('poll.opened', slug)) - Date.parse(String(poll['opensAt']))
    }
    expect(await leastOf(2_000, delayOfOpening)).toBeLessThan(2_000)
    expect((await api.vote(slug, 'A')).status).toBe(201)
    await heard('poll.tallies_updated', slug)
  })

  test('two that run the jobs at the same moment deliver each event once', async () => {
    const both = [await start('all'), await start('worker')] as const
    const brand = await both[0].createBrand()
    await createWebhook(both[0], brand, { url: receiver.url, events: ['poll.created'] })
    for (let poll = 0; poll < 12; poll++) await both[0].createPoll(brand)
    await Promise.all(both.map((service) => service.runDue()))
    for (const service of both) await service.runDue()
    expect(receiver.received).toHaveLength(12)
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(12)
  })
})
