import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { PlainFailure } from '../../base/errors.ts'
import { archivedTables } from '../migrate.ts'
import type { Counter, Snapshot } from '../snapshots/snapshot.ts'
import { isHeld } from './database-failures.ts'
import { MIGRATION_LOCK } from './migration-locks.ts'
import { connectPatiently } from './primary.ts'

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

/** Votes wait behind a lock that is waited for, so the wait is short. */
const LOCK_MS = 400
const PATIENCE_MS = 60_000
const LONGEST_PAUSE_MS = 500

/**
 * Begins a transaction in which all rows are of one moment. Each worker of Citus takes a snapshot of its own when a transaction first
 * reads there, so votes are stopped until each has done so.
 */
async function beginSnapshot(client: pg.Client, connect: () => Promise<pg.Client>): Promise<void> {
  const holder = (await areVotesDistributed(client)) ? await stopVotes(connect) : null
  try {
    await client.query('begin isolation level repeatable read read only')
    if (!holder) return
    // One connection to each worker: a second one would have a later snapshot.
    await client.query('set local citus.max_adaptive_executor_pool_size = 1')
    await client.query('select poll_key from tallies limit 1')
  } finally {
    await holder?.end()
  }
}

async function areVotesDistributed(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("select 1 from pg_extension where extname = 'citus'")
  if (rows.length === 0) return false
  const placed = await client.query(
    "select 1 from pg_dist_partition where logicalrelid = to_regclass('votes') and partmethod = 'h'",
  )
  return placed.rows.length > 0
}

/** Each group of votes locks rows of `polls` until its commit has reached every worker. The lock ends with the connection. */
async function stopVotes(connect: () => Promise<pg.Client>): Promise<pg.Client> {
  const holder = await connect()
  const begin = performance.now()
  for (;;) {
    try {
      await holder.query(`begin; set local lock_timeout = ${LOCK_MS}; lock table polls in exclusive mode`)
      return holder
    } catch (error) {
      if (isHeld(error) && performance.now() < begin + PATIENCE_MS) {
        await holder.query('rollback')
        await pause(Math.random() * LONGEST_PAUSE_MS)
        continue
      }
      await holder.end()
      if (!isHeld(error)) throw error
      throw new PlainFailure(
        'Cannot begin a snapshot: other transactions have held the table polls for a minute. Find them in pg_stat_activity, end them, then start again.',
        { cause: error },
      )
    }
  }
}
