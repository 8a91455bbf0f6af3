import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { FeedSnapshots } from '../src/features/polls/snapshots/feed-snapshots.ts'
import { PollSnapshots } from '../src/features/polls/snapshots/poll-snapshots.ts'
import { pollKeyOf } from './ballot-box.ts'
import { engines } from './engines.ts'
import { createDatabase } from './own-database.ts'
import { everyPage, HOUR, patchPoll } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

setDefaultTimeout(60_000)

const feedOf = (brand: TestBrand) => `brands/${brand.slug}/polls`

describe.each([...engines])('%s: the first page of a feed, from memory', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  test('is answered 304 until something on it changes, and its cursor leads through every other poll once', async () => {
    const brand = await service.createBrand()
    const made: string[] = []
    for (let i = 0; i < 45; i++) made.unshift((await service.createPoll(brand)).slug)
    const first = await service.get<PollData[]>(feedOf(brand))
    const etag = first.headers.get('etag') ?? ''
    const again = () => service.get(feedOf(brand), { headers: { 'If-None-Match': etag } })
    expect((await again()).status).toBe(304)
    await service.vote(made[44] ?? '', 'A')
    expect((await again()).status).toBe(304)
    await service.vote(made[3] ?? '', 'A')
    expect((await again()).status).toBe(200)
    const link = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    expect(link).toContain(`cursor=${first.body.nextCursor}`)
    const rest = await everyPage(service, link, { limit: 20 })
    expect([...first.body.data, ...rest].map(({ slug }) => slug)).toEqual(made)
  })

  /** Feeds of their own, whose polls are read only after `before` has resolved. */
  function feedsWith(before: () => Promise<unknown>) {
    const polls = new PollSnapshots(service.deps)
    const findAll = polls.findAll.bind(polls)
    polls.findAll = async (keys) => {
      await before()
      return findAll(keys)
    }
    const feeds = new FeedSnapshots(service.deps, polls)
    const titlesOf = async (brand: TestBrand, now: number) => {
      const { data } = JSON.parse((await feeds.find(brand.slug, now))?.body ?? '{}') as { data: PollData[] }
      return data.map((poll) => poll['title'])
    }
    return { polls, feeds, titlesOf }
  }

  test('a request that shares a read from before a poll opened shows the poll as open', async () => {
    const brand = await service.createBrand()
    const now = service.clock.now()
    await service.createPoll(brand, { title: 'open', closesAt: new Date(now + 90_000).toISOString() })
    await service.createPoll(brand, { title: 'soon', opensAt: new Date(now + 60_000).toISOString() })
    const gate = Promise.withResolvers<void>()
    const isHeld = Promise.withResolvers<void>()
    const { feeds, titlesOf } = feedsWith(() => {
      isHeld.resolve()
      return gate.promise
    })
    const early = titlesOf(brand, now + 59_999)
    await isHeld.promise
    const [late, later] = [titlesOf(brand, now + 60_000), feeds.find(brand.slug, now + 90_000)]
    gate.resolve()
    expect(await early).toEqual(['open'])
    expect(await late).toEqual(['soon', 'open'])
    expect(JSON.parse((await later)?.body ?? '{}').data).toMatchObject([{ title: 'soon' }, { status: 'closed' }])
    expect(feeds.peek(brand.slug, now + 59_999)).toBeNull()
  })

  test('a poll that becomes private during the read is not on it', async () => {
    const brand = await service.createBrand()
    const { slug } = await service.createPoll(brand, { title: 'for all' })
    await service.createPoll(brand, { title: 'other' })
    const isPrivate = { isPrivate: true, title: 'for few' }
    let changes = 0
    const { feeds, titlesOf } = feedsWith(async () => changes++ || patchPoll(service, brand, slug, isPrivate))
    const now = service.clock.now() + HOUR
    expect(await titlesOf(brand, now)).toEqual(['other'])
    expect(feeds.peek(brand.slug, now)).toBeNull()
    expect(await titlesOf(brand, now)).toEqual(['other'])
    expect(feeds.peek(brand.slug, now)).not.toBeNull()
  })

  test('a change drops only the page of its own brand, unless the brand is unknown', async () => {
    const [brand, other] = [await service.createBrand(), await service.createBrand()]
    const poll = await service.createPoll(brand)
    await service.createPoll(other)
    const pollKey = await pollKeyOf(service, poll)
    const { polls, feeds } = feedsWith(async () => undefined)
    const now = service.clock.now() + HOUR
    /** On PostgreSQL everything is read again periodically; this measures only the time in between. */
    const keptAfter = async (change: () => void) => {
      for (;;) {
        await feeds.find(brand.slug, now)
        await feeds.find(other.slug, now)
        const epoch = service.deps.engine.epoch()
        const isRead = [brand, other].every(({ slug }) => feeds.peek(slug, now))
        change()
        const kept = [brand, other].map(({ slug }) => feeds.peek(slug, now) !== null)
        if (isRead && service.deps.engine.epoch() === epoch) return kept
      }
    }
    expect(await keptAfter(() => undefined)).toEqual([true, true])
    expect(await keptAfter(() => polls.drop(pollKey, brand.brandKey))).toEqual([false, true])
    expect(await keptAfter(() => polls.dropBrand(other.brandKey))).toEqual([true, false])
    expect(await keptAfter(() => polls.drop(pollKey, null))).toEqual([false, false])
  })

  test.if(engine === 'postgres')('follows changes of another process within a second', async () => {
    const database = await createDatabase()
    const one = await startTestService(engine, { database })
    const other = await startTestService(engine, { database })
    const brand = await one.createBrand()
    const poll = await one.createPoll(brand)
    const seen = async () => (await other.get<PollData[]>(feedOf(brand))).body.data
    expect(await seen()).toHaveLength(1)
    await one.vote(poll.slug, 'B')
    await one.createPoll(brand)
    // Real time: another server is right within a second.
    await Bun.sleep(1_000)
    const now = await seen()
    expect(now).toHaveLength(2)
    expect(now[1]?.tallies).toEqual({ optionA: 0, optionB: 1, total: 1 })
    await one.stop()
    await other.stop()
    await database.drop()
  })

  test('an unknown brand is 404, and a new brand is found at once', async () => {
    expect((await service.get('brands/not-here-yet/polls')).status).toBe(404)
    const brand = await service.createBrand()
    expect((await service.get(feedOf(brand))).text).toBe('{"data":[],"nextCursor":null,"hasMore":false}')
    await service.createPoll(brand)
    expect((await service.get<PollData[]>(feedOf(brand))).body.data).toHaveLength(1)
  })
})
