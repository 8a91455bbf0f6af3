// db/postgres: the engine for PostgreSQL: pool, vote store, LISTEN and NOTIFY.

import { randomInt } from 'node:crypto'
import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely'
import pg from 'pg'
import { PlainFailure, reasonOf } from '../../base/errors.ts'
import type { PostgresConnections } from '../../config/config.ts'
import { byKey } from '../prepared.ts'
import type { AskedVotes, DatabaseFacts, Db, Dialect, Filling, FoundVote, OpenedEngine, Tx } from '../store.ts'
import type { Tables } from '../tables.ts'
import { isBusy, isFull, isHeld, isTaken, isUnavailable, whyUnavailable } from './database-failures.ts'
import { LiveConnections, limitedPool } from './limited-pool.ts'
import { MIGRATION_LOCK, MigrationLocks } from './migration-locks.ts'
import { PostgresNotices } from './notices.ts'
import { type Connecting, connectingTo } from './primary.ts'
import {
  CONNECT_MS,
  IDLE_WITH_POLLS_MS,
  LEDGER_SILENCE_MS,
  LIMITS,
  NO_LIMITS,
  SILENCE_MS,
} from './transaction-settings.ts'
import { createPostgresVoteStore } from './vote-store.ts'

const postgresFilling: Filling = {
  withKeys: 'overriding system value',

  /** Views and tables of extensions do not count. */
  async firstTable(db) {
    const { rows } = await sql<{ relname: string }>`select relname from pg_class
      where relkind in ('r', 'v', 'p') and relnamespace = current_schema()::regnamespace
        and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e') limit 1`.execute(
      db,
    )
    return rows[0]?.relname ?? null
  },

  /** Rows that come with their keys do not move a sequence on. */
  async setCounters(tx, counters) {
    const { rows } = await sql<{ name: string }>`select relname as name from pg_attribute
      join pg_class on pg_class.oid = attrelid
      where attidentity <> '' and relkind = 'r' and relnamespace = current_schema()::regnamespace`.execute(tx)
    const lastKeys = new Map(counters.map(({ name, last }) => [name, last]))
    for (const { name } of rows) {
      await sql`select setval(pg_get_serial_sequence(${name}, 'key'), greatest(last, 1), last > 0)
        from (select greatest(${lastKeys.get(name) ?? 0}::bigint, max(key)) as last from ${sql.table(name)}) as used`.execute(
        tx,
      )
    }
    await sql`analyze`.execute(tx)
  },
}

const DIALECT: Dialect = {
  types: {
    identity: 'bigint primary key generated always as identity',
    integer: 'bigint',
    timestamp: 'bigint',
    flag: 'smallint',
    bytes: 'bytea',
    text: 'text',
  },
  tableOptions: { plain: '', clustered: '' },
}

const MOST_KEY = 2 ** 47

/**
 * Fails if DATABASE_DIRECT_URL leads to another database than DATABASE_URL. Its heartbeats would come back from there, and
 * every process would trust caches that no notice ever changes.
 */
async function assertSameDatabase(direct: Tx, db: Db): Promise<void> {
  // Each database has advisory locks of its own.
  const key = randomInt(MOST_KEY)
  await sql`select pg_advisory_xact_lock(${key}::bigint)`.execute(direct)
  const { rows } = await sql<{ is_free: boolean }>`select pg_try_advisory_xact_lock(${key}::bigint) as is_free`.execute(
    db,
  )
  if (rows[0]?.is_free !== false) {
    throw new PlainFailure('DATABASE_DIRECT_URL leads to another database than DATABASE_URL.')
  }
}

async function assertReachable(direct: Db): Promise<void> {
  await sql`select 1`.execute(direct).catch((error) => {
    throw new PlainFailure(`Cannot use DATABASE_DIRECT_URL: ${reasonOf(error)}.`, { cause: error })
  })
}

/**
 * A join, because Citus takes no subquery on votes that depends on other rows. Planned by key, and with the pairs of poll and
 * device made first, or PostgreSQL would read all votes of the polls while its statistics say that there are few.
 */
async function votesByJoin(of: Db, { pollKeys, devices }: AskedVotes): Promise<FoundVote[]> {
  if (pollKeys.length === 0 || devices.length === 0) return []
  // Citus then asks only the part that has the poll. PostgreSQL would compare a list of polls with itself for each device.
  const isOnePoll = pollKeys.length === 1
  const { rows } = await sql<FoundVote>`${byKey}
    with asked as materialized (
      select poll_key, device from unnest(${pollKeys}::bigint[]) as poll (poll_key)
      cross join unnest(${devices.map((device) => Buffer.from(device))}::bytea[]) as guest (device)
    )
    select own.poll_key, own.device, own.option, own.voted_at, own.position, forgotten_at
    from asked
    join votes as own on own.poll_key = asked.poll_key and own.device = asked.device ${isOnePoll ? sql`and own.poll_key = ${pollKeys[0]}::bigint` : sql``}
    left join forgotten_devices on forgotten_devices.device = own.device`.execute(of)
  return rows
}

/**
 * Sends every statement without its name. PgBouncer before 1.21 does not know prepared statements: in transaction mode the
 * next transaction may use another connection to PostgreSQL, where the name is unknown, or belongs to another client.
 */
function withoutPreparing(client: pg.Client): pg.Client {
  const query = client.query.bind(client) as (config: unknown, ...rest: unknown[]) => unknown
  client.query = ((config: unknown, ...rest: unknown[]) => query(unnamed(config), ...rest)) as typeof client.query
  return client
}

function unnamed(config: unknown): unknown {
  if (typeof config !== 'object' || config === null || !('name' in config)) return config
  const { name: _, ...statement } = config
  return statement
}

/** A notice takes a millisecond: a connection that needs longer than this is considered lost. */
const NOTICE_MS = 2_000
/** Another server may take the room that the pool made. */
const MOST_TRIES = 5

export function openPostgres(
  url: string,
  onLostConnection: (error: Error) => void,
  { directUrl = url, poolSize = 12, isPreparing = true }: PostgresConnections = {},
): OpenedEngine {
  const connection = { ...connectingTo(url), connectionTimeoutMillis: CONNECT_MS, pipeline: true }
  const direct = directUrl === url ? connection : { ...connection, ...connectingTo(directUrl) }
  const hasPooler = directUrl !== url
  const pool = openPool({ ...connection, max: poolSize, query_timeout: SILENCE_MS }, onLostConnection)
  const connections = new LiveConnections(pool)
  const db = throughPool(limitedPool(pool, LIMITS, { connections, isPreparing }))
  const open = async ({ Client: Opened, ...options }: pg.ClientConfig & Pick<Connecting, 'Client'>) => {
    const client = new Opened(options)
    client.on('error', onLostConnection)
    await client.connect()
    return isPreparing ? client : withoutPreparing(client)
  }
  /** The votes of a process need one connection. Where PostgreSQL has no room for it, the pool makes some. */
  const openForVotes = async () => {
    for (let tried = 1; ; tried++) {
      try {
        return await open({ ...connection, query_timeout: LEDGER_SILENCE_MS })
      } catch (error) {
        if (!isFull(error) || tried === MOST_TRIES || !(await connections.giveUpOne())) throw error
      }
    }
  }
  const votes = createPostgresVoteStore(openForVotes)
  const notices = new PostgresNotices(() => open({ ...direct, query_timeout: NOTICE_MS }))

  const locks = new MigrationLocks()
  const opened: Omit<OpenedEngine, 'ready'> = {
    name: 'postgres',
    db,
    dialect: DIALECT,
    filling: postgresFilling,
    forUpdate: sql`for update`,
    forKeyShare: sql`for key share`,
    skipLocked: sql`for update skip locked`,
    relaxed: (work) =>
      db.transaction().execute(async (tx) => {
        await sql`set local synchronous_commit to off`.execute(tx)
        return work(tx)
      }),
    async whileMigrating(work) {
      const alone = openPool({ ...direct, max: 1 }, onLostConnection)
      const patient = throughPool(limitedPool(alone, NO_LIMITS, { isPreparing }))
      const attempt = () =>
        patient.transaction().execute(async (tx) => {
          if (hasPooler) await assertSameDatabase(tx, db)
          await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx)
          return work(tx)
        })
      try {
        if (hasPooler) await assertReachable(patient)
        return await locks.untilLocked(attempt)
      } finally {
        await patient.destroy()
      }
    },
    lockTables: (tx, tables) => locks.lockTables(tx, tables),
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
    connections: () => ({
      open: pool.totalCount,
      busy: pool.totalCount - pool.idleCount,
      waiting: pool.waitingCount,
    }),
    async facts() {
      const { rows } = await sql<DatabaseFacts>`select current_setting('server_version') as version,
        pg_database_size(current_database()) as bytes`.execute(db)
      return rows[0] as DatabaseFacts
    },
    isTaken,
    isHeld,
    isBusy,
    isUnavailable,
    whyUnavailable,
    async close() {
      await notices.close()
      await votes.close()
      await db.destroy()
    },
  }
  return {
    ...opened,
    ready() {
      return {
        ...opened,
        votes,
        votesOf: votesByJoin,
        async lockPollsWithVotes(tx, keys) {
          const limit = sql`set_config('idle_in_transaction_session_timeout', ${sql.lit(`${IDLE_WITH_POLLS_MS}`)}, true)`
          const held = tx
            .selectFrom('polls')
            .select(['key', limit.as('limit')])
            .where('key', 'in', keys)
          await held.orderBy('key').forUpdate().execute()
        },
      }
    },
  }
}

const throughPool = (pool: PostgresPool) => new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })

function openPool(options: pg.PoolConfig, onLostConnection: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool(options)
  // Without a listener, a lost connection would crash the process. Queries and the pool report the loss anyway.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => void client.on('error', onLostConnection))
  return pool
}
