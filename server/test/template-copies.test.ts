import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import pg from 'pg'
import { migrate } from '../src/db/migrate.ts'
import { openPostgres } from '../src/db/postgres/engine.ts'
import { fingerprintOf } from './emptied-database.ts'
import { engines } from './engines.ts'
import { ADMIN_URL, asAdmin, createDatabase, type OwnDatabase } from './own-database.ts'
import { copyTemplate, dropFree, type Template } from './template-copies.ts'

const nameOf = (url: string) => new URL(url).pathname.slice(1)

async function inDatabase<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<Row>(text)
  await client.end()
  return rows
}

/** What stays the same when a database is renamed. */
const oidOf = async (url: string): Promise<number> => {
  const [row] = await inDatabase<{ oid: number }>(url, 'select oid from pg_database where datname = current_database()')
  return row?.oid ?? 0
}

describe.if(engines.includes('postgres'))('copies of a migrated database', () => {
  let database: OwnDatabase
  let template: Template
  beforeAll(async () => {
    database = await createDatabase(ADMIN_URL, { mustBeEmpty: true })
    const engine = openPostgres(database.url, () => undefined)
    await migrate(engine, Date.now())
    await engine.close()
    template = { name: nameOf(database.url), fingerprint: await fingerprintOf(database.url) }
  }, 60_000)
  afterAll(async () => {
    await dropFree(ADMIN_URL, template.name)
    await database.drop()
  })

  test('are used again, under another name and without the rows of the test before', async () => {
    const first = await copyTemplate(ADMIN_URL, template)
    const oid = await oidOf(first.url)
    await inDatabase(
      first.url,
      "insert into categories (id, slug, name, created_at) values ('c', 'drinks', 'Drinks', 1)",
    )
    await first.drop()
    await expect(oidOf(first.url)).rejects.toThrow('does not exist')
    const second = await copyTemplate(ADMIN_URL, template)
    expect(await oidOf(second.url)).toBe(oid)
    expect(await inDatabase(second.url, 'select from categories')).toEqual([])
    await second.drop()
  })

  test('are given to one of several who ask at the same time', async () => {
    const first = await copyTemplate(ADMIN_URL, template)
    await first.drop()
    const copies = await Promise.all(Array.from({ length: 4 }, () => copyTemplate(ADMIN_URL, template)))
    const oids = await Promise.all(copies.map(({ url }) => oidOf(url)))
    expect(new Set(oids).size).toBe(4)
    for (const { drop } of copies) await drop()
  })

  test('whose schema a test has changed are dropped', async () => {
    const first = await copyTemplate(ADMIN_URL, template)
    const oid = await oidOf(first.url)
    await asAdmin(first.url, 'drop table votes cascade')
    await first.drop()
    const found = await inDatabase(ADMIN_URL, `select from pg_database where oid = ${oid}`)
    expect(found).toEqual([])
  })

  test('are given back once, also by a test that drops one twice', async () => {
    const first = await copyTemplate(ADMIN_URL, template)
    await Promise.all([first.drop(), first.drop()])
    await first.drop()
    const [second, third] = [await copyTemplate(ADMIN_URL, template), await copyTemplate(ADMIN_URL, template)]
    expect(await oidOf(second.url)).not.toBe(await oidOf(third.url))
    await second.drop()
    await third.drop()
  })
})
