import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { engines } from '../../../test/engines.ts'
import { createDatabase, type OwnDatabase } from '../../../test/own-database.ts'
import { prepared } from '../prepared.ts'
import type { Tables } from '../tables.ts'
import { limitedPool } from './limited-pool.ts'
import { LIMITS } from './transaction-settings.ts'

describe.if(engines.includes('postgres'))('postgres: a statement that is marked as prepared', () => {
  let database: OwnDatabase
  let db: Kysely<Tables>

  beforeAll(async () => {
    database = await createDatabase()
    const pool = new pg.Pool({ connectionString: database.url, max: 1, pipeline: true })
    // The end of the pool does not wait until the server has closed its connections, which the drop then cuts.
    pool.on('error', () => undefined)
    db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: limitedPool(pool, LIMITS) }) })
    await sql`create table things (key int, name text)`.execute(db)
    await sql`insert into things values (1, 'one'), (2, 'two')`.execute(db)
  })
  afterAll(async () => {
    await db.destroy()
    await database.drop()
  })

  const find = async (key: number, on: Kysely<Tables> = db) =>
    (await sql`select * from things where key = ${key} ${prepared}`.execute(on)).rows
  const plans = async () =>
    (
      await sql<{ name: string }>`select name from pg_prepared_statements where statement like '%from things%'
      order by prepare_time`.execute(db)
    ).rows.map(({ name }) => name)

  test('keeps its plan on the connection, and gives the rows of each execution', async () => {
    expect(await find(1)).toEqual([{ key: 1, name: 'one' }])
    expect(await find(2)).toEqual([{ key: 2, name: 'two' }])
    expect(await plans()).toEqual(['tossup-1'])
  })

  test('is prepared again when a migration has changed its columns', async () => {
    await sql`alter table things add column size int not null default 3`.execute(db)
    expect(await find(1)).toEqual([{ key: 1, name: 'one', size: 3 }])
    expect(await find(2)).toEqual([{ key: 2, name: 'two', size: 3 }])
    expect(await plans()).toEqual(['tossup-1', 'tossup-2'])
  })

  test('fails as every other statement does', async () => {
    await expect(sql`select * from missing ${prepared}`.execute(db)).rejects.toThrow('"missing" does not exist')
    expect(await find(1)).toHaveLength(1)
  })

  test('is sent once when the database does not support it', async () => {
    await sql`create sequence calls`.execute(db)
    await sql`create function refused() returns void language plpgsql as $$ begin
      perform nextval('calls'); raise exception 'no' using errcode = '0A000'; end $$`.execute(db)
    await expect(sql`select refused() ${prepared}`.execute(db)).rejects.toThrow('no')
    expect((await sql`select last_value, is_called from calls`.execute(db)).rows).toEqual([
      { last_value: '1', is_called: true },
    ])
  })

  test('is not named in a transaction, which cannot be tried again', async () => {
    await db.transaction().execute(async (tx) => expect(await find(2, tx)).toHaveLength(1))
    expect(await plans()).toEqual(['tossup-1', 'tossup-2'])
  })
})
