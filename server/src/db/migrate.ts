import { sql } from 'kysely'
import { PlainFailure } from '../base/errors.ts'
import { migrationTexts } from '../base/own-texts.ts'
import { changedTables } from './changed-tables.ts'
import { migrationSql } from './migration-sql.ts'
import { ADOPTION, BASELINE, isBeforeBaseline } from './squashed-migrations.ts'
import type { OpenedEngine, Tx } from './store.ts'

function textOf(name: string): string {
  const text = migrationTexts()[name]
  if (text === undefined) throw new Error(`there is no migration ${name}`)
  return text
}

/** The names of all migrations of this version, in their order. */
export const migrationNames = (): string[] => Object.keys(migrationTexts()).filter((name) => !name.includes('/'))

/** The SQL of a migration for one engine. */
export const migrationScript = (name: string, engine: Pick<OpenedEngine, 'name' | 'dialect'>): string =>
  migrationSql(name, textOf(name), engine)

/** Derived from votes, or meaningless in another database. */
const NOT_ARCHIVED = ['fresh_votes', 'vote_prints', 'readiness']

/** Those of these tables that an archive holds, each after those to which it refers. An operator may have others beside them. */
export function archivedTables(found: readonly string[]): string[] {
  const created = migrationNames().flatMap((name) => [...textOf(name).matchAll(/^create table (\w+) \(/gm)])
  const names = new Set(created.map(([, name = '']) => name))
  return [...names].filter((name) => found.includes(name) && !NOT_ARCHIVED.includes(name))
}

/** `beforeUpgrade` runs before a database that has rows is changed, while nobody else can write. */
interface Options {
  readonly beforeUpgrade?: () => void
}

/** Applies the missing migrations in order, in one transaction, and returns their names. */
export async function migrate(engine: OpenedEngine, now: number, { beforeUpgrade }: Options = {}): Promise<string[]> {
  const names = migrationNames()
  return engine.whileMigrating(async (tx) => {
    const before = await appliedNames(tx)
    const adopted = isBeforeBaseline(engine.name, before) ? BASELINE : []
    const applied = adopted.length > 0 ? [] : before
    assertNotNewer(applied, names)
    const missing = names.filter((name) => !applied.includes(name))
    const adoption = adopted.length > 0 ? [ADOPTION] : []
    const files = [...adoption, ...missing.filter((name) => !adopted.includes(name))]
    if (before.length > 0 && files.length > 0) {
      await engine.lockTables(tx, changedTables(files.map((name) => migrationScript(name, engine))))
      beforeUpgrade?.()
    }
    for (const file of files) await engine.runScript(tx, migrationScript(file, engine))
    if (adopted.length > 0) await sql`delete from migrations`.execute(tx)
    for (const name of missing) {
      await sql`insert into migrations (name, applied_at) values (${name}, ${now})`.execute(tx)
    }
    return missing
  })
}

function assertNotNewer(applied: readonly string[], names: readonly string[]): void {
  const unknown = applied.findLast((name) => !names.includes(name))
  if (unknown) {
    throw new PlainFailure(
      `The database is newer than this version of Tossup: it has the migration ${unknown}. Start the newer version, or go back as docs/guides/upgrade.md says.`,
    )
  }
}

async function appliedNames(tx: Tx): Promise<string[]> {
  await sql`create table if not exists migrations (name text primary key, applied_at bigint not null)`.execute(tx)
  const { rows } = await sql<{ name: string }>`select name from migrations order by name`.execute(tx)
  return rows.map((row) => row.name)
}
