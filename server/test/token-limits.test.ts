import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { AuthClient, newNetwork } from './auth-client.ts'
import { engines, redisUrl } from './engines.ts'
import { type Reply, startTestService, type TestApp, type TestBrand, type TestService } from './service.ts'

const NEVER_ISSUED = `tsr_${'A'.repeat(43)}`
const JSON_TYPE = { 'Content-Type': 'application/json' }
const exchangeBody = { externalDeviceId: 'x' }

const places = [
  ...engines.map((engine) => [engine, 'memory'] as const),
  ...(redisUrl ? [['sqlite', 'redis'] as const] : []),
]

const countOf = (replies: readonly (Reply | undefined)[], status: number): number =>
  replies.filter((reply) => reply?.status === status).length

/** `begunAt` is when the window began at the earliest. */
function expectRefusal({ status, headers, body }: Reply, policy: string, begunAt: number): void {
  expect(status).toBe(429)
  expect(body.error.code).toBe('RATE_LIMITED')
  const wait = Number(headers.get('retry-after'))
  expect(wait).toBeWithin(60 - Math.ceil((performance.now() - begunAt) / 1_000), 61)
  expect(headers.get('ratelimit-policy')).toBe(policy)
  expect(headers.get('ratelimit')).toBe(`${policy.split(';')[0]};r=0;t=${wait}`)
}

describe.each(places)('%s, limits in %s: token limits', (engine, place) => {
  let service: TestService
  let auth: AuthClient
  let brand: TestBrand
  let app: TestApp
  let network: string
  let begunAt: number

  beforeAll(async () => {
    const settings = { TRUSTED_PROXIES: '127.0.0.1', TOKENS_PER_MINUTE: '30' }
    const shared = place === 'redis' && redisUrl ? { REDIS_URL: redisUrl } : {}
    service = await startTestService(engine, { settings: { ...settings, ...shared } })
    auth = new AuthClient(service)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    app = await service.createApp(brand.brandKey, ['view'])
    network = newNetwork()
    begunAt = performance.now()
  })

  // spec: 7-11, 8-8
  test('a key has 30 requests a minute, over the three endpoints together, from any network', async () => {
    const first = await auth.exchange(app)
    expect(first.headers.get('ratelimit-policy')).toBe('"tokens";q=30;w=60')
    expect(first.headers.get('ratelimit')).toMatch(/^"tokens";r=29;t=(60|59)$/)
    let { refreshToken } = first.body.data
    for (let i = 0; i < 10; i++) refreshToken = (await auth.refresh(refreshToken)).body.data.refreshToken
    for (let i = 0; i < 10; i++) await auth.refresh(refreshToken, { app: brand })
    refreshToken = (await auth.refresh(refreshToken, { app })).body.data.refreshToken
    expect((await auth.revoke(first.body.data.accessToken, { app })).headers.get('ratelimit')).toContain(';r=17;')
    for (let i = 0; i < 17; i++) expect((await auth.revoke(refreshToken, { app })).status).toBe(200)
    expectRefusal(await auth.exchange(app), '"tokens";q=30;w=60', begunAt)
    expectRefusal(await auth.refresh(refreshToken, { app }), '"tokens";q=30;w=60', begunAt)
    expectRefusal(await auth.revoke(refreshToken, { app }), '"tokens";q=30;w=60', begunAt)
    expect((await auth.exchange(await service.createApp(brand.brandKey, ['view']))).status).toBe(200)
  })

  test('an expired or revoked token counts for no key, so that it cannot block its app', async () => {
    const { accessToken, refreshToken } = (await auth.exchange(app)).body.data
    await auth.revoke(accessToken)
    for (let i = 0; i < 40; i++) expect((await auth.revoke(refreshToken)).status).toBe(200)
    for (let i = 0; i < 5; i++) expect((await auth.refresh(refreshToken)).status).toBe(401)
    expect((await auth.exchange(app)).headers.get('ratelimit')).toContain(';r=27;')
  })

  test('exactly 30 of 100 requests at once are allowed', async () => {
    const replies = await Promise.all(Array.from({ length: 100 }, () => auth.exchange(app)))
    expect(countOf(replies, 200)).toBe(30)
    expect(countOf(replies, 429)).toBe(70)
  })

  test('a request with a valid key counts also when its body is refused, and the limit is checked before the body', async () => {
    for (let i = 0; i < 10; i++) {
      for (const path of ['token', 'token/refresh', 'token/revoke']) {
        expect((await auth.ask(path, { app, raw: '{', headers: JSON_TYPE, network })).status).toBe(400)
      }
    }
    for (const path of ['token', 'token/refresh', 'token/revoke']) {
      expect((await auth.ask(path, { app, raw: '{', network })).status).toBe(429)
    }
  })

  const failures: [string, () => Promise<Reply>][] = [
    ['a wrong key', () => auth.ask('token', { app: { ...app, apiKeySecret: 'x' }, json: exchangeBody, network })],
    ['no key', () => auth.ask('token', { json: exchangeBody, network })],
    ['an unknown refresh token', () => auth.refresh(NEVER_ISSUED, { network })],
    ['a wrong key with a refresh', () => auth.refresh(NEVER_ISSUED, { app: { ...app, apiKeySecret: 'x' }, network })],
    ['a wrong key with a revoke', () => auth.revoke(NEVER_ISSUED, { app: { ...app, apiKeySecret: 'x' }, network })],
  ]

  test.each(failures)('a network has 10 failures a minute: %s', async (_name, fail) => {
    const replies: Reply[] = []
    for (let i = 0; i < 12; i++) replies.push(await fail())
    expect(replies.map(({ status }) => status)).toEqual([...new Array<number>(10).fill(401), 429, 429])
    for (const reply of replies.slice(10)) expectRefusal(reply, '"auth-failures";q=10;w=60', begunAt)
  })

  test('no failures of a network refuse a credential that is right', async () => {
    const fail = () => Promise.all(failures.flatMap(([, send]) => [send(), send(), send()]))
    const right = { app, network }
    await fail()
    const { refreshToken, accessToken } = (await auth.ask('token', { ...right, json: exchangeBody })).body.data
    await fail()
    expect((await auth.ask('token', { ...right, json: {} })).status).toBe(422)
    const next = await auth.refresh(refreshToken, { network })
    expect(next.status).toBe(200)
    expect((await auth.refresh(next.body.data.refreshToken, right)).status).toBe(200)
    expect((await service.get('brands/me', { token: accessToken })).status).toBe(200)
    expect((await auth.revoke(accessToken, right)).status).toBe(200)
    expect((await auth.revoke(NEVER_ISSUED, { network })).status).toBe(200)
    expect(countOf(await fail(), 429)).toBe(failures.length * 3)
  })

  test('exactly 10 of 60 failures at once are answered as failures', async () => {
    const replies = await Promise.all(Array.from({ length: 60 }, (_, i) => failures[i % failures.length]?.[1]()))
    expect(countOf(replies, 401)).toBe(10)
    expect(countOf(replies, 429)).toBe(50)
  })

  test('successes and refusals for other reasons are no failures', async () => {
    const ask = { app, network }
    const { refreshToken } = (await auth.ask('token', { ...ask, json: exchangeBody })).body.data
    for (let i = 0; i < 6; i++) {
      await auth.ask('token', { ...ask, json: exchangeBody })
      await auth.ask('token', { ...ask, json: { ...exchangeBody, scopes: ['manage'] } })
      await auth.ask('token', { ...ask, json: {} })
      expect((await auth.refresh(refreshToken, { network })).status).toBe(200)
    }
    for (let i = 0; i < 12; i++) expect((await auth.revoke(NEVER_ISSUED, { network })).status).toBe(200)
    expect((await auth.refresh(NEVER_ISSUED, { network })).status).toBe(401)
  })

  test('a key of another app beside a token counts as a failure of the network', async () => {
    const { refreshToken } = await auth.pair(brand)
    for (let i = 0; i < 10; i++) expect((await auth.refresh(refreshToken, { app, network })).status).toBe(401)
    expect((await auth.refresh(refreshToken, { app, network })).status).toBe(429)
    expect((await auth.refresh(refreshToken, { network })).status).toBe(200)
  })
})
