import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { OpenedEngine } from '../src/db/store.ts'

const fixture = (name: string) => readFileSync(new URL(`squashed-migrations/${name}`, import.meta.url), 'utf8')

/** The script writes bytes in SQLite's notation. */
const bytesOfPostgres = (script: string) => script.replace(/\bx'(\w*)'/g, "'\\x$1'::bytea")

/** Turns an empty database into one of the last version before the baseline, with rows in each table. */
export async function makeEarlierDatabase(engine: OpenedEngine): Promise<void> {
  const schema = fixture(`${engine.name}.sql`)
  const rows = fixture('rows.sql')
  await engine.whileMigrating(async (tx) => {
    await engine.runScript(tx, schema)
    await engine.runScript(tx, engine.name === 'postgres' ? bytesOfPostgres(rows) : rows)
    await sql`create table migrations (name text primary key, applied_at bigint not null)`.execute(tx)
    for (const [, name] of schema.matchAll(/^-- (\d{4}-.*\.sql)$/gm)) {
      await sql`insert into migrations (name, applied_at) values (${name}, 1)`.execute(tx)
    }
  })
}
