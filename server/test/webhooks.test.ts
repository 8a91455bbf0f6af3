import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { EVENT_TYPES } from '../src/events/event-catalogue.ts'
import { removeOrphans } from '../src/features/webhooks/sending/queue.ts'
import { dumpTables } from './dump.ts'
import { engines } from './engines.ts'
import { everyPage, problemsOf } from './polls.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'
import { untilDone } from './until-done.ts'
import {
  createWebhook,
  type DeliveryData,
  deleteWebhook,
  deliveriesOf,
  minimalWebhook,
  ownWebhook,
  patchWebhook,
  sendTest,
  type WebhookData,
} from './webhooks.ts'

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/

describe.each([...engines])('%s: webhooks', (engine) => {
  let service: TestService
  let brand: TestBrand
  let stranger: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
    stranger = await service.createBrand()
  })
  afterAll(() => service.stop())

  const create = (json: unknown, owner = brand) =>
    service.write<WebhookData>('POST', 'brands/me/webhooks', { token: owner.token, json })

  describe('creating one', () => {
    // spec: 2.7-1, 2.7-5, 4.13-3, 6-2
    test('answers 201 with its address, every field, and the secret', async () => {
      const owner = await service.createBrand()
      const events = ['poll.voted', 'brand.updated', 'campaign.completed']
      const reply = await create({ url: 'https://hooks.example:8443/in?a=b', events, description: 'Ours' }, owner)
      expect(reply.status).toBe(201)
      const { data } = reply.body
      expect(data).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        url: 'https://hooks.example:8443/in?a=b',
        events,
        format: 'standard',
        description: 'Ours',
        status: 'ACTIVE',
        createdAt: expect.any(String),
        updatedAt: data.createdAt,
        lastDeliveryAt: null,
        failingSince: null,
        secret: expect.stringMatching(SECRET),
      })
      expect(Object.keys(data)).toEqual([
        'id',
        'url',
        'events',
        'format',
        'description',
        'status',
        'createdAt',
        'updatedAt',
        'lastDeliveryAt',
        'failingSince',
        'secret',
      ])
      const location = `/api/rest/v1/brands/me/webhooks/${data.id}`
      expect(reply.headers.get('location')).toBe(location)
      const { secret: _, ...shown } = data
      expect((await service.get(location, { token: owner.token })).body.data).toEqual(shown)
    })

    // spec: 6-6
    test('accepts every event type, each once', async () => {
      const owner = await service.createBrand()
      expect((await create({ ...minimalWebhook, events: EVENT_TYPES }, owner)).body.data.events).toEqual([
        ...EVENT_TYPES,
      ])
      expect((await create({ ...minimalWebhook, status: 'DISABLED' }, owner)).body.data.status).toBe('DISABLED')
      expect((await create({ ...minimalWebhook, description: null }, owner)).body.data.description).toBeNull()
      expect((await create({ ...minimalWebhook, description: '🙂'.repeat(255) }, owner)).status).toBe(201)
      const longest = `https://hooks.example/${'x'.repeat(2_048 - 'https://hooks.example/'.length)}`
      expect((await create({ ...minimalWebhook, url: longest }, owner)).body.data.url).toBe(longest)
    })

    // spec: 4.14-3
    test.each([
      ['https://bücher.example/in', 'https://xn--bcher-kva.example/in'],
      ['https://BÜCHER.example:8443/ä?ö=ü', 'https://xn--bcher-kva.example:8443/%C3%A4?%C3%B6=%C3%BC'],
      ['https://hooks.example/ä', 'https://hooks.example/%C3%A4'],
      ['https://Hooks.example', 'https://Hooks.example'],
    ])('stores %s in ASCII, with an international host in punycode', async (url, stored) => {
      const owner = await service.createBrand()
      const made = await create({ ...minimalWebhook, url }, owner)
      expect([made.status, made.body.data.url]).toEqual([201, stored])
      const other = await createWebhook(service, owner)
      expect((await patchWebhook(service, owner, other.id, { url })).body.data.url).toBe(stored)
      expect((await ownWebhook(service, owner, other.id)).url).toBe(stored)
    })

    test.each([
      [{}, 'url required events required'],
      [{ ...minimalWebhook, url: '' }, 'url invalid_url'],
      [{ ...minimalWebhook, url: 'hooks.example' }, 'url invalid_url'],
      [{ ...minimalWebhook, url: 'http://hooks.example/' }, 'url https_required'],
      [{ ...minimalWebhook, url: 'ftp://hooks.example/' }, 'url invalid_url'],
      [{ ...minimalWebhook, url: 'https://user:pass@hooks.example/' }, 'url credentials'],
      [{ ...minimalWebhook, url: 'https://hooks.example:8080/' }, 'url port_not_allowed'],
      [{ ...minimalWebhook, url: 'https://127.0.0.1/' }, 'url private_address'],
      [{ ...minimalWebhook, url: 'https://0x7f.1/' }, 'url private_address'],
      [{ ...minimalWebhook, url: 'https://[::ffff:a00:1]/' }, 'url private_address'],
      [{ ...minimalWebhook, url: 'https://169.254.169.254/latest/meta-data' }, 'url private_address'],
      [{ ...minimalWebhook, url: 'https://api.localhost/' }, 'url private_address'],
      [{ ...minimalWebhook, url: `https://hooks.example/${'x'.repeat(2_048)}` }, 'url too_long'],
      [{ ...minimalWebhook, url: `https://hooks.example/${'ä'.repeat(400)}` }, 'url too_long'],
      [{ ...minimalWebhook, events: [] }, 'events too_small'],
      [{ ...minimalWebhook, events: ['*'] }, 'events.0 invalid_value'],
      [{ ...minimalWebhook, events: ['poll.created', 'poll.imagined'] }, 'events.1 invalid_value'],
      [{ ...minimalWebhook, events: ['poll.created', 'poll.created'] }, 'events repeated'],
      [{ ...minimalWebhook, format: 'irc' }, 'format invalid_value'],
      [{ ...minimalWebhook, format: 'slack' }, 'events.0 not_in_format'],
      [{ ...minimalWebhook, format: 'teams', events: ['poll.closed', 'poll.voted'] }, 'events.1 not_in_format'],
      [{ ...minimalWebhook, description: '' }, 'description too_short'],
      [{ ...minimalWebhook, description: 'x'.repeat(256) }, 'description too_long'],
      [{ ...minimalWebhook, status: 'active' }, 'status invalid_value'],
      [{ ...minimalWebhook, secret: 'whsec_mine' }, 'secret unknown_field'],
    ])('refuses %j with 422 (%s)', async (json, problems) => {
      const before = await dumpTables(service.db)
      const reply = await create(json)
      expect([reply.status, problemsOf(reply).join(' ')]).toEqual([422, problems])
      expect(await dumpTables(service.db)).toEqual(before)
    })

    test('allows ten for a brand, also of many at once; another brand has its own ten', async () => {
      const owner = await service.createBrand()
      const replies = await Promise.all(Array.from({ length: 14 }, () => create(minimalWebhook, owner)))
      expect(replies.filter(({ status }) => status === 201)).toHaveLength(10)
      for (const reply of replies.filter(({ status }) => status !== 201)) {
        expect([reply.status, problemsOf(reply)]).toEqual([422, [' too_many_webhooks']])
      }
      expect((await create(minimalWebhook, stranger)).status).toBe(201)
      const [first] = replies.filter(({ status }) => status === 201)
      const key = randomUUID()
      const again = () => service.write('POST', 'brands/me/webhooks', { token: owner.token, json: minimalWebhook, key })
      expect((await again()).status).toBe(422)
      await deleteWebhook(service, owner, first?.body.data.id ?? '')
      expect((await again()).status).toBe(201)
    })
  })

  describe('the secret', () => {
    // spec: 2.7-3, 4.13-2, 6-2
    test('differs each time, is shown at creation, and is in no other answer', async () => {
      const owner = await service.createBrand()
      const made = await createWebhook(service, owner)
      const other = await createWebhook(service, owner)
      const rotated = await service.write<WebhookData>('POST', `brands/me/webhooks/${made.id}/rotate-secret`, owner)
      expect([rotated.status, rotated.headers.get('location')]).toEqual([200, null])
      const secrets = [made.secret, other.secret, rotated.body.data.secret]
      for (const secret of secrets) expect(secret).toMatch(SECRET)
      expect(new Set(secrets).size).toBe(3)
      const texts = [
        (await service.get('brands/me/webhooks', owner)).text,
        (await service.get(`brands/me/webhooks/${made.id}`, owner)).text,
        (await patchWebhook(service, owner, made.id, { description: 'x' })).text,
        JSON.stringify(await sendTest(service, owner, made)),
        (await service.get(`brands/me/webhooks/${made.id}/deliveries`, owner)).text,
      ]
      for (const text of texts) {
        expect(text).not.toContain('secret')
        expect(text).not.toContain('whsec_')
      }
    })

    test('is replayed with the answer that showed it, and stored nowhere in plain text', async () => {
      const owner = await service.createBrand()
      const keys = [randomUUID(), randomUUID()]
      const ask = (i: number, path: string, json?: unknown) =>
        service.write<WebhookData>('POST', path, { token: owner.token, key: keys[i] ?? '', ...(json ? { json } : {}) })
      const first = await ask(0, 'brands/me/webhooks', minimalWebhook)
      const rotate = `brands/me/webhooks/${first.body.data.id}/rotate-secret`
      const second = await ask(1, rotate)
      const again = [await ask(0, 'brands/me/webhooks', minimalWebhook), await ask(1, rotate)]
      expect(again.map(({ text }) => text)).toEqual([first.text, second.text])
      for (const reply of again) expect(reply.headers.get('idempotent-replayed')).toBe('true')
      const sibling = await service.exchange(await service.createApp(owner.brandKey, ['manage']))
      for (const [i, path, json] of [
        [0, 'brands/me/webhooks', minimalWebhook],
        [1, rotate, undefined],
      ] as const) {
        const ask = { token: sibling.accessToken, key: keys[i] ?? '', ...(json ? { json } : {}) }
        const reply = await service.write('POST', path, ask)
        expect([reply.status, reply.body.error.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
        expect(reply.text).not.toContain('whsec_')
      }
      const renewed = (await service.exchange(owner)).accessToken
      const own = await service.write('POST', rotate, { token: renewed, key: keys[1] ?? '' })
      expect(own.text).toBe(second.text)
      const stored = JSON.stringify(await dumpTables(service.db))
      for (const { body } of [first, second]) {
        const { secret } = body.data
        expect(stored).not.toContain(secret)
        expect(stored).not.toContain(secret.slice('whsec_'.length))
        expect(stored).not.toContain(
          JSON.stringify(Buffer.from(secret.slice(6), 'base64').toString('latin1')).slice(1, -1),
        )
      }
    })
  })

  describe('the list', () => {
    // spec: 4.13-2
    test("has the brand's own active and disabled ones, newest first, page by page", async () => {
      const owner = await service.createBrand()
      const made: string[] = []
      for (let i = 0; i < 7; i++) {
        made.unshift((await createWebhook(service, owner, { status: i % 2 ? 'ACTIVE' : 'DISABLED' })).id)
        // Some within one millisecond.
        if (i % 3 === 0) service.clock.advance(1)
      }
      for (const limit of [1, 2, 3, 100]) {
        const page = await everyPage<WebhookData>(service, 'brands/me/webhooks', { ask: owner, limit })
        expect(page.map(({ id }) => id)).toEqual(made)
        expect(page.map(({ status }) => status).filter((status) => status === 'DISABLED')).toHaveLength(4)
      }
      expect((await service.get<WebhookData[]>('brands/me/webhooks?limit=100', stranger)).text).not.toContain(
        made[0] ?? 'x',
      )
      expect((await service.get('brands/me/webhooks', await service.createBrand())).body).toEqual({
        data: [],
        nextCursor: null,
        hasMore: false,
      } as never)
    })
  })

  describe('changing one', () => {
    // spec: 2.7-2, 4.14-2
    test('changes what is given and leaves the rest', async () => {
      const owner = await service.createBrand()
      const made = await createWebhook(service, owner, { description: 'Ours', events: ['poll.voted', 'poll.closed'] })
      const { secret: _, ...shown } = made
      service.clock.advance(1_000)
      const steps = [
        { url: 'https://other.example/' },
        { events: ['brand.updated'] },
        { description: 'Theirs' },
        { description: null },
        { status: 'DISABLED' },
        { status: 'ACTIVE', url: 'https://third.example/', events: ['poll.voted'], description: 'All' },
        {},
      ]
      let expected: Record<string, unknown> = shown
      for (const patch of steps) {
        const reply = await patchWebhook(service, owner, made.id, patch)
        expected = { ...expected, ...patch, updatedAt: expect.any(String) }
        expect([reply.status, reply.body.data as object]).toEqual([200, expected])
        expect(Date.parse(reply.body.data.updatedAt)).toBeGreaterThan(Date.parse(made.updatedAt))
        expect(await ownWebhook(service, owner, made.id)).toEqual(reply.body.data)
      }
    })

    // spec: 4.14-3
    test.each([
      [{ url: 'http://hooks.example/' }, 'url https_required'],
      [{ url: 'https://localhost/' }, 'url private_address'],
      [{ url: null }, 'url invalid_type'],
      [{ events: [] }, 'events too_small'],
      [{ events: null }, 'events invalid_type'],
      [{ events: ['poll.voted', 'x'] }, 'events.1 invalid_value'],
      [{ status: null }, 'status invalid_value'],
      [{ status: 'PAUSED' }, 'status invalid_value'],
      [{ description: ' ' }, 'description too_short'],
      [{ secret: 'whsec_mine' }, 'secret unknown_field'],
      [{ failingSince: null }, 'failingSince unknown_field'],
      [{ id: randomUUID() }, 'id unknown_field'],
    ])('refuses %j with 422 (%s) and changes nothing', async (patch, problems) => {
      const made = await createWebhook(service, await owner(), {})
      const reply = await patchWebhook(service, await owner(), made.id, patch)
      expect([reply.status, problemsOf(reply).join(' ')]).toEqual([422, problems])
      const { secret: _, ...shown } = made
      expect(await ownWebhook(service, await owner(), made.id)).toEqual(shown as WebhookData)
      await deleteWebhook(service, await owner(), made.id)
    })

    let shared: TestBrand | null = null
    const owner = async () => {
      shared ??= await service.createBrand()
      return shared
    }

    test('to active, or to another url, resets failingSince', async () => {
      const failing = await createWebhook(service, stranger)
      const failed = async () => {
        const { db } = service
        await db.updateTable('webhooks').set({ failing_since: 1 }).where('id', '=', failing.id).execute()
        expect((await ownWebhook(service, stranger, failing.id)).failingSince).toBe('1970-01-01T00:00:00.001Z')
      }
      for (const patch of [{ status: 'ACTIVE' }, { url: 'https://fixed.example/' }]) {
        await failed()
        expect((await patchWebhook(service, stranger, failing.id, patch)).body.data.failingSince).toBeNull()
      }
      for (const patch of [{ status: 'DISABLED' }, { description: 'x' }, { events: ['poll.voted'] }, {}]) {
        await failed()
        expect((await patchWebhook(service, stranger, failing.id, patch)).body.data.failingSince).not.toBeNull()
      }
    })
  })

  describe('deleting one', () => {
    // spec: 3-8, 4.15-2, 6-5
    test('answers 204, removes its deliveries, and is final', async () => {
      const owner = await service.createBrand()
      const made = await createWebhook(service, owner)
      const kept = await createWebhook(service, owner)
      for (const webhook of [made, made, kept]) await sendTest(service, owner, webhook)
      const reply = await deleteWebhook(service, owner, made.id)
      expect([reply.status, reply.text]).toEqual([204, ''])
      for (const path of ['', '/deliveries']) {
        expect((await service.get(`brands/me/webhooks/${made.id}${path}`, owner)).status).toBe(404)
      }
      expect((await deleteWebhook(service, owner, made.id)).status).toBe(404)
      expect((await everyPage<WebhookData>(service, 'brands/me/webhooks', { ask: owner, limit: 5 })).length).toBe(1)
      const rows = await service.db.selectFrom('webhook_deliveries').select('webhook_key').execute()
      const left = await service.db.selectFrom('webhooks').select('key').where('id', '=', kept.id).execute()
      expect(rows.filter(({ webhook_key }) => webhook_key === left[0]?.key)).toHaveLength(1)
      const orphans = await service.db
        .selectFrom('webhook_deliveries')
        .leftJoin('webhooks', 'webhooks.key', 'webhook_deliveries.webhook_key')
        .select('webhook_deliveries.key')
        .where('webhooks.key', 'is', null)
        .execute()
      expect(orphans).toEqual([])
    })

    // spec: 4.15-2
    test('with a long log answers as quickly, and a job removes the rest of the log', async () => {
      const slow = await startTestService(engine, { jobs: 'by hand' })
      const owner = await slow.createBrand()
      const made = await createWebhook(slow, owner)
      const { key } = await slow.db
        .selectFrom('webhooks')
        .select('key')
        .where('id', '=', made.id)
        .executeTakeFirstOrThrow()
      const row = { webhook_key: key, event_id: 'e', event_type: 'poll.voted', payload: '{}', created_at: 1 }
      const rows = Array.from({ length: 1_200 }, () => ({
        ...row,
        id: randomUUID(),
        status: 'succeeded' as const,
        next_attempt_at: null,
      }))
      await slow.db.insertInto('webhook_deliveries').values(rows).execute()
      expect((await deleteWebhook(slow, owner, made.id)).status).toBe(204)
      const left = () => slow.db.selectFrom('webhook_deliveries').select('key').where('webhook_key', '=', key).execute()
      const deleted = () => slow.db.selectFrom('deleted_webhooks').selectAll().execute()
      await untilDone(() => removeOrphans(slow.deps.engine, slow.clock.now()))
      expect([await left(), await deleted()]).toEqual([[], []])
      await slow.stop()
    })
  })

  describe('asking for a delivery', () => {
    test('by a test answers 202 with it, and lists it first', async () => {
      const owner = await service.createBrand()
      const webhook = await createWebhook(service, owner)
      const first = await sendTest(service, owner, webhook)
      expect(first).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        eventId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        eventType: 'webhook.test',
        status: 'pending',
        attempts: [],
        nextAttemptAt: first.createdAt,
        createdAt: expect.any(String),
      })
      const second = await sendTest(service, owner, webhook)
      expect(second.eventId).not.toBe(first.eventId)
      expect((await deliveriesOf(service, owner, webhook.id)).map(({ id }) => id)).toEqual([second.id, first.id])
    })

    test('by a redelivery adds a delivery of the same event', async () => {
      const owner = await service.createBrand()
      const webhook = await createWebhook(service, owner)
      const first = await sendTest(service, owner, webhook)
      const path = `brands/me/webhooks/${webhook.id.toUpperCase()}/deliveries/${first.id.toUpperCase()}/redeliver`
      const reply = await service.write<DeliveryData>('POST', path, owner)
      expect(reply.status).toBe(202)
      expect(reply.body.data).toEqual({
        ...first,
        id: expect.any(String),
        createdAt: expect.any(String),
        nextAttemptAt: reply.body.data.createdAt,
      })
      expect(reply.body.data.id).not.toBe(first.id)
      const log = await deliveriesOf(service, owner, webhook.id)
      expect(log.map(({ id, eventId }) => [id, eventId])).toEqual([
        [reply.body.data.id, first.eventId],
        [first.id, first.eventId],
      ])
    })

    // spec: 6-5
    test('lists them page by page, without gap or repeat while new ones come', async () => {
      const owner = await service.createBrand()
      const webhook = await createWebhook(service, owner)
      const made: string[] = []
      for (let i = 0; i < 9; i++) made.unshift((await sendTest(service, owner, webhook)).id)
      const path = `brands/me/webhooks/${webhook.id}/deliveries`
      for (const limit of [1, 4, 9]) {
        const ids = (await everyPage<DeliveryData>(service, path, { ask: owner, limit })).map(({ id }) => id)
        expect(ids).toEqual(made)
      }
      const first = await service.get<DeliveryData[]>(`${path}?limit=4`, owner)
      await sendTest(service, owner, webhook)
      const rest = await service.get<DeliveryData[]>(`${path}?limit=100&cursor=${first.body.nextCursor}`, owner)
      expect([...first.body.data, ...rest.body.data].map(({ id }) => id)).toEqual(made)
    })
  })

  // spec: 2.1-5, 4.14-1, 4.15-1, 7-8
  test('of another brand or of an unknown webhook is 404, and a malformed id is 422', async () => {
    const webhook = await createWebhook(service, stranger)
    const sent = await sendTest(service, stranger, webhook)
    const own = await createWebhook(service, brand)
    const ask = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string) => {
      const json = method === 'PATCH' ? { json: { description: 'mine' } } : {}
      const more = { token: brand.token, ...json }
      const reply = method === 'GET' ? await service.get(path, more) : await service.write(method, path, more)
      return { status: reply.status, error: { ...reply.body.error, requestId: '' }, reply }
    }
    const targets = (id: string, deliveryId: string) =>
      [
        ['GET', `brands/me/webhooks/${id}`],
        ['PATCH', `brands/me/webhooks/${id}`],
        ['DELETE', `brands/me/webhooks/${id}`],
        ['POST', `brands/me/webhooks/${id}/test`],
        ['POST', `brands/me/webhooks/${id}/rotate-secret`],
        ['GET', `brands/me/webhooks/${id}/deliveries`],
        ['POST', `brands/me/webhooks/${id}/deliveries/${deliveryId}/redeliver`],
      ] as const
    const foreign = targets(webhook.id, sent.id)
    for (const [method, path] of [...foreign, ...targets(randomUUID(), randomUUID())]) {
      const { status, error } = await ask(method, path)
      const expected = { code: 'NOT_FOUND', message: 'Not found.', details: {}, requestId: '' }
      expect([`${method} ${path}`, status, error]).toEqual([`${method} ${path}`, 404, expected])
    }
    // Another brand's delivery, under a webhook of ours.
    expect((await ask('POST', `brands/me/webhooks/${own.id}/deliveries/${sent.id}/redeliver`)).status).toBe(404)
    for (const id of ['x', '1', `${webhook.id}0`, 'null', '%00', '..%2f']) {
      for (const [method, path] of targets(id, sent.id)) {
        const { status, reply } = await ask(method, path)
        expect([path, status, problemsOf(reply)]).toEqual([path, 422, ['id invalid_format']])
      }
    }
    const broken = await ask('POST', `brands/me/webhooks/${own.id}/deliveries/x/redeliver`)
    expect([broken.status, problemsOf(broken.reply)]).toEqual([422, ['deliveryId invalid_format']])
    const { url, events, description, status, updatedAt } = webhook
    expect(await ownWebhook(service, stranger, webhook.id)).toMatchObject({
      url,
      events,
      description,
      status,
      updatedAt,
    })
  })
})
