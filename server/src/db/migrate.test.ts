import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { sql } from 'kysely'
import { catalogOf } from '../../test/catalog.ts'
import { type EmptyDatabase, emptyDatabase } from '../../test/empty-database.ts'
import { engines } from '../../test/engines.ts'
import { migrate, migrationSql } from './migrate.ts'
import type { OpenedEngine } from './store.ts'

const types = { identity: 'serial!', integer: 'int!', timestamp: 'time!', flag: 'bit!', bytes: 'raw!', text: 'text!' }
const dialect = { types, tableOptions: { plain: '', clustered: 'without rowid' } }
const translated = (script: string, name: 'sqlite' | 'postgres' = 'sqlite') =>
  migrationSql('0001-test.sql', script, { name, dialect })

describe('a migration', () => {
  test('has its type words replaced, and nothing else', () => {
    const script = `-- The integer of a text.
create table things (
  key identity,
  text text not null default 'integer',
  integer integer not null references flags (bytes) check (integer in (1, 2)),
  at timestamp,
  primary key (text, integer)
) clustered;
create index things_by_flag on things (text) where integer = 1;
alter table things add column is_flag flag not null default 0;
create table others (
  bytes bytes primary key
);
`
    expect(translated(script)).toBe(`-- The integer of a text.
create table things (
  key serial!,
  text text! not null default 'integer',
  integer int! not null references flags (bytes) check (integer in (1, 2)),
  at time!,
  primary key (text, integer)
) without rowid;
create index things_by_flag on things (text) where integer = 1;
alter table things add column is_flag bit! not null default 0;
create table others (
  bytes raw! primary key
) ;
`)
  })

  test('keeps the blocks of its engine alone, as they are', () => {
    const script = `select 0;
-- sqlite:
create table a (b blob) strict;
-- postgres:
create table a (b bytea);
-- both:
select 1;`
    const lines = (engine: 'sqlite' | 'postgres') => translated(script, engine).split('\n').filter(Boolean)
    expect(lines('sqlite')).toEqual(['select 0;', 'create table a (b blob) strict;', 'select 1;'])
    expect(lines('postgres')).toEqual(['select 0;', 'create table a (b bytea);', 'select 1;'])
  })

  test.each([
    ['create table a (\n  b bigint\n);', 'line 2: "bigint" is none of the types identity, integer, timestamp'],
    ['alter table a add column b blob;', 'line 1: "blob" is none of the types'],
    [
      'alter table a add b text;',
      'line 1: write one column a line (alter table polls add column note text;): alter table a add b text;',
    ],
    ['create table a (b text);', 'line 1: write one column a line'],
    ['create table a (\n  b text,\n    unique\n  (b)\n);', 'line 3: write one column or constraint a line'],
    ['create table a (\n  b text\n', 'write one column or constraint a line'],
    ['create table a (\n  b text', 'the last table has no end'],
    ['-- mysql:\nselect 1;', 'line 1: no block can begin here: -- mysql:'],
    ['create table a (\n-- sqlite:\n  b blob\n);', 'line 2: no block can begin here'],
  ])('%j is refused with its line', (script, reason) => {
    expect(() => translated(script)).toThrow('migration 0001-test.sql')
    expect(() => translated(script)).toThrow(reason)
  })
})

const names = readdirSync(new URL('../../migrations/', import.meta.url))
  .filter((name) => name.endsWith('.sql'))
  .sort()

describe.each([...engines])('%s: migrate', (name) => {
  let database: EmptyDatabase
  let engine: OpenedEngine
  beforeAll(async () => {
    database = await emptyDatabase(name)
    engine = database.engine
  })
  afterAll(() => database.remove())

  test('applies every migration to an empty database, once', async () => {
    expect(await migrate(engine, 7)).toEqual(names)
    expect(await migrate(engine, 8)).toEqual([])
    const { rows } = await sql`select name, applied_at from migrations order by name`.execute(engine.db)
    expect(rows).toEqual(names.map((each) => ({ name: each, applied_at: 7 })))
  })

  test('leaves nothing behind when it fails half-way', async () => {
    const failure = engine.whileMigrating(async (tx) => {
      await engine.runScript(tx, 'create table half_way (key text primary key); insert into no_such_table values (1)')
    })
    await expect(failure).rejects.toThrow('no_such_table')
    await expect(sql`select * from half_way`.execute(engine.db)).rejects.toThrow('half_way')
  })

  test('accepts a migration without a statement for this engine', async () => {
    const before = await catalogOf(engine)
    await engine.whileMigrating((tx) => engine.runScript(tx, '\n-- nothing\n\n'))
    expect(await catalogOf(engine)).toEqual(before)
  })

  test('refuses a database that a newer version has migrated, and changes nothing', async () => {
    await sql`insert into migrations (name, applied_at) values ('9999-future.sql', 1)`.execute(engine.db)
    const before = await catalogOf(engine)
    await expect(migrate(engine, 9)).rejects.toThrow(
      'The database is newer than this version of Tossup: it has the migration 9999-future.sql.',
    )
    expect(await catalogOf(engine)).toEqual(before)
  })
})
