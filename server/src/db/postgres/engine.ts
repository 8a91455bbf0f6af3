import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { Engine } from '../store.ts'
import type { Tables } from '../tables.ts'
import { PostgresNotices } from './notices.ts'
import { createPostgresVoteStore } from './vote-store.ts'

const INT8 = 20
const MIGRATION_LOCK = 7_460_001
const STATEMENT_MS = 30_000
const LOCK_MS = 2_000
/** All votes of a process wait in one line: a poll that somebody holds may not stop it for long. */
const LEDGER_LOCK_MS = 1_000
const IDLE_MS = 5_000
/**
 * Every list is read along an index, a page at a time. By what PostgreSQL takes a jump to cost on a disk that turns, it would
 * rather read a whole campaign and sort it, wherever its statistics are behind.
 */
const BY_INDEX = '-c random_page_cost=1.1'
/**
 * A vote is found by its key, and by no other way. A plan is kept from when a connection was new, perhaps over empty tables,
 * where to read all of them is cheapest; with a hot poll each group of votes would then read every vote there is.
 */
const BY_KEY = `${BY_INDEX} -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off`
const LOCK_TIMEOUT = '55P03'
const UNIQUE_VIOLATION = '23505'
/** The server would have answered or given up before: the network has lost its way to it. */
const SILENCE_MS = 35_000
const SILENCE = 'Query read timeout'
/** Notices take a millisecond: a connection that takes longer is lost. */
const NOTICE_MS = 2_000
/** Sockets and names; then, of PostgreSQL: connection, login, missing database, resources, cancelled, shut down, read-only. */
const CONNECTION_ERRORS =
  /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|08|28|3D000|53|55P03|57014|57P0|25006|25P03)/

export function openPostgres(databaseUrl: string, onLostConnection: (error: Error) => void): Engine {
  const connection = {
    connectionString: databaseUrl,
    connectionTimeoutMillis: 5_000,
    application_name: 'tossup',
    types: { getTypeParser: typeParser },
  }
  const limits = {
    statement_timeout: STATEMENT_MS,
    query_timeout: SILENCE_MS,
    lock_timeout: LOCK_MS,
    // A server that is frozen or cut off in the middle of a transaction lets go of what it holds.
    idle_in_transaction_session_timeout: IDLE_MS,
  }
  const connect = (options: pg.PoolConfig) =>
    new Kysely<Tables>({
      dialect: new PostgresDialect({ pool: openPool({ ...connection, ...options }, onLostConnection) }),
    })
  const db = connect({ ...limits, options: BY_INDEX, max: 12 })
  const votes = createPostgresVoteStore(async () => {
    const patience = { ...limits, lock_timeout: LEDGER_LOCK_MS }
    const client = new pg.Client({ ...connection, ...patience, options: BY_KEY, pipeline: true })
    client.on('error', onLostConnection)
    await client.connect()
    return client
  })

  const notices = new PostgresNotices(async () => {
    const client = new pg.Client({ ...connection, query_timeout: NOTICE_MS, keepAlive: true })
    client.on('error', onLostConnection)
    await client.connect()
    return client
  })

  return {
    name: 'postgres',
    db,
    votes,
    ready: () => undefined,
    isAlone: false,
    dialect: {
      types: {
        identity: 'bigint primary key generated always as identity',
        integer: 'bigint',
        timestamp: 'bigint',
        flag: 'smallint',
        bytes: 'bytea',
        text: 'text',
      },
      tableOptions: { plain: '', clustered: '' },
    },
    skipLocked: sql`for update skip locked`,
    relaxed: (work) =>
      db.transaction().execute(async (tx) => {
        await sql`set local synchronous_commit to off`.execute(tx)
        return work(tx)
      }),
    // A migration, or the wait for somebody else's, takes as long as it takes.
    async whileMigrating(work) {
      const patient = connect({ max: 1 })
      try {
        return await patient.transaction().execute(async (tx) => {
          await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx)
          return work(tx)
        })
      } finally {
        await patient.destroy()
      }
    },
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
    async votingTime(of) {
      const { rows } = await sql<{
        now: number
      }>`select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(of)
      return rows[0]?.now ?? Number.NaN
    },
    notices,
    epoch: () => notices.epoch(),
    isTaken: (error) => codeOf(error) === UNIQUE_VIOLATION,
    isHeld: (error) => codeOf(error) === LOCK_TIMEOUT,
    isBusy: (error) => /^(40001|40P01)$/.test(codeOf(error)),
    isUnavailable: (error) => CONNECTION_ERRORS.test(codeOf(error)) || isLostConnection(error),
    async close() {
      await notices.close()
      await votes.close()
      await db.destroy()
    },
  }
}

function openPool(options: pg.PoolConfig, onLostConnection: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool(options)
  // Without listeners, a connection that dies would end the process: in use it says so itself, idle through the pool.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    client.on('error', onLostConnection)
    endWhenSilent(client as pg.PoolClient & pg.Client)
  })
  return pool
}

/** After its time has run out `pg` would keep the connection, and the next query would wait behind the lost one. */
function endWhenSilent(client: pg.PoolClient & pg.Client): void {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown
  client.query = ((...given: unknown[]) => {
    const answer = query(...given)
    if (answer instanceof Promise) {
      answer.catch((error) => {
        if (error instanceof Error && error.message === SILENCE) void client.end()
      })
    }
    return answer
  }) as typeof client.query
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
    /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable/.test(
      error.message,
    )
  )
}
