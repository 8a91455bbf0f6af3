// db/postgres: the engine for PostgreSQL: pool, vote store, LISTEN and NOTIFY.

import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { OpenedEngine } from '../store.ts'
import type { Tables } from '../tables.ts'
import { isBusy, isHeld, isTaken, isUnavailable } from './failures.ts'
import { limitedPool } from './limited-pool.ts'
import { CONNECT_MS, LEDGER_SILENCE_MS, LIMITS, NO_LIMITS, type Settings, SILENCE_MS } from './limits.ts'
import { PostgresNotices } from './notices.ts'
import { createPostgresVoteStore } from './vote-store.ts'

const INT8 = 20
const MIGRATION_LOCK = 7_460_001
/** Notices take a millisecond: a connection that takes longer is lost. */
const NOTICE_MS = 2_000

export function openPostgres(databaseUrl: string, onLostConnection: (error: Error) => void): OpenedEngine {
  const connection = {
    connectionString: databaseUrl,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    application_name: 'tossup',
    types: { getTypeParser: typeParser },
    pipeline: true,
  }
  const connect = (settings: Settings, options: pg.PoolConfig) => {
    const pool = openPool({ ...connection, ...options }, onLostConnection)
    return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: limitedPool(pool, settings) }) })
  }
  const db = connect(LIMITS, { max: 12, query_timeout: SILENCE_MS })
  const votes = createPostgresVoteStore(async () => {
    const client = new pg.Client({ ...connection, query_timeout: LEDGER_SILENCE_MS })
    client.on('error', onLostConnection)
    await client.connect()
    return client
  })

  const notices = new PostgresNotices(async () => {
    const client = new pg.Client({ ...connection, query_timeout: NOTICE_MS })
    client.on('error', onLostConnection)
    await client.connect()
    return client
  })

  const opened: Omit<OpenedEngine, 'ready'> = {
    name: 'postgres',
    db,
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
    async whileMigrating(work) {
      const patient = connect(NO_LIMITS, { max: 1 })
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
    async votingTime(of) {
      const { rows } = await sql<{
        now: number
      }>`select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(of)
      return rows[0]?.now ?? Number.NaN
    },
    notices,
    epoch: () => notices.epoch(),
    isTaken,
    isHeld,
    isBusy,
    isUnavailable,
    async close() {
      await notices.close()
      await votes.close()
      await db.destroy()
    },
  }
  return {
    ...opened,
    ready: () => ({
      ...opened,
      votes,
      async lockPollsWithVotes(tx, keys) {
        await tx.selectFrom('polls').select('key').where('key', 'in', keys).orderBy('key').forUpdate().execute()
      },
    }),
  }
}

function openPool(options: pg.PoolConfig, onLostConnection: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool(options)
  // Without listeners, a connection that dies would end the process: in use it says so itself, idle through the pool.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => void client.on('error', onLostConnection))
  return pool
}

/** `pg` gives int8 as text; no number of ours comes near 2^53. */
const typeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')
