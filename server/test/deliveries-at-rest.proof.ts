import { describe, expect, test } from 'bun:test'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { createDatabase } from './own-database.ts'
import { Receiver } from './receiver.ts'
import { startTestService } from './service.ts'
import { StatementWatch } from './statement-watch.ts'
import { createWebhook, deliveriesOf, raiseEvent } from './webhooks.ts'

const settings = { WEBHOOK_ALLOW_PRIVATE: 'true' }
describe.each([...engines])('%s: a service that stops', (engine) => {
  test('finishes running attempts, aborts those that hang, and releases its leases', async () => {
    const database = engine === 'postgres' ? await createDatabase() : null
    const shared = { settings, ...(database ? { database } : {}), delivery: { drainMs: 300 } }
    const service = await startTestService(engine, { ...shared, keepsData: true })
    const [slow, hanging] = [new Receiver(), new Receiver()]
    slow.answer = async () => {
      // Real time: the service stops while this attempt is running.
      await Bun.sleep(150)
      return new Response('fine')
    }
    hanging.answer = () => new Promise(() => undefined)
    const brand = await service.createBrand()
    const done = await createWebhook(service, brand, { url: slow.url, events: ['poll.deleted'] })
    const undone = await createWebhook(service, brand, { url: hanging.url, events: ['poll.deleted'] })
    await raiseEvent(service, brand)
    await Promise.all([slow.untilCount(1), hanging.untilCount(1)])
    const { dataDir } = service.deps.config
    const started = performance.now()
    await service.stop()
    expect(performance.now() - started).toBeLessThan(3_000)
    expect(service.logLines).toEqual([])

    hanging.answer = () => new Response('back')
    const next = await startTestService(engine, { ...shared, settings: { ...settings, DATA_DIR: dataDir } })
    await hanging.untilCount(2)
    // Real time: long enough to show that there is no delivery.
    await Bun.sleep(200)
    expect([slow.received.length, hanging.received.length]).toEqual([1, 2])
    for (const { id } of [done, undone]) {
      const [log] = await deliveriesOf(next, brand, id)
      // The aborted attempt was not recorded.
      expect([log?.status, log?.attempts.length]).toEqual(['succeeded', 1])
    }
    await next.stop()
    await Promise.all([slow.stop(), hanging.stop()])
    await database?.drop()
  })
})

describe.each([...engines])('%s: a service with nothing to deliver', (engine) => {
  test('asks the database for due deliveries every second or two, and for nothing more', async () => {
    const watch = new StatementWatch()
    const service = await startTestService(engine, { settings })
    const receiver = new Receiver()
    const brand = await service.createBrand()
    const webhook = await createWebhook(service, brand, { url: receiver.url, events: ['poll.deleted'] })
    // On PostgreSQL the look for the work of all jobs.
    const [look, everyMs] =
      engine === 'postgres' ? ([/ as "due_0"/, 2_000] as const) : ([/^select .* from "outbox"/, 1_000] as const)
    const looks = () => watch.seen.filter(({ text }) => look.test(text))
    const queues = () => watch.seen.filter(({ text }) => text.includes('with recursive queues'))
    const between = () => looks().map(({ at }, i, all) => at - (all[i - 1]?.at ?? at))
    await raiseEvent(service, brand)
    await receiver.untilCount(1)
    const isHeld = async () => (await service.db.selectFrom('webhooks').select('leased_by').execute())[0]?.leased_by
    await eventually(async () => (await deliveriesOf(service, brand, webhook.id))[0]?.status === 'succeeded')
    await eventually(async () => !(await isHeld()))
    await eventually(() => (between().at(-1) ?? 0) >= 0.9 * everyMs)

    watch.seen = []
    const started = performance.now()
    // Real time: the polling rate of an idle service is the subject.
    await Bun.sleep(4_000)
    const seconds = (performance.now() - started) / 1_000
    const sent = watch.counts()
    watch.stop()

    // Each look checks for new events, and for due deliveries.
    expect(looks().length).toBeGreaterThan(0)
    expect(looks().length).toBeLessThanOrEqual((1_000 / everyMs) * seconds + 1)
    // Every five seconds, remains of deleted webhooks are looked for in the same way. The interval may split a look.
    expect(queues().length).toBeGreaterThanOrEqual(looks().length - 1)
    expect(queues().length).toBeLessThanOrEqual(looks().length + seconds / 5 + 2)
    const writes = [...sent.keys()].filter((text) => /^(insert|update|delete|with "chosen")/.test(text))
    expect(writes.filter((text) => /outbox|webhook|listener/.test(text))).toEqual([])
    // No statement of the whole service runs more than twice a second, except the heartbeat of notices.
    const often = [...sent].filter(([text, times]) => !/^(begin|commit)/.test(text) && times > 2 * seconds + 2)
    const isHeartbeat = (text: string) => text.startsWith('select pg_notify')
    expect(often.filter(([text]) => !isHeartbeat(text))).toEqual([])
    for (const [, times] of often) expect(times).toBeLessThanOrEqual(4 * seconds + 2)
    await service.stop()
    await receiver.stop()
  }, 20_000)
})
