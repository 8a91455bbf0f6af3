import { sql } from 'kysely'
import type { Db } from '../src/db/store.ts'
import type { EngineName } from './engines.ts'

export interface Column {
  name: string
  type: 'integer' | 'flag' | 'text' | 'bytes'
  isRequired: boolean
  default: string | null
  /** The values that a check constraint allows; null without one. */
  oneOf: string[] | null
}

interface Index {
  /** Null for a unique constraint, which the engine names. */
  name: string | null
  columns: string[]
  isUnique: boolean
  predicate: string | null
}

export interface Table {
  /** In the order of the table. */
  columns: Column[]
  primaryKey: string[]
  isNumbered: boolean
  indexes: Index[]
  foreignKeys: { columns: string; to: string; onDelete: string }[]
}

export type Schema = Record<string, Table>

const rowsOf = async <Row>(db: Db, query: ReturnType<typeof sql>): Promise<Row[]> =>
  (await query.execute(db)).rows as Row[]

/** SQLite stores flags as integers, so there the column name decides. */
const typeOf = (type: string, column: string): Column['type'] => {
  const known: Record<string, Column['type']> = {
    integer: column.startsWith('is_') ? 'flag' : 'integer',
    bigint: 'integer',
    smallint: 'flag',
    text: 'text',
    blob: 'bytes',
    bytea: 'bytes',
  }
  const found = known[type.toLowerCase()]
  if (!found) throw new Error(`${column} has the type ${type}, which only one engine knows`)
  return found
}

const literalsIn = (check: string | null | undefined): string[] | null =>
  check ? [...check.matchAll(/'([^']*)'/g)].map(([, literal = '']) => literal) : null

const plain = (expression: string | null | undefined): string | null =>
  expression?.toLowerCase().replace(/::\w+/g, '').replace(/[()']/g, '').replace(/\s+/g, ' ').trim() ?? null

/** PostgreSQL quotes a column whose name is one of its keywords. */
const unquoted = (column: string): string => column.replaceAll('"', '')

const byText = <Value>(values: Value[]): Value[] =>
  values.sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))

async function sqliteSchema(db: Db): Promise<Schema> {
  const schema: Schema = {}
  const tables = await rowsOf<{ name: string; sql: string }>(
    db,
    sql`select name, sql from sqlite_master where type = 'table' and name not like 'sqlite_%'`,
  )
  for (const table of tables) {
    const columns = await rowsOf<{
      name: string
      type: string
      notnull: number
      dflt_value: string | null
      pk: number
    }>(db, sql`select * from pragma_table_info(${table.name})`)
    const indexes = await rowsOf<{ name: string; unique: number; origin: string }>(
      db,
      sql`select * from pragma_index_list(${table.name})`,
    )
    const foreignKeys = await rowsOf<{ table: string; from: string; to: string; on_delete: string }>(
      db,
      sql`select * from pragma_foreign_key_list(${table.name})`,
    )
    schema[table.name] = {
      columns: columns.map((column) => ({
        name: column.name,
        type: typeOf(column.type, column.name),
        isRequired: column.notnull === 1 || column.pk > 0,
        default: plain(column.dflt_value),
        oneOf: literalsIn(table.sql.match(new RegExp(`check \\(${column.name} in \\(.*\\)\\)`, 'i'))?.[0]),
      })),
      primaryKey: columns
        .filter(({ pk }) => pk > 0)
        .sort((a, b) => a.pk - b.pk)
        .map(({ name }) => name),
      isNumbered: /autoincrement/i.test(table.sql),
      indexes: byText(
        await Promise.all(indexes.filter(({ origin }) => origin !== 'pk').map((index) => sqliteIndex(db, index))),
      ),
      foreignKeys: byText(
        foreignKeys.map((key) => ({
          columns: key.from,
          to: `${key.table}.${key.to}`,
          onDelete: plain(key.on_delete) ?? '',
        })),
      ),
    }
  }
  return schema
}

async function sqliteIndex(db: Db, index: { name: string; unique: number; origin: string }): Promise<Index> {
  const columns = await rowsOf<{ name: string | null }>(db, sql`select name from pragma_index_info(${index.name})`)
  const [made] = await rowsOf<{ sql: string | null }>(db, sql`select sql from sqlite_master where name = ${index.name}`)
  return {
    name: index.origin === 'c' ? index.name : null,
    columns: columns.map(({ name }, i) => name ?? expressionIn(made?.sql ?? '', i)),
    isUnique: index.unique === 1,
    predicate: plain(made?.sql?.split(/\swhere\s/i)[1]),
  }
}

/** The expression at that position of an index, where the index has no column. */
function expressionIn(createIndex: string, place: number): string {
  const list = createIndex.slice(createIndex.indexOf('(') + 1).split(/\)\s*where\s/i)[0] ?? ''
  return plain(list.split(/,(?![^(]*\))/)[place]) ?? ''
}

async function postgresSchema(db: Db): Promise<Schema> {
  const schema: Schema = {}
  const columns = await rowsOf<
    Record<'table' | 'name' | 'type' | 'nullable' | 'identity', string> & Record<'default' | 'allowed', string | null>
  >(
    db,
    sql`select table_name as table, column_name as name, data_type as type, is_nullable as nullable,
        column_default as default, is_identity as identity,
        (select pg_get_constraintdef(oid) from pg_constraint where contype = 'c' and conrelid = table_name::regclass
          and conkey = array[ordinal_position::smallint]) as allowed
      from information_schema.columns join information_schema.tables using (table_schema, table_name)
      where table_schema = 'public' and table_type = 'BASE TABLE' order by ordinal_position`,
  )
  const indexes = await rowsOf<
    Record<'table' | 'name', string> & {
      columns: string[]
      primary: boolean
      unique: boolean
      predicate: string | null
      constraint: boolean
    }
  >(
    db,
    sql`select indrelid::regclass::text as table, indexrelid::regclass::text as name, indisprimary as primary,
        indisunique as unique, pg_get_expr(indpred, indrelid) as predicate,
        array(select pg_get_indexdef(indexrelid, place, true) from generate_series(1, indnkeyatts) as place) as columns,
        exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u')) as constraint
      from pg_index join pg_class on pg_class.oid = indexrelid
      where relnamespace = 'public'::regnamespace and relkind = 'i'`,
  )
  const foreignKeys = await rowsOf<Record<'table' | 'columns' | 'to' | 'on_delete', string>>(
    db,
    sql`select conrelid::regclass::text as table, confdeltype as on_delete, here.attname as columns,
        confrelid::regclass::text || '.' || there.attname as to
      from pg_constraint
      join pg_attribute here on here.attrelid = conrelid and here.attnum = conkey[1]
      join pg_attribute there on there.attrelid = confrelid and there.attnum = confkey[1]
      where contype = 'f'`,
  )
  const deletions: Record<string, string> = {
    a: 'no action',
    c: 'cascade',
    n: 'set null',
    r: 'restrict',
    d: 'set default',
  }
  for (const name of new Set(columns.map(({ table }) => table))) {
    const own = <Row extends { table: string }>(rows: Row[]): Row[] => rows.filter(({ table }) => table === name)
    schema[name] = {
      columns: own(columns).map((column) => ({
        name: column.name,
        type: typeOf(column.type, column.name),
        isRequired: column.nullable === 'NO',
        default: plain(column.default),
        oneOf: literalsIn(column.allowed),
      })),
      primaryKey:
        own(indexes)
          .find(({ primary }) => primary)
          ?.columns.map(unquoted) ?? [],
      isNumbered: own(columns).some(({ identity }) => identity === 'YES'),
      indexes: byText(
        own(indexes)
          .filter(({ primary }) => !primary)
          .map((index) => ({
            name: index.constraint ? null : index.name,
            columns: index.columns.map((column) => (column.includes('(') ? (plain(column) ?? '') : unquoted(column))),
            isUnique: index.unique,
            predicate: plain(index.predicate),
          })),
      ),
      foreignKeys: byText(
        own(foreignKeys).map((key) => ({ columns: key.columns, to: key.to, onDelete: deletions[key.on_delete] ?? '' })),
      ),
    }
  }
  return schema
}

/** The tables of a database, in terms that both engines share. */
export const schemaOf = (name: EngineName, db: Db): Promise<Schema> =>
  name === 'sqlite' ? sqliteSchema(db) : postgresSchema(db)
