// db/sqlite: the engine for SQLite: connection, vote store, write-ahead log, lock of the one server.

import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  SqliteDialect,
  SqliteDriver,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import { assertStorable } from '../storable.ts'
import type { Engine, OpenedEngine } from '../store.ts'
import type { Tables } from '../tables.ts'
import { retryBusy } from '../transaction.ts'
import { OutcomeUnknown } from '../vote-store.ts'
import { VoteDevices } from './vote-devices.ts'
import { createSqliteVoteStore } from './vote-store.ts'
import { LogBroken, WriteAheadLog } from './write-ahead-log.ts'

/**
 * SQLite compiles a statement again at each execution where its plan could depend on the value of a bare parameter, and
 * not where the parameter stands behind a plus. In lists a compilation took longer than the reading.
 */
class SteadyCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?'
  }
}

class ImmediateDriver extends SqliteDriver {
  readonly #file: Database

  constructor(file: Database) {
    super({ database: kyselyShim(file) })
    this.#file = file
  }

  /** Kysely begins deferred, which can fail half-way when another process writes: take the write lock at once. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  /** A full disk has ended the transaction already: to roll back again would fail, and hide the reason. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#file.inTransaction) await super.rollbackTransaction(connection)
  }
}

const PATIENCE_MS = 5_000

export function openSqlite(dataDir: string): OpenedEngine {
  mkdirSync(dataDir, { recursive: true })
  const path = join(dataDir, 'tossup.sqlite')
  const file = new Database(path, { create: true, strict: true })
  const log = new WriteAheadLog(`${path}-wal`)
  for (const pragma of [
    `busy_timeout = ${PATIENCE_MS}`,
    'journal_mode = wal',
    'synchronous = full',
    'foreign_keys = on',
    'temp_store = memory',
    'cache_size = -32768',
    // A checkpoint stands in the way of a commit: let it be rare, at the price of a log of 64 MiB.
    'wal_autocheckpoint = 16384',
    // SQLite waits inside the event loop, where nobody is answered meanwhile: from here on `retryBusy` waits instead.
    'busy_timeout = 0',
  ]) {
    file.run(`pragma ${pragma}`)
  }
  const dialect = new SqliteDialect({ database: kyselyShim(file) })
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createIntrospector: (kysely) => dialect.createIntrospector(kysely),
      createQueryCompiler: () => new SteadyCompiler(),
      createDriver: () => new ImmediateDriver(file),
    },
  })

  const opened: Omit<OpenedEngine, 'ready'> = {
    name: 'sqlite',
    db,
    isAlone: true,
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
    skipLocked: sql``,
    // The connection is held meanwhile: no other transaction commits in this way.
    relaxed: (work) =>
      db.connection().execute(async (held) => {
        file.run('pragma synchronous = normal')
        try {
          return await held.transaction().execute(work)
        } finally {
          file.run('pragma synchronous = full')
        }
      }),
    whileMigrating: (work) => retryBusy(opened, () => db.transaction().execute(work)),
    async runScript(_tx, script) {
      // SQLite takes a script without a statement for a mistake.
      if (/^ *[^\s-]/m.test(script)) file.run(script)
    },
    // Nothing to lock: `begin immediate` has locked the whole file, so nobody else is inside.
    tryLock: async () => true,
    votingTime: async () => Date.now(),
    // One process serves alone, and looks at `epoch` for what commands write beside it.
    notices: { send: () => Promise.resolve(), broadcast: () => undefined, listen: () => undefined },
    epoch: createEpoch(file),
    isTaken: (error) => codeOf(error) === 'SQLITE_CONSTRAINT_UNIQUE',
    isHeld: () => false,
    isBusy: (error) => codeOf(error).startsWith('SQLITE_BUSY'),
    patienceMs: PATIENCE_MS,
    isUnavailable: (error) =>
      error instanceof OutcomeUnknown ||
      error instanceof LogBroken ||
      /^SQLITE_(BUSY|FULL|IOERR|READONLY|CANTOPEN)/.test(codeOf(error)),
    async close() {
      await log.close()
      await db.destroy()
    },
  }
  return { ...opened, ready: () => withVotes(opened, file, log) }
}

function withVotes(opened: Omit<OpenedEngine, 'ready'>, file: Database, log: WriteAheadLog): Engine {
  const devices = new VoteDevices(file)
  // Now, so that votes need no descriptor later, when connections may have used all of them.
  log.assertSound()
  const alone = <T>(work: () => T): Promise<T> => opened.db.connection().execute(async () => work())
  return {
    ...opened,
    votes: createSqliteVoteStore({ file, log, devices, alone }),
    // The transaction has locked the whole file; votes of other processes are still to be found by their devices.
    async lockPollsWithVotes(_tx, keys) {
      for (const key of keys) devices.catchUp(key)
    },
  }
}

function kyselyShim(file: Database) {
  const bindings = (parameters: readonly unknown[]) => {
    assertStorable(parameters)
    return parameters as SQLQueryBindings[]
  }
  return {
    close: () => file.close(),
    prepare(text: string) {
      // `query` keeps the compiled statement, `prepare` would compile it anew each time.
      const statement = file.query(text)
      return {
        reader: statement.columnNames.length > 0,
        all: (parameters: readonly unknown[]) => statement.all(...bindings(parameters)),
        run: (parameters: readonly unknown[]) => statement.run(...bindings(parameters)),
        iterate: (parameters: readonly unknown[]) => statement.iterate(...bindings(parameters)),
      }
    },
  }
}

const LOOK_EVERY_MS = 200

/** SQLite counts the writes of other connections; asking at each read would cost more than it saves. */
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

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
