import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { engines } from '../../test/engines.ts'
import { createDatabase, type OwnDatabase } from '../../test/own-database.ts'
import { migrate } from './migrate.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
import type { Engine } from './store.ts'

describe.each([...engines])('%s: migrate', (name) => {
  let database: OwnDatabase | null
  let folder: string
  let engine: Engine

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tossup-test-'))
    database = name === 'postgres' ? await createDatabase() : null
    engine = database ? openPostgres(database.url, () => undefined) : openSqlite(folder)
  })
  afterAll(async () => {
    await engine.close()
    await database?.drop()
    await rm(folder, { recursive: true })
  })

  test('applies what is missing, once', async () => {
    expect(await migrate(engine, 7)).toEqual(['0001-core.sql'])
    expect(await migrate(engine, 8)).toEqual([])
    const { rows } = await sql`select name, applied_at from migrations`.execute(engine.db)
    expect(rows).toEqual([{ name: '0001-core.sql', applied_at: 7 }])
  })

  test('leaves nothing behind when it fails half-way', async () => {
    const failure = engine.whileMigrating(async (tx) => {
      await engine.runScript(tx, 'create table half_way (key text primary key); insert into no_such_table values (1)')
    })
    await expect(failure).rejects.toThrow('no_such_table')
    await expect(sql`select * from half_way`.execute(engine.db)).rejects.toThrow('half_way')
  })

  test('refuses a database that a newer program has changed, and changes nothing itself', async () => {
    await sql`insert into migrations (name, applied_at) values ('9999-future.sql', 1)`.execute(engine.db)
    await expect(migrate(engine, 9)).rejects.toThrow('newer than this program: it has the migration 9999-future.sql')
  })
})
