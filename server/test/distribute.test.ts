import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { DISTRIBUTED_TABLES, REFERENCE_TABLES } from '../src/db/postgres/distribute.ts'
import { READ_TALLIES, READ_VOTES, WRITE } from '../src/db/postgres/vote-store.ts'
import { pollKeyOf } from './ballot-box.ts'
import { CITUS_URL } from './citus-database.ts'
import { newPlace, type Place, TEST_SECRET, tossup, tossupJson } from './command.ts'
import { engines } from './engines.ts'
import { ADMIN_URL, createDatabase, type OwnDatabase } from './own-database.ts'
import { startTestService } from './service.ts'
import { castMany } from './voters.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(120_000)

const TABLES = [...DISTRIBUTED_TABLES, ...REFERENCE_TABLES]

describe.each([...engines])('%s: migrate --distribute', (engine) => {
  let place: Place
  beforeAll(async () => {
    place = await newPlace(engine)
  })
  afterAll(() => place.clear())

  // On Citus the database of `newPlace` has the extension.
  test.if(engine === 'sqlite' || CITUS_URL === null)(
    'refuses a database without Citus, and says what to do',
    async () => {
      const { code, stdout, stderr } = await tossup(['migrate', '--distribute', '--yes'], place.settings)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(
        engine === 'sqlite'
          ? /^Only PostgreSQL with Citus can distribute votes\. Set DATABASE_URL /
          : /has no Citus\. Install it/,
      )
    },
  )
})

describe.if(CITUS_URL !== null)('postgres: votes on Citus', () => {
  let database: OwnDatabase
  let folder: string
  let settings: Record<string, string>
  beforeAll(async () => {
    database = { ...(await createDatabase(ADMIN_URL, { mustBeEmpty: true })), isOnCitus: false }
    folder = await mkdtemp(join(tmpdir(), 'tossup-test-'))
    settings = { DATABASE_URL: database.url, SECRET_KEY: TEST_SECRET, DATA_DIR: folder }
  })
  afterAll(async () => {
    await database.drop()
    await rm(folder, { recursive: true })
  })

  async function query<Row extends object>(text: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      return (await client.query<Row>(text)).rows
    } finally {
      await client.end()
    }
  }

  const placed = async () =>
    (await query<{ name: string }>('select table_name::text as name from citus_tables order by 1')).map(
      ({ name }) => name,
    )

  test('says what it will do, and does nothing without --yes', async () => {
    const { code, stderr } = await tossup(['migrate', '--distribute'], settings)
    expect(code).toBe(2)
    for (const table of TABLES) expect(stderr).toContain(`  ${table}: `)
    expect(stderr).toContain('Add --yes to do it.')
    expect(await placed()).toEqual([])
  })

  test('distributes the votes that are there, while others are cast; each is counted once', async () => {
    const service = await startTestService('postgres', { database, settings: { SECRET_KEY: TEST_SECRET } })
    const brand = await service.createBrand()
    const poll = await service.createPoll(brand)
    await castMany(service, await pollKeyOf(service, poll), 500)
    const distributing = tossupJson<{ distributed: { table: string }[] }>(
      ['migrate', '--distribute', '--yes'],
      settings,
    )
    const state = { isOver: false }
    const ended = distributing.finally(() => {
      state.isOver = true
    })
    let acknowledged = 0
    while (!state.isOver) {
      const { status } = await service.vote(poll.slug, 'A')
      // A vote waits for the moment in which a table changes its place; one that waits too long is refused.
      expect([201, 503]).toContain(status)
      if (status === 201) acknowledged++
    }
    expect((await ended).distributed.map(({ table }) => table)).toEqual([...TABLES])
    expect((await service.vote(poll.slug, 'B')).status).toBe(201)
    const total = 501 + acknowledged
    expect(await query('select count(*)::int as n, max(position)::int as last from votes')).toEqual([
      { n: total, last: total },
    ])
    expect(await query('select (option_a + option_b)::int as n from tallies')).toEqual([{ n: total }])
    expect(acknowledged).toBeGreaterThan(0)
    await service.stop()
  })

  test('are verified while others are cast, as of one moment', async () => {
    const service = await startTestService('postgres', { database, settings: { SECRET_KEY: TEST_SECRET } })
    const brand = await service.createBrand()
    const polls = await Promise.all([1, 2, 3, 4].map(() => service.createPoll(brand)))
    const state = { isOver: false }
    const verified = tossup(['verify'], settings).finally(() => {
      state.isOver = true
    })
    while (!state.isOver) await Promise.all(polls.map(({ slug }) => service.vote(slug, 'A')))
    expect(await verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/^No fault found: /) })
    await service.stop()
  })

  /** The parts of distributed tables that a group of two votes on one poll asks, in the order of the plan. */
  async function partsAsked({ text }: { text: string }, values: string): Promise<string[]> {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query(`prepare asked as ${text}`)
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (costs off) execute asked(${values})`)
    await client.end()
    return rows.flatMap((row) => /Task Count: (\d+)/.exec(row['QUERY PLAN'])?.[1] ?? [])
  }

  test('a group of votes on one poll asks only the parts that have the poll', async () => {
    const devices = `decode('${'0123456789abcdef'.repeat(4)}', 'hex')`
    const [polls, gains] = ['array[1, 1]::bigint[]', 'array[1]::bigint[]']
    const cast = `${polls}, ${devices}, 'AB', array[901, 902]::bigint[], 1, ${gains}, ${gains}, ${gains}, '{}', '{}', '{}'`
    expect(await partsAsked(READ_TALLIES, gains)).toEqual(['1'])
    expect(await partsAsked(READ_VOTES, `${polls}, ${devices}, ${gains}`)).toEqual(['1'])
    expect((await partsAsked(WRITE, cast)).at(0)).toBe('1')
  })

  test('changes nothing the second time', async () => {
    expect(await tossupJson(['migrate', '--distribute'], settings)).toMatchObject({ applied: [], distributed: [] })
    expect(await placed()).toEqual([...TABLES].toSorted())
    expect((await tossup(['verify'], settings)).code).toBe(0)
  })
})
