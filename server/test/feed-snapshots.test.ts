import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { FeedSnapshots } from '../src/features/polls/feed/feed-snapshots.ts'
import { PollSnapshots } from '../src/features/polls/snapshots/poll-snapshots.ts'
import { pollKeyOf } from './ballot-box.ts'
import { engines } from './engines.ts'
import { createDatabase } from './own-database.ts'
import { deletePoll, everyPage, fromNow, HOUR, patchPoll } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

// PostgreSQL connections: 22

setDefaultTimeout(60_000)

const feedOf = (brand: TestBrand) => `brands/${brand.slug}/polls`

/** The page from memory, and the same page from rows: a request with any query bypasses the memory. */
async function bothPages(service: TestService, brand: TestBrand) {
  const kept = await service.get<PollData[]>(feedOf(brand))
  const made = await service.get<PollData[]>(`${feedOf(brand)}?limit=20`)
  return { kept, made }
}

describe.each([...engines])('%s: the first page of a feed, from memory', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  test('is what the database holds, after every answered change', async () => {
    let brand = await service.createBrand()
    const polls: string[] = []
    const pick = (at: number): string => polls[at % polls.length] ?? ''
    const patch = (at: number, fields: object) => patchPoll(service, brand, pick(at), fields)
    const doings: Record<string, (at: number) => Promise<unknown>> = {
      create: async (at) =>
        polls.push((await service.createPoll(brand, at % 3 ? {} : { opensAt: fromNow(HOUR * (at % 5)) })).slug),
      vote: (at) => service.vote(pick(at), at % 2 ? 'A' : 'B'),
      retitle: (at) => patch(at, { title: `Title ${at}` }),
      hide: (at) => patch(at, { isPrivate: at % 2 === 0 }),
      draft: (at) => patch(at, { isDraft: at % 2 === 0 }),
      archive: (at) => patch(at, { archived: at % 2 === 0 }),
      close: (at) => patch(at, { closesAt: at % 2 ? fromNow(HOUR * 30) : null }),
      conceal: (at) => patch(at, { resultsVisibility: at % 2 ? 'never' : 'always' }),
      delete: async (at) => {
        await deletePoll(service, brand, pick(at))
        polls.splice(at % polls.length, 1)
      },
      wait: async (at) => {
        service.clock.advance((at % 3) * HOUR)
        brand = { ...brand, token: (await service.exchange(brand)).accessToken }
      },
      read: async () => undefined,
    }
    const names = ['create', 'create', 'vote', 'vote', ...Object.keys(doings)]
    const step = fc.tuple(fc.constantFrom(...names), fc.nat(1_000))
    for (let i = 0; i < 22; i++) await doings['create']?.(i)
    let steps = 0
    for (const [name, at] of fc.sample(step, { numRuns: 150, seed: 7 })) {
      if (polls.length === 0) await doings['create']?.(1)
      await doings[name]?.(at)
      const { kept, made } = await bothPages(service, brand)
      expect([steps++, name, kept.body.data, kept.body.hasMore]).toEqual([
        steps - 1,
        name,
        made.body.data,
        made.body.hasMore,
      ])
      expect(kept.headers.get('cache-control')).toBe(made.headers.get('cache-control'))
    }
    service.clock.advance(-1_000 * HOUR)
    const { kept, made } = await bothPages(service, brand)
    expect(kept.body.data).toEqual(made.body.data)
  })

  test('never shows less than an answered vote or change, however many read meanwhile', async () => {
    const brand = await service.createBrand()
    const poll = await service.createPoll(brand, { title: '0' })
    let [answered, changed, isDone] = [0, 0, false]
    const readers = Array.from({ length: 6 }, async () => {
      while (!isDone) {
        const [votesBefore, changesBefore] = [answered, changed]
        const { body } = await service.get<PollData[]>(feedOf(brand))
        expect(body.data[0]?.tallies.total).toBeGreaterThanOrEqual(votesBefore)
        expect(Number(body.data[0]?.['title'])).toBeGreaterThanOrEqual(changesBefore)
      }
    })
    for (let round = 0; round < 40; round++) {
      const votes = Array.from({ length: 4 }, async () => {
        const { body } = await service.vote(poll.slug, 'A')
        answered = Math.max(answered, body.data.tallies.total)
      })
      await Promise.all(votes)
      expect((await service.get<PollData[]>(feedOf(brand))).body.data[0]?.tallies.total).toBe(answered)
      await patchPoll(service, brand, poll.slug, { title: String(round) })
      changed = round
    }
    isDone = true
    await Promise.all(readers)
  })

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

  test.if(engine === 'postgres')('never shows a text that a poll had while it was private', async () => {
    const database = await createDatabase()
    const one = await startTestService(engine, { database })
    const other = await startTestService(engine, { database })
    const brand = await one.createBrand()
    for (let round = 0; round < 5; round++) {
      const { slug } = await one.createPoll(brand, { title: 'not for all', isPrivate: true })
      expect((await other.get<PollData>(`polls/${slug}`)).body.data['title']).toBe('not for all')
      await patchPoll(one, brand, slug, { title: 'for all', isPrivate: false })
      const titles = async () => (await other.get<PollData[]>(feedOf(brand))).body.data.map((poll) => poll['title'])
      const allowed = Array.from({ length: round + 1 }, () => 'for all')
      for (let i = 0; i < 20; i++) expect(await titles()).not.toContain('not for all')
      // Real time: another server is right within a second.
      await Bun.sleep(1_000)
      expect(await titles()).toEqual(allowed)
    }
    await one.stop()
    await other.stop()
    await database.drop()
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
