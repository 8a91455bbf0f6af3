import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { engines, redisUrl } from './engines.ts'
import { identifiersOf } from './polls.ts'
import { type PollData, type Reply, startTestService, type TestBrand, type TestService } from './service.ts'

const statuses = (replies: Reply[]) => replies.map(({ status }) => status)
const times = <T>(count: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))

const places = [
  ...engines.map((engine) => [engine, 'memory', {}] as const),
  ...(redisUrl ? [['sqlite', 'Redis', { REDIS_URL: redisUrl }] as const] : []),
]

describe.each(places)('%s, limits in %s: ten votes a minute for a device', (engine, _place, settings) => {
  let service: TestService
  let brand: TestBrand
  let polls: PollData[]
  beforeAll(async () => {
    service = await startTestService(engine, { settings: { ...settings, VOTES_PER_MINUTE: '10' } })
    brand = await service.createBrand()
    polls = await times(12, () => service.createPoll(brand))
  })
  afterAll(() => service.stop())

  const slug = (i: number) => polls[i]?.slug ?? ''

  test('the eleventh is refused, and says when to come back', async () => {
    const device = randomUUID()
    for (let i = 0; i < 10; i++) {
      const { status, headers } = await service.vote(slug(i), 'A', device)
      expect(status).toBe(201)
      expect(headers.get('ratelimit-policy')).toBe('"votes";q=10;w=60')
      expect(headers.get('ratelimit')).toMatch(new RegExp(`^"votes";r=${9 - i};t=(60|5\\d)$`))
      expect(headers.get('retry-after')).toBeNull()
    }
    const refused = await service.vote(slug(10), 'A', device)
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMITED' } } })
    expect(refused.headers.get('ratelimit')).toMatch(/^"votes";r=0;t=(60|5\d)$/)
    expect(refused.headers.get('retry-after')).toMatch(/^(60|5\d)$/)
    expect((await service.get(`polls/${slug(10)}/votes/me`, { device })).status).toBe(404)
    expect((await service.vote(slug(10), 'A')).status).toBe(201)
  })

  test('header and bearer are one device, and come out of one quota', async () => {
    const device = randomUUID()
    const token = (await service.exchange(brand, device.toUpperCase())).accessToken
    const cast = (i: number) =>
      service.post(`polls/${slug(i)}/votes`, { ...(i % 2 ? { token } : { device }), json: { option: 'A' } })
    expect(statuses(await times(12, cast)).sort()).toEqual([...new Array(10).fill(201), 429, 429])
  })

  test('every request that is let in counts: repeats, junk and polls that are not there', async () => {
    const device = randomUUID()
    const path = `polls/${slug(0)}/votes`
    const replies = [
      await service.vote(slug(0), 'A', device),
      await service.vote(slug(0), 'A', device),
      await service.vote('missing', 'A', device),
      await service.vote('%00', 'A', device),
      await service.post(path, { device, json: { option: 'C' } }),
      await service.post(path, { device, raw: '{', headers: { 'Content-Type': 'application/json' } }),
      await service.post(path, { device }),
    ]
    expect(statuses(replies)).toEqual([201, 409, 404, 422, 422, 400, 415])
    expect(replies.at(-1)?.headers.get('ratelimit')).toStartWith('"votes";r=3;')
  })

  test('a caller who is not let in counts nowhere', async () => {
    const device = randomUUID()
    const app = await service.createApp(brand.brandKey, ['view'])
    const token = (await service.exchange(app, device)).accessToken
    const json = { option: 'A' }
    const outside = await times(15, () => service.post(`polls/${slug(0)}/votes`, { token, device, json }))
    expect(new Set(statuses(outside))).toEqual(new Set([403]))
    expect(outside[0]?.headers.get('ratelimit')).toBeNull()
    expect((await service.vote(slug(0), 'A', device)).headers.get('ratelimit')).toStartWith('"votes";r=9;')
  })

  test('reading the own vote is not limited', async () => {
    const device = randomUUID()
    await service.vote(slug(0), 'A', device)
    const replies = await times(30, () => service.get(`polls/${slug(0)}/votes/me`, { device }))
    expect(new Set(statuses(replies))).toEqual(new Set([200]))
  })

  test('fifty at once: exactly ten are let in', async () => {
    const device = randomUUID()
    const replies = await times(50, (i) => service.vote(slug(i % 12), 'A', device))
    expect(statuses(replies).filter((status) => status === 429)).toHaveLength(40)
  })
})

describe.each([...engines])('%s: votes a minute for a poll and a network', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, {
      settings: { NETWORK_VOTES_PER_MINUTE: '5', VOTES_PER_MINUTE: '7', TRUSTED_PROXIES: '127.0.0.1,::1' },
    })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const voteFrom = (address: string, poll: string, device: string = randomUUID()) =>
    service.post(`polls/${poll}/votes`, { device, json: { option: 'A' }, headers: { 'X-Forwarded-For': address } })

  test('the sixth of a network is refused under every identifier; others and other polls are not', async () => {
    const poll = await service.createPoll(brand)
    const names = identifiersOf(poll)
    const replies: Reply[] = []
    for (let i = 0; i < 8; i++) replies.push(await voteFrom('192.0.2.1', names[i % names.length] ?? ''))
    expect(statuses(replies)).toEqual([201, 201, 201, 201, 201, 429, 429, 429])
    const refused = replies[5]
    expect(refused?.body.error.code).toBe('RATE_LIMITED')
    expect(refused?.headers.get('ratelimit-policy')).toBe('"network-votes";q=5;w=60')
    expect(refused?.headers.get('ratelimit')).toMatch(/^"network-votes";r=0;t=(60|5\d)$/)
    expect(refused?.headers.get('retry-after')).toMatch(/^(60|5\d)$/)
    expect((await voteFrom('192.0.2.2', poll.slug)).status).toBe(201)
    expect((await voteFrom('192.0.2.1', (await service.createPoll(brand)).slug)).status).toBe(201)
  })

  test('one IPv6 household is one network', async () => {
    const { slug } = await service.createPoll(brand)
    const replies: Reply[] = []
    for (let i = 0; i < 6; i++) replies.push(await voteFrom(`2001:db8:1:2:${i}::1`, slug))
    expect(statuses(replies)).toEqual([201, 201, 201, 201, 201, 429])
    expect((await voteFrom('2001:db8:1:3::1', slug)).status).toBe(201)
  })

  test('what the network refuses is not counted for the device, nor the other way round', async () => {
    const poll = await service.createPoll(brand)
    for (let i = 0; i < 5; i++) await voteFrom('192.0.2.9', poll.slug)
    const device = randomUUID()
    for (let i = 0; i < 10; i++) expect((await voteFrom('192.0.2.9', poll.slug, device)).status).toBe(429)
    const elsewhere = await service.createPoll(brand)
    const first = await voteFrom('192.0.2.9', elsewhere.slug, device)
    expect(first.headers.get('ratelimit')).toStartWith('"votes";r=6;')

    const busy = randomUUID()
    for (let i = 0; i < 7; i++) await voteFrom('192.0.2.10', (await service.createPoll(brand)).slug, busy)
    const fresh = await service.createPoll(brand)
    const refused = await voteFrom('192.0.2.10', fresh.slug, busy)
    expect(refused.headers.get('ratelimit')).toStartWith('"votes";r=0;')
    for (let i = 0; i < 5; i++) expect((await voteFrom('192.0.2.10', fresh.slug)).status).toBe(201)
  })

  test('a path that is no reference is refused as such, and never asked of the database', async () => {
    for (const reference of ['%00', 'a%00b', '%E2%82', 'x'.repeat(300)])
      expect((await voteFrom('192.0.2.20', reference)).status).toBe(422)
    expect(service.logLines).toEqual([])
  })

  test('an address is stored nowhere and logged nowhere', async () => {
    const { slug } = await service.createPoll(brand)
    await voteFrom('203.0.113.77', slug)
    expect(service.logLines.join()).not.toContain('203.0.113.77')
  })
})

test('NETWORK_VOTES_PER_MINUTE=0 is off', async () => {
  const service = await startTestService('sqlite', { settings: { NETWORK_VOTES_PER_MINUTE: '0' } })
  const { slug } = await service.createPoll(await service.createBrand())
  expect(new Set(statuses(await times(200, () => service.vote(slug, 'A'))))).toEqual(new Set([201]))
  await service.stop()
})
