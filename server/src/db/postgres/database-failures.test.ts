import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { engines } from '../../../test/engines.ts'
import { createDatabase, type OwnDatabase } from '../../../test/own-database.ts'
import { byKey } from '../prepared.ts'
import type { Engine } from '../store.ts'
import { openPostgres } from './engine.ts'

const LATER = [
  ...['08000', '08001', '08003', '08004', '08006', '08007', '08P01', '28000', '28P01', '3D000'],
  ...['53000', '53100', '53200', '53300', '53400', '55000', '55006', '55P02', '55P03', '55P04'],
  ...['57000', '57014', '57P01', '57P02', '57P03', '57P04', '57P05', '58000', '58030', '58P01'],
  ...['25006', '25P03', '25P04', '26000', '42P05', 'XX001', 'XX002'],
]
/** Our own mistakes, and transactions that lost to another one. */
const NOT_UNAVAILABLE = [
  '23505',
  '22021',
  '22P02',
  '25P02',
  '40001',
  '40P01',
  '42601',
  '42P01',
  '54000',
  'P0001',
  'XX000',
]

describe.if(engines.includes('postgres'))('what PostgreSQL answers', () => {
  let database: OwnDatabase
  let engine: Engine
  beforeAll(async () => {
    database = await createDatabase()
    engine = openPostgres(database.url, () => undefined).ready()
  })
  afterAll(async () => {
    await engine.close()
    await database.drop()
  })

  const raise = (code: string, message = 'as told'): Promise<Error & { code?: string }> =>
    sql
      .raw(`do $$ begin raise exception '${message}' using errcode = '${code}'; end $$`)
      .execute(engine.db)
      .then(() => new Error('nothing was raised'))
      .catch((error) => error)

  test.each(LATER)('%s is answered 503 with Retry-After', async (code) => {
    const error = await raise(code)
    expect([error.code, engine.isUnavailable(error)]).toEqual([code, true])
  })

  test.each(NOT_UNAVAILABLE)('%s is not answered 503', async (code) => {
    const error = await raise(code)
    expect([error.code, engine.isUnavailable(error)]).toEqual([code, false])
  })

  test.each([
    ['XX000', 'could not find valid entry for shard 102013'],
    ['42P01', 'relation "votes_102013" does not exist'],
  ])('%s, where a table has just moved to the workers of Citus, is answered 503', async (code, message) => {
    expect(engine.isUnavailable(await raise(code, message))).toBe(true)
    expect(engine.isUnavailable(await raise(code, message.replace('_102013', '').replace('102013', '')))).toBe(false)
  })

  test('XX000, where a worker of Citus is away, is answered 503', async () => {
    const error = await raise('XX000', 'failure on connection marked as essential: worker-1:5432')
    expect([error.code, engine.isUnavailable(error)]).toEqual(['XX000', true])
  })

  test('a lock timeout, a deadlock and a unique violation are distinguished', async () => {
    const judged = async (code: string) => {
      const error = await raise(code)
      return [engine.isHeld(error), engine.isBusy(error), engine.isTaken(error)]
    }
    expect(await judged('55P03')).toEqual([true, false, false])
    expect(await judged('40P01')).toEqual([false, true, false])
    expect(await judged('40001')).toEqual([false, true, false])
    expect(await judged('23505')).toEqual([false, false, true])
    expect(await judged('57014')).toEqual([false, false, false])
  })

  test('a failing statement outside of a transaction leaves nothing, and the connection stays usable', async () => {
    await sql`create table kept (value int unique)`.execute(engine.db)
    const twice = sql`insert into kept values (1), (1)`.execute(engine.db)
    await expect(twice).rejects.toMatchObject({ code: '23505' })
    await sql`insert into kept values (2)`.execute(engine.db)
    expect((await sql<{ value: number }>`select value from kept`.execute(engine.db)).rows).toEqual([{ value: 2 }])
  })

  const limits = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'random_page_cost']
  const shown = sql<{ values: string[] }>`
    select array[${sql.join(limits.map((name) => sql`current_setting(${name})`))}] as values`

  test('a statement that is to be planned by key is, alone and in a transaction, and no other one', async () => {
    const joins = sql<{ joins: string }>`select current_setting('enable_hashjoin') as joins`
    const planned = sql<{ joins: string }>`${byKey} ${joins}`
    expect((await planned.execute(engine.db)).rows).toEqual([{ joins: 'off' }])
    expect((await joins.execute(engine.db)).rows).toEqual([{ joins: 'on' }])
    await engine.db.transaction().execute(async (tx) => {
      expect((await planned.execute(tx)).rows).toEqual([{ joins: 'off' }])
      expect((await joins.execute(tx)).rows).toEqual([{ joins: 'on' }])
    })
  })

  test('every statement has a time limit, alone or in a transaction, except in a migration', async () => {
    const expected = [{ values: ['8s', '2s', '5s', '1.1'] }]
    expect((await shown.execute(engine.db)).rows).toEqual(expected)
    expect((await engine.db.transaction().execute((tx) => shown.execute(tx))).rows).toEqual(expected)
    expect((await engine.relaxed((tx) => shown.execute(tx))).rows).toEqual(expected)
    const patient = await engine.whileMigrating((tx) => shown.execute(tx))
    expect(patient.rows[0]?.values.slice(0, 3)).toEqual(['0', '0', '0'])
  })

  test('a statement that takes too long is cancelled by the server, and leads to 503 with Retry-After', async () => {
    const startedAt = performance.now()
    const error = await sql`select pg_sleep(20)`.execute(engine.db).catch((reason) => reason)
    expect([error.code, engine.isUnavailable(error)]).toEqual(['57014', true])
    // No sooner than its limit; the code says that the server did not wait for the end of the sleep.
    expect(performance.now() - startedAt).toBeGreaterThan(7_900)
  })
})
