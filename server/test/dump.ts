import { sql } from 'kysely'
import type { Db } from '../src/db/store.ts'

interface Row {
  readonly poll_key?: number
  readonly popularity?: number
}

/** Bytes as characters, so that what is readable in them can be found. */
const readable = (row: object) =>
  Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
  ])

/**
 * All rows of all tables, so that two moments can be compared; without what the worker may change in between:
 * popularity, and the votes of deleted polls.
 */
export async function dumpTables(db: Db, { except = [] }: { except?: readonly string[] } = {}) {
  const deleted = await db.selectFrom('polls').select('key').where('deleted_at', 'is not', null).execute()
  const isSwept = ({ poll_key }: Row) => deleted.some(({ key }) => key === poll_key)
  const dump: Record<string, string[]> = {}
  for (const { name } of await db.introspection.getTables()) {
    if (except.includes(name)) continue
    const { rows } = await sql<Row>`select * from ${sql.table(name)}`.execute(db)
    const kept = rows.filter((row) => !isSwept(row)).map(({ popularity: _, ...row }) => JSON.stringify(readable(row)))
    dump[name] = kept.sort()
  }
  return dump
}
