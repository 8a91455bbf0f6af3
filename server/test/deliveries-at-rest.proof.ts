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
  /** Stops the service during an attempt. Counts the requests and the recorded attempts after the next service has delivered. */
  async function stopDuring(answer: Receiver['answer'], drainMs: number) {
    const database = engine === 'postgres' ? await createDatabase() : null
    // Without the drain, a stop would wait for longer than this test may take.
    const shared = { settings, ...(database ? { database } : {}), delivery: { drainMs, timeoutMs: 120_000 } }
    const service = await startTestService(engine, { ...shared, keepsData: true })
    const receiver = new Receiver()
    receiver.answer = answer
    const brand = await service.createBrand()
    const { id } = await createWebhook(service, brand, { url: receiver.url, events: ['poll.deleted'] })
    await raiseEvent(service, brand)
    await receiver.untilCount(1)
    const { dataDir } = service.deps.config
    await service.stop()
    expect(service.logLines).toEqual([])

    receiver.answer = () => new Response('back')
    const next = await startTestService(engine, { ...shared, settings: { ...settings, DATA_DIR: dataDir } })
    const isDelivered = async () => (await deliveriesOf(next, brand, id))[0]?.status === 'succeeded'
    await eventually(isDelivered)
    // Real time: long enough to show that there is no other delivery.
    await Bun.sleep(200)
    const [log] = await deliveriesOf(next, brand, id)
    const requests = receiver.received.length
    await next.stop()
    await receiver.stop()
    await database?.drop()
    return { requests, attempts: log?.attempts.length }
  }

  test('finishes running attempts', async () => {
    const slow = async () => {
      // Real time: the service stops while this attempt is running.
      await Bun.sleep(150)
      return new Response('fine')
    }
    expect(await stopDuring(slow, 120_000)).toEqual({ requests: 1, attempts: 1 })
  })

  test('aborts those that hang, does not record them, and releases its leases', async () => {
    const hanging = () => new Promise<Response>(() => undefined)
    expect(await stopDuring(hanging, 300)).toEqual({ requests: 2, attempts: 1 })
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
