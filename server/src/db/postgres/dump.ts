import pg from 'pg'
import type { Dump, DumpedTable, DumpPart } from '../dump.ts'
import { tablesOfMigrations } from '../migrate.ts'
import { copyOut } from './copy.ts'
import { MIGRATION_LOCK } from './migration-locks.ts'
import { connectPatiently } from './patient-client.ts'
import { beginSnapshot } from './worker-snapshots.ts'

/** Rows are collected until a part is this long: the length of a part is known before it is sent. */
const PART_BYTES = 4_194_304
const COUNTERS = 'counters.json'

/**
 * The rows of every table in the text format of COPY, from one snapshot. Unlike the output of `pg_dump`, it can be restored on any
 * machine and into any version of PostgreSQL, without the programs of PostgreSQL.
 */
export async function dumpPostgres(url: string): Promise<Dump> {
  const client = await connectPatiently(url)
  try {
    // A migration that rewrites a table would make it look empty to the snapshot.
    await client.query('select pg_advisory_lock_shared($1)', [MIGRATION_LOCK])
    await beginSnapshot(client, () => connectPatiently(url))
    const tables = inOrder(await readTables(client), await readReferences(client))
    // These locks keep migrations away from here on; a server whose schema is up to date need not wait for the dump.
    if (tables.length > 0)
      await client.query(`lock table ${quoted(tables.map(({ name }) => name))} in access share mode`)
    await client.query('select pg_advisory_unlock_shared($1)', [MIGRATION_LOCK])
    return {
      tables,
      async select<Row>(query: string) {
        return (await client.query(query)).rows as Row[]
      },
      selectInParts: <Row>(query: string, most: number) => rowsInParts<Row>(client, query, most),
      parts: () => partsOf(client, tables),
      close: () => client.end(),
    }
  } catch (error) {
    await client.end()
    throw error
  }
}

async function* rowsInParts<Row>(client: pg.Client, query: string, most: number): AsyncGenerator<Row[]> {
  await client.query(`declare in_parts no scroll cursor for ${query}`)
  for (;;) {
    const { rows } = await client.query(`fetch ${most} from in_parts`)
    if (rows.length > 0) yield rows as Row[]
    if (rows.length < most) break
  }
  await client.query('close in_parts')
}

const quoted = (names: readonly string[]): string => names.map((name) => pg.escapeIdentifier(name)).join(', ')

async function* partsOf(client: pg.Client, tables: readonly DumpedTable[]): AsyncGenerator<DumpPart> {
  for (const { name, columns } of tables) {
    let number = 0
    const statement = `copy ${quoted([name])} (${quoted(columns)}) to stdout`
    for await (const rows of inParts(copyOut(client, statement))) {
      const bytes = rows.reduce((sum, row) => sum + row.length, 0)
      yield { name: `${name}/${++number}`, bytes, chunks: [Buffer.concat(rows, bytes)] }
    }
  }
  const counters = new TextEncoder().encode(JSON.stringify(await readCounters(client)))
  yield { name: COUNTERS, bytes: counters.length, chunks: [counters] }
}

async function* inParts(rows: AsyncIterable<Uint8Array[]>): AsyncGenerator<Uint8Array[]> {
  let part: Uint8Array[] = []
  let bytes = 0
  for await (const some of rows) {
    for (const row of some) {
      part.push(row)
      bytes += row.length
      if (bytes < PART_BYTES) continue
      yield part
      part = []
      bytes = 0
    }
  }
  if (bytes > 0) yield part
}

async function readTables(client: pg.Client): Promise<DumpedTable[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and a.attnum > 0 and not a.attisdropped
     group by c.relname order by c.relname`,
  )
  const own = tablesOfMigrations()
  return rows.filter(({ name }) => own.has(name))
}

interface Reference {
  readonly from: string
  readonly to: string
}

const readReferences = async (client: pg.Client): Promise<Reference[]> =>
  (
    await client.query<Reference>(
      `select f.relname as from, t.relname as to from pg_constraint
       join pg_class f on f.oid = conrelid join pg_class t on t.oid = confrelid
       where contype = 'f' and f.relnamespace = current_schema()::regnamespace and f.oid <> t.oid`,
    )
  ).rows

/** Each table after those to which it refers. */
function inOrder(tables: readonly DumpedTable[], references: readonly Reference[]): DumpedTable[] {
  const ordered: DumpedTable[] = []
  const waiting = new Set(tables)
  while (waiting.size > 0) {
    const names = new Set([...waiting].map(({ name }) => name))
    const next = [...waiting].filter(({ name }) => !references.some(({ from, to }) => from === name && names.has(to)))
    if (next.length === 0) throw new Error(`the tables ${[...names].join(', ')} refer to one another`)
    for (const table of next) waiting.delete(table)
    ordered.push(...next)
  }
  return ordered
}

/** The last values of identity columns: the key of a removed row is never used again. */
async function readCounters(client: pg.Client): Promise<Record<string, number>> {
  const { rows } = await client.query<{ table: string; column: string }>(
    `select c.relname as table, a.attname as column from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and a.attidentity <> ''`,
  )
  const own = tablesOfMigrations()
  const counters: Record<string, number> = {}
  for (const { table, column } of rows.filter((row) => own.has(row.table))) {
    const sequence = await client.query<{ name: string }>('select pg_get_serial_sequence($1, $2) as name', [
      table,
      column,
    ])
    const last = await client.query<{ last: number }>(
      `select case when is_called then last_value else 0 end as last from ${sequence.rows[0]?.name}`,
    )
    counters[`${table}.${column}`] = last.rows[0]?.last ?? 0
  }
  return counters
}
