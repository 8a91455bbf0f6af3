import { sql } from 'kysely'
import type { Db } from '../src/db/store.ts'

interface Row {
  readonly poll_key?: number
}

const VARIANTS = ['variants_due_at', 'variants_tried', 'variant_widths']

/** Of these tables, what the worker may change in between. */
const CHANGING: Readonly<Record<string, readonly string[]>> = {
  polls: ['popularity', 'is_emptied'],
  files: VARIANTS,
  webhooks: ['last_delivery_at', 'failing_since', 'leased_by', 'leased_until'],
  webhook_deliveries: ['status', 'attempts', 'next_attempt_at'],
}

/** Bytes as characters, so that what is readable in them can be found. */
const readable = (row: object, except: readonly string[]) =>
  Object.entries(row)
    .filter(([name]) => !except.includes(name))
    .map(([name, value]) => [name, value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value])

/**
 * All rows of all tables, so that two moments can be compared; without what the worker may change in between:
 * popularity, the variants of pictures, how far deliveries have come, the votes of deleted polls and that they are gone.
 * `device_votes` shows what `votes` holds.
 */
export async function dumpTables(db: Db, { except = [] }: { except?: readonly string[] } = {}) {
  const deleted = await db.selectFrom('polls').select('key').where('deleted_at', 'is not', null).execute()
  const isSwept = ({ poll_key }: Row) => deleted.some(({ key }) => key === poll_key)
  const dump: Record<string, string[]> = {}
  for (const { name } of await db.introspection.getTables()) {
    if (['webhook_attempts', 'device_votes', ...except].includes(name)) continue
    const { rows } = await sql<Row>`select * from ${sql.table(name)}`.execute(db)
    const kept = rows.filter((row) => !isSwept(row)).map((row) => JSON.stringify(readable(row, CHANGING[name] ?? [])))
    dump[name] = kept.sort()
  }
  return dump
}
