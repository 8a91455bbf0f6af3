import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import type { Ballot } from '../src/db/vote-store.ts'
import { decide } from '../src/features/votes/decide.ts'
import { newDevice, pollKeyOf } from './ballot-box.ts'
import { createCampaign } from './campaigns.ts'
import { CITUS_URL } from './citus-database.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { createDatabase } from './own-database.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'
import { StatementWatch } from './statement-watch.ts'
import { castMany } from './voters.ts'

const STORED = 30_000
const CAST = 40

// On Citus the coordinator has no statistics of the rows that its workers read.
describe.if(engines.includes('postgres') && CITUS_URL === null)('postgres: the plans that find a vote', () => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    // The jobs read rows too.
    service = await startTestService('postgres', { jobs: 'by hand' })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const voteOn = async (slug: string) => expect((await service.vote(slug, 'A', randomUUID())).status).toBe(201)

  /** Rows of votes read by sequential scans, until more than `stored` votes have been inserted. */
  async function rowsReadInARow(slug: string, stored: number): Promise<number> {
    for (;;) {
      // A connection reports its statistics at its next statement, at most once a second.
      await voteOn(slug)
      const { rows } = await sql<{ inserted: number; read: number }>`select n_tup_ins as inserted, seq_tup_read as read
        from pg_stat_user_tables where relname = 'votes'`.execute(service.db)
      if ((rows[0]?.inserted ?? 0) > stored) return rows[0]?.read ?? 0
      // Real time: PostgreSQL updates its statistics once a second.
      // Real time: PostgreSQL publishes its statistics about once a second.
      await Bun.sleep(100)
    }
  }

  /** Rows of counts read in any way, once this many have been changed. */
  async function countsRead(slug: string, changed: number) {
    for (;;) {
      await voteOn(slug)
      const { rows } = await sql<{ changed: number; read: number }>`
        select n_tup_upd as changed, seq_tup_read + coalesce(idx_tup_fetch, 0) as read
        from pg_stat_user_tables where relname = 'vote_counts'`.execute(service.db)
      const [row] = rows
      if (row && row.changed >= changed) return row
      // Real time: PostgreSQL publishes its statistics about once a second.
      await Bun.sleep(100)
    }
  }

  test('leads to the counts of its minute and hour alone, also with such a plan', async () => {
    const poll = await service.createPoll(brand)
    const addCounts = async (pollKey: RawBuilder<unknown>, minutes: number) =>
      sql`insert into vote_counts (poll_key, width, at, option_a, option_b)
        select ${pollKey}, 60000, n * 60000, 1, 1 from generate_series(1, ${minutes}::int) as n`.execute(service.db)
    // Counts of other polls: with few rows, all plans cost the same.
    await addCounts(sql`-n`, 1_000)
    for (let i = 0; i < CAST; i++) await voteOn(poll.slug)
    await addCounts(sql`${await pollKeyOf(service, poll)}`, STORED)
    const before = await countsRead(poll.slug, CAST)
    for (let i = 0; i < CAST; i++) await voteOn(poll.slug)
    expect((await countsRead(poll.slug, before.changed + CAST)).read - before.read).toBeLessThan(STORED)
  })

  test('is by the key, also with a plan that was made for an empty table', async () => {
    const poll = await service.createPoll(brand)
    for (let i = 0; i < CAST; i++) await voteOn(poll.slug)
    await castMany(service, await pollKeyOf(service, poll), STORED)
    const before = await rowsReadInARow(poll.slug, CAST + STORED)
    for (let i = 0; i < CAST; i++) await voteOn(poll.slug)
    expect((await rowsReadInARow(poll.slug, 2 * CAST + STORED)) - before).toBeLessThan(STORED)
  })
})

const TABLES = ['polls', 'tallies', 'votes', 'vote_counts', 'campaign_polls', 'campaign_respondents']

describe.if(engines.includes('postgres') && CITUS_URL === null)('postgres: the function that casts a group', () => {
  test.each([
    ['all rows', true],
    ['empty tables', false],
  ])('reads none of the other votes on a poll in a campaign, with statistics of %s', async (_, isAnalyzed) => {
    const database = await createDatabase()
    const service = await startTestService('sqlite', { settings: { DATABASE_URL: database.url }, jobs: 'by hand' })
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    for (const table of TABLES) await client.query(`alter table ${table} set (autovacuum_enabled = off)`)
    await client.query(`vacuum analyze ${TABLES.join()}`)

    const brand = await service.createBrand()
    const poll = await service.createPoll(brand)
    await createCampaign(service, brand, [poll, await service.createPoll(brand)])
    const pollKey = await pollKeyOf(service, poll)
    let stored = 0
    const cast = async (size = 1) => {
      const ballots = Array.from({ length: size }, (): Ballot => ({ pollKey, device: newDevice(), option: 'A' }))
      await service.deps.engine.votes.commit(ballots, (facts) => decide(ballots, facts), { mayDecideInDatabase: true })
      stored += size
    }
    /** Rows read from all these tables. A connection reports its reads at its next statement, at most once a second. */
    const rowsRead = async () => {
      for (;;) {
        await cast()
        const { rows } = await client.query(`select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read,
          (sum(n_tup_ins) filter (where relname = 'votes'))::int as inserted
          from pg_stat_user_tables where relname in ('${TABLES.join("', '")}')`)
        if (rows[0].inserted >= stored) return rows[0].read as number
        // Real time: PostgreSQL publishes its statistics about once a second.
        await Bun.sleep(100)
      }
    }

    for (let i = 0; i < 10; i++) await cast()
    await cast(STORED)
    // Polls have few votes on average, and are in few campaigns.
    await client.query(`insert into votes (poll_key, position, device, option, voted_at)
      select 1000000 + i / 20, 1 + i % 20, decode(md5(i::text), 'hex'), 'A', 0 from generate_series(1, ${STORED}) as i`)
    await client.query(`insert into campaign_polls (campaign_key, poll_key, place, walked_to, walk_end)
      select 1000000 + i / 10, 1000000 + i, 1, 0, 0 from generate_series(1, ${STORED}) as i`)
    stored += STORED
    if (isAnalyzed) await client.query(`analyze ${TABLES.join()}`)
    const before = await rowsRead()
    for (let i = 0; i < 10; i++) await cast()
    expect((await rowsRead()) - before).toBeLessThan(STORED)

    await client.end()
    await service.stop()
    await database.drop()
  })
})

// SQLite uses a partial index only if the statement contains the index's condition as a constant.
test.if(engines.includes('sqlite'))('sqlite: due notices of counts are found by a partial index', async () => {
  const watch = new StatementWatch()
  const service = await startTestService('sqlite')
  const looked = () => watch.seen.find(({ text }) => /^select .* from "tally_notices"/.test(text))
  await eventually(looked)
  watch.stop()
  const plan = sql<{ detail: string }>`explain query plan ${sql.raw(looked()?.text.replaceAll('?', '1') ?? '')}`
  const { rows } = await plan.execute(service.db)
  expect(rows.map(({ detail }) => detail)).toEqual([expect.stringContaining('USING INDEX tally_notices_due')])
  await service.stop()
})
