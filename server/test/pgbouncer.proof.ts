import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { prepared } from '../src/db/prepared.ts'
import { openSnapshot } from '../src/db/snapshots/open-snapshot.ts'
import { createCampaign } from './campaigns.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { asAdmin, createDatabase, type OwnDatabase } from './own-database.ts'
import { canPrepare, pgbouncer, startPgbouncer } from './own-pgbouncer.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { createWebhook } from './webhooks.ts'

setDefaultTimeout(60_000)

const canRun = engines.includes('postgres') && pgbouncer !== null

const MODES = [
  { mode: 'without prepared statements', isPreparing: false, own: { DATABASE_PREPARE: 'false' } },
  ...(canPrepare ? [{ mode: 'with prepared statements', isPreparing: true, own: {} }] : []),
]

/** More clients than connections: a statement that one client prepares is executed on the connections of others. */
describe.if(canRun).each(MODES)('behind PgBouncer in transaction mode, $mode', ({ isPreparing, own }) => {
  let database: OwnDatabase
  let pooler: Awaited<ReturnType<typeof startPgbouncer>>
  let services: TestService[]
  let brand: TestBrand

  beforeAll(async () => {
    database = await createDatabase()
    pooler = await startPgbouncer(database.url, { isPreparing })
    const settings = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: database.url, ...own }
    services = []
    for (const _ of ['first', 'second', 'third']) services.push(await startTestService('sqlite', { settings }))
    brand = await one().createBrand()
  })
  afterAll(async () => {
    for (const service of services) await service.stop()
    await pooler.stop()
    await database.drop()
  })

  const one = (at = 0): TestService => services[at % services.length] as TestService

  test('migrations, votes, steps of campaigns, their events and lists work, and each vote counts once', async () => {
    await createWebhook(one(), brand, { events: ['poll.voted', 'campaign.step_completed'] })
    const polls = await Promise.all(['a', 'b', 'c'].map((title) => one().createPoll(brand, { title })))
    await createCampaign(one(), brand, polls)
    const devices = Array.from({ length: 40 }, () => randomUUID())
    const statuses: number[] = []
    // Few at once, because a busy machine would answer 503 to many behind three connections.
    const voters = Array.from({ length: 8 }, async (_, at) => {
      for (const device of devices.filter((__, i) => i % 8 === at)) {
        const votes = polls.flatMap(({ slug }) => [
          one(at).vote(slug, 'A', device),
          one(at + 1).vote(slug, 'B', device),
        ])
        statuses.push(...(await Promise.all(votes)).map(({ status }) => status))
        expect((await one(at).get(`brands/${brand.slug}/polls?order=popular`)).status).toBe(200)
      }
    })
    await Promise.all(voters)
    const times = (status: number) => statuses.filter((each) => each === status).length
    expect([times(201), times(409)]).toEqual([120, 120])
    const { rows } =
      await sql`select (select count(*) from votes) as votes, (select sum(option_a + option_b)::int from tallies) as counted,
      (select count(*) from campaign_respondents) as respondents`.execute(one().db)
    expect(rows).toEqual([{ votes: 120, counted: 120, respondents: 40 }])
  })

  test('a change through one process is seen through the others', async () => {
    const poll = await one(0).createPoll(brand)
    await one(1).get(`polls/${poll.slug}`)
    await one(0).write('PATCH', `brands/me/polls/${poll.slug}`, { token: brand.token, json: { title: 'Changed' } })
    await eventually(async () => (await one(1).get<PollData>(`polls/${poll.slug}`)).body.data.title === 'Changed')
  })

  test('statements are prepared by name only where the pooler knows them, and settings of transactions stay within them', async () => {
    const seen = async () =>
      (
        await sql<{
          prepared: number
          votes: number
          timeout: string
        }>`select (select count(*) from pg_prepared_statements) as prepared,
          (select count(*) from pg_prepared_statements where statement like '%cast_ballots%') as votes,
          (select reset_val from pg_settings where name = 'statement_timeout') as timeout`.execute(one().db)
      ).rows
    const rows = (await Promise.all(Array.from({ length: 12 }, seen))).flat()
    for (const { timeout } of rows) expect(timeout).toBe('0')
    expect(rows.some(({ prepared }) => prepared > 0)).toBe(isPreparing)
    expect(rows.some(({ votes }) => votes > 0)).toBe(isPreparing)
  })

  test('a read goes on after a migration has changed its columns', async () => {
    await asAdmin(database.url, 'create table things as select 1 as key')
    const read = async () => (await sql`select * from things ${prepared}`.execute(one().db)).rows
    const readOften = () => Promise.all(Array.from({ length: 12 }, read))
    expect(await readOften()).toEqual(new Array(12).fill([{ key: 1 }]))
    for (const size of [1, 2]) {
      await asAdmin(database.url, `alter table things add column size${size} int`)
      for (const [row] of await readOften()) expect(row).toHaveProperty(`size${size}`)
    }
  })

  test('a backup reads through the direct address', async () => {
    const snapshot = await openSnapshot(one().deps.config)
    const counted = await snapshot.select<{ votes: number }>('select count(*)::int as votes from votes')
    const locked = await snapshot.select<{ held: number }>(
      `select count(*)::int as held from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`,
    )
    await snapshot.close()
    expect([counted, locked]).toEqual([[{ votes: 120 }], [{ held: 0 }]])
  })
})
