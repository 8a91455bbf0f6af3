import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { SECOND } from '../src/base/clock.ts'
import { findPollKey } from '../src/features/polls/queries.ts'
import { PollSnapshots } from '../src/features/polls/snapshots/poll-snapshots.ts'
import { engines } from './engines.ts'
import { createDatabase } from './own-database.ts'
import { type PollData, startTestService, type TalliesData, type TestBrand, type TestService } from './service.ts'
import { wrongFor } from './wrong-for.ts'

interface TalliesAnswer {
  status: string
  tallies: TalliesData
  updatedAt: string
}

const total = async (service: TestService, slug: string): Promise<number> =>
  (await service.get<TalliesAnswer>(`polls/${slug}/tallies`)).body.data.tallies.total

describe.each([...engines])('%s: public reads from memory', (engine) => {
  let service: TestService
  let brand: TestBrand

  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  test('keep a frequently read poll, however many others are read once', async () => {
    const polls = await Promise.all(Array.from({ length: 25 }, () => service.createPoll(brand)))
    const { engine: real } = service.deps
    const [hot = 0, ...cold] = await Promise.all(
      polls.map(async ({ slug }) => (await findPollKey(real.db, slug)) ?? Number.NaN),
    )
    const unchanging = Object.assign(Object.create(real), { epoch: () => 0 })
    const snapshots = new PollSnapshots({ ...service.deps, engine: unchanging }, 10)
    const kept = await snapshots.find(hot)
    expect(kept).not.toBeNull()
    for (const pollKey of cold) {
      await snapshots.find(pollKey)
      expect(snapshots.peek(hot)).toBe(kept)
    }
    expect(snapshots.peek(cold[0] ?? 0)).toBeNull()
  })

  test('read all polls together that were asked for lately, when another process may have written', async () => {
    const polls = await Promise.all(Array.from({ length: 5 }, () => service.createPoll(brand)))
    const { engine: real } = service.deps
    const keys = await Promise.all(polls.map(async ({ slug }) => (await findPollKey(real.db, slug)) ?? Number.NaN))
    let epoch = 0
    const told = Object.assign(Object.create(real), { epoch: () => epoch })
    const snapshots = new PollSnapshots({ ...service.deps, engine: told })
    const before = await snapshots.findAll(keys)
    const misses = () => snapshots.lookups.miss
    expect(misses()).toBe(5)
    await real.db
      .updateTable('polls')
      .set({ title: 'Changed' })
      .where('key', '=', keys[4] ?? 0)
      .execute()
    const json = (of: (typeof before)[number] | undefined) => String(of?.poll(service.clock.now()).body)

    epoch++
    expect(await snapshots.find(keys[0] ?? 0)).toBe(before[0] ?? null)
    expect(misses()).toBe(6)
    expect(snapshots.peek(keys[1] ?? 0)).toBe(before[1] ?? null)
    // A changed poll is shown as it is now, and one that nobody has asked for since is left for its next request.
    expect(json(await snapshots.find(keys[4] ?? 0))).toContain('Changed')
    expect(json(before[4])).not.toContain('Changed')
    expect(misses()).toBe(6)
    for (const expected of [7, 8]) {
      epoch++
      await snapshots.find(keys[0] ?? 0)
      expect(snapshots.peek(keys[1] ?? 0)).toBe(before[1] ?? null)
      expect(misses()).toBe(expected)
    }
    expect(snapshots.peek(keys[3] ?? 0)).toBeNull()
  })

  test('never show less than an answered vote, however many read meanwhile', async () => {
    const { slug } = await service.createPoll(brand)
    let isDone = false
    let answered = 0
    const readers = Array.from({ length: 8 }, async () => {
      while (!isDone) {
        const before = answered
        expect(await total(service, slug)).toBeGreaterThanOrEqual(before)
      }
    })
    for (let round = 0; round < 30; round++) {
      await Promise.all(
        Array.from({ length: 5 }, async () => {
          const vote = await service.vote(slug, 'A')
          answered = Math.max(answered, vote.body.data.tallies.total)
        }),
      )
      expect(await total(service, slug)).toBe(answered)
    }
    isDone = true
    await Promise.all(readers)
    const poll = await service.get<PollData>(`polls/${slug}`)
    expect(poll.body.data.tallies).toEqual({ optionA: 150, optionB: 0, total: 150 })
  })

  test('show a change as soon as it is answered', async () => {
    const { slug, shortId } = await service.createPoll(brand, { isDraft: true })
    const read = () => service.get<PollData>(`polls/${shortId}`)
    const patch = (json: unknown) => service.write('PATCH', `brands/me/polls/${slug}`, { token: brand.token, json })
    expect((await read()).status).toBe(404)
    await patch({ isDraft: false })
    expect((await read()).body.data.title).toBe('Tea or coffee?')
    for (let i = 0; i < 20; i++) {
      const reads = [read(), read()]
      await patch({ title: `Title ${i}`, tags: [`tag ${i}`] })
      expect((await read()).body.data).toMatchObject({ title: `Title ${i}`, tags: [`tag ${i}`] })
      await Promise.all(reads)
    }
    await service.write('DELETE', `brands/me/polls/${slug}`, { token: brand.token })
    expect((await read()).status).toBe(404)
    expect((await service.get(`polls/${slug}/tallies`)).status).toBe(404)
  })

  test('follow the clock across opensAt and closesAt', async () => {
    const now = service.clock.now()
    const at = (ms: number) => new Date(now + ms).toISOString()
    const { slug } = await service.createPoll(brand, { opensAt: at(60_000), closesAt: at(120_000) })
    const statuses: string[] = []
    for (const step of [0, 60_001, 60_000]) {
      service.clock.advance(step)
      const poll = await service.get<PollData>(`polls/${slug}`)
      const tallies = await service.get<TalliesAnswer>(`polls/${slug}/tallies`)
      expect(tallies.body.data.status).toBe(poll.body.data.status)
      statuses.push(poll.body.data.status)
    }
    expect(statuses).toEqual(['scheduled', 'open', 'closed'])
  })

  test('keep their ETag until something changes', async () => {
    const { slug } = await service.createPoll(brand)
    const etag = async () => (await service.get(`polls/${slug}`)).headers.get('etag')
    const first = await etag()
    expect(await etag()).toBe(first)
    await service.vote(slug, 'B')
    expect(await etag()).not.toBe(first)
  })
})

test('sqlite: changes of another process are seen within a second', async () => {
  const service = await startTestService('sqlite')
  const brand = await service.createBrand()
  const { slug } = await service.createPoll(brand)
  await service.get(`polls/${slug}`)
  const other = new Database(join(service.deps.config.dataDir, 'tossup.sqlite'))
  other.run('update polls set title = ? where slug = ?', ['Changed elsewhere', slug])
  other.close()
  const isSeen = async () => (await service.get<PollData>(`polls/${slug}`)).body.data.title === 'Changed elsewhere'
  expect(await wrongFor(isSeen)).toBeLessThan(SECOND)
  await service.stop()
})

test.if(engines.includes('postgres'))('postgres: two servers on one database agree within a second', async () => {
  const database = await createDatabase()
  const settings = { DATABASE_URL: database.url }
  const [one, two] = [await startTestService('sqlite', { settings }), await startTestService('sqlite', { settings })]
  const brand = await one.createBrand()
  const { slug } = await one.createPoll(brand)
  expect(await total(two, slug)).toBe(0)
  await Promise.all([
    one.vote(slug, 'A', randomUUID()),
    one.vote(slug, 'B', randomUUID()),
    two.vote(slug, 'B', randomUUID()),
  ])
  expect(await wrongFor(async () => (await total(one, slug)) === 3 && (await total(two, slug)) === 3)).toBeLessThan(
    SECOND,
  )
  await one.write('DELETE', `brands/me/polls/${slug}`, { token: brand.token })
  expect(await wrongFor(async () => (await two.get(`polls/${slug}`)).status === 404)).toBeLessThan(SECOND)
  await one.stop()
  await two.stop()
  await database.drop()
})
