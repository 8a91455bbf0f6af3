import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { Db } from '../src/db/store.ts'
import { type EngineName, engines } from './engines.ts'
import { type Schema, schemaOf } from './schema-of.ts'
import { startTestService, type TestService } from './service.ts'
import { tableTypes } from './table-types.ts'

describe('the schema', () => {
  const services = new Map<string, TestService>()

  beforeAll(async () => {
    for (const engine of engines) services.set(engine, await startTestService(engine))
  })
  afterAll(() => Promise.all([...services.values()].map((service) => service.stop())))

  /** Without what only SQLite has: tables in place of an index of `votes` and for the newest votes, and the counts in order of time. */
  async function sharedSchema(engine: EngineName): Promise<Schema> {
    const { fresh_votes, vote_prints, ...shared } = await schemaOf(engine, dbOf(engine))
    if (engine === 'postgres') return shared
    expect([fresh_votes, vote_prints].map((table) => table?.primaryKey)).toEqual([[], ['poll_key', 'block']])
    const inIndex = ['poll_key', 'device']
    shared['votes']?.indexes.push({ name: 'votes_by_device', columns: inIndex, isUnique: true, predicate: null })
    const counts = shared['vote_counts']
    expect(counts?.primaryKey).toEqual(['width', 'at', 'poll_key'])
    const [byPoll] = counts?.indexes ?? []
    return { ...shared, vote_counts: { ...counts, primaryKey: byPoll?.columns, indexes: [] } as Schema[string] }
  }

  test.if(engines.includes('postgres'))('is the same on both engines', async () => {
    const left = await sharedSchema('sqlite')
    const right = await sharedSchema('postgres')
    expect(Object.keys(left).sort()).toEqual(Object.keys(right).sort())
    for (const [table, shape] of Object.entries(left))
      expect({ table, ...shape }).toEqual({ table, ...right[table] } as never)
    expect(left['polls']?.indexes.filter(({ predicate }) => predicate !== null)).toHaveLength(20)
    expect(left['access_tokens']?.foreignKeys).toEqual([
      { columns: 'family_key', to: 'token_families.key', onDelete: 'cascade' },
    ])
    expect(left['votes']?.columns.find(({ name }) => name === 'option')?.oneOf).toEqual(['A', 'B'])
  })

  test.each([...engines])('%s: has the tables that TypeScript knows (npm run facts writes them)', async (engine) => {
    const file = new URL('../src/db/stored-tables.ts', import.meta.url)
    const types = tableTypes(await sharedSchema(engine))
    if (process.env['UPDATE_FACTS'] === '1' && engine === engines[0]) writeFileSync(file, types)
    expect(readFileSync(file, 'utf8')).toBe(types)
  })

  test.each([...engines])('%s: has the views that TypeScript knows', async (engine) => {
    const db = dbOf(engine)
    const ofSqlite = sql`select views.name as view, columns.name from
        (select name from sqlite_master where type = 'view' union all select name from sqlite_temp_master where type = 'view')
          as views, pragma_table_info(views.name) as columns
      order by view, cid`
    const ofPostgres = sql`select table_name as view, column_name as name
      from information_schema.columns join information_schema.views using (table_schema, table_name)
      where table_schema = 'public' order by table_name, ordinal_position`
    const { rows } = await (engine === 'sqlite' ? ofSqlite : ofPostgres).execute(db)
    const columns = Map.groupBy(rows as { view: string; name: string }[], ({ view }) => view)
    const names = Object.fromEntries([...columns].map(([view, own]) => [view, own.map(({ name }) => name)]))
    const { device_votes: _, ...known } = names
    expect(known).toEqual({ guests: ['device', 'first_seen_at', 'last_seen_at'] })
  })

  test('SQLite has no temporary table or view that hides a stored one of the same name', async () => {
    const both = sql`select name from sqlite_temp_master where name in (select name from sqlite_master)`
    expect((await both.execute(dbOf('sqlite'))).rows).toEqual([])
  })

  test("SQLite refuses values of another type than the column's, as PostgreSQL does", async () => {
    const { rows } = await sql<{ name: string }>`select name from pragma_table_list
      where schema = 'main' and type = 'table' and strict = 0 and name not like 'sqlite_%'`.execute(dbOf('sqlite'))
    expect(rows).toEqual([{ name: 'migrations' }])
  })

  test.each([...engines])(
    '%s: refuses invalid votes and campaigns, and rows that refer to missing rows',
    async (engine) => {
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
    },
  )

  function dbOf(engine: string): Db {
    const service = services.get(engine)
    if (!service) throw new Error(`${engine} is not there`)
    return service.db
  }
})
