import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { createCategory } from '../src/features/polls/change-category.ts'
import { sampleEngines } from './engines.ts'
import { type Ask, keyHeaders, type Reply, startTestService, type TestBrand, type TestService } from './service.ts'

const body = { title: 'Tea or coffee?', optionA: { label: 'Tea' }, optionB: { label: 'Coffee' } }
const large = JSON.stringify({ title: 'x'.repeat(70_000) })
const said = ({ status, body: { error } }: Reply): string => `${status} ${error?.code}`

/** Each request has two faults that are adjacent in the contract's order: the earlier one is answered. */
describe.each([...sampleEngines])('%s: the order of the checks', (engine) => {
  let service: TestService
  let brand: TestBrand
  let viewer: string
  beforeAll(async () => {
    service = await startTestService(engine, {
      settings: { VOTES_PER_MINUTE: '2', TOKENS_PER_MINUTE: '3', TRUSTED_PROXIES: '127.0.0.1' },
    })
    brand = await service.createBrand()
    const app = await service.createApp(brand.brandKey, ['view'])
    viewer = (await service.exchange(app)).accessToken
  })
  afterAll(() => service.stop())

  const polls = (method: 'POST' | 'PATCH' | 'DELETE', reference: string, ask: Ask) =>
    service.request(method, `brands/me/polls${reference}`, ask)

  /** A device without votes left in its limit. */
  async function tired(): Promise<string> {
    const device = randomUUID()
    for (let i = 0; i < 2; i++) await service.vote((await service.createPoll(brand)).slug, 'A', device)
    return device
  }

  test('404 of a path and 405 come before credentials are checked', async () => {
    expect(said(await service.post('brands/me/nothing'))).toBe('404 NOT_FOUND')
    expect(said(await service.request('PUT', 'brands/me/polls'))).toBe('405 METHOD_NOT_ALLOWED')
    expect(said(await service.request('DELETE', 'auth/token'))).toBe('405 METHOD_NOT_ALLOWED')
  })

  test("the limit on a network's failures replaces 401, and right credentials pass it", async () => {
    const headers = { 'X-Forwarded-For': '192.0.2.77' }
    const wrong = { 'X-API-Key-ID': 'tai_x', 'X-API-Key-Secret': 'no', ...headers }
    const right = { ...keyHeaders(await service.createApp(brand.brandKey, ['view'])), ...headers }
    for (let i = 0; i < 10; i++)
      expect(said(await service.post('auth/token', { headers: wrong }))).toBe('401 INVALID_API_KEY')
    for (const path of ['auth/token', 'auth/token/refresh', 'auth/token/revoke']) {
      expect(said(await service.post(path, { headers: wrong, raw: large }))).toBe('429 RATE_LIMITED')
      expect(said(await service.post(path, { headers: right, raw: large }))).toBe('413 PAYLOAD_TOO_LARGE')
    }
    expect(said(await service.request('GET', 'auth/token', { headers }))).toBe('405 METHOD_NOT_ALLOWED')
  })

  // spec: 5-3
  test('401 before 403 and a bad key; 403 before a bad key', async () => {
    expect(said(await polls('POST', '', { token: `${viewer}x` }))).toBe('401 UNAUTHORIZED')
    for (const key of ['', 'bad'])
      expect(said(await polls('POST', '', { token: viewer, key }))).toBe('403 SCOPE_REQUIRED')
    const slug = (await service.createPoll(brand)).slug
    expect(said(await service.post(`polls/${slug}/votes`, { token: viewer, device: 'bad', raw: large }))).toBe(
      '403 SCOPE_REQUIRED',
    )
  })

  test('a malformed idempotency key is refused before the body and the path', async () => {
    expect(said(await polls('POST', '', { token: brand.token, raw: large }))).toBe('400 IDEMPOTENCY_KEY_REQUIRED')
    expect(said(await polls('PATCH', '/%00', { token: brand.token, key: 'bad', raw: '{' }))).toBe(
      '400 IDEMPOTENCY_KEY_INVALID',
    )
    expect(said(await polls('DELETE', '/%00', { token: brand.token }))).toBe('400 IDEMPOTENCY_KEY_REQUIRED')
  })

  test('a malformed device id is refused before the limit, and the limit before size and type', async () => {
    const device = await tired()
    const slug = (await service.createPoll(brand)).slug
    expect(said(await service.post(`polls/${slug}/votes`, { device: `${device}x`, raw: large }))).toBe(
      '422 VALIDATION_ERROR',
    )
    for (const ask of [
      { raw: large },
      { raw: '{', headers: { 'Content-Type': 'text/plain' } },
      { json: { option: 'C' } },
    ]) {
      expect(said(await service.post(`polls/${slug}/votes`, { device, ...ask }))).toBe('429 RATE_LIMITED')
    }
    for (const path of ['polls/%00/votes', 'polls/no-such-poll/votes']) {
      expect(said(await service.post(path, { device, json: { option: 'A' } }))).toBe('429 RATE_LIMITED')
    }
    const app = await service.createApp(brand.brandKey, ['view'])
    for (let i = 0; i < 3; i++) await service.exchange(app)
    expect(said(await service.post('auth/token', { headers: keyHeaders(app), raw: large }))).toBe('429 RATE_LIMITED')
  })

  test('the size is refused before the type, with Content-Length and chunked', async () => {
    const chunked = () =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(large))
          controller.close()
        },
      })
    for (const raw of [large, chunked()]) {
      const ask = { token: brand.token, key: randomUUID(), raw, headers: { 'Content-Type': 'text/plain' } }
      expect(said(await polls('POST', '', ask))).toBe('413 PAYLOAD_TOO_LARGE')
    }
  })

  test('type before JSON, JSON and paging before 422', async () => {
    const headers = { 'Content-Type': 'application/json' }
    const plain = { 'Content-Type': 'text/plain' }
    const ask = { token: brand.token, key: randomUUID() }
    expect(said(await polls('POST', '', { ...ask, raw: '{', headers: plain }))).toBe('415 UNSUPPORTED_MEDIA_TYPE')
    expect(said(await polls('PATCH', '/%00', { ...ask, raw: '{', headers }))).toBe('400 MALFORMED_JSON')
    for (const query of ['limit=0', 'cursor=x']) {
      expect(said(await service.get(`brands/me/polls?status=no&${query}`, ask))).toBe('400 VALIDATION_ERROR')
      expect(said(await service.get(`brands/-/polls?order=no&${query}`))).toBe('400 VALIDATION_ERROR')
    }
  })

  test('422 comes before the idempotency key is looked up', async () => {
    const key = randomUUID()
    const { token } = brand
    expect((await polls('POST', '', { token, key, json: body })).status).toBe(201)
    const late = { opensAt: '2030-01-02T00:00:00Z', closesAt: '2030-01-01T00:00:00Z' }
    for (const [json, path] of [
      [{ ...body, title: '' }, 'title'],
      [{ ...body, ...late }, 'closesAt'],
    ] as const) {
      const reply = await polls('POST', '', { token, key, json })
      expect(said(reply)).toBe('422 VALIDATION_ERROR')
      expect(reply.body.error.details['fields']).toMatchObject([{ path }])
    }
    expect(said(await polls('PATCH', '/no-such-poll', { token, key, json: late }))).toBe('422 VALIDATION_ERROR')
    expect(said(await polls('PATCH', '/%00', { token, key, json: {} }))).toBe('422 VALIDATION_ERROR')
  })

  test('the idempotency key comes before 404, 404 before 409, and 422 before 409', async () => {
    const { token } = brand
    const key = randomUUID()
    const poll = await service.createPoll(brand)
    expect((await polls('DELETE', `/${poll.slug}`, { token, key })).status).toBe(204)
    expect((await polls('DELETE', `/${poll.slug}`, { token, key })).status).toBe(204)
    expect(said(await polls('DELETE', '/no-such-poll', { token, key }))).toBe('422 IDEMPOTENCY_KEY_REUSED')

    const voted = await service.createPoll(brand)
    await service.vote(voted.slug, 'A')
    const stranger = await service.createBrand()
    const draft = { json: { isDraft: true } }
    expect(
      said(await service.write('PATCH', `brands/me/polls/${voted.slug}`, { token: stranger.token, ...draft })),
    ).toBe('404 NOT_FOUND')

    const category = await createCategory(service.db, service.deps, { slug: `c${engine}`, name: 'C' })
    const unknown = [randomUUID()]
    for (const [method, path, json, expected] of [
      ['PATCH', voted.slug, { isDraft: true, categoryIds: unknown }, '422 VALIDATION_ERROR'],
      ['PATCH', voted.slug, { isDraft: true, optionA: { imageUrl: 'http://x/' } }, '422 VALIDATION_ERROR'],
      ['PATCH', voted.slug, { isDraft: true, categoryIds: [category?.id] }, '409 POLST_HAS_VOTES'],
      ['POST', '', { ...body, slug: voted.slug, categoryIds: unknown }, '422 VALIDATION_ERROR'],
      ['POST', '', { ...body, slug: voted.slug, categoryIds: [category?.id] }, '409 SLUG_TAKEN'],
    ] as const) {
      const ask = { token, json, key: randomUUID() }
      for (let i = 0; i < 2; i++) {
        const reply = await polls(method, path && `/${path}`, ask)
        expect(said(reply)).toBe(expected)
        expect(reply.headers.has('idempotent-replayed')).toBe(i === 1 && reply.status === 409)
      }
    }
  })
})
