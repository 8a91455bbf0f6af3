import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import pg from 'pg'
import { findPostgres, OwnPostgres } from './crash/own-postgres.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { createDatabase } from './own-database.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

setDefaultTimeout(60_000)

const programs = engines.includes('postgres') ? await findPostgres() : null
/** One for the votes and one for notices of each of two servers, two of the test, and two for everything else. */
const CONNECTIONS = 8

describe.if(programs !== null)('two servers with more connections than PostgreSQL has room for', () => {
  let postgres: OwnPostgres
  let admin: pg.Client
  let servers: TestService[]
  let brand: TestBrand
  let poll: PollData

  beforeAll(async () => {
    postgres = await OwnPostgres.create(programs ?? '')
    await postgres.start([`max_connections=${CONNECTIONS}`, 'superuser_reserved_connections=0', 'max_wal_senders=0'])
    const database = await createDatabase(postgres.url)
    admin = new pg.Client({ connectionString: postgres.url })
    await admin.connect()
    const settings = { DATABASE_URL: database.url, DATABASE_POOL: '12' }
    servers = [await startTestService('sqlite', { settings, jobs: 'by hand' })]
    brand = await one().createBrand()
    poll = await one().createPoll(brand)
    servers.push(await startTestService('sqlite', { settings, jobs: 'by hand' }))
  })
  afterAll(async () => {
    for (const server of servers) await server.stop()
    await admin.end()
    await postgres.remove()
  })

  const one = (at = 0): TestService => servers[at % servers.length] as TestService
  const read = (at: number) => one(at).get('brands/me', { token: brand.token })

  test('answer every read and every vote', async () => {
    const reads = Array.from({ length: 60 }, (_, at) => read(at))
    const votes = Array.from({ length: 60 }, (_, at) => one(at).vote(poll.slug, 'A'))
    for (const { status } of await Promise.all(reads)) expect(status).toBe(200)
    for (const { status } of await Promise.all(votes)) expect(status).toBe(201)
  })

  test('store votes again when all connections were lost, though requests take every free one first', async () => {
    const reading = new AbortController()
    const readOn = async (at: number) => {
      while (!reading.signal.aborted) await read(at)
    }
    const readers = Array.from({ length: 20 }, (_, at) => readOn(at))
    const ended = await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tossup'`,
    )
    expect(ended.rowCount).toBeGreaterThan(4)
    for (const at of [0, 1]) {
      await eventually(async () => (await one(at).vote(poll.slug, 'B')).status === 201)
    }
    reading.abort()
    await Promise.all(readers)
  })
})
