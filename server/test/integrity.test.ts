import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { solveChallenge } from '../../sdk/src/challenge/solve-challenge.ts'
import { HOUR, MINUTE } from '../src/base/clock.ts'
import type { Challenge } from '../src/features/votes/challenges/challenges.ts'
import { dumpTables } from './dump.ts'
import { engines } from './engines.ts'
import { createDatabase, type OwnDatabase } from './own-database.ts'
import { deletePoll } from './polls.ts'
import { Receiver } from './receiver.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { createWebhook } from './webhooks.ts'

interface HourData {
  at: string
  votes: number
  largestNetworkShare: number | null
  topTenShare: number | null
  challenged: number
  withoutOrigin: number
  refused: { rate: number; challenge: number; origin: number; invalid: number }
}

interface ReportData {
  score: number
  reasons: string[]
  hours: HourData[]
  votesByCode: number
}

const settings = {
  TRUSTED_PROXIES: '127.0.0.1',
  NETWORK_VOTES_PER_MINUTE: '200',
  WEBHOOK_ALLOW_PRIVATE: 'true',
}

describe.each([...engines])('%s: the integrity report', (engine) => {
  let service: TestService
  /** A second server on the same database. */
  let twin: TestService
  let database: OwnDatabase | null
  let brand: TestBrand
  beforeAll(async () => {
    database = engine === 'postgres' ? await createDatabase() : null
    const options = { settings, ...(database ? { database } : {}), jobs: 'by hand' } as const
    service = await startTestService(engine, options)
    twin = database ? await startTestService(engine, options) : service
    brand = await service.createBrand()
  })
  afterAll(async () => {
    if (twin !== service) await twin.stop()
    await service.stop()
    await database?.drop()
  })

  const send = (
    slug: string,
    network: string,
    {
      headers = {},
      device = randomUUID(),
      json = { option: 'A' },
      to = service,
    }: {
      headers?: Record<string, string>
      device?: string
      json?: unknown
      to?: TestService
    } = {},
  ) => to.post(`polls/${slug}/votes`, { device, json, headers: { 'X-Forwarded-For': network, ...headers } })

  const ask = (slug: string, query = '', { of = service, token = brand.token } = {}) =>
    of.get<ReportData>(`brands/me/polls/${slug}/integrity${query}`, { token })

  /** The hours summed up, because a test may run across the end of one. */
  async function report(slug: string, asked: { of?: TestService; token?: string } = {}) {
    const { data } = (await ask(slug, '', asked)).body
    const sum = (pick: (hour: HourData) => number) => data.hours.reduce((total, hour) => total + pick(hour), 0)
    return {
      ...data,
      votes: sum(({ votes }) => votes),
      challenged: sum(({ challenged }) => challenged),
      withoutOrigin: sum(({ withoutOrigin }) => withoutOrigin),
      refused: {
        rate: sum(({ refused }) => refused.rate),
        challenge: sum(({ refused }) => refused.challenge),
        origin: sum(({ refused }) => refused.origin),
        invalid: sum(({ refused }) => refused.invalid),
      },
    }
  }

  /** So that all votes of a test fall into one hour. */
  async function awayFromHour(): Promise<void> {
    const left = HOUR - (Date.now() % HOUR)
    // Real time: votes are counted by the clock of the database.
    if (left < 20_000) await Bun.sleep(left)
  }

  test('is empty before the first vote', async () => {
    const { slug } = await service.createPoll(brand)
    expect((await ask(slug)).body.data).toEqual({ score: 0, reasons: [], votesByCode: 0, hours: [] })
  })

  test('reports shares of networks and votes without an origin, and nothing else about their source', async () => {
    await awayFromHour()
    const { slug } = await service.createPoll(brand)
    const origin = { Origin: 'https://news.example' }
    for (let i = 0; i < 30; i++) await send(slug, '203.0.113.9', i < 10 ? { headers: origin } : {})
    for (let i = 0; i < 10; i++) await send(slug, `2001:db8:5:${i}::1`, { headers: origin })
    for (let i = 0; i < 20; i++) await send(slug, `198.51.${i}.1`, { headers: origin })
    const { data } = (await ask(slug)).body
    const now = Date.now()
    expect(data.hours).toEqual([
      {
        at: new Date(now - (now % HOUR)).toISOString(),
        votes: 60,
        largestNetworkShare: 0.5,
        topTenShare: 0.8,
        challenged: 0,
        withoutOrigin: 20,
        refused: { rate: 0, challenge: 0, origin: 0, invalid: 0 },
      },
    ])
    expect(data.score).toBeGreaterThan(40)
    expect(data.reasons[0]).toBe('One network cast 50 % of the votes.')
    const stored = JSON.stringify(await dumpTables(service.db))
    for (const part of ['203.0.113', '198.51.', '8193:3512']) expect(stored).not.toContain(part)
  })

  test('counts refusals by reason, and solved challenges', async () => {
    const owner = await service.createBrand()
    const token = owner.token
    const { slug } = await service.createPoll(owner, { challenge: 'always' })
    await service.write('PATCH', 'brands/me/theme', { token, json: { embedOrigins: ['https://news.example'] } })
    const device = randomUUID()
    const { body } = await send(slug, '192.0.2.1', { device })
    const solution = await solveChallenge(body.error.details['challenge'] as Challenge)
    const solved = { device, headers: { 'X-Challenge-Solution': solution ?? '' } }
    expect((await send(slug, '192.0.2.1', solved)).status).toBe(201)
    expect((await send(slug, '192.0.2.1', { headers: { 'X-Challenge-Solution': 'wrong' } })).status).toBe(403)
    expect((await send(slug, '192.0.2.1', { headers: { Origin: 'https://other.example' } })).status).toBe(403)
    expect((await send(slug, '192.0.2.1', { json: { option: 'C' } })).status).toBe(422)
    // Without a device it is nobody's vote, and no limit counts it: a stranger could fill a report with such requests.
    expect((await send(slug, '192.0.2.1', { device: 'x' })).status).toBe(422)
    expect((await send(slug, '192.0.2.1', { json: { option: 'A', more: 1 } })).status).toBe(422)
    expect(await report(slug, { token })).toMatchObject({
      votes: 1,
      challenged: 1,
      refused: { rate: 0, challenge: 2, origin: 1, invalid: 2 },
    })
  })

  test('counts requests beyond a rate limit, which are conspicuous', async () => {
    const { slug } = await service.createPoll(brand)
    const replies = await Promise.all(Array.from({ length: 300 }, () => send(slug, '192.0.2.50')))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(200)
    const told = await report(slug)
    expect(told).toMatchObject({ votes: 200, refused: { rate: 100 } })
    expect(told.reasons).toContain('100 votes were refused: 100 beyond a rate limit.')
    expect(told.score).toBeGreaterThan(80)
  })

  test('adds up what several servers have counted', async () => {
    await awayFromHour()
    const { slug } = await service.createPoll(brand)
    for (let i = 0; i < 20; i++) await send(slug, '192.0.2.60', { to: i % 2 ? twin : service })
    for (let i = 0; i < 20; i++) await send(slug, `198.18.${i}.1`, { to: twin })
    await report(slug, { of: twin })
    for (let i = 0; i < 20; i++) await send(slug, `198.19.${i}.1`, { to: service })
    const told = await report(slug)
    expect(told.votes).toBe(60)
    expect(told.hours.at(-1)?.largestNetworkShare).toBe(0.333)
    await report(slug)
    expect(await report(slug)).toEqual(told)
  })

  test('takes from and to, and refuses a span without hours or with too many', async () => {
    const { slug } = await service.createPoll(brand)
    await send(slug, '192.0.2.70')
    const at = (milliseconds: number) => encodeURIComponent(new Date(Date.now() + milliseconds).toISOString())
    expect((await ask(slug, `?from=${at(-HOUR)}&to=${at(HOUR)}`)).body.data.hours).toHaveLength(1)
    expect((await ask(slug, `?to=${at(-2 * HOUR)}`)).body.data.hours).toEqual([])
    for (const query of [`?from=${at(2 * HOUR)}`, '?from=yesterday', '?from=2000-01-01T00:00:00Z', '?since=1']) {
      expect((await ask(slug, query)).status).toBe(422)
    }
  })

  test('is for the owner with the scope analytics', async () => {
    const { slug } = await service.createPoll(brand)
    const other = await service.createBrand()
    expect((await service.get(`brands/me/polls/${slug}/integrity`, { token: other.token })).status).toBe(404)
    const viewer = await service.exchange(await service.createApp(brand.brandKey, ['view']))
    const refused = await service.get(`brands/me/polls/${slug}/integrity`, { token: viewer.accessToken })
    expect(refused.body.error.code).toBe('SCOPE_REQUIRED')
  })

  test('goes with its poll', async () => {
    const poll = await service.createPoll(brand)
    await send(poll.slug, '192.0.2.80')
    await report(poll.slug)
    const key = await service.db.selectFrom('polls').select('key').where('id', '=', poll.id).executeTakeFirstOrThrow()
    const rows = () => service.db.selectFrom('vote_integrity').selectAll().where('poll_key', '=', key.key).execute()
    expect(await rows()).toHaveLength(1)
    await send(poll.slug, '192.0.2.81')
    await deletePoll(service, brand, poll.slug)
    service.clock.advance(MINUTE)
    await service.runDue()
    expect(await rows()).toEqual([])
  })
})

describe.each([...engines])('%s: alerts', (engine) => {
  test('are raised at most once an hour and poll, by one of several servers', async () => {
    const database = engine === 'postgres' ? await createDatabase() : null
    const options = { settings, ...(database ? { database } : {}), jobs: 'by hand' } as const
    const service = await startTestService(engine, options)
    const twin = database ? await startTestService(engine, options) : service
    const brand = await service.createBrand()
    const receiver = new Receiver()
    await createWebhook(service, brand, { url: receiver.url, events: ['poll.integrity_alert'] })
    const poll: PollData = await service.createPoll(brand)
    const calm = await service.createPoll(brand)
    let address = 0
    const stuff = async (votes: number) => {
      // Another each time: limits count by real time.
      const from = `192.0.2.${++address}`
      const each = (i: number) =>
        (i % 2 ? twin : service).post(`polls/${poll.slug}/votes`, {
          device: randomUUID(),
          json: { option: 'A' },
          headers: { 'X-Forwarded-For': from },
        })
      await Promise.all(Array.from({ length: votes }, (_, i) => each(i)))
      await service.vote(calm.slug, 'A')
      for (const one of new Set([service, twin])) one.clock.advance(MINUTE)
      await Promise.all([...new Set([service, twin])].map((one) => one.runDue()))
      await service.runDue()
    }
    const moveTo = (intoHour: number) => {
      for (const one of new Set([service, twin])) one.clock.advance(HOUR + intoHour - (one.clock.now() % HOUR))
    }
    moveTo(HOUR / 2)
    await stuff(120)
    await stuff(20)
    const told = () =>
      receiver.received.map(
        ({ payload }) => payload as unknown as { type: string; data: ReportData & { poll: object } },
      )
    expect(told().map(({ type, data }) => [type, data.poll])).toEqual([
      ['poll.integrity_alert', { id: poll.id, slug: poll.slug }],
    ])
    expect(told()[0]?.data.score).toBeGreaterThanOrEqual(60)
    expect(told()[0]?.data.reasons[0]).toBe('One network cast 100 % of the votes.')
    moveTo(HOUR / 2 + 5 * MINUTE)
    await stuff(120)
    expect(told()).toHaveLength(2)
    // Counted in the last half minute of an hour, and stored in the next.
    moveTo(HOUR - MINUTE / 2)
    await stuff(120)
    expect(told()).toHaveLength(3)
    await receiver.stop()
    if (twin !== service) await twin.stop()
    await service.stop()
    await database?.drop()
  }, 60_000)
})
