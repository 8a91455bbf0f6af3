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

  // spec: 7-11, 8-1
  test('the eleventh is refused with Retry-After', async () => {
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

  // spec: 8-1
  test('a device by header and by token has one quota', async () => {
    const device = randomUUID()
    const token = (await service.exchange(brand, device.toUpperCase())).accessToken
    const cast = (i: number) =>
      service.post(`polls/${slug(i)}/votes`, { ...(i % 2 ? { token } : { device }), json: { option: 'A' } })
    expect(statuses(await times(12, cast)).sort()).toEqual([...new Array(10).fill(201), 429, 429])
  })

  test('every admitted request counts: repeats, invalid bodies and unknown polls', async () => {
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

  test('a refused caller counts nowhere', async () => {
    const device = randomUUID()
    const app = await service.createApp(brand.brandKey, ['view'])
    const token = (await service.exchange(app, device)).accessToken
    const json = { option: 'A' }
    const outside = await times(15, () => service.post(`polls/${slug(0)}/votes`, { token, device, json }))
    expect(new Set(statuses(outside))).toEqual(new Set([403]))
    expect(outside[0]?.headers.get('ratelimit')).toBeNull()
    expect((await service.vote(slug(0), 'A', device)).headers.get('ratelimit')).toStartWith('"votes";r=9;')
  })

  test("reading one's own vote is not limited", async () => {
    const device = randomUUID()
    await service.vote(slug(0), 'A', device)
    const replies = await times(30, () => service.get(`polls/${slug(0)}/votes/me`, { device }))
    expect(new Set(statuses(replies))).toEqual(new Set([200]))
  })

  test('exactly ten of fifty at once are admitted', async () => {
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

  let lastAddress = 0

  const voteFrom = (address: string, poll: string, device: string = randomUUID()) =>
    service.post(`polls/${poll}/votes`, { device, json: { option: 'A' }, headers: { 'X-Forwarded-For': address } })

  test('the sixth of a network is refused under every identifier of the poll; other networks and polls are not affected', async () => {
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

  test('an IPv6 /64 is one network', async () => {
    const { slug } = await service.createPoll(brand)
    const replies: Reply[] = []
    for (let i = 0; i < 6; i++) replies.push(await voteFrom(`2001:db8:1:2:${i}::1`, slug))
    expect(statuses(replies)).toEqual([201, 201, 201, 201, 201, 429])
    expect((await voteFrom('2001:db8:1:3::1', slug)).status).toBe(201)
  })

  test('four times as many from the IPv4 /24 or the IPv6 /56, sixteen times as many from the /48', async () => {
    const { slug } = await service.createPoll(brand)
    const ofIpv4 = await Promise.all(Array.from({ length: 24 }, (_, i) => voteFrom(`192.0.2.${100 + (i % 5)}`, slug)))
    expect(statuses(ofIpv4).filter((status) => status === 201)).toHaveLength(20)
    const wide = ofIpv4.findLast(({ status }) => status === 429)
    expect(wide?.headers.get('ratelimit-policy')).toBe('"network-votes-wide";q=20;w=60')
    expect(wide?.headers.get('retry-after')).toMatch(/^(60|5\d)$/)
    expect((await voteFrom('192.0.3.1', slug)).status).toBe(201)

    const other = await service.createPoll(brand)
    const voteOfSite = (i: number) =>
      voteFrom(`2001:db8:7:${(i % 5).toString(16)}${(i % 7).toString(16).padStart(2, '0')}::1`, other.slug)
    const ofSite: Reply[] = []
    for (let i = 0; i < 90; i++) ofSite.push(await voteOfSite(i))
    expect(statuses(ofSite).filter((status) => status === 201)).toHaveLength(80)
    const widest = ofSite.find(({ status }) => status === 429)
    expect(widest?.headers.get('ratelimit-policy')).toBe('"network-votes-widest";q=80;w=60')
    expect((await voteFrom('2001:db8:8::1', other.slug)).status).toBe(201)
  })

  test('a refusal by the network is not counted for the device, nor the other way round', async () => {
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

  const malformed: [string, (from: object, poll: string) => Promise<Reply>][] = [
    ['no JSON', (from, poll) => service.post(`polls/${poll}/votes`, { ...from, raw: '{' })],
    ['an unknown option', (from, poll) => service.post(`polls/${poll}/votes`, { ...from, json: { option: 'C' } })],
    ['another content type', (from, poll) => service.post(`polls/${poll}/votes`, { ...from, raw: 'option=A' })],
    [
      'too much',
      (from, poll) => service.post(`polls/${poll}/votes`, { ...from, json: { option: 'A'.repeat(70_000) } }),
    ],
    [
      'an unknown parameter',
      (from, poll) => service.post(`polls/${poll}/votes?a=1`, { ...from, json: { option: 'A' } }),
    ],
    ['a malformed path', (from) => service.post('polls/%00/votes', { ...from, json: { option: 'A' } })],
    ['an unknown poll', (from) => service.post('polls/missing/votes', { ...from, json: { option: 'A' } })],
  ]

  test.each(malformed)(
    'votes with %s count among the refused, and close no poll for the neighbours',
    async (_, send) => {
      const [poll, draft] = [await service.createPoll(brand), await service.createPoll(brand, { isDraft: true })]
      const address = `198.51.100.${++lastAddress}`
      const ask = () => ({ device: randomUUID(), headers: { 'X-Forwarded-For': address } })
      const replies: Reply[] = []
      for (let i = 0; i < 7; i++) replies.push(await send(ask(), poll.slug))
      expect(new Set(statuses(replies.slice(0, 5))).size).toBe(1)
      expect(replies[0]?.status).toBeWithin(400, 423)
      for (const refused of replies.slice(5)) {
        expect(refused).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMITED' } } })
        expect(refused.headers.get('ratelimit-policy')).toBe('"refused-votes";q=5;w=60')
        expect(refused.headers.get('ratelimit')).toMatch(/^"refused-votes";r=0;t=(60|5\d)$/)
      }
      expect((await voteFrom(address, draft.slug)).headers.get('ratelimit-policy')).toBe('"refused-votes";q=5;w=60')
      for (let i = 0; i < 5; i++) expect((await voteFrom(address, poll.slug)).status).toBe(201)
      expect((await voteFrom(address, poll.slug)).headers.get('ratelimit-policy')).toBe('"network-votes";q=5;w=60')
    },
  )

  test('a refused vote counts for its device, unless it is answered 429', async () => {
    const device = randomUUID()
    const send = (path: string, json: unknown) =>
      service.post(path, { device, json, headers: { 'X-Forwarded-For': '198.51.100.250' } })
    expect((await send('polls/missing/votes', { option: 'A' })).headers.get('ratelimit')).toStartWith('"votes";r=6;')
    const { slug } = await service.createPoll(brand)
    expect((await send(`polls/${slug}/votes`, {})).headers.get('ratelimit')).toStartWith('"votes";r=5;')
    for (let i = 0; i < 3; i++) await voteFrom('198.51.100.250', 'missing')
    for (const path of ['polls/missing/votes', 'polls/%00/votes'])
      for (let i = 0; i < 3; i++) expect((await send(path, { option: 'A' })).status).toBe(429)
    expect((await send(`polls/${slug}/votes`, { option: 'A' })).headers.get('ratelimit')).toStartWith('"votes";r=4;')
  })

  test('votes that have not arrived yet count nowhere', async () => {
    const { slug } = await service.createPoll(brand)
    const { hostname, port } = new URL(service.service.url)
    const head = [
      `POST /api/rest/v1/polls/${slug}/votes HTTP/1.1`,
      'Host: tossup',
      'Content-Type: application/json',
      'Content-Length: 14',
      'X-Forwarded-For: 198.51.100.251',
    ]
    const sockets = await times(20, () =>
      Bun.connect({
        hostname,
        port: Number(port),
        socket: {
          open: (socket) => void socket.write(`${[...head, `X-Device-Id: ${randomUUID()}`].join('\r\n')}\r\n\r\n{"opt`),
          data: () => undefined,
        },
      }),
    )
    for (let i = 0; i < 5; i++) expect((await voteFrom('198.51.100.251', slug)).status).toBe(201)
    for (const socket of sockets) socket.end()
  })

  test('a malformed poll reference is refused without a query to the database', async () => {
    for (const reference of ['%00', 'a%00b', '%E2%82', 'x'.repeat(300)])
      expect((await voteFrom('192.0.2.20', reference)).status).toBe(422)
    expect(service.logLines).toEqual([])
  })

  test('no address is stored or logged', async () => {
    const { slug } = await service.createPoll(brand)
    await voteFrom('203.0.113.77', slug)
    expect(service.logLines.join()).not.toContain('203.0.113.77')
  })
})

test('NETWORK_VOTES_PER_MINUTE=0 is no limit', async () => {
  const service = await startTestService('sqlite', { settings: { NETWORK_VOTES_PER_MINUTE: '0' } })
  const { slug } = await service.createPoll(await service.createBrand())
  expect(new Set(statuses(await times(200, () => service.vote(slug, 'A'))))).toEqual(new Set([201]))
  await service.stop()
})

describe.each(places)('%s, limits in %s: votes a minute for a brand and a network', (engine, _place, settings) => {
  let service: TestService
  beforeAll(async () => {
    const limits = { NETWORK_BRAND_VOTES_PER_MINUTE: '3', TRUSTED_PROXIES: '127.0.0.1' }
    service = await startTestService(engine, { settings: { ...settings, ...limits } })
  })
  afterAll(() => service.stop())

  test('count over all polls of the brand, in every tier', async () => {
    const brand = await service.createBrand()
    const polls = await times(4, () => service.createPoll(brand))
    // Addresses of their own, because the counts in Redis outlive the test.
    const block = `2001:db8:${randomUUID().slice(0, 4)}`
    const voteFrom = (network: string, i: number) =>
      service.post(`polls/${polls[i % 4]?.slug}/votes`, {
        device: randomUUID(),
        json: { option: 'A' },
        headers: { 'X-Forwarded-For': `${block}:${network}::1` },
      })
    const own = [await voteFrom('1', 0), await voteFrom('1', 1), await voteFrom('1', 2), await voteFrom('1', 3)]
    expect(statuses(own)).toEqual([201, 201, 201, 429])
    expect(own[3]?.headers.get('ratelimit-policy')).toBe('"network-brand-votes";q=3;w=60')
    const wide: Reply[] = []
    for (let i = 0; i < 12; i++) wide.push(await voteFrom(`${2 + Math.floor(i / 3)}`, i))
    expect(statuses(wide).filter((status) => status === 201)).toHaveLength(9)
    expect(wide.at(-1)?.headers.get('ratelimit-policy')).toBe('"network-brand-votes-wide";q=12;w=60')
    const elsewhere = await service.createPoll(await service.createBrand())
    const headers = { 'X-Forwarded-For': `${block}:1::1` }
    const json = { option: 'A' }
    expect((await service.post(`polls/${elsewhere.slug}/votes`, { device: randomUUID(), json, headers })).status).toBe(
      201,
    )
  })
})
