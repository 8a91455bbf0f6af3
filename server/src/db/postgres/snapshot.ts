import pg from 'pg'
import { archivedTables } from '../migrate.ts'
import type { Counter, Snapshot } from '../snapshots/snapshot.ts'
import { MIGRATION_LOCK } from './migration-locks.ts'
import { connectPatiently } from './primary.ts'
import { beginSnapshot } from './worker-snapshots.ts'

/** A transaction with repeatable reads, on a connection of its own. */
export async function openPostgresSnapshot(url: string): Promise<Snapshot> {
  const client = await connectPatiently(url)
  const select = async <Row>(query: string) => (await client.query(query)).rows as Row[]
  try {
    // A migration that rewrites a table would make it look empty to the snapshot.
    await client.query('select pg_advisory_lock_shared($1)', [MIGRATION_LOCK])
    await beginSnapshot(client, () => connectPatiently(url))
    const tables = archivedTables((await select<{ relname: string }>(TABLES)).map(({ relname }) => relname))
    // These locks keep migrations away from here on; a server whose schema is up to date need not wait for the reader.
    const names = tables.map((name) => pg.escapeIdentifier(name)).join(', ')
    if (tables.length > 0) await client.query(`lock table ${names} in access share mode`)
    await client.query('select pg_advisory_unlock_shared($1)', [MIGRATION_LOCK])
    return {
      tables,
      voteTables: ['votes'],
      select,
      selectInParts: <Row>(query: string, most: number) => rowsInParts<Row>(client, query, most),
      readCounters: () => select<Counter>(COUNTERS),
      findDamage: async () => [],
      close: () => client.end(),
    }
  } catch (error) {
    await client.end()
    throw error
  }
}

const TABLES = "select relname from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace"

const COUNTERS = `
  select relname as name, coalesce(pg_sequence_last_value(pg_get_serial_sequence(relname, attname)::regclass), 0) as last
  from pg_attribute join pg_class on pg_class.oid = attrelid
  where attidentity <> '' and relkind = 'r' and relnamespace = current_schema()::regnamespace`

async function* rowsInParts<Row>(client: pg.Client, query: string, most: number): AsyncGenerator<Row[]> {
  await client.query(`declare in_parts no scroll cursor for ${query}`)
  for (;;) {
    const { rows } = await client.query(`fetch ${most} from in_parts`)
    if (rows.length > 0) yield rows as Row[]
    if (rows.length < most) break
  }
  await client.query('close in_parts')
}
