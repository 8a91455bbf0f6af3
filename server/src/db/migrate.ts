import { readdirSync, readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { PlainFailure } from '../base/errors.ts'
import { migrationSql } from './migration-sql.ts'
import { ADOPTION, BASELINE, isBeforeBaseline } from './squashed-migrations.ts'
import type { OpenedEngine, Tx } from './store.ts'

const FOLDER = new URL('../../migrations/', import.meta.url)

/** Applies the missing migrations, in order and in one transaction; returns their names. */
export async function migrate(engine: OpenedEngine, now: number): Promise<string[]> {
  const names = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  return engine.whileMigrating(async (tx) => {
    const before = await appliedNames(tx)
    const adopted = isBeforeBaseline(engine.name, before) ? BASELINE : []
    if (adopted.length > 0) await adoptBaseline(engine, tx)
    const applied = adopted.length > 0 ? [] : before
    const unknown = applied.findLast((name) => !names.includes(name))
    if (unknown) throw new PlainFailure(`The database is newer than this program: it has the migration ${unknown}.`)
    const missing = names.filter((name) => !applied.includes(name))
    for (const name of missing) {
      if (!adopted.includes(name)) await runFile(engine, tx, name)
      await sql`insert into migrations (name, applied_at) values (${name}, ${now})`.execute(tx)
    }
    return missing
  })
}

async function adoptBaseline(engine: OpenedEngine, tx: Tx): Promise<void> {
  await runFile(engine, tx, ADOPTION)
  await sql`delete from migrations`.execute(tx)
}

const runFile = (engine: OpenedEngine, tx: Tx, name: string): Promise<void> =>
  engine.runScript(tx, migrationSql(name, readFileSync(new URL(name, FOLDER), 'utf8'), engine))

async function appliedNames(tx: Tx): Promise<string[]> {
  await sql`create table if not exists migrations (name text primary key, applied_at bigint not null)`.execute(tx)
  const { rows } = await sql<{ name: string }>`select name from migrations order by name`.execute(tx)
  return rows.map((row) => row.name)
}
