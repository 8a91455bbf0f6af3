import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { createCategory } from '../src/features/polls/change-category.ts'
import { writeSearchTexts } from '../src/features/polls/search-text.ts'
import { engines } from './engines.ts'
import { deletePoll, everyPage, fromNow, HOUR, patchPoll, problemsOf } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

const PAST = { opensAt: fromNow(-2 * HOUR), closesAt: fromNow(-HOUR) }
const FUTURE = { opensAt: fromNow(HOUR) }
const AJAR = { opensAt: fromNow(-HOUR), closesAt: fromNow(HOUR) }

describe.each([...engines])("%s: the owner's list", (engine) => {
  let service: TestService
  let brand: TestBrand
  let category: { id: string; slug: string }
  const made = new Map<string, PollData>()

  beforeAll(async () => {
    service = await startTestService(engine, { jobs: 'by hand' })
    brand = await service.createBrand()
    const fresh = await createCategory(service.db, service.deps, { slug: 'sport', name: 'Sport' })
    if (!fresh) throw new Error('no category')
    category = fresh
    const polls: Record<string, Record<string, unknown>> = {
      plain: { title: 'Plain' },
      draft: {
        title: '100% Draft',
        optionB: { label: 'Rooibos' },
        isDraft: true,
        tags: ['x'],
        categoryIds: [category.id],
      },
      private: { title: 'under_score', isPrivate: true, tags: ['X', 'y'] },
      scheduled: { title: 'Ärger über ÉCLAIRS', ...FUTURE, tags: ['x'] },
      closed: { title: 'back\\slash 1000', ...PAST, tags: ['x', 'y'], categoryIds: [category.id] },
      ajar: { title: 'ΟΔΟΣΑ και άλλα', ...AJAR, categoryIds: [category.id] },
      archived: { title: 'Straße ﬁn ＡＢＣ', tags: ['🏷'.repeat(40)] },
      draftScheduled: { title: "it's 'quoted' undersscore", isDraft: true, ...FUTURE },
    }
    for (const [name, fields] of Object.entries(polls)) made.set(name, await service.createPoll(brand, fields))
    await patchPoll(service, brand, made.get('archived')?.slug ?? '', { archived: true })
    await deletePoll(service, brand, (await service.createPoll(brand, { title: 'Plain', tags: ['x'] })).slug)
    await service.createPoll(await service.createBrand(), { title: 'Plain', tags: ['x'], categoryIds: [category.id] })
  })
  afterAll(() => service.stop())

  const nameOf = (poll: PollData) => [...made].find(([, { id }]) => id === poll.id)?.[0] ?? poll.id
  const found = async (query: Record<string, string>, limit = 100) => {
    const path = `brands/me/polls?${new URLSearchParams(query)}`
    return (await everyPage(service, path, { ask: { token: brand.token }, limit })).map(nameOf)
  }

  const NEWEST_FIRST = ['draftScheduled', 'archived', 'ajar', 'closed', 'scheduled', 'private', 'draft', 'plain']

  const cases: [Record<string, string>, string[]][] = [
    [{}, NEWEST_FIRST],
    [{ order: 'recent' }, NEWEST_FIRST],
    [{ order: 'title' }, ['draft', 'closed', 'draftScheduled', 'plain', 'archived', 'private', 'scheduled', 'ajar']],
    [{ order: 'title', status: 'open' }, ['plain', 'private', 'ajar']],
    [{ order: 'title', status: 'open', isDraft: 'true' }, ['draft']],
    [{ order: 'closing' }, ['ajar', 'plain', 'draft', 'private', 'scheduled', 'archived', 'draftScheduled', 'closed']],
    [{ order: 'closing', archived: 'false', q: 'r' }, ['draft', 'private', 'scheduled', 'draftScheduled']],
    [{ status: 'open' }, ['ajar', 'private', 'plain']],
    [{ status: 'closed' }, ['archived', 'closed']],
    [{ status: 'closed', archived: 'false' }, ['closed']],
    [{ status: 'open', archived: 'true' }, []],
    [{ status: 'scheduled' }, ['scheduled']],
    [{ status: 'scheduled', isDraft: 'true' }, ['draftScheduled']],
    [{ isDraft: 'true' }, ['draftScheduled', 'draft']],
    [{ isDraft: 'false' }, ['archived', 'ajar', 'closed', 'scheduled', 'private', 'plain']],
    [{ archived: 'true' }, ['archived']],
    [{ archived: 'false' }, NEWEST_FIRST.filter((name) => name !== 'archived')],
    [{ tag: 'x' }, ['closed', 'scheduled', 'private', 'draft']],
    [{ tag: 'X' }, ['closed', 'scheduled', 'private', 'draft']],
    [{ tag: 'xy' }, []],
    [{ tag: '%' }, []],
    [{ tag: '🏷'.repeat(40) }, ['archived']],
    [{ category: 'sport' }, ['ajar', 'closed', 'draft']],
    [{ category: 'SPORT' }, ['ajar', 'closed', 'draft']],
    [{ q: 'plain' }, ['plain']],
    [{ q: 'LAIN' }, ['plain']],
    [{ q: '%' }, ['draft']],
    [{ q: '0%' }, ['draft']],
    [{ q: '_' }, ['private']],
    [{ q: 'r_s' }, ['private']],
    [{ q: '\\' }, ['closed']],
    [{ q: 'k\\s' }, ['closed']],
    [{ q: '\\%' }, []],
    [{ q: "'" }, ['draftScheduled']],
    [{ q: 'äRGER ÜBER é' }, ['scheduled']],
    [{ q: 'éclair' }, ['scheduled']],
    [{ q: 'e\u0301clair' }, ['scheduled']],
    [{ q: 'argER' }, ['scheduled']],
    [{ q: 'eclairs ärger' }, ['scheduled']],
    [{ q: 'ärger eclairs plain' }, []],
    [{ q: 'rooibos x' }, ['draft']],
    [{ q: '\u0301' }, []],
    [{ q: 'οδοσ' }, ['ajar']],
    [{ q: 'ΟΔΟΣ' }, ['ajar']],
    [{ q: 'οδος' }, ['ajar']],
    [{ q: 'STRASSE FIN abc' }, ['archived']],
    [{ q: 'straße' }, ['archived']],
    [{ q: 'no such title' }, []],
    [{ q: '🗳'.repeat(200) }, []],
    [{ tag: 'x', category: 'sport' }, ['closed', 'draft']],
    [{ tag: 'x', status: 'scheduled', isDraft: 'false' }, ['scheduled']],
    [{ isDraft: 'true', archived: 'true' }, []],
    [{ status: 'open', isDraft: 'true', archived: 'false', tag: 'x', category: 'sport', q: 'draft' }, ['draft']],
    [{ status: 'open', isDraft: 'true', archived: 'false', tag: 'y', category: 'sport', q: 'draft' }, []],
  ]

  // spec: 2.2-8
  test.each(cases.map(([query, names]) => [JSON.stringify(query), query, names] as const))(
    '%s gives the polls that it should, at every size of page',
    async (_name, query, names) => {
      expect(await found(query)).toEqual(names)
      for (const limit of [1, 2, 3, 20]) expect(await found(query, limit)).toEqual(names)
    },
  )

  test('a search finds a poll by its slug, shortId and id', async () => {
    const poll = made.get('plain')
    for (const name of [poll?.slug, poll?.shortId, poll?.id, poll?.id.toUpperCase()])
      expect([name, await found({ q: name ?? '' })]).toEqual([name, ['plain']])
  })

  test('a search finds polls that an earlier server stored, once the job has run', async () => {
    const other = await service.createBrand()
    const poll = await service.createPoll(other, { title: 'Älter', tags: ['früher'] })
    const stored = service.db.updateTable('polls').set({ title_folded: 'älter' }).where('id', '=', poll.id)
    await stored.execute()
    const count = async (query: string) =>
      (await service.get<PollData[]>(`brands/me/polls?${query}`, { token: other.token })).body.data.length
    expect(await count('tag=FR%C3%9CHER')).toBe(0)
    while (await writeSearchTexts(service.deps.engine));
    expect([await count('tag=FR%C3%9CHER'), await count('q=alter%20fruher')]).toEqual([1, 1])
  })

  test('the popular order counts the votes of a moment ago, also where results are hidden', async () => {
    const other = await service.createBrand()
    const shown = await service.createPoll(other, { title: 'Shown' })
    const hidden = await service.createPoll(other, { title: 'Hidden', resultsVisibility: 'never' })
    const order = async () => {
      const { body } = await service.get<PollData[]>('brands/me/polls?order=popular', { token: other.token })
      return body.data.map(({ title }) => title)
    }
    for (const [poll, votes, first] of [
      [hidden, 1, 'Hidden'],
      [shown, 2, 'Shown'],
      [hidden, 2, 'Hidden'],
    ] as const) {
      for (let i = 0; i < votes; i++) await service.vote(poll.slug, 'A')
      expect((await order())[0]).toBe(first)
    }
  })

  test('a category is found by its id, in either case', async () => {
    expect(await found({ category: category.id })).toEqual(['ajar', 'closed', 'draft'])
    expect(await found({ category: category.id.toUpperCase() })).toEqual(['ajar', 'closed', 'draft'])
  })

  test("an item is the full poll, as in the owner's view of the single poll", async () => {
    const { token } = brand
    const items = await everyPage(service, 'brands/me/polls', { ask: { token }, limit: 3 })
    for (const item of items) {
      expect((await service.get<PollData>(`brands/me/polls/${item.id}`, { token })).body.data).toEqual(item)
    }
    expect(items[1]).toMatchObject({ archivedAt: expect.any(String) })
    expect(items[3]).toMatchObject({ tags: ['x', 'y'], categories: [category] })
  })

  test.each([
    ['status=all', 'status invalid_value'],
    ['status=', 'status invalid_value'],
    ['isDraft=1', 'isDraft invalid_value'],
    ['isDraft=', 'isDraft invalid_value'],
    ['archived=yes', 'archived invalid_value'],
    ['tag=', 'tag too_short'],
    [`tag=${'x'.repeat(41)}`, 'tag too_long'],
    ['tag=a&tag=b', 'tag duplicate_parameter'],
    ['tag=a%00b', 'tag nul_character'],
    ['q=', 'q too_short'],
    [`q=${'x'.repeat(201)}`, 'q too_long'],
    ['q=%00', 'q nul_character'],
    ['category=none', 'category unknown_category'],
    [`category=${randomUUID()}`, 'category unknown_category'],
    ['category=', 'category too_short'],
    ['category=%00', 'category nul_character'],
    [`category=${'x'.repeat(129)}`, 'category too_long'],
  ])('refuses the filter %s', async (query, problem) => {
    const reply = await service.get(`brands/me/polls?${query}`, { token: brand.token })
    expect(reply.status).toBe(422)
    expect(problemsOf(reply)).toEqual([problem])
  })

  test('a filter follows changes of the polls', async () => {
    const poll = await service.createPoll(brand, { title: 'Moving', tags: ['before'] })
    expect(await found({ q: 'moving' })).toEqual([poll.id])
    await patchPoll(service, brand, poll.slug, { title: 'Still', tags: ['after'] })
    expect(await found({ q: 'moving' })).toEqual([])
    expect(await found({ q: 'STILL', tag: 'after' })).toEqual([poll.id])
    expect(await found({ tag: 'before' })).toEqual([])
    await deletePoll(service, brand, poll.slug)
    expect(await found({ q: 'still' })).toEqual([])
  })

  test('a cursor is valid for its own filters and its own brand only', async () => {
    const { token } = brand
    const page = await service.get('brands/me/polls?tag=x&limit=1', { token })
    const cursor = page.body.nextCursor
    expect((await service.get(`brands/me/polls?limit=1&tag=x&cursor=${cursor}`, { token })).status).toBe(200)
    const other = await service.createBrand()
    const refused = [
      await service.get(`brands/me/polls?limit=1&cursor=${cursor}`, { token }),
      await service.get(`brands/me/polls?limit=1&tag=y&cursor=${cursor}`, { token }),
      await service.get(`brands/${brand.slug}/polls?cursor=${cursor}`),
      await service.get(`brands/me/polls?limit=1&tag=x&cursor=${cursor}`, { token: other.token }),
    ]
    for (const reply of refused) {
      expect(reply.status).toBe(400)
      expect(problemsOf(reply)).toEqual(['cursor invalid_cursor'])
    }
  })

  test('polls created between two pages cause no gap and no repetition, also with equal times', async () => {
    const writer = await service.createBrand()
    const now = Date.now()
    for (let i = 0; i < 25; i++) await service.createPoll(writer, { title: `t ${i}` })
    await service.db.updateTable('polls').set({ created_at: now }).where('brand_key', '=', writer.brandKey).execute()
    const ask = { token: writer.token }
    const first = await service.get<PollData[]>('brands/me/polls?limit=10', ask)
    await service.createPoll(writer, { title: 'newer' })
    const second = await service.get<PollData[]>(`brands/me/polls?limit=10&cursor=${first.body.nextCursor}`, ask)
    const third = await service.get<PollData[]>(`brands/me/polls?limit=10&cursor=${second.body.nextCursor}`, ask)
    const titles = [first, second, third].flatMap(({ body }) => body.data.map(({ title }) => title))
    expect(titles).toEqual(Array.from({ length: 25 }, (_, i) => `t ${24 - i}`))
    expect(third.body).toMatchObject({ hasMore: false, nextCursor: null })
  })
})

test("categories are the operator's list, in the order of their slugs", async () => {
  const service = await startTestService('sqlite')
  const { db, deps } = service
  const [b, a] = [
    await createCategory(db, deps, { slug: 'b', name: 'First' }),
    await createCategory(db, deps, { slug: 'a-1', name: '🗳'.repeat(80) }),
  ]
  expect((await service.get('categories')).body).toMatchObject({ data: [a, b] })
  for (const wrong of [
    { slug: 'b', name: 'Again' },
    { slug: 'B', name: 'Upper' },
    { slug: '-b', name: 'Hyphen' },
    { slug: '', name: 'None' },
    { slug: 'c', name: ' ' },
    { slug: 'c', name: 'x'.repeat(81) },
  ])
    expect(await createCategory(db, deps, wrong)).toBeNull()
  await service.stop()
})
