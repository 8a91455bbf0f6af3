import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { openDump } from '../src/db/open-dump.ts'
import { createCampaign } from './campaigns.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { createDatabase, type OwnDatabase } from './own-database.ts'
import { pgbouncer, startPgbouncer } from './own-pgbouncer.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { createWebhook } from './webhooks.ts'

setDefaultTimeout(60_000)

const canRun = engines.includes('postgres') && pgbouncer !== null

/** More clients than connections: without the setting, statements would be prepared on one and executed on another. */
describe.if(canRun)('behind PgBouncer in transaction mode, without prepared statements', () => {
  let database: OwnDatabase
  let pooler: Awaited<ReturnType<typeof startPgbouncer>>
  let services: TestService[]
  let brand: TestBrand

  beforeAll(async () => {
    database = await createDatabase()
    pooler = await startPgbouncer(database.url)
    const settings = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: database.url, DATABASE_PREPARE: 'false' }
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

  test('no statement was prepared by name, and settings of transactions stay within them', async () => {
    const seen = async () =>
      (
        await sql<{
          prepared: number
          timeout: string
        }>`select (select count(*) from pg_prepared_statements) as prepared,
          (select reset_val from pg_settings where name = 'statement_timeout') as timeout`.execute(one().db)
      ).rows
    const rows = await Promise.all(Array.from({ length: 12 }, seen))
    for (const row of rows.flat()) expect(row).toEqual({ prepared: 0, timeout: '0' })
  })

  test('a backup reads through the direct address', async () => {
    const dump = await openDump(one().deps.config)
    const counted = await dump.select<{ votes: number }>('select count(*)::int as votes from votes')
    const locked = await dump.select<{ held: number }>(
      `select count(*)::int as held from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`,
    )
    await dump.close()
    expect([counted, locked]).toEqual([[{ votes: 120 }], [{ held: 0 }]])
  })
})
