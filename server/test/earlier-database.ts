import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { migrationNames, migrationScript } from '../src/db/migrate.ts'
import type { OpenedEngine } from '../src/db/store.ts'

/** The first release had these. */
const FIRST = 5

/** The script writes bytes in SQLite's notation. */
const bytesOfPostgres = (script: string) => script.replace(/\bx'(\w*)'/g, "'\\x$1'::bytea")

/** Turns an empty database into one of the first release, with rows in each table. */
export async function makeEarlierDatabase(engine: OpenedEngine): Promise<void> {
  const rows = readFileSync(new URL('first-rows.sql', import.meta.url), 'utf8')
  await engine.whileMigrating(async (tx) => {
    await sql`create table migrations (name text primary key, applied_at bigint not null)`.execute(tx)
    for (const name of migrationNames().slice(0, FIRST)) {
      await engine.runScript(tx, migrationScript(name, engine))
      await sql`insert into migrations (name, applied_at) values (${name}, 1)`.execute(tx)
    }
    await engine.runScript(tx, engine.name === 'postgres' ? bytesOfPostgres(rows) : rows)
  })
}
