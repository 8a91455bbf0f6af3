import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { emptied, fingerprintOf } from './emptied-database.ts'
import { engines } from './engines.ts'
import { migrateEmpty } from './migrate-empty.ts'
import { ADMIN_URL, asAdmin, createDatabase, type OwnDatabase } from './own-database.ts'
import { startTestService } from './service.ts'

describe.if(engines.includes('postgres'))('a used database', () => {
  let database: OwnDatabase
  let client: pg.Client
  let asNew: Awaited<ReturnType<typeof contents>>

  /** The rows of all tables, and the next value of each number that PostgreSQL gives out. */
  async function contents() {
    const { rows: tables } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
    )
    const found: Record<string, string> = {}
    for (const { name } of tables) {
      const { rows } = await client.query<{ all: string | null }>(
        `select string_agg(t::text, ';') as all from ${name} t`,
      )
      if (rows[0]?.all) found[name] = name === 'readiness' ? 'one row' : rows[0].all
    }
    const { rows: numbers } = await client.query('select sequencename, last_value from pg_sequences order by 1')
    const { rows: counters } = await client.query('select sum(n_tup_ins)::int as inserted from pg_stat_user_tables')
    return { found, numbers, counters }
  }

  const connect = async () => {
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
  }
  const emptiedTo = async (fingerprint: string) => {
    await client.end()
    const isEmptied = await emptied(database.url, fingerprint)
    await connect()
    return isEmptied
  }

  beforeAll(async () => {
    database = await createDatabase(ADMIN_URL, { mustBeEmpty: true })
    await migrateEmpty(database.url)
    await asAdmin(database.url, 'select pg_stat_reset()')
    await connect()
    asNew = await contents()
  }, 60_000)
  afterAll(async () => {
    await client.end()
    await database.drop()
  })

  test('is as good as new once it is emptied', async () => {
    const fingerprint = await fingerprintOf(database.url)
    const service = await startTestService('sqlite', { settings: { DATABASE_URL: database.url } })
    const brand = await service.createBrand()
    const poll = await service.createPoll(brand)
    for (const option of ['A', 'B', 'A']) expect((await service.vote(poll.id, option)).status).toBe(201)
    await service.stop()
    expect(await contents()).not.toEqual(asNew)
    expect(await emptiedTo(fingerprint)).toBe(true)
    expect(await contents()).toEqual(asNew)
  })

  test.each([
    'create table extra (key integer)',
    'alter table polls add column extra integer',
    'alter table polls drop column extra',
    'alter table polls alter column title set default $$none$$',
    'alter table polls alter column title drop default',
    'alter table polls add constraint short check (length(title) < 100)',
    'alter table polls drop constraint short',
    'create index extra_index on polls (title)',
    'drop index extra_index',
    'create function extra() returns trigger language plpgsql as $$begin return null; end$$',
    'create or replace function extra() returns trigger language plpgsql as $$begin return new; end$$',
    'create trigger extra before insert on votes for each row execute function extra()',
    'alter table votes disable trigger extra',
    'drop function extra cascade',
    'create view extra_view as select 1 as one',
    'create or replace view extra_view as select 2 as one',
    'alter table votes rename to votes_gone',
    'alter table votes_gone rename to votes',
    'alter table polls alter column key restart with 9000',
    'alter table polls alter column key set increment 5',
    'alter table votes set (autovacuum_enabled = off)',
    'analyze migrations',
    'delete from readiness',
    'insert into readiness (key, checked_at) values (1, 0)',
    `delete from migrations where name = '0001-brands.sql'`,
    `insert into migrations values ('0001-brands.sql', 1)`,
    'create schema extra',
  ])('is not emptied after %j', async (statement) => {
    const fingerprint = await fingerprintOf(database.url)
    await client.query(statement)
    expect(await emptiedTo(fingerprint)).toBe(false)
    expect(await emptiedTo(await fingerprintOf(database.url))).toBe(true)
  })

  test('is not emptied after a setting was made for it', async () => {
    const fingerprint = await fingerprintOf(database.url)
    const name = new URL(database.url).pathname.slice(1)
    await asAdmin(ADMIN_URL, `alter database ${name} set synchronous_commit = off`)
    expect(await emptiedTo(fingerprint)).toBe(false)
  })

  test('is not emptied by tests that are no superuser', async () => {
    const fingerprint = await fingerprintOf(database.url)
    const role = `tossup_test_${randomUUID().slice(0, 8)}`
    await asAdmin(
      database.url,
      `create role ${role} login password 'plain'; grant select on all tables in schema public to ${role}`,
    )
    const url = new URL(database.url)
    url.username = role
    url.password = 'plain'
    await client.end()
    expect(await emptied(url.href, fingerprint)).toBe(false)
    await asAdmin(database.url, `drop owned by ${role}; drop role ${role}`)
    await connect()
  })

  test('is not emptied while somebody is connected to it, or if it is large', async () => {
    const fingerprint = await fingerprintOf(database.url)
    expect(await emptied(database.url, fingerprint)).toBe(false)
    await client.query(`insert into data_keys (name, wrapped, created_at)
      select n::text, decode(repeat('00', 100), 'hex'), 0 from generate_series(1, 60000) n`)
    expect(await emptiedTo(fingerprint)).toBe(false)
  })
})
