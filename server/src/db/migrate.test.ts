import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { sql } from 'kysely'
import { catalogOf } from '../../test/catalog.ts'
import { type EmptyDatabase, emptyDatabase } from '../../test/empty-database.ts'
import { engines } from '../../test/engines.ts'
import { migrate } from './migrate.ts'
import { BASELINE } from './squashed-migrations.ts'
import type { OpenedEngine } from './store.ts'

const names = readdirSync(new URL('../../migrations/', import.meta.url))
  .filter((name) => name.endsWith('.sql'))
  .sort()

test('the baseline comes first', () => {
  expect(names.slice(0, BASELINE.length)).toEqual([...BASELINE])
})

describe.each([...engines])('%s: migrate', (name) => {
  let database: EmptyDatabase
  let engine: OpenedEngine
  beforeAll(async () => {
    database = await emptyDatabase(name)
    engine = database.engine
  })
  afterAll(() => database.remove())

  test('applies every migration to an empty database, once', async () => {
    expect(await migrate(engine, 7)).toEqual(names)
    expect(await migrate(engine, 8)).toEqual([])
    const { rows } = await sql`select name, applied_at from migrations order by name`.execute(engine.db)
    expect(rows).toEqual(names.map((each) => ({ name: each, applied_at: 7 })))
  })

  test('leaves nothing behind when it fails half-way', async () => {
    const failure = engine.whileMigrating(async (tx) => {
      await engine.runScript(tx, 'create table half_way (key text primary key); insert into no_such_table values (1)')
    })
    await expect(failure).rejects.toThrow('no_such_table')
    await expect(sql`select * from half_way`.execute(engine.db)).rejects.toThrow('half_way')
  })

  test('accepts a migration without a statement for this engine', async () => {
    const before = await catalogOf(engine)
    await engine.whileMigrating((tx) => engine.runScript(tx, '\n-- nothing\n\n'))
    expect(await catalogOf(engine)).toEqual(before)
  })

  test('refuses a database that a newer version has migrated, and changes nothing', async () => {
    await sql`insert into migrations (name, applied_at) values ('9999-future.sql', 1)`.execute(engine.db)
    const before = await catalogOf(engine)
    await expect(migrate(engine, 9)).rejects.toThrow(
      'The database is newer than this version of Tossup: it has the migration 9999-future.sql.',
    )
    expect(await catalogOf(engine)).toEqual(before)
  })
})
