import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { sql } from 'kysely'
import { engines } from '../../test/engines.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import type { Engine, Tx } from './store.ts'
import { transaction } from './transaction.ts'

/** Two rows to fight for. */
const LOW = '0'.repeat(32)
const HIGH = 'f'.repeat(32)
const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))

const seenAt = (tx: Pick<Tx, 'selectFrom'>, device: string) =>
  tx.selectFrom('guests').select('last_seen_at').where('device', '=', bytes(device)).executeTakeFirstOrThrow()

const raise = (tx: Tx, device: string) =>
  tx
    .updateTable('guests')
    .set((row) => ({ last_seen_at: row('last_seen_at', '+', 1) }))
    .where('device', '=', bytes(device))
    .execute()

const totalOf = async ({ db }: Engine): Promise<number> =>
  (await seenAt(db, LOW)).last_seen_at + (await seenAt(db, HIGH)).last_seen_at

describe.each([...engines])('%s: transaction', (name) => {
  let service: TestService
  let engine: Engine

  beforeAll(async () => {
    service = await startTestService(name)
    engine = service.deps.engine
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    const rows = [LOW, HIGH].map((device) => ({ device: bytes(device), first_seen_at: 0, last_seen_at: 0 }))
    await engine.db.insertInto('guests').values(rows).execute()
  })
  afterEach(async () => {
    await engine.db.deleteFrom('guests').execute()
  })

  test('gives back what the work gives, and keeps what it wrote', async () => {
    expect(await transaction(engine, async (tx) => (await raise(tx, LOW)).length)).toBe(1)
    expect(await totalOf(engine)).toBe(1)
  })

  test('keeps nothing of a work that fails, and does not run it again', async () => {
    let runs = 0
    const failing = transaction(engine, async (tx) => {
      runs++
      await raise(tx, LOW)
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect([runs, await totalOf(engine)]).toEqual([1, 0])
  })

  test('100 at once in one order all come through, none twice', async () => {
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
    test('runs again what lost a deadlock', async () => {
      let runs = 0
      const bothIn = Promise.withResolvers<void>()
      const crossing = (first: string, second: string) =>
        transaction(engine, async (tx) => {
          await raise(tx, first)
          if (++runs === 2) bothIn.resolve()
          await bothIn.promise
          await raise(tx, second)
        })
      await Promise.all([crossing(LOW, HIGH), crossing(HIGH, LOW)])
      expect([runs, await totalOf(engine)]).toEqual([3, 4])
    })

    test('runs again what could not be put in an order', async () => {
      let runs = 0
      const bothHaveRead = Promise.withResolvers<void>()
      const copyOver = (from: string, to: string) =>
        transaction(engine, async (tx) => {
          if (runs < 2) await sql`set transaction isolation level serializable`.execute(tx)
          const { last_seen_at } = await seenAt(tx, from)
          if (++runs === 2) bothHaveRead.resolve()
          await bothHaveRead.promise
          await tx
            .updateTable('guests')
            .set({ last_seen_at: last_seen_at + 1 })
            .where('device', '=', bytes(to))
            .execute()
        })
      await Promise.all([copyOver(LOW, HIGH), copyOver(HIGH, LOW)])
      expect([runs, await totalOf(engine)]).toEqual([3, 3])
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
      await Bun.sleep(20)
      expect(isOver).toBe(false)
      other.run('rollback')
      await waiting
      expect(await totalOf(engine)).toBe(1)
    })

    test('gives up when that goes on, with the reason, and is whole afterwards', async () => {
      other.run('begin immediate')
      let runs = 0
      const hasty = { ...engine, patienceMs: 50 }
      const error = await transaction(hasty, async () => runs++).catch((reason) => reason)
      other.run('rollback')
      expect([runs, engine.isBusy(error)]).toEqual([0, true])
      await transaction(engine, (tx) => raise(tx, HIGH))
      expect(await totalOf(engine)).toBe(1)
    })

    test('says that the disk is full, and is whole afterwards', async () => {
      const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(engine.db)
      await sql.raw(`pragma max_page_count = ${rows[0]?.page_count}`).execute(engine.db)
      const device = (i: number) => new Uint8Array(Buffer.from(String(i).padStart(16, '0')))
      const tooMuch = transaction(engine, async (tx) => {
        for (let i = 0; i < 5_000; i++) {
          await tx
            .insertInto('guests')
            .values({ device: device(i), first_seen_at: 1, last_seen_at: 1 })
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
})
