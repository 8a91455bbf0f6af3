import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { pollKeyOf } from './ballot-box.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'
import { StatementWatch } from './statement-watch.ts'
import { castMany } from './voters.ts'

const STORED = 30_000
const CAST = 40

describe.if(engines.includes('postgres'))('postgres: how a vote is looked for', () => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService('postgres')
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
      await Bun.sleep(100)
    }
  }

  test('is by the key, also with a plan that was made for an empty table', async () => {
    const poll = await service.createPoll(brand)
    for (let i = 0; i < CAST; i++) await voteOn(poll.slug)
    await castMany(service, await pollKeyOf(service, poll), STORED)
    const before = await rowsReadInARow(poll.slug, CAST + STORED)
    for (let i = 0; i < CAST; i++) await voteOn(poll.slug)
    expect((await rowsReadInARow(poll.slug, 2 * CAST + STORED)) - before).toBeLessThan(STORED)
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
