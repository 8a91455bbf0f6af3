import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { CompiledQuery, type DatabaseConnection, Kysely, SqliteDialect, SqliteDriver } from 'kysely'
import type { Engine } from './store.ts'
import type { Tables } from './tables.ts'

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

export function openSqlite(dataDir: string): Engine {
  mkdirSync(dataDir, { recursive: true })
  const file = new Database(join(dataDir, 'tossup.sqlite'), { create: true, strict: true })
  for (const pragma of [
    'busy_timeout = 5000',
    'journal_mode = wal',
    'synchronous = full',
    'foreign_keys = on',
    'temp_store = memory',
    'cache_size = -65536',
  ]) {
    file.run(`pragma ${pragma}`)
  }
  const dialect = new SqliteDialect({ database: kyselyShim(file) })
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createIntrospector: (kysely) => dialect.createIntrospector(kysely),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createDriver: () => new ImmediateDriver(file),
    },
  })

  return {
    name: 'sqlite',
    db,
    whileMigrating: (work) => db.transaction().execute(work),
    async runScript(_tx, script) {
      file.run(script)
    },
    // Nothing to lock in these two: `begin immediate` has locked the whole file, so nobody else is inside.
    tryLock: async () => true,
    lockPolls: async () => undefined,
    now: async () => Date.now(),
    isBusy: (error) => codeOf(error).startsWith('SQLITE_BUSY'),
    isUnavailable: (error) => /^SQLITE_(BUSY|FULL|IOERR|READONLY|CANTOPEN)/.test(codeOf(error)),
    violatedUnique(error) {
      if (!/^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)/.test(codeOf(error))) return null
      return error instanceof Error ? error.message : null
    },
    async close() {
      await db.destroy()
    },
  }
}

function kyselyShim(file: Database) {
  const bindings = (parameters: readonly unknown[]) => parameters as SQLQueryBindings[]
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

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
