import { readdirSync, readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { PlainFailure } from '../base/errors.ts'
import type { Engine, Tx } from './store.ts'

/** Applies what is missing, in order and in one transaction; returns the names applied now. */
export async function migrate(engine: Engine, now: number): Promise<string[]> {
  const folder = new URL(`../../migrations/${engine.name}/`, import.meta.url)
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  return engine.whileMigrating(async (tx) => {
    const applied = await appliedMigrations(tx)
    const unknown = applied.find((name) => !names.includes(name))
    if (unknown) throw new PlainFailure(`The database is newer than this program: it has the migration ${unknown}.`)
    const missing = names.filter((name) => !applied.includes(name))
    for (const name of missing) {
      await engine.runScript(tx, readFileSync(new URL(name, folder), 'utf8'))
      await sql`insert into migrations (name, applied_at) values (${name}, ${now})`.execute(tx)
    }
    return missing
  })
}

async function appliedMigrations(tx: Tx): Promise<string[]> {
  await sql`create table if not exists migrations (name text primary key, applied_at bigint not null)`.execute(tx)
  const { rows } = await sql<{ name: string }>`select name from migrations`.execute(tx)
  return rows.map((row) => row.name)
}
