import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { engines, enginesWithTriggers, redisUrl } from './engines.ts'
import { eventually } from './eventually.ts'
import { LoopTime } from './loop-time.ts'
import { ADMIN_URL, asAdmin, createDatabase, type OwnDatabase } from './own-database.ts'
import { errorMessage, startupNames } from './postgres-wire.ts'
import { type PollData, type Reply, startTestService, type TestBrand, type TestService } from './service.ts'
import { TcpProxy } from './tcp-proxy.ts'

setDefaultTimeout(60_000)

/** Long enough to tell a request that waits for it from one that a busy machine slows down. */
const QUERY_TIMEOUT_MS = 3_000

function expectUnavailable({ status, headers, body, text }: Reply): void {
  expect([status, body.error?.code]).toEqual([503, 'UNAVAILABLE'])
  expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
  // Answers of the routes of tokens are stored by nobody.
  expect(headers.get('cache-control')).toMatch(/^(?:private, )?no-store$/)
  expect(text).not.toMatch(/ECONN|postgres|127\.0\.0\.1|terminated/i)
}

describe.if(engines.includes('postgres'))('while PostgreSQL is away', () => {
  let database: OwnDatabase
  let proxy: TcpProxy
  let service: TestService
  let brand: TestBrand
  let poll: PollData

  beforeAll(async () => {
    // A busy machine may take longer than this timeout for the statements of a migration.
    database = await createDatabase()
    proxy = new TcpProxy(database.url)
    await proxy.open()
    // The driver's own timeout for a server that does not answer.
    service = await startTestService('sqlite', {
      settings: { DATABASE_URL: `${proxy.url}?query_timeout=${QUERY_TIMEOUT_MS}` },
    })
    brand = await service.createBrand()
    poll = await service.createPoll(brand)
  })
  afterAll(async () => {
    await service.stop()
    await proxy.close()
    await database.drop()
  })

  async function askEverything(): Promise<Reply[]> {
    // A vote that fails ends the second for which an earlier answer of /readyz is kept.
    const vote = await service.vote(poll.slug, 'A')
    return Promise.all([
      service.get('/readyz'),
      service.get(`brands/${brand.slug}/polls`),
      service.get('brands/me/polls', { token: brand.token }),
      vote,
      service.write('PATCH', `brands/me/polls/${poll.slug}`, { token: brand.token, json: { tags: ['x'] } }),
      service.post('auth/token/refresh', { json: { refreshToken: 'x' } }),
    ])
  }

  async function expectBack(): Promise<void> {
    await eventually(async () => (await service.get('/readyz')).status === 200)
    const statuses = (await askEverything()).map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 200, 201, 200, 401])
  }

  test('every request is 503, /livez is 200, and all recover without a restart', async () => {
    await proxy.close()
    for (const reply of await askEverything()) expectUnavailable(reply)
    expect((await service.get('/livez')).status).toBe(200)
    for (const reply of await askEverything()) expectUnavailable(reply)
    await proxy.open()
    await expectBack()
  })

  test('votes whose connection breaks are counted as their answers say, and a repeat tells the voter', async () => {
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
    // The additional vote is that of expectBack.
    expect(after).toBe(before + devices.length + 1)
  })

  test('a database server that ends every session is connected to again', async () => {
    const admin = new pg.Client({ connectionString: database.url })
    await admin.connect()
    const casting = Array.from({ length: 100 }, () => service.vote(poll.slug, 'A'))
    await Promise.any(casting)
    await admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await admin.end()
    // The last one may meet a session whose end the server has not read yet.
    const last = service.vote(poll.slug, 'A')
    for (const reply of await Promise.all([...casting, last])) if (reply.status !== 201) expectUnavailable(reply)
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
    'while connections are refused with %s every request is 503, and later recovers',
    async (code, text) => {
      await proxy.close()
      proxy.refuse(() => errorMessage(code, text))
      await proxy.open()
      for (const reply of await askEverything()) expectUnavailable(reply)
      proxy.refuse(() => null)
      await expectBack()
    },
  )

  test('a network that drops all packets leads to 503, and waiting requests are released', async () => {
    proxy.silence(true)
    for (const reply of await askEverything()) expectUnavailable(reply)
    proxy.silence(false)
    const time = new LoopTime()
    await expectBack()
    time.stop()
    expect(time.now()).toBeLessThan(QUERY_TIMEOUT_MS)
  })
})

/** The startup parameters that PgBouncer accepts. It refuses all others, because it would lose them. */
const POOLED = ['user', 'database', 'application_name', 'client_encoding', 'replication']

test.if(enginesWithTriggers.includes('postgres'))(
  'votes and writes wait for the disk, also where the database has that turned off',
  async () => {
    const database = await createDatabase()
    await asAdmin(ADMIN_URL, `alter database ${new URL(database.url).pathname.slice(1)} set synchronous_commit = off`)
    const service = await startTestService('postgres', { database })
    const { slug } = await service.createPoll(await service.createBrand())
    for (const statement of [
      'create table seen (setting text)',
      `create function see() returns trigger language plpgsql as
      $$ begin insert into seen values (current_setting('synchronous_commit')); return new; end $$`,
      'create trigger see before insert on votes for each row execute function see()',
      'create trigger see before insert on polls for each row execute function see()',
    ])
      await sql.raw(statement).execute(service.db)
    expect((await service.vote(slug, 'A')).status).toBe(201)
    await service.createPoll(await service.createBrand())
    const { rows } = await sql`select setting from seen`.execute(service.db)
    expect(rows).toEqual([{ setting: 'on' }, { setting: 'on' }])
    await service.stop()
    await database.drop()
  },
)

test.if(engines.includes('postgres'))('a pooler that refuses startup parameters is supported', async () => {
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
})

describe.if(redisUrl !== null)('while Redis is away', () => {
  test('limits are kept in the process, and shared again afterwards', async () => {
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
      while (!service.logLines.join('').includes('Redis is reachable again')) await remaining()
      expect(await votes(5, 6)).toEqual([429])
    } finally {
      await service.stop()
      await proxy.close()
    }
  })
})
