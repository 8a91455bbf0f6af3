import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import type { Db } from '../src/db/store.ts'
import { engines } from './engines.ts'
import { startTestService, type TestService } from './service.ts'

interface Column {
  name: string
  type: 'int' | 'text' | 'bytes'
  isRequired: boolean
  default: string | null
}

interface Index {
  /** Null where the engine names it: a unique constraint. */
  name: string | null
  columns: string[]
  isUnique: boolean
  predicate: string | null
}

interface Table {
  columns: Column[]
  primaryKey: string[]
  isNumbered: boolean
  indexes: Index[]
  foreignKeys: { columns: string; to: string; onDelete: string }[]
}

type Schema = Record<string, Table>

const rowsOf = async <Row>(db: Db, query: ReturnType<typeof sql>): Promise<Row[]> =>
  (await query.execute(db)).rows as Row[]

const typeOf = (name: string): Column['type'] => {
  const known: Record<string, Column['type']> = {
    integer: 'int',
    bigint: 'int',
    smallint: 'int',
    text: 'text',
    blob: 'bytes',
    bytea: 'bytes',
  }
  const type = known[name.toLowerCase()]
  if (!type) throw new Error(`a column has the type ${name}, which only one engine knows`)
  return type
}

const plain = (expression: string | null | undefined): string | null =>
  expression?.toLowerCase().replace(/::\w+/g, '').replace(/[()']/g, '').replace(/\s+/g, ' ').trim() ?? null

/** PostgreSQL puts quotes round a column that is called like one of its words. */
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
      columns: byText(
        columns.map((column) => ({
          name: column.name,
          type: typeOf(column.type),
          isRequired: column.notnull === 1 || column.pk > 0,
          default: plain(column.dflt_value),
        })),
      ),
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

/** What stands at that place of an index's list, where it is no column. */
function expressionIn(createIndex: string, place: number): string {
  const list = createIndex.slice(createIndex.indexOf('(') + 1).split(/\)\s*where\s/i)[0] ?? ''
  return plain(list.split(/,(?![^(]*\))/)[place]) ?? ''
}

async function postgresSchema(db: Db): Promise<Schema> {
  const schema: Schema = {}
  const columns = await rowsOf<
    Record<'table' | 'name' | 'type' | 'nullable' | 'identity', string> & { default: string | null }
  >(
    db,
    sql`select table_name as table, column_name as name, data_type as type, is_nullable as nullable,
        column_default as default, is_identity as identity
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
      columns: byText(
        own(columns).map((column) => ({
          name: column.name,
          type: typeOf(column.type),
          isRequired: column.nullable === 'NO',
          default: plain(column.default),
        })),
      ),
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

describe('the schema', () => {
  const services = new Map<string, TestService>()

  beforeAll(async () => {
    for (const engine of engines) services.set(engine, await startTestService(engine))
  })
  afterAll(() => Promise.all([...services.values()].map((service) => service.stop())))

  test.if(engines.includes('postgres'))('is the same on both engines', async () => {
    const { sqlite, postgres } = Object.fromEntries(services)
    if (!sqlite || !postgres) throw new Error('an engine is missing')
    const { vote_devices, vote_devices_to, ...left } = await sqliteSchema(sqlite.db)
    const right = await postgresSchema(postgres.db)
    // What PostgreSQL keeps as an index of the votes, SQLite keeps beside them.
    const inIndex = ['poll_key', 'device']
    expect([vote_devices?.primaryKey, vote_devices_to?.primaryKey]).toEqual([inIndex, ['poll_key']])
    const byDevice = { name: 'votes_by_device', columns: inIndex, isUnique: true, predicate: null }
    expect(right['votes']?.indexes).toEqual([byDevice])
    left['votes']?.indexes.push(byDevice)
    expect(Object.keys(left).sort()).toEqual(Object.keys(right).sort())
    for (const [table, shape] of Object.entries(left))
      expect({ table, ...shape }).toEqual({ table, ...right[table] } as never)
    expect(left['polls']?.indexes.filter(({ predicate }) => predicate !== null)).toHaveLength(12)
    expect(left['access_tokens']?.foreignKeys).toEqual([
      { columns: 'family_key', to: 'token_families.key', onDelete: 'cascade' },
    ])
  })

  test.if(engines.includes('postgres'))('has the same views on both engines', async () => {
    const views = await rowsOf<{ table_name: string }>(
      dbOf('sqlite'),
      sql`select name as table_name from sqlite_master where type = 'view'
        union all select name from sqlite_temp_master where type = 'view' order by name`,
    )
    const { rows } = await sql<{ table_name: string; names: string[] }>`
      select table_name, array_agg(column_name::text order by ordinal_position) as names
      from information_schema.columns join information_schema.views using (table_schema, table_name)
      where table_schema = 'public' group by table_name order by table_name`.execute(dbOf('postgres'))
    const inSqlite = await Promise.all(
      views.map(async ({ table_name }) => {
        const columns = sql`select name from pragma_table_info(${table_name})`
        const names = await rowsOf<{ name: string }>(dbOf('sqlite'), columns)
        return { table_name, names: names.map(({ name }) => name) }
      }),
    )
    expect(rows.map((row) => row.table_name)).toEqual(['device_votes', 'guests'])
    expect(inSqlite).toEqual(rows)
  })

  test('SQLite keeps to the types of its columns, as PostgreSQL does', async () => {
    const { rows } = await sql<{ name: string }>`select name from pragma_table_list
      where schema = 'main' and type = 'table' and strict = 0 and name not like 'sqlite_%'`.execute(dbOf('sqlite'))
    expect(rows).toEqual([{ name: 'migrations' }])
  })

  test.each([...engines])('%s: refuses what no vote may be, and rows that hang in the air', async (engine) => {
    const db = dbOf(engine)
    const vote = { poll_key: 1, device: new Uint8Array(16), voted_at: 1, position: 1 }
    await expect(
      db
        .insertInto('votes')
        .values({ ...vote, option: 'C' as 'A' })
        .execute(),
    ).rejects.toThrow()
    const access = { hash: new Uint8Array(32), family_key: 404, expires_at: 1 }
    await expect(db.insertInto('access_tokens').values(access).execute()).rejects.toThrow()
  })

  function dbOf(engine: string): Db {
    const service = services.get(engine)
    if (!service) throw new Error(`${engine} is not there`)
    return service.db
  }
})
