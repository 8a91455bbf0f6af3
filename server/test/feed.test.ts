import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { publicPoll } from '../src/events/resources/poll.ts'
import { engines } from './engines.ts'
import { deletePoll, everyPage, fromNow, HOUR, ownPoll, patchPoll, problemsOf } from './polls.ts'
import { refreshPopularity } from './popularity.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

const LIST_FIELDS = 'id slug title optionA optionB images imageVariants tallies status brand createdAt'.split(' ')
/** The fields that must be present. The tests of creating a poll check their values. */
const SINGLE_FIELDS = Object.keys(publicPoll.shape)

describe.each([...engines])('%s: the public feed', (engine) => {
  let service: TestService
  beforeAll(async () => {
    // Tests go days ahead: a job in the background would remove the tokens that are expired by then.
    service = await startTestService(engine, { jobs: 'by hand' })
  })
  afterAll(() => service.stop())

  type Item = PollData
  const feed = (brand: TestBrand, query = '', limit = 100) =>
    everyPage<Item>(service, `brands/${brand.slug}/polls${query && `?${query}`}`, { limit })
  const titles = async (...asked: Parameters<typeof feed>) => (await feed(...asked)).map(({ title }) => title)

  /** One poll for each title, in the given order. */
  async function brandWith(polls: Record<string, Record<string, unknown>>) {
    const brand = await service.createBrand()
    const made: Record<string, PollData> = {}
    for (const [title, fields] of Object.entries(polls))
      made[title] = await service.createPoll(brand, { title, ...fields })
    return { brand, made, slugOf: (title: string) => made[title]?.slug ?? '' }
  }

  // spec: 1-7, 2.2-7, 2.3-1, 4.4-5
  test("an item has exactly the fields from id to createdAt; the single poll and the owner's view have more", async () => {
    const { brand, made } = await brandWith({ one: { tags: ['a'], opensAt: fromNow(-HOUR), closesAt: fromNow(HOUR) } })
    const [item] = await feed(brand)
    const single = (await service.get<PollData>(`polls/${made['one']?.id}`)).body.data
    const owned = await ownPoll(service, brand, made['one']?.id ?? '')
    expect(Object.keys(item ?? {})).toEqual(LIST_FIELDS)
    expect(SINGLE_FIELDS.slice(0, LIST_FIELDS.length)).toEqual(LIST_FIELDS)
    expect(Object.keys(single)).toEqual(SINGLE_FIELDS)
    expect(Object.keys(owned)).toEqual([...SINGLE_FIELDS, 'archivedAt', 'codeListId'])
    expect(single).toMatchObject(item ?? {})
    expect(owned).toMatchObject(single)
    expect(Object.keys(single['brand'] ?? {})).toEqual(['slug', 'name', 'theme'])
  })

  // spec: 2.2-8, 3-5, 4.4-5
  test('lists open and closed polls that are not private, draft or archived', async () => {
    const flags = Array.from({ length: 8 }, (_, i) => ({ isPrivate: i > 3, isDraft: i % 4 > 1, archived: i % 2 > 0 }))
    const windows = [
      {},
      { closesAt: fromNow(HOUR) },
      { closesAt: fromNow(-HOUR) },
      { opensAt: fromNow(-HOUR) },
      { opensAt: fromNow(HOUR) },
      { opensAt: fromNow(HOUR), closesAt: fromNow(2 * HOUR) },
      { opensAt: fromNow(-2 * HOUR), closesAt: fromNow(-HOUR) },
    ]
    const brand = await service.createBrand()
    const made: PollData[] = []
    for (const { archived, ...fields } of flags)
      for (const window of windows) {
        const { slug } = await service.createPoll(brand, { ...fields, ...window })
        const { body } = await patchPoll(service, brand, slug, { archived })
        made.unshift(body.data)
      }
    const listed = made.filter(
      (poll) => !poll['isPrivate'] && !poll['isDraft'] && poll['archivedAt'] === null && poll.status !== 'scheduled',
    )
    expect(listed).toHaveLength(5)
    const ids = (polls: PollData[]) => polls.map(({ id }) => id)
    expect(ids(await feed(brand))).toEqual(ids(listed))
    expect(ids(await feed(brand, 'status=all'))).toEqual(ids(listed))
    for (const status of ['open', 'closed']) {
      const wanted = listed.filter((poll) => poll.status === status)
      const got = await feed(brand, `status=${status}`, 2)
      expect(ids(got)).toEqual(ids(wanted))
      expect(new Set(got.map((item) => item.status))).toEqual(new Set([status]))
    }
  })

  // spec: 3-5
  test('a scheduled poll appears and closes by the clock alone', async () => {
    const { brand } = await brandWith({ soon: { opensAt: fromNow(24 * HOUR), closesAt: fromNow(48 * HOUR) }, now: {} })
    const states = async () =>
      Promise.all(['all', 'open', 'closed'].map(async (status) => (await titles(brand, `status=${status}`)).join('+')))
    expect(await states()).toEqual(['now', 'now', ''])
    service.clock.advance(24 * HOUR)
    expect(await states()).toEqual(['now+soon', 'now+soon', ''])
    service.clock.advance(24 * HOUR)
    expect(await states()).toEqual(['now+soon', 'now', 'soon'])
    service.clock.advance(-48 * HOUR)
    expect(await states()).toEqual(['now', 'now', ''])
  })

  test('the cache lifetime of an answer ends at the next opening or close of a poll in it', async () => {
    // On a slow machine a second passes between a poll and its reads.
    service.clock.freeze()
    const { brand, made } = await brandWith({ one: {} })
    const path = `polls/${made['one']?.slug}`
    const paths = [path, `${path}/tallies`, `brands/${brand.slug}/polls`]
    const ages = async () => (await Promise.all(paths.map((each) => service.get(each)))).map(ageOf)
    expect(await ages()).toEqual([2, 2, 2])
    const closesAt = new Date(service.clock.now() + 900).toISOString()
    await patchPoll(service, brand, made['one']?.slug ?? '', { closesAt })
    expect(await ages()).toEqual([0, 0, 0])
    service.clock.advance(1_000)
    expect(await ages()).toEqual([2, 2, 2])
    service.clock.advance(-1_000)
    service.clock.thaw()
  })

  const ageOf = ({ headers }: { headers: Headers }) => {
    const found = /^public, max-age=0, s-maxage=(\d)$/.exec(headers.get('cache-control') ?? '')
    return Number(found?.[1])
  }

  // spec: 4.4-2
  test('order=recent is newest first, equal times by their key', async () => {
    const { brand } = await brandWith({ a: {}, b: {}, c: {}, d: {}, e: {} })
    await service.db.updateTable('polls').set({ created_at: 1_000 }).where('brand_key', '=', brand.brandKey).execute()
    expect(await titles(brand, 'order=recent', 2)).toEqual(['e', 'd', 'c', 'b', 'a'])
    expect(await titles(brand)).toEqual(['e', 'd', 'c', 'b', 'a'])
  })

  // spec: 4.4-4
  test('order=closing is soonest first, then polls that never close, then closed ones, latest first', async () => {
    const soon = fromNow(2 * HOUR)
    const { brand } = await brandWith({
      never: {},
      later: { closesAt: fromNow(3 * HOUR) },
      longGone: { closesAt: fromNow(-3 * HOUR) },
      soon: { closesAt: soon },
      neverToo: {},
      justGone: { closesAt: fromNow(-HOUR) },
      sooner: { closesAt: fromNow(HOUR) },
      soonToo: { closesAt: soon },
      theLast: { closesAt: '9999-12-31T23:59:59.999Z' },
      theFirst: { closesAt: '0000-01-01T00:00:00Z' },
    })
    const open = ['sooner', 'soon', 'soonToo', 'later', 'theLast', 'never', 'neverToo']
    const closed = ['justGone', 'longGone', 'theFirst']
    for (const limit of [1, 2, 3, 100]) {
      expect(await titles(brand, 'order=closing', limit)).toEqual([...open, ...closed])
      expect(await titles(brand, 'order=closing&status=open', limit)).toEqual(open)
      expect(await titles(brand, 'order=closing&status=closed', limit)).toEqual(closed)
    }
  })

  const countPopularity = () => refreshPopularity(service)

  async function vote(slug: string, times: number): Promise<void> {
    for (let i = 0; i < times; i++) expect((await service.vote(slug, i % 2 ? 'A' : 'B')).status).toBe(201)
  }

  // spec: 4.4-4
  test('order=popular is most voted first, equal counts by their key', async () => {
    const { brand, slugOf } = await brandWith({ none: {}, two: {}, five: {}, twoToo: {}, noneToo: {}, three: {} })
    for (const [title, times] of Object.entries({ two: 2, five: 5, twoToo: 2, three: 3 }))
      await vote(slugOf(title), times)
    await countPopularity()
    const order = ['five', 'three', 'twoToo', 'two', 'noneToo', 'none']
    for (const limit of [1, 2, 4, 100]) expect(await titles(brand, 'order=popular', limit)).toEqual(order)
  })

  test('a running server updates the popular order by itself', async () => {
    const { brand, slugOf } = await brandWith({ loved: {}, ignored: {} })
    await vote(slugOf('loved'), 1)
    await service.runDue()
    expect(await titles(brand, 'order=popular')).toEqual(['loved', 'ignored'])
  })

  test('hidden results count as no votes in the popular order, until the close reveals them', async () => {
    const closesAt = fromNow(24 * HOUR)
    const { brand, slugOf } = await brandWith({
      open1: {},
      afterClose: { resultsVisibility: 'after_close', closesAt },
      afterVote: { resultsVisibility: 'after_vote', closesAt },
      never: { resultsVisibility: 'never', closesAt },
      open2: {},
    })
    for (const title of ['afterClose', 'afterVote', 'never']) await vote(slugOf(title), 3)
    await vote(slugOf('open1'), 1)
    await countPopularity()
    expect(await titles(brand, 'order=popular')).toEqual(['open1', 'open2', 'never', 'afterVote', 'afterClose'])
    service.clock.advance(24 * HOUR)
    await countPopularity()
    expect(await titles(brand, 'order=popular')).toEqual(['afterClose', 'open1', 'open2', 'never', 'afterVote'])
    service.clock.advance(-24 * HOUR)
    await patchPoll(service, brand, slugOf('afterClose'), { closesAt: fromNow(25 * HOUR) })
    expect(await titles(brand, 'order=popular')).toEqual(['open1', 'open2', 'never', 'afterVote', 'afterClose'])
    await patchPoll(service, brand, slugOf('never'), { resultsVisibility: 'always' })
    expect((await titles(brand, 'order=popular'))[0]).toBe('never')
    await patchPoll(service, brand, slugOf('never'), { resultsVisibility: 'never' })
    expect((await titles(brand, 'order=popular'))[0]).toBe('open1')
  })

  test('a deleted, archived or private poll is in no order, and a brand without polls has an empty feed', async () => {
    const { brand, slugOf } = await brandWith({ one: {}, two: {} })
    await deletePoll(service, brand, slugOf('one'))
    await patchPoll(service, brand, slugOf('two'), { isPrivate: true })
    for (const order of ['recent', 'popular', 'closing']) {
      const { body } = await service.get(`brands/${brand.slug}/polls?order=${order}`)
      expect(body).toEqual({ data: [], nextCursor: null, hasMore: false } as never)
    }
  })

  // spec: 4.4-3
  test('a page has 20 polls by default, and a full last page has no next cursor', async () => {
    const { brand } = await brandWith(Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`t${i}`, {}])))
    const page = async (query: string) => (await service.get<Item[]>(`brands/${brand.slug}/polls${query}`)).body
    expect((await page('')).data).toHaveLength(20)
    expect(await page('?limit=21')).toMatchObject({ hasMore: false, nextCursor: null })
    expect((await page('?limit=20')).hasMore).toBe(true)
    expect((await feed(brand, '', 7)).map(({ title }) => title)).toEqual(
      (await page('?limit=100')).data.map(({ title }) => title),
    )
  })

  // spec: 1-1
  test('credentials change nothing', async () => {
    const { brand } = await brandWith({ one: {}, two: { isPrivate: true } })
    const path = `brands/${brand.slug}/polls`
    const plain = await service.get(path)
    for (const token of [brand.token, 'not a token']) {
      const { headers, text } = await service.get(path, { token, device: 'no device' })
      expect([text, headers.get('etag')]).toEqual([plain.text, plain.headers.get('etag')])
    }
  })

  // spec: 4.4-6
  test.each([
    ['status=scheduled', 422, 'status invalid_value'],
    ['status=', 422, 'status invalid_value'],
    ['order=oldest', 422, 'order invalid_value'],
    ['order=recent&order=popular', 422, 'order duplicate_parameter'],
    ['limit=0', 400, 'limit invalid_limit'],
    ['limit=101', 400, 'limit invalid_limit'],
    ['cursor=x', 400, 'cursor invalid_cursor'],
  ])('refuses %s', async (query, status, problem) => {
    const { brand } = await brandWith({})
    const reply = await service.get(`brands/${brand.slug}/polls?${query}`)
    expect(reply.status).toBe(status)
    expect(problemsOf(reply)).toEqual([problem])
  })
})
