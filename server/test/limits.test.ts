import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { engines } from './engines.ts'
import { keyHeaders, type Reply, startTestService, type TestBrand, type TestService } from './service.ts'

function expectLimited(reply: Reply, policy: string): void {
  const { status, body, headers } = reply
  expect([status, body.error.code]).toEqual([429, 'RATE_LIMITED'])
  expect(body.error.details).toEqual({})
  expect(headers.get('ratelimit-policy')).toBe(policy)
  const name = policy.split(';')[0]
  expect(headers.get('ratelimit')).toMatch(new RegExp(`^${name};r=0;t=([1-9]|[1-5]\\d|60)$`))
  expect(headers.get('retry-after')).toBe(headers.get('ratelimit')?.split('t=')[1] ?? '')
  expect(headers.get('cache-control')).toBe('private, no-store')
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

  test('of a network are the same for a draft and for what does not exist, and tell neither', async () => {
    const draft = await service.createPoll(brand, { isDraft: true })
    const statuses = async (reference: string) => {
      const replies: number[] = []
      for (let i = 0; i < 17; i++) replies.push((await vote(reference, '198.51.100.7')).status)
      return replies
    }
    const expected = [...Array.from({ length: 15 }, () => 404), 429, 429]
    expect(await statuses(draft.slug)).toEqual(expected)
    expect(await statuses('never-there')).toEqual(expected)
  })

  test('of ten votes a minute for a device, whichever way it comes and whatever is answered', async () => {
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

  test('of votes of one network on one poll, an IPv6 one being its /64', async () => {
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

  test('of a network take nothing from a device that they refuse', async () => {
    const poll = (await service.createPoll(brand)).slug
    const device = randomUUID()
    for (let i = 0; i < 15; i++) await vote(poll, '192.0.2.200')
    for (let i = 0; i < 12; i++) expect((await vote(poll, '192.0.2.200', { device })).status).toBe(429)
    expect(policyOf(await vote(poll, '192.0.2.201', { device }))).toEqual(['"votes";q=10;w=60', '"votes";r=9'])
  })

  test('of thirty token requests a minute for a key, exchanges and refreshes together', async () => {
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

  test('of ten failures a minute for a network, which refuse right credentials too', async () => {
    const wrong = (address: string) => service.post('auth/token', { headers: { 'X-Forwarded-For': address }, json: {} })
    const pair = await service.exchange(brand)
    for (let i = 0; i < 5; i++) {
      expect((await wrong(`2001:db8:9:9::${i}`)).status).toBe(401)
      const refresh = { json: { refreshToken: `tsr_${i}` }, ...from(`2001:db8:9:9::a:${i}`) }
      expect((await service.post('auth/token/refresh', refresh)).status).toBe(401)
    }
    expectLimited(await wrong('2001:db8:9:9::1'), '"auth-failures";q=10;w=60')
    for (const path of ['auth/token', 'auth/token/refresh', 'auth/token/revoke']) {
      const headers = { ...keyHeaders(brand), ...from('2001:db8:9:9::1').headers }
      expectLimited(await service.post(path, { headers, json: {} }), '"auth-failures";q=10;w=60')
    }
    const refresh = await service.post('auth/token/refresh', {
      json: { refreshToken: pair.refreshToken },
      ...from('2001:db8:9:8::1'),
    })
    expect(refresh.status).toBe(200)
  })

  test('are no business of reads and of writes under /brands/me', async () => {
    const { headers } = await service.get('brands/me/polls', { token: brand.token })
    expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([null, null])
  })
})

test('X-Forwarded-For is not believed from a peer that is no proxy of ours', async () => {
  const service = await startTestService('sqlite', { settings: { NETWORK_VOTES_PER_MINUTE: '2' } })
  const { slug } = await service.createPoll(await service.createBrand())
  const vote = (address: string) =>
    service.post(`polls/${slug}/votes`, {
      device: randomUUID(),
      json: { option: 'A' },
      headers: { 'X-Forwarded-For': address },
    })
  const statuses: number[] = []
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) statuses.push((await vote(address)).status)
  expect(statuses).toEqual([201, 201, 429])
  await service.stop()
})
