import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { engines } from './engines.ts'
import { freePort } from './free-port.ts'
import { metricsOf } from './metrics.ts'
import { keyHeaders, type Reply, startTestService, type TestBrand, type TestService } from './service.ts'

function expectLimited(reply: Reply, policy: string): void {
  const { status, body, headers } = reply
  expect([status, body.error.code]).toEqual([429, 'RATE_LIMITED'])
  expect(body.error.details).toEqual({})
  expect(headers.get('ratelimit-policy')).toBe(policy)
  const name = policy.split(';')[0]
  expect(headers.get('ratelimit')).toMatch(new RegExp(`^${name};r=0;t=([1-9]|[1-5]\\d|60)$`))
  expect(headers.get('retry-after')).toBe(headers.get('ratelimit')?.split('t=')[1] ?? '')
  const isAuth = policy.startsWith('"tokens"') || policy.startsWith('"auth-failures"')
  expect(headers.get('cache-control')).toBe(isAuth ? 'no-store' : 'private, no-store')
}

const policyOf = ({ headers }: Reply) => [headers.get('ratelimit-policy'), headers.get('ratelimit')?.split(';t=')[0]]

describe.each([...engines])('%s: limits', (engine) => {
  let service: TestService
  let brand: TestBrand
  let polls: string[]
  beforeAll(async () => {
    const settings = {
      VOTES_PER_MINUTE: '',
      NETWORK_VOTES_PER_MINUTE: '15',
      TOKENS_PER_MINUTE: '',
      TRUSTED_PROXIES: '127.0.0.1',
    }
    service = await startTestService(engine, { settings })
    brand = await service.createBrand()
    polls = []
    for (let i = 0; i < 12; i++) polls.push((await service.createPoll(brand)).slug)
  })
  afterAll(() => service.stop())

  const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } })
  const vote = (
    poll: string | undefined,
    address: string,
    ask: { device?: string; token?: string } = { device: randomUUID() },
  ) => service.post(`polls/${poll}/votes`, { ...from(address), json: { option: 'A' }, ...ask })

  test('of a network count drafts and unknown polls alike, so that they reveal nothing about them', async () => {
    const draft = await service.createPoll(brand, { isDraft: true })
    const answers = async (reference: string, address: string) => {
      const replies: unknown[] = []
      for (let i = 0; i < 17; i++) {
        const reply = await vote(reference, address)
        replies.push([reply.status, ...policyOf(reply)])
      }
      return replies
    }
    const expected = [
      ...Array.from({ length: 15 }, () => [404, '"votes";q=10;w=60', '"votes";r=9']),
      ...Array.from({ length: 2 }, () => [429, '"refused-votes";q=15;w=60', '"refused-votes";r=0']),
    ]
    expect(await answers(draft.slug, '198.51.100.17')).toEqual(expected)
    expect(await answers('never-there', '198.51.100.18')).toEqual(expected)
  })

  test('allow a device ten votes a minute, by header or token, counting refused ones', async () => {
    const device = randomUUID()
    const { accessToken } = await service.exchange(brand, device.toUpperCase())
    const send = [
      ...polls.slice(0, 6).map((poll) => () => vote(poll, '192.0.2.1', { device })),
      () => vote(polls[0], '192.0.2.2', { device }),
      () => vote('no-such-poll', '192.0.2.3', { device: device.toUpperCase() }),
      () => vote('%00', '192.0.2.3', { device }),
      () => vote(polls[7], '192.0.2.4', { token: accessToken }),
    ]
    const statuses: number[] = []
    for (const [i, each] of send.entries()) {
      const reply = await each()
      statuses.push(reply.status)
      expect(policyOf(reply)).toEqual(['"votes";q=10;w=60', `"votes";r=${9 - i}`])
      expect(reply.headers.get('retry-after')).toBeNull()
    }
    expect(statuses).toEqual([201, 201, 201, 201, 201, 201, 409, 404, 422, 201])
    for (const caller of [{ device }, { token: accessToken }]) {
      expectLimited(await vote(polls[8], '192.0.2.5', caller), '"votes";q=10;w=60')
    }
    expect((await vote(polls[8], '192.0.2.5')).status).toBe(201)
    expect((await service.get(`polls/${polls[0]}/votes/me`, { device })).status).toBe(200)
  })

  test('allow a network a number of votes on a poll, an IPv6 network being a /64', async () => {
    const [poll, other] = polls.slice(9)
    for (let i = 0; i < 15; i++) {
      expect((await vote(poll, `2001:db8:7:7::${i.toString(16)}`)).status).toBe(201)
      expect((await vote(poll, `198.51.100.7, 203.0.113.${i}`)).status).toBe(201)
    }
    expectLimited(await vote(poll, '2001:db8:7:7:ffff:1:2:3'), '"network-votes";q=15;w=60')
    expectLimited(await vote(poll, '198.51.100.8, 2001:db8:7:7::'), '"network-votes";q=15;w=60')
    expect((await vote(poll, '2001:db8:7:8::1')).status).toBe(201)
    expect((await vote(poll, '2001:db8:7:7::1, 203.0.113.99')).status).toBe(201)
    expect((await vote(other, '2001:db8:7:7::1')).status).toBe(201)
    const byId = await service.get<{ id: string; shortId: string }>(`polls/${poll}`)
    for (const name of [byId.body.data.id, byId.body.data.shortId]) {
      expectLimited(await vote(name, '2001:db8:7:7::1'), '"network-votes";q=15;w=60')
    }
  })

  test('of a network do not count against the device that they refuse', async () => {
    const poll = (await service.createPoll(brand)).slug
    const device = randomUUID()
    for (let i = 0; i < 15; i++) await vote(poll, '192.0.2.200')
    for (let i = 0; i < 12; i++) expect((await vote(poll, '192.0.2.200', { device })).status).toBe(429)
    expect(policyOf(await vote(poll, '192.0.2.201', { device }))).toEqual(['"votes";q=10;w=60', '"votes";r=9'])
  })

  test('allow a key thirty token requests a minute, exchanges and refreshes together', async () => {
    const app = await service.createApp(brand.brandKey, ['view'])
    const exchange = (address = '192.0.2.9') =>
      service.post<{ refreshToken: string }>('auth/token', {
        headers: { ...keyHeaders(app), 'X-Forwarded-For': address },
        json: { externalDeviceId: randomUUID() },
      })
    let { refreshToken } = (await exchange()).body.data
    for (let i = 0; i < 9; i++) {
      const reply = await service.post<{ refreshToken: string }>('auth/token/refresh', { json: { refreshToken } })
      expect(policyOf(reply)).toEqual(['"tokens";q=30;w=60', `"tokens";r=${28 - i}`])
      refreshToken = reply.body.data.refreshToken
    }
    for (let i = 0; i < 20; i++) expect((await exchange(`192.0.2.${i}`)).status).toBe(200)
    expectLimited(await exchange('203.0.113.1'), '"tokens";q=30;w=60')
    expectLimited(await service.post('auth/token/refresh', { json: { refreshToken } }), '"tokens";q=30;w=60')
    const other = await service.createApp(brand.brandKey, ['view'])
    expect((await service.exchange(other)).tokenType).toBe('Bearer')
  })

  test('allow a network ten failures a minute, and right credentials after that', async () => {
    const wrong = (address: string) => service.post('auth/token', { headers: { 'X-Forwarded-For': address }, json: {} })
    const pair = await service.exchange(brand)
    for (let i = 0; i < 5; i++) {
      expect((await wrong(`2001:db8:9:9::${i}`)).status).toBe(401)
      const refresh = { json: { refreshToken: `tsr_${i}` }, ...from(`2001:db8:9:9::a:${i}`) }
      expect((await service.post('auth/token/refresh', refresh)).status).toBe(401)
    }
    expectLimited(await wrong('2001:db8:9:9::1'), '"auth-failures";q=10;w=60')
    const known = (path: string, json: object) =>
      service.post(path, { headers: { ...keyHeaders(brand), ...from('2001:db8:9:9::1').headers }, json })
    expect((await known('auth/token', { externalDeviceId: 'x' })).status).toBe(200)
    expect((await known('auth/token/refresh', { refreshToken: pair.refreshToken })).status).toBe(200)
    expect((await known('auth/token/revoke', { token: pair.accessToken })).status).toBe(200)
  })

  test('allow each app of a brand a number of writes a minute, with any of its tokens', async () => {
    const strict = await startTestService(engine, { settings: { BRAND_WRITES_PER_MINUTE: '5' } })
    const owner = await strict.createBrand()
    const write = (method: 'POST' | 'PATCH' | 'DELETE', path: string, token: string, json?: object) =>
      strict.write(method, `brands/me/${path}`, { token, ...(json ? { json } : {}) })
    const second = (await strict.exchange(owner)).accessToken
    const sent = [
      await write('POST', 'polls', owner.token, { title: 'T', optionA: { label: 'A' }, optionB: { label: 'B' } }),
      await write('POST', 'polls', second, {}),
      await write('PATCH', 'theme', owner.token, { radius: 'LG' }),
      await write('DELETE', 'polls/never-there', second),
      await write('DELETE', 'webhooks/x', owner.token),
    ]
    expect(sent.map(({ status }) => status)).toEqual([201, 422, 200, 404, 422])
    for (const [i, reply] of sent.entries())
      expect(policyOf(reply)).toEqual(['"brand-writes";q=5;w=60', `"brand-writes";r=${4 - i}`])
    for (const token of [owner.token, second])
      expectLimited(await write('PATCH', 'theme', token, { radius: 'SM' }), '"brand-writes";q=5;w=60')
    const reply = await strict.write('PATCH', 'brands/me/theme', { token: owner.token, key: 'bad', json: {} })
    expect(reply.body.error.code).toBe('IDEMPOTENCY_KEY_INVALID')
    const neighbour = await strict.createApp(owner.brandKey, ['manage'])
    expect((await write('PATCH', 'theme', (await strict.exchange(neighbour)).accessToken, {})).status).toBe(200)
    const { headers } = await strict.get('brands/me/polls', { token: owner.token })
    expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([null, null])
    await strict.stop()
  })
})

describe.each([...engines])('%s: the daily quota of polls', (engine) => {
  test('holds for all apps of a brand together, and for creating polls alone', async () => {
    const service = await startTestService(engine, { settings: { BRAND_POLLS_PER_DAY: '2' } })
    const brand = await service.createBrand()
    const second = (await service.exchange(await service.createApp(brand.brandKey, ['manage']))).accessToken
    const poll = { title: 'T', optionA: { label: 'A' }, optionB: { label: 'B' } }
    const create = (token: string) => service.write('POST', 'brands/me/polls', { token, json: poll })
    expect([(await create(brand.token)).status, (await create(second)).status]).toEqual([201, 201])
    for (const token of [brand.token, second]) {
      const { status, headers } = await create(token)
      expect([status, headers.get('ratelimit-policy')]).toEqual([429, '"brand-polls";q=2;w=86400'])
      expect(Number(headers.get('retry-after'))).toBeWithin(86_000, 86_401)
    }
    const theme = await service.write('PATCH', 'brands/me/theme', { token: brand.token, json: { radius: 'LG' } })
    expect(theme.status).toBe(200)
    await service.createPoll(await service.createBrand())
    await service.stop()
  })
})

test('a trusted proxy that sends no X-Forwarded-For is named once, unless it sends one', async () => {
  const settings = {
    NETWORK_VOTES_PER_MINUTE: '0',
    TRUSTED_PROXIES: '127.0.0.1',
    LOG_LEVEL: 'warn',
    METRICS_PORT: String(freePort()),
  }
  const silent = async () => (await metricsOf(service)).get('tossup_silent_proxy')
  const vote = (headers: Record<string, string> = {}) =>
    service.post(`polls/${slug}/votes`, { device: randomUUID(), json: { option: 'A' }, headers })
  let service = await startTestService('sqlite', { settings })
  let { slug } = await service.createPoll(await service.createBrand())
  await vote({ 'X-Forwarded-For': '192.0.2.1' })
  for (let i = 0; i < 110; i++) await vote()
  expect([service.logLines, await silent()]).toEqual([[], 0])
  await service.stop()
  service = await startTestService('sqlite', { settings })
  slug = (await service.createPoll(await service.createBrand())).slug
  for (let i = 0; i < 110; i++) await vote()
  expect([service.logLines.length, await silent()]).toEqual([1, 1])
  expect(service.logLines[0]).toContain('A peer of TRUSTED_PROXIES sends no X-Forwarded-For')
  await service.stop()
})

test('ignore X-Forwarded-For of a peer that is no trusted proxy, and the log names it once', async () => {
  const settings = { NETWORK_VOTES_PER_MINUTE: '2', LOG_LEVEL: 'warn', METRICS_PORT: String(freePort()) }
  const service = await startTestService('sqlite', { settings })
  const { slug } = await service.createPoll(await service.createBrand())
  const vote = (address: string) =>
    service.post(`polls/${slug}/votes`, {
      device: randomUUID(),
      json: { option: 'A' },
      headers: { 'X-Forwarded-For': address },
    })
  const statuses: number[] = []
  const proxies = async () => (await metricsOf(service)).get('tossup_untrusted_proxy')
  for (const address of ['192.0.2.1', '192.0.2.1']) statuses.push((await vote(address)).status)
  expect([service.logLines, await proxies()]).toEqual([[], 0])
  for (const address of ['192.0.2.2', '192.0.2.3']) statuses.push((await vote(address)).status)
  expect(statuses).toEqual([201, 201, 429, 429])
  expect(service.logLines).toHaveLength(1)
  expect(service.logLines[0]).toContain('set TRUSTED_PROXIES=127.0.0.1')
  expect([service.deps.proxyWatch.line, await proxies()]).toEqual(['TRUSTED_PROXIES=127.0.0.1', 1])
  await service.stop()
})
