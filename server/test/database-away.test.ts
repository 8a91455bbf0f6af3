import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { engines, redisUrl } from './engines.ts'
import { createDatabase, type OwnDatabase } from './own-database.ts'
import { errorMessage, startupNames } from './postgres-wire.ts'
import { type PollData, type Reply, startTestService, type TestBrand, type TestService } from './service.ts'
import { TcpProxy } from './tcp-proxy.ts'

setDefaultTimeout(30_000)

function expectUnavailable({ status, headers, body, text }: Reply): void {
  expect([status, body.error?.code]).toEqual([503, 'UNAVAILABLE'])
  expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
  expect(headers.get('cache-control')).toBe('private, no-store')
  expect(text).not.toMatch(/ECONN|postgres|127\.0\.0\.1|terminated/i)
}

describe.if(engines.includes('postgres'))('while PostgreSQL is away', () => {
  let database: OwnDatabase
  let proxy: TcpProxy
  let service: TestService
  let brand: TestBrand
  let poll: PollData

  beforeAll(async () => {
    database = await createDatabase()
    proxy = new TcpProxy(database.url)
    await proxy.open()
    // A setting of the driver's own: how long it waits for a server that says nothing.
    service = await startTestService('sqlite', { settings: { DATABASE_URL: `${proxy.url}?query_timeout=1000` } })
    brand = await service.createBrand()
    poll = await service.createPoll(brand)
  })
  afterAll(async () => {
    await service.stop()
    await proxy.close()
    await database.drop()
  })

  const askEverything = () =>
    Promise.all([
      service.get('/readyz'),
      service.get(`brands/${brand.slug}/polls`),
      service.get('brands/me/polls', { token: brand.token }),
      service.vote(poll.slug, 'A'),
      service.write('PATCH', `brands/me/polls/${poll.slug}`, { token: brand.token, json: { tags: ['x'] } }),
      service.post('auth/token/refresh', { json: { refreshToken: 'x' } }),
    ])

  async function expectBack(): Promise<void> {
    while ((await service.get('/readyz')).status !== 200) await Bun.sleep(10)
    const statuses = (await askEverything()).map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 200, 201, 200, 401])
  }

  test('everything is 503, liveness is not, and all comes back by itself', async () => {
    await proxy.close()
    for (const reply of await askEverything()) expectUnavailable(reply)
    expect((await service.get('/livez')).status).toBe(200)
    for (const reply of await askEverything()) expectUnavailable(reply)
    await proxy.open()
    await expectBack()
  })

  test('votes that are cut off in mid-air are counted as their answers say, and a repeat finds out', async () => {
    const before = (await service.get<PollData>(`polls/${poll.slug}`)).body.data.tallies.total
    const devices = Array.from({ length: 300 }, () => randomUUID())
    const casting = devices.map((device) => service.vote(poll.slug, 'B', device))
    await Promise.any(casting)
    await proxy.close()
    const replies = await Promise.all(casting)
    for (const reply of replies.filter(({ status }) => status !== 201)) expectUnavailable(reply)
    await proxy.open()
    await expectBack()
    const again = await Promise.all(devices.map((device) => service.vote(poll.slug, 'B', device)))
    for (const [i, { status }] of again.entries()) {
      expect(status === 409 || (status === 201 && replies[i]?.status === 503)).toBe(true)
    }
    const after = (await service.get<PollData>(`polls/${poll.slug}`)).body.data.tallies.total
    // The one more is of expectBack.
    expect(after).toBe(before + devices.length + 1)
  })

  test('a server that ends every session, used and idle ones: the next ones take their place', async () => {
    const admin = new pg.Client({ connectionString: database.url })
    await admin.connect()
    const casting = Array.from({ length: 100 }, () => service.vote(poll.slug, 'A'))
    await Promise.any(casting)
    await admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await admin.end()
    for (const reply of await Promise.all(casting)) if (reply.status !== 201) expectUnavailable(reply)
    await expectBack()
  })

  const refusals: [string, string][] = [
    ['55000', 'database "tossup" is not currently accepting connections'],
    ['57P03', 'the database system is starting up'],
    ['53300', 'sorry, too many clients already'],
    ['28000', 'role "tossup" is not permitted to log in'],
    ['08P01', 'server login has been failing, try again later'],
    ['XX001', 'could not read a page'],
  ]
  test.each(refusals)(
    'a server that refuses connections with %s: everything is 503, and comes back',
    async (code, text) => {
      await proxy.close()
      proxy.refuse(() => errorMessage(code, text))
      await proxy.open()
      for (const reply of await askEverything()) expectUnavailable(reply)
      proxy.refuse(() => null)
      await expectBack()
    },
  )

  test('a network that swallows everything is 503 in the end, and what waited is let go', async () => {
    proxy.silence(true)
    for (const reply of await askEverything()) expectUnavailable(reply)
    proxy.silence(false)
    const startedAt = performance.now()
    await expectBack()
    expect(performance.now() - startedAt).toBeLessThan(900)
  })
})

/** PgBouncer takes these and no others, unless it is told to ignore what it would lose. */
const POOLED = ['user', 'database', 'application_name', 'client_encoding', 'replication']

test.if(engines.includes('postgres'))(
  'a pooler that refuses settings at the start of a connection is no hindrance',
  async () => {
    const database = await createDatabase()
    const proxy = new TcpProxy(database.url)
    await proxy.open()
    proxy.refuse((first) => {
      const unknown = startupNames(first).find((name) => !POOLED.includes(name))
      return unknown === undefined ? null : errorMessage('08P01', `unsupported startup parameter: ${unknown}`)
    })
    const service = await startTestService('sqlite', { settings: { DATABASE_URL: proxy.url } })
    const { slug } = await service.createPoll(await service.createBrand())
    expect((await service.vote(slug, 'A')).status).toBe(201)
    await service.stop()
    await proxy.close()
    await database.drop()
  },
)

describe.if(redisUrl !== null)('while Redis is away', () => {
  test('limits hold in the process, and are shared again afterwards', async () => {
    const proxy = new TcpProxy(redisUrl ?? '')
    await proxy.open()
    const service = await startTestService('sqlite', {
      settings: { REDIS_URL: proxy.url, VOTES_PER_MINUTE: '2', LOG_LEVEL: 'info' },
    })
    try {
      const brand = await service.createBrand()
      const polls = await Promise.all(Array.from({ length: 6 }, () => service.createPoll(brand)))
      const device = randomUUID()
      const votes = async (from: number, to: number) => {
        const statuses: number[] = []
        for (const { slug } of polls.slice(from, to)) statuses.push((await service.vote(slug, 'A', device)).status)
        return statuses
      }
      expect(await votes(0, 2)).toEqual([201, 201])
      await proxy.close()
      expect(await votes(2, 5)).toEqual([201, 201, 429])
      await proxy.open()
      const remaining = async () => (await service.vote('no-such-poll', 'A', randomUUID())).headers.get('ratelimit')
      while (!service.logLines.join('').includes('Redis is back')) await remaining()
      expect(await votes(5, 6)).toEqual([429])
    } finally {
      await service.stop()
      await proxy.close()
    }
  })
})
