import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { engines } from '../../test/engines.ts'
import { createDatabase, type OwnDatabase } from '../../test/own-database.ts'
import { migrate } from './migrate.ts'
import { openPostgres } from './postgres/engine.ts'
import { openSqlite } from './sqlite/engine.ts'
import type { Engine } from './store.ts'

/** Position 1 of each poll is by one device, position 2 by another. */
const vote = (pollKey: number, position: number) => ({
  poll_key: pollKey,
  device: new Uint8Array(16).fill(position),
  option: 'A' as const,
  voted_at: pollKey * 10 + position,
  position,
})
const votes = [vote(1, 1), vote(1, 2), vote(2, 1), vote(2, 2), vote(2, 3)]

describe.each([...engines])('%s: migrate', (name) => {
  let database: OwnDatabase | null
  let folder: string
  let engine: Engine

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tossup-test-'))
    database = name === 'postgres' ? await createDatabase() : null
    engine = database ? openPostgres(database.url, () => undefined) : openSqlite(folder)
  })
  afterAll(async () => {
    await engine.close()
    await database?.drop()
    await rm(folder, { recursive: true })
  })

  const folderOf = () => new URL(`../../migrations/${name}/`, import.meta.url)
  const names = () => readdirSync(folderOf()).sort()

  test('a database of the first version keeps its votes, in their order and each once', async () => {
    await engine.whileMigrating(async (tx) => {
      await engine.runScript(tx, readFileSync(new URL('0001-core.sql', folderOf()), 'utf8'))
      await sql`create table migrations (name text primary key, applied_at bigint not null)`.execute(tx)
      await sql`insert into migrations (name, applied_at) values ('0001-core.sql', 1)`.execute(tx)
      for (const vote of votes) await tx.insertInto('votes').values(vote).execute()
    })
    expect(await migrate(engine, 7)).toEqual(names().slice(1))
    const kept = await engine.db.selectFrom('votes').selectAll().orderBy('poll_key').orderBy('position').execute()
    expect(kept.map((vote) => ({ ...vote, device: new Uint8Array(vote.device) }))).toEqual(votes)
    const counts = await engine.db.selectFrom('vote_counts').selectAll().orderBy('poll_key').orderBy('width').execute()
    const count = (poll_key: number, width: number, option_a: number) => ({
      poll_key,
      width,
      at: 0,
      option_a,
      option_b: 0,
    })
    expect(counts).toEqual([count(1, 60_000, 2), count(1, 3_600_000, 2), count(2, 60_000, 3), count(2, 3_600_000, 3)])
    engine.ready()
    for (const { poll_key, device, position } of votes) {
      const found = await engine.db.selectFrom('device_votes').selectAll().where('device', '=', device).execute()
      expect(found.filter((own) => own.poll_key === poll_key).map((own) => own.position)).toEqual([position])
    }
    const { device } = vote(2, 3)
    const again = {
      sqlite: sql`insert into vote_devices (poll_key, device, position) values (2, ${device}, 4)`,
      postgres: sql`insert into votes (poll_key, device, option, voted_at, position) values (2, ${device}, 'A', 1, 4)`,
    }
    await expect(again[name].execute(engine.db)).rejects.toThrow(/unique/i)
    const guests = await engine.db.selectFrom('guests').select(['first_seen_at', 'last_seen_at']).execute()
    expect(guests.toSorted((left, right) => left.first_seen_at - right.first_seen_at)).toEqual([
      { first_seen_at: 11, last_seen_at: 21 },
      { first_seen_at: 12, last_seen_at: 22 },
      { first_seen_at: 23, last_seen_at: 23 },
    ])
  })

  test('applies what is missing, once', async () => {
    expect(await migrate(engine, 8)).toEqual([])
    const { rows } = await sql`select name, applied_at from migrations order by name`.execute(engine.db)
    expect(rows).toEqual(names().map((each, i) => ({ name: each, applied_at: i === 0 ? 1 : 7 })))
  })

  test('leaves nothing behind when it fails half-way', async () => {
    const failure = engine.whileMigrating(async (tx) => {
      await engine.runScript(tx, 'create table half_way (key text primary key); insert into no_such_table values (1)')
    })
    await expect(failure).rejects.toThrow('no_such_table')
    await expect(sql`select * from half_way`.execute(engine.db)).rejects.toThrow('half_way')
  })

  test('refuses a database that a newer program has changed, and changes nothing itself', async () => {
    await sql`insert into migrations (name, applied_at) values ('9999-future.sql', 1)`.execute(engine.db)
    await expect(migrate(engine, 9)).rejects.toThrow('newer than this program: it has the migration 9999-future.sql')
  })
})
