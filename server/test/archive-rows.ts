import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { readConfig } from '../src/config/config.ts'
import { archivedTables } from '../src/db/migrate.ts'
import { openSnapshot } from '../src/db/snapshots/open-snapshot.ts'
import type { Settings } from './command.ts'
import type { TestService } from './service.ts'

const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte)
const TEXT = 'A "quoted"\ttext\\N with \\x41, a line\nbreak and 🗳'

/** Values of columns that a constraint binds. */
const BOUND: Readonly<Record<string, unknown>> = {
  role: 'analyst',
  status: 'pending',
  option: 'A',
  kind: 'access',
  shown: 'AB',
  slug: 'food',
  place: 1,
  // Counts by source are those of votes, of which most have none.
  option_a: 0,
  option_b: 0,
}

/** A link leads to a poll or to a campaign, never to both. */
const EMPTY = new Set(['results_links.campaign_key'])

type Tables = ReadonlyMap<
  string,
  Awaited<ReturnType<TestService['db']['introspection']['getTables']>>[number]['columns']
>

/** One row at least in every table, so that no table is left out of a comparison. */
export async function fillEmptyTables({ db }: TestService): Promise<void> {
  const tables: Tables = new Map((await db.introspection.getTables()).map(({ name, columns }) => [name, columns]))
  for (const table of archivedTables([...tables.keys()])) {
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db)
    if (rows.length > 0) continue
    await db
      .insertInto(table as 'polls')
      .values((await sampleOf(db, table, tables)) as never)
      .execute()
  }
}

async function sampleOf(db: TestService['db'], table: string, tables: Tables): Promise<Record<string, unknown>> {
  const row: Record<string, unknown> = {}
  for (const { name, dataType } of tables.get(table) ?? []) {
    const isNumbered = name === 'key' && table !== 'deleted_webhooks' && !/^text$/i.test(dataType)
    const [, owner = ''] = /^(\w+)_key$/.exec(name) ?? []
    const isReference = tables.has(tableOf(owner))
    if (isNumbered || EMPTY.has(`${table}.${name}`)) continue
    row[name] = isReference ? await firstKey(db, tableOf(owner)) : sampleValue(name, dataType)
  }
  return row
}

function sampleValue(name: string, dataType: string): unknown {
  if (name in BOUND) return BOUND[name]
  if (name === 'device') return BYTES.slice(0, 16)
  if (name === 'id') return randomUUID()
  if (/^(blob|bytea)$/i.test(dataType)) return BYTES
  if (/^text$/i.test(dataType)) return TEXT
  return name.startsWith('is_') ? 1 : 1_700_000_000_000
}

const tableOf = (owner: string): string =>
  ({
    category: 'categories',
    grant: 'agent_grants',
    person: 'people',
    family: 'token_families',
    delivery: 'webhook_deliveries',
  })[owner] ?? `${owner}s`

async function firstKey(db: TestService['db'], table: string): Promise<number | null> {
  const { rows } = await sql<{ key: number }>`select key from ${sql.table(table)} order by key limit 1`.execute(db)
  return rows[0]?.key ?? null
}

/** The rows of a service, in the same form for both engines. */
export async function rowsOf(settings: Settings): Promise<Record<string, string[]>> {
  const snapshot = await openSnapshot(readConfig(settings))
  const rows: Record<string, string[]> = {}
  try {
    for (const table of snapshot.tables) {
      const found = await snapshot.select<Record<string, unknown>>(`select * from ${table}`)
      rows[table] = found.map((row) => JSON.stringify(sortedFields(row))).sort()
    }
    return rows
  } finally {
    await snapshot.close()
  }
}

/** A restore ends the logs of polls, and begins new ones. */
const OF_LOGS = new Set(['logged_votes', 'peaks', 'ended_at'])

const sortedFields = (row: Record<string, unknown>) =>
  Object.entries(row)
    .filter(([name]) => !name.startsWith('leased_') && !OF_LOGS.has(name))
    .map(([name, value]) => [name, value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value])
    .sort(([left], [right]) => (String(left) < String(right) ? -1 : 1))
