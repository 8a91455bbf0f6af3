import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { fingerprintOf } from './emptied-database.ts'
import { engines } from './engines.ts'
import { migrateEmpty } from './migrate-empty.ts'
import { ADMIN_URL, asAdmin, createDatabase, type OwnDatabase } from './own-database.ts'
import { copyTemplate, dropFree, type Template } from './template-copies.ts'
import { withClient } from './with-client.ts'

const nameOf = (url: string) => new URL(url).pathname.slice(1)

const rowsOf = <Row extends object>(url: string, text: string): Promise<Row[]> =>
  withClient(url, async (client) => (await client.query<Row>(text)).rows)

/** The OID identifies a database even after it is renamed. */
const oidOf = async (url: string): Promise<number> => {
  const [row] = await rowsOf<{ oid: number }>(url, 'select oid from pg_database where datname = current_database()')
  return row?.oid ?? 0
}

describe.if(engines.includes('postgres'))('copies of a migrated database', () => {
  let database: OwnDatabase
  let template: Template
  beforeAll(async () => {
    database = await createDatabase(ADMIN_URL, { mustBeEmpty: true })
    await migrateEmpty(database.url)
    template = { name: nameOf(database.url), fingerprint: await fingerprintOf(database.url) }
  }, 60_000)
  afterAll(async () => {
    await dropFree(ADMIN_URL, template.name)
    await database.drop()
  })

  test('are used again, under another name and without the rows of the test before', async () => {
    const first = await copyTemplate(ADMIN_URL, template)
    const oid = await oidOf(first.url)
    await rowsOf(first.url, "insert into categories (id, slug, name, created_at) values ('c', 'drinks', 'Drinks', 1)")
    await first.drop()
    await expect(oidOf(first.url)).rejects.toThrow('does not exist')
    const second = await copyTemplate(ADMIN_URL, template)
    expect(await oidOf(second.url)).toBe(oid)
    expect(await rowsOf(second.url, 'select from categories')).toEqual([])
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
    const found = await rowsOf(ADMIN_URL, `select from pg_database where oid = ${oid}`)
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
