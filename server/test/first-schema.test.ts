import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { migrate } from '../src/db/migrate.ts'
import type { OpenedEngine } from '../src/db/store.ts'
import { decide } from '../src/features/votes/decide.ts'
import { catalogOf } from './catalog.ts'
import { makeEarlierDatabase } from './earlier-database.ts'
import { type EmptyDatabase, emptyDatabase } from './empty-database.ts'
import { engines } from './engines.ts'

type Rows = Record<string, string[]>

async function rowsOf({ db }: OpenedEngine): Promise<Rows> {
  const rows: Rows = {}
  for (const { name, isView } of await db.introspection.getTables()) {
    if (isView || name === 'migrations') continue
    const all = await sql<object>`select * from ${sql.table(name)}`.execute(db)
    rows[name] = all.rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort()
  }
  return rows
}

/** Without the columns that later migrations added. */
const withColumnsOf = (before: Rows, rows: Rows): Rows =>
  Object.fromEntries(
    Object.entries(rows).map(([table, all]) => {
      const names = new Set((JSON.parse(before[table]?.[0] ?? '[]') as [string, unknown][]).map(([name]) => name))
      const columns = (row: string) => (JSON.parse(row) as [string, unknown][]).filter(([name]) => names.has(name))
      return [table, all.map((row) => JSON.stringify(columns(row))).sort()]
    }),
  )

const deviceOf = (byte: number) => Buffer.alloc(16, byte)

describe.each([...engines])('%s: a database of the first release', (name) => {
  let databases: EmptyDatabase[]
  beforeEach(() => {
    databases = []
  })
  afterEach(async () => {
    for (const database of databases) await database.remove()
  })

  async function open(): Promise<OpenedEngine> {
    const database = await emptyDatabase(name)
    databases.push(database)
    return database.engine
  }

  async function openEarlier(): Promise<OpenedEngine> {
    const engine = await open()
    await makeEarlierDatabase(engine)
    return engine
  }

  test('gets the schema of a new one', async () => {
    const [earlier, fresh] = [await openEarlier(), await open()]
    expect(await migrate(earlier, 7)).toEqual((await migrate(fresh, 7)).slice(5))
    const catalog = await catalogOf(earlier)
    expect(catalog).toEqual(await catalogOf(fresh))
    expect(catalog.length).toBeGreaterThan(80)
    expect(await migrate(earlier, 8)).toEqual([])
  })

  test('keeps every row', async () => {
    const engine = await openEarlier()
    const before = await rowsOf(engine)
    const empty = Object.keys(before).filter((table) => before[table]?.length === 0)
    // Votes fill them as they come.
    expect(empty).toEqual(name === 'sqlite' ? ['vote_devices', 'vote_devices_to'] : [])
    await migrate(engine, 7)
    const { webhooks, ...same } = await rowsOf(engine)
    const moved = ['earlier_secret', 'earlier_secret_until']
    const columns = (row = '[]') => (JSON.parse(row) as [string, unknown][]).filter(([name]) => !moved.includes(name))
    const added = [
      ['earlier_secrets', '[{"sealed":"5ec0","until":1900000000000}]'],
      ['format', 'standard'],
    ]
    const [first] = before['webhooks'] ?? []
    expect(webhooks?.map((row) => columns(row))).toContainEqual([...columns(first), ...added].sort() as never)
    // Derived from votes: this version has it in another form.
    const { webhooks: _webhooks, vote_devices: _devices, vote_devices_to: _to, ...others } = before
    const present = Object.fromEntries(Object.entries(same).filter(([table]) => table in before))
    expect(withColumnsOf(before, present)).toEqual(others)
  })

  test('never reuses a key of a deleted row', async () => {
    const engine = await openEarlier()
    await migrate(engine, 7)
    const campaign = await engine.db
      .insertInto('campaigns')
      .values({
        id: 'd-4',
        brand_key: 1,
        title: 'Tea',
        title_folded: 'tea',
        state: 'draft',
        is_public: 0,
        created_at: 1,
        updated_at: 1,
      })
      .returning('key')
      .executeTakeFirstOrThrow()
    expect(campaign.key).toBe(4)
  })

  test('still refuses a second vote of a device, and counts a first vote', async () => {
    const engine = await openEarlier()
    await migrate(engine, 7)
    const { votes, votesOf, db } = engine.ready()
    const ballots = [1, 2, 3, 4].map((byte) => ({ pollKey: 1, device: deviceOf(byte), option: 'B' as const }))
    const { decision, durable } = await votes.commit(ballots, (facts) => decide(ballots, facts))
    await durable
    expect(decision.outcomes.map(({ kind }) => kind)).toEqual(['already', 'already', 'already', 'accepted'])
    const own = await votesOf(db, { pollKeys: [1], devices: [deviceOf(3), deviceOf(4)] })
    expect(own.map(({ position }) => position).toSorted()).toEqual([3, 4])
    const guests = await engine.db.selectFrom('guests').select(['device', 'first_seen_at']).execute()
    expect(guests.map(({ device }) => device[0] ?? 0).sort()).toEqual([1, 3, 4])
  })

  test('that a newer program has changed is refused', async () => {
    const engine = await openEarlier()
    await sql`insert into migrations (name, applied_at) values ('0012-future.sql', 1)`.execute(engine.db)
    await expect(migrate(engine, 7)).rejects.toThrow(
      'newer than this version of Tossup: it has the migration 0012-future.sql',
    )
  })
})
