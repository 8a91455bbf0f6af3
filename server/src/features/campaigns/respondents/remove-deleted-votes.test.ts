import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { pollKeyOf } from '../../../../test/ballot-box.ts'
import { engines } from '../../../../test/engines.ts'
import { createDatabase, type OwnDatabase } from '../../../../test/own-database.ts'
import { startTestService, type TestBrand, type TestService } from '../../../../test/service.ts'
import { untilDone } from '../../../../test/until-done.ts'
import { transaction } from '../../../db/transaction.ts'
import { removeDeletedVotes } from './remove-deleted-votes.ts'

/** Lets a run go on to its end. */
const stopped = () => 0

describe.each([...engines])('%s: votes of deleted polls', (name) => {
  let service: TestService
  let brand: TestBrand
  let database: OwnDatabase | null
  beforeAll(async () => {
    database = name === 'postgres' ? await createDatabase() : null
    service = await startTestService(name, { ...(database ? { database } : {}), jobs: 'by hand' })
    brand = await service.createBrand()
  })
  afterAll(async () => {
    await service.stop()
    await database?.drop()
  })

  /** Deletes the poll and its state in one transaction, so that the service's own worker finds nothing to do first. */
  async function deletedPoll(votes: number): Promise<number> {
    const key = await pollKeyOf(service, await service.createPoll(brand))
    const device = name === 'sqlite' ? sql`cast(printf('%016d', n) as blob)` : sql`decode(md5(n::text), 'hex')`
    await service.db.transaction().execute(async (tx) => {
      await sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(votes)})
        insert into votes (poll_key, device, option, voted_at, position)
        select ${sql.lit(key)}, ${device}, 'A', 1, n from numbers`.execute(tx)
      await sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(votes)})
        insert into vote_counts (poll_key, width, at, option_a, option_b)
        select ${sql.lit(key)}, 60000, cast(n as bigint) * 60000, 1, 0 from numbers`.execute(tx)
      await tx.updateTable('polls').set({ deleted_at: 1 }).where('key', '=', key).execute()
    })
    return key
  }

  async function left(keys: readonly number[]): Promise<[votes: number, tallies: number, counts: number]> {
    const votes = await service.db.selectFrom('votes').select('device').where('poll_key', 'in', keys).execute()
    const tallies = await service.db.selectFrom('tallies').selectAll().where('poll_key', 'in', keys).execute()
    const counts = await service.db.selectFrom('vote_counts').select('at').where('poll_key', 'in', keys).execute()
    return [votes.length, tallies.length, counts.length]
  }

  test('one run removes the votes of several polls, and several batches of one poll', async () => {
    const keys = [await deletedPoll(4_500), await deletedPoll(1), await deletedPoll(2_000)]
    expect(await removeDeletedVotes(service.deps.engine, stopped)).toBe(false)
    expect(await left(keys)).toEqual([0, 0, 0])
  })

  test('a poll whose votes are all removed is not read again, also one that another program emptied', async () => {
    const [emptied, done] = [await deletedPoll(1), await deletedPoll(1)]
    const isEmptied = async (key: number) =>
      (
        await service.db
          .selectFrom('polls')
          .select('is_emptied')
          .where('key', '=', key)
          .where('deleted_at', 'is not', null)
          .executeTakeFirstOrThrow()
      ).is_emptied
    for (const table of ['votes', 'vote_counts', 'tallies'] as const)
      await service.db.deleteFrom(table).where('poll_key', '=', emptied).execute()
    await untilDone(() => removeDeletedVotes(service.deps.engine))
    expect([await isEmptied(emptied), await isEmptied(done)]).toEqual([1, 1])
    // Rows restored behind the job's back show that the job did not look again.
    await service.db
      .insertInto('tallies')
      .values({ poll_key: done, option_a: 0, option_b: 0, version: 0, updated_at: 1 })
      .execute()
    await untilDone(() => removeDeletedVotes(service.deps.engine))
    expect((await left([done]))[1]).toBe(1)
  })

  test.if(name === 'postgres')('the statistics of a table that was just emptied make no removal slow', async () => {
    const { engine } = service.deps
    await deletedPoll(20_000)
    await removeDeletedVotes(engine, stopped)
    // Autovacuum does the same. PostgreSQL then plans for a single row.
    for (const table of ['votes', 'vote_counts'] as const) await sql`analyze ${sql.table(table)}`.execute(service.db)
    const key = await deletedPoll(20_000)
    await removeDeletedVotes(engine, stopped)
    expect(await left([key])).toEqual([0, 0, 0])
  })

  test("the removal of a large poll's votes does not delay reads and votes", async () => {
    const poll = await service.createPoll(brand)
    // A hundred batches: on a busy machine a vote takes the time of some thirty of them.
    const key = await deletedPoll(100_000)
    let isOver = false
    const removed = removeDeletedVotes(service.deps.engine, stopped).then(() => {
      isOver = true
    })
    expect((await service.vote(poll.slug, 'A')).status).toBe(201)
    expect(isOver).toBe(false)
    await removed
    expect(await left([key])).toEqual([0, 0, 0])
  })

  test.if(name === 'postgres')('a server does not wait for another one that removes votes', async () => {
    const key = await deletedPoll(1)
    const { engine } = service.deps
    await transaction(engine, async (tx) => {
      expect(await engine.tryLock(tx, 'deleted votes')).toBe(true)
      await engine.lockPollsWithVotes(tx, [key])
      expect(await removeDeletedVotes(engine)).toBe(false)
    })
    expect((await left([key]))[0]).toBe(1)
    await untilDone(() => removeDeletedVotes(engine))
    expect(await left([key])).toEqual([0, 0, 0])
  })

  test('several runs at once on one poll leave no vote behind', async () => {
    const other = database ? await startTestService(name, { database, jobs: 'by hand' }) : service
    const key = await deletedPoll(10_000)
    const both = [service.deps.engine, other.deps.engine]
    while ((await left([key]))[1] > 0) await Promise.all(both.map((engine) => removeDeletedVotes(engine)))
    expect(await left([key])).toEqual([0, 0, 0])
    if (other !== service) await other.stop()
  })
})
