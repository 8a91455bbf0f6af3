import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { pollKeyOf } from '../../test/ballot-box.ts'
import { engines } from '../../test/engines.ts'
import { createDatabase, type OwnDatabase } from '../../test/own-database.ts'
import { startTestService, type TestBrand, type TestService } from '../../test/service.ts'
import { transaction } from '../db/transaction.ts'
import { checkDatabase, countByTallies } from './check-database.ts'

describe.each([...engines])('%s: the votes that a manifest counts', (engine) => {
  let service: TestService
  let brand: TestBrand
  let database: OwnDatabase | null
  beforeAll(async () => {
    database = engine === 'postgres' ? await createDatabase() : null
    service = await startTestService(engine, { ...(database ? { database } : {}), jobs: 'by hand' })
    brand = await service.createBrand()
  })
  afterAll(async () => {
    await service.stop()
    await database?.drop()
  })

  const select = async <Row>(query: string) => (await sql.raw<Row>(query).execute(service.db)).rows
  const counted = async () => (await countByTallies(select))['votes']
  const stored = async () => (await checkDatabase(select, engine)).counts['votes']

  async function pollWithVotes(votes: number): Promise<number> {
    const poll = await service.createPoll(brand)
    for (let vote = 0; vote < votes; vote++) await service.vote(poll.slug, vote % 2 === 0 ? 'A' : 'B')
    return pollKeyOf(service, poll)
  }

  test('are those of the tallies, and of a deleted poll those that are not yet removed', async () => {
    expect([await counted(), await stored()]).toEqual([0, 0])
    await pollWithVotes(3)
    await pollWithVotes(0)
    const deleted = await pollWithVotes(4)
    expect([await counted(), await stored()]).toEqual([7, 7])

    await transaction(service.deps.engine, async (tx) => {
      await tx.updateTable('polls').set({ deleted_at: 1 }).where('key', '=', deleted).execute()
      await tx.deleteFrom('votes').where('poll_key', '=', deleted).where('position', '>', 1).execute()
    })
    expect([await counted(), await stored()]).toEqual([4, 4])
    await service.runDue()
    expect([await counted(), await stored()]).toEqual([3, 3])
  })

  test('are counted without reading the votes of other polls', async () => {
    const key = await pollWithVotes(2)
    const before = (await counted()) ?? 0
    await service.db.updateTable('tallies').set({ option_a: 1_001 }).where('poll_key', '=', key).execute()
    expect(await counted()).toBe(before + 1_000)
    const { wrongPolls, counts } = await checkDatabase(select, engine)
    expect([wrongPolls.length, counts['votes']]).toEqual([1, before])
  })
})
