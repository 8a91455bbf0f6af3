import { afterAll, afterEach, beforeAll, describe, expect, setSystemTime, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { transaction } from '../src/db/transaction.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { problemsOf } from './polls.ts'
import { isSignedWith, type Received, Receiver, verify } from './receiver.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'
import {
  createWebhook,
  type DeliveryData,
  deleteWebhook,
  deliveriesOf,
  ownWebhook,
  patchWebhook,
  sendTest,
  type WebhookData,
} from './webhooks.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** The default schedule, but with delays of 20 ms, ±20 %. One test waits for the timeout; on a busy machine answers take a while. */
const LONGEST_DELAY_MS = 24
const delivery = { delaysMs: [20, 20, 20, 20, 20, 20, 20, 20, 20], timeoutMs: 3_000, pollMs: 20, drainMs: 200 }
const settings = { WEBHOOK_ALLOW_PRIVATE: 'true' }

describe.each([...engines])('%s: deliveries', (engine) => {
  let service: TestService
  const receivers: Receiver[] = []

  beforeAll(async () => {
    service = await startTestService(engine, { settings, delivery, jobs: 'by hand' })
    // Deliveries read the clock several times. With a frozen clock, a retry is due exactly when the test says so.
    service.clock.freeze()
  })
  afterAll(() => service.stop())
  afterEach(async () => {
    await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()))
    expect(service.logLines.splice(0)).toEqual([])
  })

  const receiver = (): Receiver => {
    const made = new Receiver()
    receivers.push(made)
    return made
  }

  /** A new brand with a webhook for deleted polls, and a function that raises such events. */
  async function scene(fields: Record<string, unknown> = {}) {
    const owner = { ...(await service.createBrand()) }
    const at = receiver()
    const webhook = await createWebhook(service, owner, { url: at.url, events: ['poll.deleted'], ...fields })
    /** Exchanges the API key again, because tokens do not live for days. */
    const advance = async (milliseconds: number) => {
      service.clock.advance(milliseconds)
      owner.token = (await service.exchange(owner)).accessToken
    }
    return { at, webhook, owner, advance, raise: raiser(owner) }
  }

  const raiser = ({ brandKey }: TestBrand) => {
    const { bus, engine: store } = service.deps
    return (slug: string = randomUUID()) =>
      transaction(store, (tx) =>
        bus.emit(tx, { brandKey, type: 'poll.deleted', data: () => ({ poll: { id: randomUUID(), slug } }) }),
      )
  }

  /** Runs one attempt after another until the log satisfies the condition. */
  async function untilLog(
    { owner, webhook }: { owner: TestBrand; webhook: WebhookData },
    isThere: (log: DeliveryData[]) => boolean,
  ): Promise<DeliveryData[]> {
    for (let attempts = 0; attempts < 20; attempts++) {
      const log = await deliveriesOf(service, owner, webhook.id)
      if (isThere(log)) return log
      service.clock.advance(LONGEST_DELAY_MS)
      await service.runDue()
    }
    throw new Error(`not so: ${JSON.stringify(await deliveriesOf(service, owner, webhook.id))}`)
  }

  const allAre =
    (status: DeliveryData['status'], count: number) =>
    (log: DeliveryData[]): boolean =>
      log.length === count && log.every((each) => each.status === status)

  test('a webhook of a chat sends messages, signed as they are, and takes no event without words', async () => {
    const { at, webhook, owner } = await scene({ format: 'discord', events: ['poll.opened', 'poll.closed'] })
    const poll = await service.createPoll(owner, {
      title: '@everyone: *Tea*?',
      optionA: { label: 'Green' },
      optionB: { label: '_Black_' },
    })
    await service.runDue()
    const [opened] = at.received
    if (!opened) throw new Error('nothing')
    expect(verify(opened, webhook.secret)).toEqual(opened.payload)
    expect(JSON.parse(opened.body)).toEqual({
      content: `Poll opened\\: \\@everyone\\: \\*Tea\\*?\nGreen · \\_Black\\_\n${poll['shareUrl']}`,
      allowed_mentions: { parse: [] },
    })
    const refused = await patchWebhook(service, owner, webhook.id, { events: ['poll.voted'] })
    expect([refused.status, problemsOf(refused)]).toEqual([422, ['events.0 not_in_format']])
    const changed = await patchWebhook(service, owner, webhook.id, { format: 'standard', events: ['poll.voted'] })
    expect([changed.status, changed.body.data.format]).toEqual([200, 'standard'])
    const back = await patchWebhook(service, owner, webhook.id, { format: 'slack' })
    expect([back.status, problemsOf(back)]).toEqual([422, ['events.0 not_in_format']])
  })

  // spec: 2.7-4, 6-7
  test('an event arrives unchanged and signed, and the log shows the attempt', async () => {
    const { at, webhook, owner, raise } = await scene()
    const before = service.clock.now()
    await raise('tea')
    await service.runDue()
    const [first] = await at.untilCount(1)
    if (!first) throw new Error('nothing')
    expect(verify(first, webhook.secret)).toEqual(first.payload)
    expect(first.payload).toEqual({
      type: 'poll.deleted',
      timestamp: expect.stringMatching(ISO),
      data: { poll: { id: expect.any(String), slug: 'tea' } },
    })
    expect(first.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': expect.any(String) })
    expect(first.signatures).toHaveLength(1)
    expect(Math.abs(first.timestamp * 1_000 - before)).toBeLessThan(3_000)
    const [logged] = await untilLog({ owner, webhook }, allAre('succeeded', 1))
    expect(logged).toEqual({
      id: expect.any(String),
      eventId: first.id,
      eventType: 'poll.deleted',
      status: 'succeeded',
      attempts: [
        {
          at: expect.stringMatching(ISO),
          responseStatus: 200,
          durationMs: expect.any(Number),
          errorClass: null,
          responseBody: 'thanks',
        },
      ],
      nextAttemptAt: null,
      createdAt: expect.stringMatching(ISO),
    })
    const { lastDeliveryAt, failingSince } = await ownWebhook(service, owner, webhook.id)
    expect(Date.parse(lastDeliveryAt ?? '')).toBeGreaterThanOrEqual(before)
    expect(failingSince).toBeNull()
  })

  // spec: 6-1
  test('an event goes to each active webhook for its type, and to no other', async () => {
    const { at, owner, raise } = await scene()
    const others = [receiver(), receiver(), receiver(), receiver()] as const
    const [same, other, disabled, gone] = others
    await createWebhook(service, owner, { url: same.url, events: ['poll.created', 'poll.deleted'] })
    await createWebhook(service, owner, { url: other.url, events: ['poll.created'] })
    await createWebhook(service, owner, { url: disabled.url, events: ['poll.deleted'], status: 'DISABLED' })
    const removed = await createWebhook(service, owner, { url: gone.url, events: ['poll.deleted'] })
    await deleteWebhook(service, owner, removed.id)
    const stranger = await service.createBrand()
    const theirs = receiver()
    await createWebhook(service, stranger, { url: theirs.url, events: ['poll.deleted'] })
    for (let i = 0; i < 20; i++) await raise(`poll-${i}`)
    await service.runDue()
    expect([at, same, other, disabled, gone, theirs].map(({ received }) => received.length)).toEqual([
      20, 20, 0, 0, 0, 0,
    ])
    for (const { received } of [at, same]) {
      expect(new Set(received.map(({ id }) => id)).size).toBe(20)
      expect(new Set(received.map(({ payload }) => (payload.data['poll'] as { slug: string }).slug)).size).toBe(20)
    }
    expect(at.received.map(({ id }) => id).sort()).toEqual(same.received.map(({ id }) => id).sort())
  })

  // spec: 6-3
  test('a failing delivery is attempted ten times with one id, and then fails', async () => {
    const { at, webhook, owner, raise } = await scene()
    at.answer = (_, count) => new Response(`no ${count}`, { status: count % 2 ? 500 : 404 })
    await raise()
    const [failed] = await untilLog({ owner, webhook }, allAre('failed', 1))
    expect(failed?.nextAttemptAt).toBeNull()
    expect(
      failed?.attempts.map(({ responseStatus, errorClass, responseBody }) => [
        responseStatus,
        errorClass,
        responseBody,
      ]),
    ).toEqual(Array.from({ length: 10 }, (_, i) => [i % 2 ? 404 : 500, 'http_status', `no ${i + 1}`]))
    service.clock.advance(MINUTE)
    await service.runDue()
    expect(at.received).toHaveLength(10)
    expect(new Set(at.received.map(({ id }) => id)).size).toBe(1)
    expect(at.received.filter((each) => isSignedWith(each, webhook.secret))).toHaveLength(10)
    const { failingSince, lastDeliveryAt, status } = await ownWebhook(service, owner, webhook.id)
    expect([failingSince, lastDeliveryAt, status]).toEqual([
      failed?.attempts[0]?.at ? expect.stringMatching(ISO) : null,
      null,
      'ACTIVE',
    ])
    at.answer = () => new Response(null, { status: 204 })
    await raise()
    await service.runDue()
    await at.untilCount(11)
    await untilLog({ owner, webhook }, (log) => log.length === 2 && log[0]?.status === 'succeeded')
    expect(await ownWebhook(service, owner, webhook.id)).toMatchObject({
      failingSince: null,
      lastDeliveryAt: expect.stringMatching(ISO),
    })
  })

  test.each([
    ['a redirect', () => new Response(null, { status: 302, headers: { Location: '/elsewhere' } }), 'redirect', 302],
    ['429', () => new Response('slow down', { status: 429 }), 'http_status', 429],
    ['no answer', () => new Promise<Response>(() => undefined), 'timeout', null],
  ])('%s is a failure, and the next attempt may succeed', async (_, answer, errorClass, responseStatus) => {
    const { at, webhook, owner, raise } = await scene()
    at.answer = (__, count) => (count === 1 ? answer() : new Response('fine'))
    await raise()
    const [log] = await untilLog({ owner, webhook }, allAre('succeeded', 1))
    expect(log?.attempts.map((attempt) => [attempt.errorClass, attempt.responseStatus])).toEqual([
      [errorClass, responseStatus],
      [null, 200],
    ])
    expect(at.received.map(({ id }) => id)).toEqual([log?.eventId ?? '', log?.eventId ?? ''])
  })

  test('a refused connection and a name without an address are shown in the log', async () => {
    const { webhook, owner, raise } = await scene()
    await receivers[0]?.stop()
    await raise()
    const [refused] = await untilLog({ owner, webhook }, (log) => (log[0]?.attempts.length ?? 0) > 0)
    expect(refused?.attempts[0]).toMatchObject({
      errorClass: 'connection_failed',
      responseStatus: null,
      responseBody: null,
    })
    await patchWebhook(service, owner, webhook.id, { url: 'http://hooks.example/' })
    const log = await untilLog({ owner, webhook }, ([each]) => each?.attempts.at(-1)?.errorClass === 'address_refused')
    expect(log).toHaveLength(1)
  })

  test('Retry-After delays the next attempt', async () => {
    const { advance, at, webhook, owner, raise } = await scene()
    at.answer = (_, count) =>
      count === 1 ? new Response(null, { status: 503, headers: { 'Retry-After': '3600' } }) : new Response('fine')
    await raise()
    const [waiting] = await untilLog({ owner, webhook }, (log) => log[0]?.attempts.length === 1)
    const wait = Date.parse(waiting?.nextAttemptAt ?? '') - Date.parse(waiting?.attempts[0]?.at ?? '')
    expect(wait).toBeGreaterThanOrEqual(3_600_000)
    // It counts from the end of the attempt.
    expect(wait).toBeLessThan(3_602_000 + (waiting?.attempts[0]?.durationMs ?? 0))
    await service.runDue()
    expect(at.received).toHaveLength(1)
    await advance(3_601_000)
    await untilLog({ owner, webhook }, allAre('succeeded', 1))
  })

  test('an attempt that ends while the log is read appears with its whole outcome, or not at all', async () => {
    const { advance, at, webhook, owner, raise } = await scene()
    at.answer = () => new Response(null, { status: 503 })
    await raise()
    await untilLog({ owner, webhook }, (log) => log[0]?.attempts.length === 1)
    // Simulate a delivery row that was read earlier and still shows no attempt.
    const row = await service.db
      .selectFrom('webhook_deliveries')
      .innerJoin('webhooks', 'webhooks.key', 'webhook_deliveries.webhook_key')
      .select('webhook_deliveries.key')
      .where('webhooks.id', '=', webhook.id)
      .execute()
    const [key = 0] = row.map((delivery) => delivery.key)
    await service.db.updateTable('webhook_deliveries').set({ attempts: 0 }).where('key', '=', key).execute()
    const [log] = await deliveriesOf(service, owner, webhook.id)
    expect(log?.attempts).toEqual([])
    await service.db.updateTable('webhook_deliveries').set({ attempts: 1 }).where('key', '=', key).execute()
    at.answer = () => new Response('fine')
    await advance(10_000)
    await untilLog({ owner, webhook }, allAre('succeeded', 1))
  })

  // spec: 3-3
  test('410 disables the webhook at once; its due deliveries are skipped, and it can be activated again', async () => {
    const { at, webhook, owner, raise } = await scene()
    at.answer = () => new Response('gone', { status: 410 })
    await raise()
    await service.runDue()
    expect((await ownWebhook(service, owner, webhook.id)).status).toBe('DISABLED')
    const [log] = await untilLog({ owner, webhook }, allAre('skipped', 1))
    expect(log?.attempts.map(({ responseStatus }) => responseStatus)).toEqual([410])
    await raise()
    await service.runDue()
    await expect(sendTest(service, owner, webhook)).rejects.toThrow('WEBHOOK_DISABLED')
    expect(at.received).toHaveLength(1)
    at.answer = () => new Response('back')
    expect((await patchWebhook(service, owner, webhook.id, { status: 'ACTIVE' })).body.data.failingSince).toBeNull()
    await raise('after')
    await service.runDue()
    const received = await at.untilCount(2)
    expect(received[1]?.payload.data).toMatchObject({ poll: { slug: 'after' } })
  })

  test('five days of failures disable a webhook; a success starts the count again', async () => {
    const { advance, at, webhook, owner, raise } = await scene()
    let raised = 0
    /** Raises one more event, and waits until its delivery has ended. */
    const next = async (answered: number, status: DeliveryData['status']) => {
      at.answer = () => new Response(null, { status: answered })
      await raise()
      raised++
      await untilLog({ owner, webhook }, (log) => log.length === raised && log[0]?.status === status)
      return ownWebhook(service, owner, webhook.id)
    }
    expect((await next(500, 'failed')).failingSince).not.toBeNull()
    await advance(4.9 * DAY)
    expect((await next(500, 'failed')).status).toBe('ACTIVE')
    expect((await next(200, 'succeeded')).failingSince).toBeNull()
    await advance(DAY)
    const again = await next(500, 'failed')
    expect([again.status, again.failingSince === null]).toEqual(['ACTIVE', false])
    await advance(5 * DAY)
    const disabled = await next(500, 'skipped')
    expect([disabled.status, disabled.failingSince]).toEqual(['DISABLED', again.failingSince])
    expect((await deliveriesOf(service, owner, webhook.id))[0]?.attempts).toHaveLength(1)
  })

  // spec: 3-7
  test('nothing is sent to a webhook that was disabled or deleted while it failed', async () => {
    for (const stop of ['disable', 'delete'] as const) {
      const { advance, at, webhook, owner, raise } = await scene()
      at.answer = () => new Response(null, { status: 500, headers: { 'Retry-After': '1' } })
      for (let i = 0; i < 5; i++) await raise()
      await service.runDue()
      await at.untilCount(5)
      await untilLog({ owner, webhook }, (log) => log.every(({ attempts }) => attempts.length === 1))
      if (stop === 'disable') await patchWebhook(service, owner, webhook.id, { status: 'DISABLED' })
      else await deleteWebhook(service, owner, webhook.id)
      await advance(60_000)
      if (stop === 'disable') await untilLog({ owner, webhook }, allAre('skipped', 5))
      else await service.runDue()
      expect(at.received).toHaveLength(5)
    }
  })

  describe('after rotations', () => {
    /** Rotates, and returns which of all secrets so far verify the next delivery, by their index. */
    async function rotations() {
      const { advance, at, webhook, owner, raise } = await scene()
      const secrets = [webhook.secret]
      return {
        advance,
        async rotate() {
          const { accessToken: token } = await service.exchange(owner)
          const path = `brands/me/webhooks/${webhook.id}/rotate-secret`
          secrets.push((await service.write<WebhookData>('POST', path, { token })).body.data.secret)
        },
        async verifying(): Promise<number[]> {
          const before = at.received.length
          await raise()
          await service.runDue()
          const last = (await at.untilCount(before + 1)).at(-1)
          if (!last) throw new Error('nothing came')
          // The reference library refuses timestamps that are minutes off.
          setSystemTime(new Date(last.timestamp * 1_000))
          try {
            const places = secrets.flatMap((secret, place) => (isVerified(last, secret) ? place : []))
            expect(places).toHaveLength(last.signatures.length)
            return places
          } finally {
            setSystemTime()
          }
        },
      }
    }

    const isVerified = (received: Received, secret: string): boolean => {
      try {
        verify(received, secret)
        return true
      } catch {
        return false
      }
    }

    test('each earlier secret signs for one day after its rotation', async () => {
      const { advance, rotate, verifying } = await rotations()
      await rotate()
      expect(await verifying()).toEqual([0, 1])
      await advance(10 * HOUR)
      await rotate()
      expect(await verifying()).toEqual([0, 1, 2])
      await rotate()
      expect(await verifying()).toEqual([0, 1, 2, 3])
      await advance(14 * HOUR - 1)
      expect(await verifying()).toEqual([0, 1, 2, 3])
      await advance(1)
      expect(await verifying()).toEqual([1, 2, 3])
      await advance(10 * HOUR - 1)
      expect(await verifying()).toEqual([1, 2, 3])
      await advance(1)
      expect(await verifying()).toEqual([3])
    })

    test('at most five earlier secrets sign: the oldest is dropped', async () => {
      const { advance, rotate, verifying } = await rotations()
      for (let i = 0; i < 7; i++) await rotate()
      expect(await verifying()).toEqual([2, 3, 4, 5, 6, 7])
      await advance(DAY)
      expect(await verifying()).toEqual([7])
      await rotate()
      expect(await verifying()).toEqual([7, 8])
    })
  })

  test('two rotations at once leave both new secrets and the first one signing', async () => {
    const { at, webhook, owner, raise } = await scene()
    const path = `brands/me/webhooks/${webhook.id}/rotate-secret`
    const replies = await Promise.all([1, 2, 3].map(() => service.write<WebhookData>('POST', path, owner)))
    const secrets = [webhook.secret, ...replies.map(({ body }) => body.data.secret)]
    await raise()
    await service.runDue()
    const [received] = await at.untilCount(1)
    if (!received) throw new Error('nothing came')
    expect(secrets.map((secret) => isSignedWith(received, secret))).toEqual([true, true, true, true])
  })

  test('a redelivery and a test arrive without a subscription to their events, a redelivery with its first id', async () => {
    const { at, webhook, owner, raise } = await scene()
    await raise('once')
    const [log] = await untilLog({ owner, webhook }, allAre('succeeded', 1))
    await patchWebhook(service, owner, webhook.id, { events: ['brand.updated'] })
    await service.write('POST', `brands/me/webhooks/${webhook.id}/deliveries/${log?.id}/redeliver`, owner)
    await service.runDue()
    const received = await at.untilCount(2)
    expect(received[1]?.id).toBe(received[0]?.id ?? 'x')
    expect(received[1]?.body).toBe(received[0]?.body ?? 'x')
    const sent = await sendTest(service, owner, webhook)
    await service.runDue()
    const tested = (await at.untilCount(3))[2]
    expect([tested?.id, tested?.payload.type, tested?.payload.data]).toEqual([
      sent.eventId,
      'webhook.test',
      { webhookId: webhook.id },
    ])
    await untilLog({ owner, webhook }, allAre('succeeded', 3))
  })

  test('at most five attempts run at once for a webhook, and one while it fails', async () => {
    const { at, webhook, owner, raise } = await scene()
    let isFull = false
    at.answer = async () => {
      await eventually(() => isFull || at.inFlight >= 5)
      isFull = true
      // Real time: a sixth attempt would come within it.
      await Bun.sleep(5)
      return new Response('fine')
    }
    await Promise.all(Array.from({ length: 60 }, () => raise()))
    await untilLog({ owner, webhook }, allAre('succeeded', 60))
    expect(at.mostInFlight).toBe(5)
    at.answer = async () => {
      // Real time: answers take some, so that attempts are concurrent.
      await Bun.sleep(5)
      return new Response('no', { status: 500 })
    }
    await raise()
    await untilLog({ owner, webhook }, (log) => log.length === 61 && (log[0]?.attempts.length ?? 0) > 0)
    at.mostInFlight = 0
    await Promise.all(Array.from({ length: 10 }, () => raise()))
    await untilLog({ owner, webhook }, (log) => log.filter(({ status }) => status === 'failed').length === 11)
    expect(at.mostInFlight).toBe(1)
  })

  test('a payload holds no device id and no address', async () => {
    const { at, raise } = await scene()
    await raise()
    await service.runDue()
    const [first] = await at.untilCount(1)
    expect(first?.body).not.toMatch(/device|127\.0\.0\.1/)
    expect(Buffer.byteLength(first?.body ?? '')).toBeLessThan(20_000)
  })
})
