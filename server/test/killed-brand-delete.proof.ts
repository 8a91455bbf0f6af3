import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type Opened, openDatabase } from '../src/db/open.ts'
import { newPlace, type Place, spawnTossup, TEST_SECRET, tossupJson } from './command.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(120_000)

/** Enough for seconds: a stall of this process after the first of them is no end of the command. */
const POLLS = { sqlite: 10_000, postgres: 3_000 }

describe.each([...engines])('%s: a killed brand delete', (engine) => {
  let place: Place
  let opened: Opened
  beforeAll(async () => {
    const made = await newPlace(engine)
    place = { ...made, settings: { ...made.settings, SECRET_KEY: TEST_SECRET } }
    await tossupJson(['brand', 'create', '--slug', 'acme', '--name', 'Acme'], place.settings)
    await tossupJson(['poll', 'create', '--brand', 'acme', '--title', 'Tea?', '--a', 'A', '--b', 'B'], place.settings)
    const url = place.settings['DATABASE_URL']
    const database = url
      ? ({ engine: 'postgres', url } as const)
      : ({ engine: 'sqlite', dataDir: place.dataDir } as const)
    opened = await openDatabase({ database, secretKeys: [TEST_SECRET] })
  })
  afterAll(async () => {
    await opened.engine.close()
    await place.clear()
  })

  async function fillPolls(): Promise<void> {
    const { db } = opened.engine
    const { key: _, ...model } = await db.selectFrom('polls').selectAll().executeTakeFirstOrThrow()
    const polls = POLLS[engine]
    for (let made = 1; made < polls; made += 100) {
      const ids = Array.from({ length: Math.min(100, polls - made) }, () => randomUUID())
      const copies = ids.map((id) => ({ ...model, id, slug: id, short_id: id }))
      await db.insertInto('polls').values(copies).execute()
    }
  }

  async function isDeleted(): Promise<boolean> {
    const brand = await opened.engine.db.selectFrom('brands').select('deleted_at').executeTakeFirstOrThrow()
    return brand.deleted_at !== null
  }

  async function left(): Promise<number> {
    const polls = opened.engine.db.selectFrom('polls').select(sql<number>`count(*)`.as('left'))
    return (await polls.where('deleted_at', 'is', null).executeTakeFirstOrThrow()).left
  }

  test('goes on when it is repeated', async () => {
    await fillPolls()
    const child = spawnTossup(['brand', 'delete', 'acme', '--yes'], place.settings)
    await eventually(isDeleted)
    child.kill('SIGKILL')
    await child.exited
    const before = await left()
    expect(before).toBeGreaterThan(0)
    expect(await tossupJson(['brand', 'list'], place.settings)).toEqual({ brands: [] })
    expect(await tossupJson(['brand', 'delete', 'acme', '--yes'], place.settings)).toMatchObject({ polls: before })
    expect(await left()).toBe(0)
  })
})
