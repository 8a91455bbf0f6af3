import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { TEST_SECRET } from '../../../test/command.ts'
import { engines } from '../../../test/engines.ts'
import { ADMIN_URL, createDatabase, type OwnDatabase } from '../../../test/own-database.ts'
import { TcpProxy } from '../../../test/tcp-proxy.ts'
import { PlainFailure } from '../../base/errors.ts'
import { openDatabase } from '../open.ts'

describe.if(engines.includes('postgres'))('DATABASE_DIRECT_URL', () => {
  let own: OwnDatabase
  let other: OwnDatabase
  beforeAll(async () => {
    own = await createDatabase(ADMIN_URL, { mustBeEmpty: true })
    other = await createDatabase(ADMIN_URL, { mustBeEmpty: true })
  }, 60_000)
  afterAll(async () => {
    await own.drop()
    await other.drop()
  }, 60_000)

  const open = (url: string, directUrl: string) =>
    openDatabase({ database: { engine: 'postgres', url, directUrl, poolSize: 2 }, secretKeys: [TEST_SECRET] })

  test('may be another address of the same database', async () => {
    const pooler = new TcpProxy(own.url)
    await pooler.open()
    const { engine, migrated } = await open(pooler.url, own.url)
    expect(migrated.length).toBeGreaterThan(0)
    const { rows } = await sql<{ n: number }>`select count(*) as n from migrations`.execute(engine.db)
    expect(rows).toEqual([{ n: migrated.length }])
    await engine.close()
    await pooler.close()
  }, 60_000)

  test('of another database is refused, and nothing is migrated there', async () => {
    const refused = await open(own.url, other.url).catch((error: unknown) => error)
    expect(refused).toEqual(new PlainFailure('DATABASE_DIRECT_URL leads to another database than DATABASE_URL.'))
    const { engine, migrated } = await open(other.url, other.url)
    await engine.close()
    expect(migrated.length).toBeGreaterThan(0)
  }, 60_000)

  test('that leads nowhere is named', async () => {
    const refused = await open(own.url, 'postgres://nobody@127.0.0.1:1/none').catch((error: unknown) => error)
    expect(String(refused)).toMatch(/Cannot use DATABASE_DIRECT_URL: .*ECONNREFUSED/)
  })
})
