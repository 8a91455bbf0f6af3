import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { pollKeyOf } from './ballot-box.ts'
import { engines } from './engines.ts'
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

  /** What was read of the votes by going through all of them, up to the vote that makes them more than `stored`. */
  async function rowsReadInARow(slug: string, stored: number): Promise<number> {
    for (;;) {
      // A connection tells what it did when it next does something, once a second at most.
      await voteOn(slug)
      const { rows } = await sql<{ inserted: number; read: number }>`select n_tup_ins as inserted, seq_tup_read as read
        from pg_stat_user_tables where relname = 'votes'`.execute(service.db)
      if ((rows[0]?.inserted ?? 0) > stored) return rows[0]?.read ?? 0
      await Bun.sleep(100)
    }
  }

  test('by its key, also where the plan was made when there were none', async () => {
    const poll = await service.createPoll(brand)
    for (let i = 0; i < CAST; i++) await voteOn(poll.slug)
    await castMany(service, await pollKeyOf(service, poll), STORED)
    const before = await rowsReadInARow(poll.slug, CAST + STORED)
    for (let i = 0; i < CAST; i++) await voteOn(poll.slug)
    expect((await rowsReadInARow(poll.slug, 2 * CAST + STORED)) - before).toBeLessThan(STORED)
  })
})

// SQLite takes an index of a part of the rows only where the statement says with a constant which part is meant.
test.if(engines.includes('sqlite'))(
  'sqlite: which counts are to be told of is found by an index of these alone',
  async () => {
    const watch = new StatementWatch()
    const service = await startTestService('sqlite')
    const looked = () => watch.seen.find(({ text }) => /^select .* from "tally_notices"/.test(text))
    while (!looked()) await Bun.sleep(10)
    watch.stop()
    const plan = sql<{ detail: string }>`explain query plan ${sql.raw(looked()?.text.replaceAll('?', '1') ?? '')}`
    const { rows } = await plan.execute(service.db)
    expect(rows.map(({ detail }) => detail)).toEqual([expect.stringContaining('USING INDEX tally_notices_due')])
    await service.stop()
  },
)
