import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { openDatabase } from '../src/db/open.ts'
import { transaction } from '../src/db/transaction.ts'
import { markForgotten } from '../src/features/campaigns/respondents/forgotten.ts'
import { purgeGuests } from '../src/features/campaigns/respondents/purge-guests.ts'
import { forgetGuest } from '../src/features/campaigns/respondents/routes.ts'
import { countedVotes, pollKeyOf } from './ballot-box.ts'
import { createCampaign } from './campaigns.ts'
import { newPlace, type Place, serve, spawnTossup, TEST_SECRET, tossupJson } from './command.ts'
import { deadlocksIn } from './deadlocks.ts'
import { engines } from './engines.ts'
import { createDatabase, type OwnDatabase } from './own-database.ts'
import { startTestService, type TestService } from './service.ts'
import { castInto, castMany } from './voters.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(180_000)

const POLLS = 2_000
/** A vote that no group has taken by then is refused. */
const LONGEST_WAIT_MS = 10_000

describe.each([...engines])('%s: votes beside a large brand delete', (engine) => {
  let place: Place
  beforeAll(async () => {
    const made = await newPlace(engine)
    place = {
      ...made,
      settings: {
        ...made.settings,
        SECRET_KEY: TEST_SECRET,
        NETWORK_VOTES_PER_MINUTE: '0',
        NETWORK_BRAND_VOTES_PER_MINUTE: '0',
      },
    }
    for (const slug of ['large', 'other']) {
      await tossupJson(['brand', 'create', '--slug', slug, '--name', slug], place.settings)
      const words = [
        'poll',
        'create',
        '--brand',
        slug,
        '--title',
        'Tea?',
        '--a',
        'A',
        '--b',
        'B',
        '--slug',
        `${slug}-tea`,
      ]
      await tossupJson(words, place.settings)
    }
    await fillLarge()
  })
  afterAll(() => place.clear())

  async function fillLarge(): Promise<void> {
    const url = place.settings['DATABASE_URL']
    const database = url
      ? ({ engine: 'postgres', url } as const)
      : ({ engine: 'sqlite', dataDir: place.dataDir } as const)
    const { engine: opened } = await openDatabase({ database, secretKeys: [TEST_SECRET] })
    try {
      const { key, ...model } = await opened.db
        .selectFrom('polls')
        .selectAll()
        .where('slug', '=', 'large-tea')
        .executeTakeFirstOrThrow()
      await castInto(opened, key, 30_000)
      for (let at = 0; at < POLLS; at += 500) {
        const names = Array.from({ length: 500 }, (_, i) => `large-${at + i}`)
        const polls = names.map((name) => ({ ...model, id: crypto.randomUUID(), short_id: name, slug: name }))
        await opened.db.insertInto('polls').values(polls).execute()
      }
    } finally {
      await opened.close()
    }
  }

  test('are all counted and kept, and none waits for the whole of it', async () => {
    const server = await serve(place.settings)
    const deleting = spawnTossup(['brand', 'delete', 'large', '--yes', '--json'], place.settings)
    let isDeleting = true
    const ended = deleting.exited.then((code) => {
      isDeleting = false
      return code
    })
    const waits: number[] = []
    const statuses: number[] = []
    const sender = async () => {
      while (isDeleting || statuses.length < 50) {
        const startedAt = performance.now()
        const answer = await fetch(`${server.url}/api/rest/v1/polls/other-tea/votes`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'X-Device-Id': crypto.randomUUID() },
          body: '{"option":"A"}',
        })
        await answer.text()
        waits.push(performance.now() - startedAt)
        statuses.push(answer.status)
      }
    }
    try {
      await Promise.all(Array.from({ length: 8 }, sender))
      expect(await ended).toBe(0)
      expect(JSON.parse(await deleting.stdout.text())).toMatchObject({ deleted: true, polls: POLLS + 1 })
      expect(new Set(statuses)).toEqual(new Set([201]))
      expect(Math.max(...waits)).toBeLessThan(LONGEST_WAIT_MS)
      const tallies = await (await fetch(`${server.url}/api/rest/v1/polls/other-tea/tallies`)).json()
      expect((tallies as { data: { tallies: { total: number } } }).data.tallies.total).toBe(statuses.length)
    } finally {
      server.kill('SIGTERM')
      await server.ended
    }
    expect(await tossupJson(['verify'], place.settings)).toMatchObject({ isSound: true })
  })
})

describe.each([...engines])('%s: two purges at once', (engine) => {
  let service: TestService
  let database: OwnDatabase | null = null
  beforeAll(async () => {
    if (engine === 'postgres') database = await createDatabase()
    service = await startTestService(engine, { jobs: 'by hand', ...(database ? { database } : {}) })
  })
  afterAll(async () => {
    await service.stop()
    await database?.drop()
  })

  test('beside votes and guests that leave: no deadlock, and every count is right', async () => {
    const { deps } = service
    const brand = await service.createBrand()
    const polls = [await service.createPoll(brand), await service.createPoll(brand), await service.createPoll(brand)]
    await createCampaign(service, brand, polls.slice(0, 2))
    const keys = await Promise.all(polls.map((poll) => pollKeyOf(service, poll)))
    for (const key of keys) await castMany(service, key, 1_500)
    await service.db.updateTable('votes').set({ voted_at: 1_000 }).where('poll_key', 'in', keys).execute()
    await service.db.updateTable('campaign_respondents').set({ started_at: 1_000 }).execute()
    const guests = await service.db
      .selectFrom('votes')
      .select('device')
      .where('poll_key', 'in', keys)
      .limit(100)
      .execute()
    const voting = Array.from({ length: 100 }, (_, i) => service.vote(polls[i % 3]?.slug ?? '', 'A'))
    // The number of slices changes the order in which devices are forgotten.
    const [votes] = await Promise.all([
      Promise.all(voting),
      ...[500_000, 600, 2_000].map((inMemory) => purgeGuests(deps.engine, 1_001, inMemory)),
      ...guests.map(({ device }) => forgetGuest(deps.engine, device)),
    ])
    expect(new Set(votes.map(({ status }) => status))).toEqual(new Set([201]))
    expect(await purgeGuests(deps.engine, 1_001)).toBe(0)
    for (const key of keys) expect((await countedVotes(service, key)).length).toBeGreaterThanOrEqual(1_533)
    const forgotten = await service.db.selectFrom('forgotten_devices').select('device').execute()
    expect(forgotten).toHaveLength(4_500)
    expect(await deadlocks()).toBe(0)
  })

  test('forget the same devices in any order without a deadlock', async () => {
    const { deps } = service
    const devices = Array.from({ length: 500 }, () => randomBytes(16))
    const orders = Array.from({ length: 12 }, (_, i) => (i % 2 ? devices : devices.toReversed()))
    await Promise.all(orders.map((order, i) => transaction(deps.engine, (tx) => markForgotten(tx, order, 2_000 + i))))
    expect(await deadlocks()).toBe(0)
  })

  const deadlocks = async () => (database ? deadlocksIn(database.url) : 0)
})
