import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { createPostgresVoteStore } from './postgres-vote-store.ts'
import type { Engine } from './store.ts'
import type { Tables } from './tables.ts'

const INT8 = 20
const TRUSTED_MS = 800
const MIGRATION_LOCK = 7_460_001
/** Sockets and names; then, of PostgreSQL: connection, login, missing database, resources, cancelled, shut down, read-only. */
const CONNECTION_ERRORS = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|08|28|3D000|53|57014|57P0|25006)/

export function openPostgres(databaseUrl: string, onLostConnection: (error: Error) => void): Engine {
  const connection = {
    connectionString: databaseUrl,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 30_000,
    application_name: 'tossup',
    types: { getTypeParser: typeParser },
  }
  const pool = new pg.Pool({ ...connection, max: 12 })
  // A connection that dies in use would end the process: the pool listens only to those that are idle.
  pool.on('connect', (client) => client.on('error', onLostConnection))
  pool.on('error', () => undefined)
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  const votes = createPostgresVoteStore(async () => {
    const client = new pg.Client({ ...connection, pipeline: true })
    client.on('error', onLostConnection)
    await client.connect()
    return client
  })

  return {
    name: 'postgres',
    db,
    votes,
    whileMigrating: (work) =>
      db.transaction().execute(async (tx) => {
        await sql`set local statement_timeout = 0`.execute(tx)
        await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx)
        return work(tx)
      }),
    async runScript(tx, script) {
      await sql.raw(script).execute(tx)
    },
    async tryLock(tx, name) {
      const { rows } = await sql<{
        is_taken: boolean
      }>`select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as is_taken`.execute(tx)
      return rows[0]?.is_taken === true
    },
    async lockPolls(tx, keys) {
      await tx.selectFrom('polls').select('key').where('key', 'in', keys).orderBy('key').forUpdate().execute()
    },
    async now(tx) {
      const { rows } = await sql<{
        now: number
      }>`select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(tx)
      return rows[0]?.now ?? Number.NaN
    },
    // Nobody tells us what others write, so nothing read is trusted for longer than this.
    epoch: () => Math.floor(performance.now() / TRUSTED_MS),
    isBusy: (error) => /^(40001|40P01|55P03)$/.test(codeOf(error)),
    isUnavailable: (error) => CONNECTION_ERRORS.test(codeOf(error)) || isLostConnection(error),
    violatedUnique: (error) =>
      codeOf(error) === '23505' && error instanceof pg.DatabaseError ? (error.constraint ?? '') : null,
    async close() {
      await votes.close()
      await db.destroy()
    },
  }
}

/** `pg` gives int8 as text; no number of ours comes near 2^53. */
const typeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** These errors of `pg` carry no code. */
function isLostConnection(error: unknown): boolean {
  return (
    error instanceof Error &&
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable/.test(
      error.message,
    )
  )
}
