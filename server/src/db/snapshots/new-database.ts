import { CompiledQuery, sql } from 'kysely'
import { errorCodeOf, PlainFailure } from '../../base/errors.ts'
import { archivedTables, migrationScript } from '../migrate.ts'
import { openPostgres } from '../postgres/engine.ts'
import { openSqlite } from '../sqlite/engine.ts'
import type { OpenedEngine, Tx } from '../store.ts'
import type { Counter } from './snapshot.ts'

/** A parameter for each value of a statement: PostgreSQL takes 65,535, SQLite 32,766. */
const ROWS_AT_ONCE = 500

type Row = Readonly<Record<string, unknown>>

export interface Column {
  readonly kind: 'integer' | 'text' | 'bytes'
  readonly isNullable: boolean
  readonly hasDefault: boolean
}

/** A database that is being filled, which nobody else sees before the commit. */
export interface NewDatabase {
  /** The tables that an archive holds, with their columns. */
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, Column>>
  select<Found>(query: string): Promise<Found[]>
  /** Calls `onRefused` with the index of a row that breaks a constraint; it throws. */
  insert(table: string, rows: readonly Row[], onRefused: (at: number, error: unknown) => never): Promise<void>
  /** After the last row: the next rows get keys after these, and queries are planned for what is there. */
  complete(counters: readonly Counter[]): Promise<void>
  readonly tx: Tx
}

/** An empty folder, or a database of PostgreSQL. */
export type NewPlace = { readonly folder: string } | { readonly url: string }

/**
 * Makes the schema of these migrations and fills it, in one transaction that ends with `fill`. A server that opens the database
 * later applies newer migrations.
 */
export async function fillNewDatabase<T>(
  place: NewPlace,
  migrations: readonly string[],
  fill: (database: NewDatabase) => Promise<T>,
): Promise<T> {
  const engine = 'url' in place ? openPostgres(place.url, () => undefined) : await openNewFile(place.folder)
  try {
    return await engine.whileMigrating(async (tx) => {
      await assertEmpty(engine, tx)
      await sql`create table migrations (name text primary key, applied_at bigint not null)`.execute(tx)
      for (const name of migrations) {
        await engine.runScript(tx, migrationScript(name, engine))
        await sql`insert into migrations (name, applied_at) values (${name}, ${Date.now()})`.execute(tx)
      }
      return fill(await newDatabase(engine, tx))
    })
  } finally {
    await engine.close()
  }
}

/** New pages need no journal, and nothing has to be durable before the caller syncs the file. */
async function openNewFile(folder: string): Promise<OpenedEngine> {
  const engine = openSqlite(folder)
  for (const pragma of ['journal_mode = memory', 'synchronous = off', 'temp_store = file'])
    await sql.raw(`pragma ${pragma}`).execute(engine.db)
  return engine
}

async function assertEmpty({ filling }: OpenedEngine, tx: Tx): Promise<void> {
  const table = await filling.firstTable(tx)
  if (table === null) return
  throw new PlainFailure(`The database of DATABASE_URL is not empty: it has ${table}. Restore into a new database.`)
}

const KINDS: Readonly<Record<string, Column['kind']>> = { blob: 'bytes', bytea: 'bytes', text: 'text' }

async function newDatabase(engine: OpenedEngine, tx: Tx): Promise<NewDatabase> {
  const found = new Map((await tx.introspection.getTables()).map((table) => [table.name, table.columns]))
  const columnsOf = (name: string) =>
    (found.get(name) ?? []).map((column) => {
      const kind = KINDS[column.dataType.toLowerCase()] ?? 'integer'
      return [column.name, { kind, isNullable: column.isNullable, hasDefault: column.hasDefaultValue }] as const
    })
  const names = archivedTables([...found.keys()])
  const { withKeys, setCounters } = engine.filling
  // Kysely would build each of these long statements again for each batch.
  const add = async (table: string, rows: readonly Row[]) => {
    const columns = [...new Set(rows.flatMap(Object.keys))]
    const list = columns.map((column) => `"${column}"`).join(', ')
    const lines = rows.map((_, at) => `(${columns.map((__, i) => `$${at * columns.length + i + 1}`).join(', ')})`)
    const values = rows.flatMap((row) => columns.map((column) => row[column] ?? null))
    const text = `insert into "${table}" (${list}) ${withKeys} values ${lines.join(', ')}`
    await tx.executeQuery(CompiledQuery.raw(text, values))
  }
  /** In PostgreSQL, a failed statement would end the transaction. */
  const tried = async (work: () => Promise<void>): Promise<unknown> => {
    await sql`savepoint added`.execute(tx)
    try {
      await work()
      return null
    } catch (error) {
      await sql`rollback to savepoint added`.execute(tx)
      return error
    } finally {
      await sql`release savepoint added`.execute(tx)
    }
  }
  return {
    tx,
    tables: new Map(names.map((name) => [name, new Map(columnsOf(name))])),
    select: async <Found>(query: string) => (await sql.raw<Found>(query).execute(tx)).rows,
    async insert(table, rows, onRefused) {
      for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
        const part = rows.slice(at, at + ROWS_AT_ONCE)
        const failure = await tried(() => add(table, part))
        if (failure === null) continue
        if (!isConstraint(failure)) throw failure
        for (const [i, row] of part.entries()) {
          const own = await tried(() => add(table, [row]))
          if (own !== null) onRefused(at + i, own)
        }
      }
    },
    complete: (counters) => setCounters(tx, counters),
  }
}

const isConstraint = (error: unknown): boolean => /^(SQLITE_CONSTRAINT|2[23]...$)/.test(errorCodeOf(error))
