import { sql } from 'kysely'
import type { Db } from '../src/db/store.ts'

interface Row {
  readonly poll_key?: number
}

const VARIANTS = ['variants_due_at', 'variants_tried', 'variant_widths']

/** The columns of these tables that the worker may change in between. */
const CHANGING: Readonly<Record<string, readonly string[]>> = {
  polls: ['popularity', 'vote_total', 'is_emptied', 'mixed_uses'],
  campaigns: ['funnel_completed'],
  campaign_polls: ['funnel_to', 'funnel_respondents'],
  // When they were last used, to the minute.
  apps: ['last_used_at'],
  sessions: ['last_seen_at', 'expires_at'],
  files: VARIANTS,
  webhooks: ['last_delivery_at', 'failing_since', 'leased_by', 'leased_until'],
  webhook_deliveries: ['status', 'attempts', 'next_attempt_at'],
}

/** Bytes as characters, so that readable text in them can be found. */
const readable = (row: object, except: readonly string[]) =>
  Object.entries(row)
    .filter(([name]) => !except.includes(name))
    .map(([name, value]) => [name, value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value])

/**
 * All rows of all tables, to compare two moments. Leaves out what the worker may change in between: popularity, the
 * counts of brands, the funnels of campaigns, the variants of pictures, the progress of deliveries, and the removal of deleted polls' votes.
 * `device_votes` is left out as well, because it shows the rows of `votes`.
 */
export async function dumpTables(db: Db, { except = [] }: { except?: readonly string[] } = {}) {
  const deleted = await db.selectFrom('polls').select('key').where('deleted_at', 'is not', null).execute()
  const isSwept = ({ poll_key }: Row) => deleted.some(({ key }) => key === poll_key)
  const dump: Record<string, string[]> = {}
  for (const { name } of await db.introspection.getTables()) {
    if (
      ['webhook_attempts', 'device_votes', 'brand_vote_counts', 'fresh_votes', 'vote_prints', ...except].includes(name)
    )
      continue
    const { rows } = await sql<Row>`select * from ${sql.table(name)}`.execute(db)
    const kept = rows.filter((row) => !isSwept(row)).map((row) => JSON.stringify(readable(row, CHANGING[name] ?? [])))
    dump[name] = kept.sort()
  }
  return dump
}
