import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { transaction } from '../src/db/transaction.ts'
import { engines } from './engines.ts'
import { isSignedWith, Receiver } from './receiver.ts'
import { startTestService, type TestService } from './service.ts'
import { createWebhook, deleteWebhook, deliveriesOf, ownWebhook, patchWebhook, type WebhookData } from './webhooks.ts'

/** The longest delay before a retry, including its 20 % jitter. */
const RETRIED_WITHIN_MS = 60
const delivery = { delaysMs: [50, 50, 50], timeoutMs: 5_000, pollMs: 20, drainMs: 200 }
const settings = { WEBHOOK_ALLOW_PRIVATE: 'true' }

describe.each([...engines])('%s: a webhook that is changed while something is under way to it', (engine) => {
  let service: TestService
  const receivers: Receiver[] = []
  beforeAll(async () => {
    service = await startTestService(engine, { settings, delivery, jobs: 'by hand' })
    // With a frozen clock, a retry is due exactly when the test says so.
    service.clock.freeze()
  })
  afterAll(() => service.stop())
  afterEach(async () => {
    await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()))
    expect(service.logLines.splice(0)).toEqual([])
  })

  /** A webhook whose receiver answers when the test decides. */
  async function scene(status = 200) {
    const owner = await service.createBrand()
    const at = new Receiver()
    receivers.push(at)
    const answering = Promise.withResolvers<void>()
    at.answer = async () => {
      await answering.promise
      return new Response(null, { status })
    }
    const webhook = await createWebhook(service, owner, { url: at.url, events: ['poll.deleted'] })
    const raise = (count = 1) =>
      transaction(service.deps.engine, async (tx) => {
        const { brandKey } = owner
        const data = () => ({ poll: { id: randomUUID(), slug: 's' } })
        for (let i = 0; i < count; i++) await service.deps.bus.emit(tx, { brandKey, type: 'poll.deleted', data })
      })
    return { owner, at, webhook, raise, answer: () => answering.resolve() }
  }

  const traces = async ({ id }: WebhookData) => {
    const rows = await service.db.selectFrom('webhooks').select('key').where('id', '=', id).execute()
    const orphans = await service.db
      .selectFrom('webhook_deliveries')
      .leftJoin('webhooks', 'webhooks.key', 'webhook_deliveries.webhook_key')
      .select('webhook_deliveries.key')
      .where('webhooks.key', 'is', null)
      .execute()
    return rows.length + orphans.length
  }

  // spec: 3-8, 6-4
  test('deleted: running attempts end, nothing more is sent, and nothing of the webhook is left', async () => {
    const { owner, at, webhook, raise, answer } = await scene()
    await raise(30)
    const delivering = service.runDue()
    await at.untilCount(5)
    expect((await deleteWebhook(service, owner, webhook.id)).status).toBe(204)
    answer()
    await delivering
    expect(at.received).toHaveLength(5)
    expect(await traces(webhook)).toBe(0)
    expect((await service.get(`brands/me/webhooks/${webhook.id}/deliveries`, owner)).status).toBe(404)
  })

  test('deleted while outcomes are recorded: no error, and nothing of the webhook is left', async () => {
    for (let i = 0; i < 5; i++) {
      const { owner, at, webhook, raise, answer } = await scene(i % 2 ? 500 : 200)
      await raise(5)
      const delivering = service.runDue()
      await at.untilCount(5)
      answer()
      // Real time: each round meets the writing at another moment.
      await Bun.sleep(i)
      expect((await deleteWebhook(service, owner, webhook.id)).status).toBe(204)
      const sent = at.received.length
      await delivering
      service.clock.advance(RETRIED_WITHIN_MS)
      await service.runDue()
      // A retry that had started when the webhook was deleted.
      expect(at.received.length - sent).toBeLessThanOrEqual(5)
      expect(await traces(webhook)).toBe(0)
    }
  })

  // spec: 6-4
  test('disabled: running attempts count, waiting deliveries are skipped, and activating it brings none back', async () => {
    const { owner, at, webhook, raise, answer } = await scene()
    await raise(12)
    const delivering = service.runDue()
    await at.untilCount(5)
    await patchWebhook(service, owner, webhook.id, { status: 'DISABLED' })
    answer()
    await delivering
    const statuses = async () => (await deliveriesOf(service, owner, webhook.id)).map(({ status }) => status).sort()
    const expected = [...Array.from({ length: 7 }, () => 'skipped'), ...Array.from({ length: 5 }, () => 'succeeded')]
    expect(await statuses()).toEqual(expected as never)
    await patchWebhook(service, owner, webhook.id, { status: 'ACTIVE' })
    service.clock.advance(RETRIED_WITHIN_MS)
    await service.runDue()
    expect(at.received).toHaveLength(5)
    expect(await statuses()).toEqual(expected as never)
  })

  test('disabled: a test event and a redelivery are refused, until it is active again', async () => {
    const { owner, webhook, raise, answer } = await scene()
    answer()
    await raise()
    await service.runDue()
    const [delivery] = await deliveriesOf(service, owner, webhook.id)
    const ask = async (path: string) => {
      const { status, body } = await service.write('POST', `brands/me/webhooks/${webhook.id}/${path}`, {
        token: owner.token,
      })
      return `${status} ${body.error?.code ?? 'fine'}`
    }
    const both = () => Promise.all([ask('test'), ask(`deliveries/${delivery?.id}/redeliver`)])
    await patchWebhook(service, owner, webhook.id, { status: 'DISABLED' })
    expect(await both()).toEqual(['409 WEBHOOK_DISABLED', '409 WEBHOOK_DISABLED'])
    expect(await ask(`deliveries/${randomUUID()}/redeliver`)).toBe('404 NOT_FOUND')
    expect(await deliveriesOf(service, owner, webhook.id)).toHaveLength(1)
    await patchWebhook(service, owner, webhook.id, { status: 'ACTIVE' })
    expect(await both()).toEqual(['202 fine', '202 fine'])
    await service.runDue()
  })

  // spec: 3-7
  test('disabled while a failed delivery waits for its retry: no retry is sent', async () => {
    const { owner, at, webhook, raise, answer } = await scene(500)
    answer()
    await raise()
    await service.runDue()
    const statuses = async () => (await deliveriesOf(service, owner, webhook.id)).map(({ status }) => status)
    expect([at.received.length, await statuses()]).toEqual([1, ['pending']])
    await patchWebhook(service, owner, webhook.id, { status: 'DISABLED' })
    service.clock.advance(RETRIED_WITHIN_MS)
    await service.runDue()
    expect([at.received.length, await statuses()]).toEqual([1, ['skipped']])
  })

  test('rotated: running attempts keep their signature, and later ones have both', async () => {
    const { owner, at, webhook, raise, answer } = await scene()
    await raise(6)
    const delivering = service.runDue()
    await at.untilCount(5)
    const rotated = await service.write<WebhookData>('POST', `brands/me/webhooks/${webhook.id}/rotate-secret`, owner)
    answer()
    await delivering
    const received = await at.untilCount(6)
    for (const each of received.slice(0, 5)) {
      expect([each.signatures.length, isSignedWith(each, webhook.secret)]).toEqual([1, true])
    }
    const [last] = received.slice(5)
    if (!last) throw new Error('nothing')
    const secrets = [rotated.body.data.secret, webhook.secret]
    expect([last.signatures.length, ...secrets.map((secret) => isSignedWith(last, secret))]).toEqual([2, true, true])
  })

  test('given another url: a 410 from the earlier url does not disable it', async () => {
    const { owner, at, webhook, raise, answer } = await scene(410)
    await raise()
    const delivering = service.runDue()
    await at.untilCount(1)
    const next = new Receiver()
    receivers.push(next)
    await patchWebhook(service, owner, webhook.id, { url: next.url })
    answer()
    await delivering
    service.clock.advance(RETRIED_WITHIN_MS)
    await service.runDue()
    await next.untilCount(1)
    expect((await ownWebhook(service, owner, webhook.id)).status).toBe('ACTIVE')
    expect(next.received[0]?.id).toBe(at.received[0]?.id ?? 'none')
  })
})
