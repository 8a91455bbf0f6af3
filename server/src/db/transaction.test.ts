import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { sql } from 'kysely'
import { CITUS_URL } from '../../test/citus-database.ts'
import { engines } from '../../test/engines.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import type { Engine, Tx } from './store.ts'
import { onCommit, relaxedTransaction, transaction } from './transaction.ts'

/** Two rows that transactions lock in different orders. */
const LOW = 1
const HIGH = 2

const emptyTally = (poll_key: number) => ({ poll_key, option_a: 0, option_b: 0, version: 0, updated_at: 0 })

const countOf = (tx: Pick<Tx, 'selectFrom'>, key: number) =>
  tx.selectFrom('tallies').select('version').where('poll_key', '=', key).executeTakeFirstOrThrow()

const raise = (tx: Tx, key: number) =>
  tx
    .updateTable('tallies')
    .set((row) => ({ version: row('version', '+', 1) }))
    .where('poll_key', '=', key)
    .execute()

const totalOf = async ({ db }: Engine): Promise<number> =>
  (await countOf(db, LOW)).version + (await countOf(db, HIGH)).version

describe.each([...engines])('%s: transaction', (name) => {
  let service: TestService
  let engine: Engine

  beforeAll(async () => {
    service = await startTestService(name)
    engine = service.deps.engine
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    await engine.db.insertInto('tallies').values([LOW, HIGH].map(emptyTally)).execute()
  })
  afterEach(async () => {
    await engine.db.deleteFrom('tallies').execute()
  })

  test('returns the result of the work, and commits what it wrote', async () => {
    expect(await transaction(engine, async (tx) => (await raise(tx, LOW)).length)).toBe(1)
    expect(await totalOf(engine)).toBe(1)
  })

  test('rolls back work that fails, and does not run it again', async () => {
    let runs = 0
    const failing = transaction(engine, async (tx) => {
      runs++
      await raise(tx, LOW)
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect([runs, await totalOf(engine)]).toEqual([1, 0])
  })

  test('100 at once in the same lock order all succeed, each once', async () => {
    await Promise.all(
      Array.from({ length: 100 }, () =>
        transaction(engine, async (tx) => {
          for (const device of [LOW, HIGH]) await raise(tx, device)
        }),
      ),
    )
    expect(await totalOf(engine)).toBe(200)
  })

  if (name === 'postgres') {
    test('retries work that lost a deadlock', async () => {
      let runs = 0
      const bothIn = Promise.withResolvers<void>()
      const crossing = (first: number, second: number) =>
        transaction(engine, async (tx) => {
          await raise(tx, first)
          if (++runs === 2) bothIn.resolve()
          await bothIn.promise
          await raise(tx, second)
        })
      await Promise.all([crossing(LOW, HIGH), crossing(HIGH, LOW)])
      // The repetition may lock LOW again before the other one wakes up, and lose a second deadlock.
      expect(runs).toBeGreaterThanOrEqual(3)
      expect(await totalOf(engine)).toBe(4)
    })

    // Citus serializes on each worker by itself.
    test.if(CITUS_URL === null)('retries work that failed to serialize', async () => {
      let runs = 0
      const bothHaveRead = Promise.withResolvers<void>()
      const copyOver = (from: number, to: number) =>
        transaction(engine, async (tx) => {
          await sql`set transaction isolation level serializable`.execute(tx)
          const { version } = await countOf(tx, from)
          if (++runs === 2) bothHaveRead.resolve()
          await bothHaveRead.promise
          await tx
            .updateTable('tallies')
            .set({ version: version + 1 })
            .where('poll_key', '=', to)
            .execute()
        })
      await Promise.all([copyOver(LOW, HIGH), copyOver(HIGH, LOW)])
      // One of the two is repeated, at least once: it may begin again before the other one has committed. Then it has read what the other wrote.
      expect(runs).toBeGreaterThanOrEqual(3)
      expect(await totalOf(engine)).toBe(3)
    })

    test('gives up after five times, with the reason', async () => {
      let runs = 0
      const failing = transaction(engine, async (tx) => {
        runs++
        await sql`do $$ begin raise exception 'no' using errcode = '40001'; end $$`.execute(tx)
      })
      const error = await failing.catch((reason) => reason)
      expect([runs, engine.isBusy(error)]).toEqual([5, true])
    })
  } else {
    let other: Database
    beforeAll(async () => {
      other = new Database(join(service.deps.config.dataDir, 'tossup.sqlite'))
    })
    afterAll(() => other.close())

    test('waits for another process that writes', async () => {
      other.run('begin immediate')
      let isOver = false
      const waiting = transaction(engine, (tx) => raise(tx, LOW)).then(() => {
        isOver = true
      })
      // Real time: long enough to show that the transaction has not ended.
      await Bun.sleep(20)
      expect(isOver).toBe(false)
      other.run('rollback')
      await waiting
      expect(await totalOf(engine)).toBe(1)
    })

    test('gives up when that process goes on, with the reason, and works again afterwards', async () => {
      other.run('begin immediate')
      let runs = 0
      const hasty = { ...engine, patienceMs: 50 }
      const error = await transaction(hasty, async () => runs++).catch((reason) => reason)
      other.run('rollback')
      expect([runs, engine.isBusy(error)]).toEqual([0, true])
      await transaction(engine, (tx) => raise(tx, HIGH))
      expect(await totalOf(engine)).toBe(1)
    })

    test('reports a full disk, and works again afterwards', async () => {
      const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(engine.db)
      await sql.raw(`pragma max_page_count = ${rows[0]?.page_count}`).execute(engine.db)
      const tooMuch = transaction(engine, async (tx) => {
        for (let i = 0; i < 5_000; i++) {
          await tx
            .insertInto('tallies')
            .values(emptyTally(10 + i))
            .execute()
        }
      })
      const error = await tooMuch.catch((reason) => reason)
      await sql`pragma max_page_count = 1000000`.execute(engine.db)
      expect([error.code, engine.isUnavailable(error)]).toEqual(['SQLITE_FULL', true])
      expect(await totalOf(engine)).toBe(0)
      await transaction(engine, (tx) => raise(tx, HIGH))
      expect(await totalOf(engine)).toBe(1)
    })
  }

  test('runs onCommit callbacks after the commit, once, and never after a failure', async () => {
    const seen: string[] = []
    const following = (tx: Tx) => onCommit(tx, () => void seen.push('after'))
    await transaction(engine, async (tx) => {
      following(tx)
      await raise(tx, LOW)
      seen.push('inside')
    })
    expect(seen).toEqual(['inside', 'after'])
    const failing = transaction(engine, async (tx) => {
      following(tx)
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(seen).toHaveLength(2)
  })

  test('that is relaxed commits and rolls back as any other, and the next one waits for the disk again', async () => {
    const before = await totalOf(engine)
    await relaxedTransaction(engine, (tx) => raise(tx, LOW))
    const failing = relaxedTransaction(engine, async (tx) => {
      await raise(tx, HIGH)
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await totalOf(engine)).toBe(before + 1)
    const setting = name === 'sqlite' ? sql`pragma synchronous` : sql`show synchronous_commit`
    const { rows } = await transaction(engine, (tx) => setting.execute(tx))
    expect(Object.values(rows[0] as object)).toEqual([name === 'sqlite' ? 2 : 'on'])
  })
})
