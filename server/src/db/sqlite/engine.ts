// db/sqlite: the engine for SQLite: connection, vote store, write-ahead log, lock of the one server.
// A vote passes vote-store, poll-rows (rows of polls that are kept), voters (who has voted, in memory by print-table) and fresh-votes
// (the newest votes, which move to `votes` many at once).

import { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely'
import { errorCodeOf } from '../../base/errors.ts'
import type { AskedVotes, DatabaseFacts, Engine, Filling, FoundVote, OpenedEngine } from '../store.ts'
import type { Tables } from '../tables.ts'
import { retryBusy } from '../transaction.ts'
import { OutcomeUnknown } from '../vote-store.ts'
import { isUnwritable, OneConnection, tryToWrite } from './connection.ts'
import { FreshVotes, hasFreshVotes, readsVotes } from './fresh-votes.ts'
import { DatabaseDamaged, Soundness } from './soundness.ts'
import { createSqliteVoteStore } from './vote-store.ts'
import { Voters } from './voters.ts'
import { LogBroken, WriteAheadLog } from './write-ahead-log.ts'

/**
 * Puts a plus before each parameter. SQLite recompiles a statement at each execution if its plan could depend on the
 * value of a bare parameter; in lists, that took longer than reading the rows.
 */
class SteadyCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?'
  }
}

/** Turns off Kysely's own connection lock, which votes could not acquire. `OneConnection` locks instead. */
class SharedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

const PATIENCE_MS = 5_000
/** Another process may be migrating: a start waits for it instead of failing. */
const MIGRATION_MS = 60_000
const SIZE = 'select page_count * page_size as bytes from pragma_page_count, pragma_page_size'

/** Bun keeps 20 compiled statements by default. Routes and jobs have about 600. */
const KEPT_STATEMENTS = 1_024

const FILLING: Filling = {
  withKeys: '',
  // The caller makes the folder.
  firstTable: async () => null,
  async setCounters(tx, counters) {
    for (const { name, last } of counters) {
      await sql`insert into sqlite_sequence (name, seq) select ${name}, 0
        where not exists (select 1 from sqlite_sequence where name = ${name})`.execute(tx)
      await sql`update sqlite_sequence set seq = max(seq, ${last}) where name = ${name}`.execute(tx)
    }
  },
}

export function openSqlite(
  dataDir: string,
  { onDamaged }: { onDamaged?: ((damage: Error) => void) | undefined } = {},
): OpenedEngine {
  mkdirSync(dataDir, { recursive: true })
  const path = join(dataDir, 'tossup.sqlite')
  Database.MAX_QUERY_CACHE_SIZE = KEPT_STATEMENTS
  const file = new Database(path, { create: true, strict: true })
  const log = new WriteAheadLog(`${path}-wal`)
  for (const pragma of [
    // Only while it opens: `journal_mode` may have to wait for another process.
    `busy_timeout = ${PATIENCE_MS}`,
    'journal_mode = wal',
    'synchronous = full',
    'foreign_keys = on',
    'temp_store = memory',
    // In KiB. What is read again and again are the last pages of a few tables; the rest is in the memory of the kernel.
    'cache_size = -16384',
    // Checkpoints delay commits, so they are rare, at the price of a log of 64 MiB.
    'wal_autocheckpoint = 16384',
    // SQLite would wait inside the event loop and block all requests; `retryBusy` waits outside of it.
    'busy_timeout = 0',
  ]) {
    file.run(`pragma ${pragma}`)
  }
  const soundness = new Soundness({
    path,
    size: () => file.query<{ bytes: number }, []>(SIZE).get()?.bytes ?? 0,
    onDamaged(damage) {
      // Keeps the remaining data as it is: jobs and the writes of brands are refused, too.
      file.run('pragma query_only = on')
      onDamaged?.(damage)
    },
  })
  const connection = new OneConnection(file, soundness)
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SharedAdapter(),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createQueryCompiler: () => new SteadyCompiler(),
      createDriver: () => connection,
    },
  })

  const opened: Omit<OpenedEngine, 'ready'> = {
    name: 'sqlite',
    db,
    dialect: {
      types: {
        identity: 'integer primary key autoincrement',
        integer: 'integer',
        timestamp: 'integer',
        flag: 'integer',
        bytes: 'blob',
        text: 'text',
      },
      tableOptions: { plain: 'strict', clustered: 'strict, without rowid' },
    },
    filling: FILLING,
    forUpdate: sql``,
    forKeyShare: sql``,
    skipLocked: sql``,
    // Holds the connection, so that no other transaction commits with `synchronous = normal`.
    relaxed: (work) =>
      db.connection().execute(async (held) => {
        file.run('pragma synchronous = normal')
        try {
          return await held.transaction().execute(work)
        } finally {
          file.run('pragma synchronous = full')
        }
      }),
    whileMigrating: (work) =>
      retryBusy({ isBusy: opened.isBusy, patienceMs: MIGRATION_MS }, () => db.transaction().execute(work)),
    // `begin immediate` has locked the whole file.
    lockTables: async () => undefined,
    async runScript(_tx, script) {
      // A migration may read or change votes. A start without one must not fail on a full disk.
      if (hasFreshVotes(file)) new FreshVotes(file).settle()
      // SQLite reports an error for a script without a statement.
      if (/^ *[^\s-]/m.test(script)) file.run(script)
    },
    // Needs no lock: `begin immediate` has locked the whole file.
    tryLock: async () => true,
    votingTime: async () => Date.now(),
    // Only one process serves. `epoch` detects writes of commands that run beside it.
    notices: { send: () => Promise.resolve(), broadcast: () => undefined, listen: () => undefined },
    epoch: createEpoch(file),
    connections: () => connection.use,
    async facts() {
      const { rows } = await sql<DatabaseFacts>`select sqlite_version() as version, page_count * page_size as bytes
        from pragma_page_count, pragma_page_size`.execute(db)
      return rows[0] as DatabaseFacts
    },
    isTaken: (error) => errorCodeOf(error) === 'SQLITE_CONSTRAINT_UNIQUE',
    isHeld: () => false,
    isBusy: (error) => errorCodeOf(error).startsWith('SQLITE_BUSY'),
    patienceMs: PATIENCE_MS,
    isUnavailable: (error) =>
      error instanceof OutcomeUnknown ||
      error instanceof LogBroken ||
      error instanceof DatabaseDamaged ||
      /^SQLITE_(BUSY|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB)/.test(errorCodeOf(error)),
    async close() {
      try {
        if (!soundness.isDamaged && hasFreshVotes(file)) tryToWrite(() => new FreshVotes(file).settleAlone())
      } finally {
        await log.close()
        await db.destroy()
        if (!soundness.isDamaged) soundness.close()
      }
    },
  }
  return { ...opened, ready: () => withVotes(opened, { file, log, soundness, connection }) }
}

function withVotes(
  opened: Omit<OpenedEngine, 'ready'>,
  {
    file,
    log,
    soundness,
    connection,
  }: { file: Database; log: WriteAheadLog; soundness: Soundness; connection: OneConnection },
): Engine {
  const fresh = new FreshVotes(file)
  const voters = new Voters(file)
  // Opened now, so that votes need no file descriptor later, when connections may have used all of them.
  log.assertSound()
  soundness.assertSound()
  const settle = (): void => {
    // Nothing can be written to a damaged database: its readers do not see fresh votes.
    if (soundness.isDamaged || !fresh.isAny) return
    // A savepoint: if settling fails and the transaction around it still commits, no vote is in both tables.
    if (file.inTransaction) file.transaction(() => fresh.settle())()
    else fresh.settleAlone()
  }
  let failedAt = Number.NEGATIVE_INFINITY
  /** If the disk accepts no writes, as when it is full, statements that only read run without the fresh votes. */
  const settleBefore = (statement: string): void => {
    const mayFail = !file.inTransaction && isRead(statement)
    if (mayFail && performance.now() - failedAt < TRY_AGAIN_MS) return
    try {
      settle()
    } catch (error) {
      if (!mayFail || opened.isBusy(error) || !isUnwritable(error)) throw error
      failedAt = performance.now()
    }
  }
  connection.beforeStatements((statement) => {
    if (!readsVotes(statement)) return undefined
    try {
      settleBefore(statement)
    } catch (error) {
      if (file.inTransaction || !opened.isBusy(error)) throw error
      return retryBusy(opened, async () => settle())
    }
    return undefined
  })
  const readForgotten = file.query<{ forgotten_at: number }, [Uint8Array]>(
    'select forgotten_at from forgotten_devices where device = ?',
  )
  const findVotes = ({ pollKeys, devices }: AskedVotes): FoundVote[] => {
    try {
      return devices.flatMap((device) => {
        const votes = pollKeys.map((poll_key) => ({ poll_key, vote: voters.find(poll_key, device) }))
        const found = votes.flatMap(({ poll_key, vote }) => (vote ? [{ poll_key, ...vote }] : []))
        if (found.length === 0) return []
        const forgotten_at = readForgotten.get(device)?.forgotten_at ?? null
        return found.map((vote) => ({ ...vote, forgotten_at }))
      })
    } catch (error) {
      soundness.note(error)
      throw error
    }
  }
  return {
    ...opened,
    votes: createSqliteVoteStore({ file, log, voters, fresh, soundness, alone: (work) => connection.alone(work) }),
    votesOf: async (of, asked) =>
      of.isTransaction ? findVotes(asked) : retryBusy(opened, () => connection.alone(() => findVotes(asked))),
    // The transaction has already locked the whole file.
    lockPollsWithVotes: async () => undefined,
  }
}

const isRead = (statement: string): boolean =>
  /^\s*(?:select|with)\b/.test(statement) && !/\b(?:insert|update|delete)\b/.test(statement)

const TRY_AGAIN_MS = 1_000
const LOOK_EVERY_MS = 200

/** SQLite counts the writes of other connections; a check at each read would cost more than it saves. */
function createEpoch(file: Database): () => number {
  const dataVersion = file.query<{ data_version: number }, []>('pragma data_version')
  let lookedAt = Number.NEGATIVE_INFINITY
  let epoch = 0
  return () => {
    const now = performance.now()
    if (now - lookedAt < LOOK_EVERY_MS) return epoch
    lookedAt = now
    epoch = dataVersion.get()?.data_version ?? epoch
    return epoch
  }
}
