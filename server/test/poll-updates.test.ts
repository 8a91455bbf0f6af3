import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { createCategory } from '../src/features/polls/change-category.ts'
import { engines } from './engines.ts'
import { CENTRED, fromNow, HOUR, ownPoll, patchPoll, problemsOf } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

describe.each([...engines])('%s: updating a poll', (engine) => {
  let service: TestService
  let brand: TestBrand
  let poll: PollData
  beforeAll(async () => {
    // A test goes two days ahead: a job in the background would remove the tokens that are expired by then.
    service = await startTestService(engine, { jobs: 'by hand' })
    brand = await service.createBrand()
  })
  beforeEach(async () => {
    poll = await service.createPoll(brand, {
      optionA: { label: 'Tea', imageAlt: 'A cup' },
      optionB: { label: 'Coffee', imageAlt: 'A mug' },
      tags: ['hot', 'drinks'],
    })
  })
  afterAll(() => service.stop())

  const patch = (json: unknown, reference = poll.slug) => patchPoll(service, brand, reference, json)
  const categoryId = async (): Promise<string> => {
    const made = await createCategory(service.db, service.deps, { slug: `c-${randomUUID()}`, name: 'Category' })
    return made?.id ?? ''
  }

  // spec: 4.5-2
  test('absent fields stay, in an option too', async () => {
    const { body, status } = await patch({ optionA: { label: 'Chai' }, optionB: { imageAlt: 'Two mugs' } })
    expect(status).toBe(200)
    expect(body.data).toEqual({
      ...poll,
      optionA: { label: 'Chai', imageUrl: null, imageAlt: 'A cup', ...CENTRED },
      optionB: { label: 'Coffee', imageUrl: null, imageAlt: 'Two mugs', ...CENTRED },
      updatedAt: expect.any(String),
    })
    expect(await ownPoll(service, brand, poll.id)).toEqual(body.data)
  })

  test('each part of a placement changes alone, for both options', async () => {
    expect((await patch({ optionA: { fit: 'contain' }, optionB: { focusY: 0 } })).body.data).toMatchObject({
      optionA: { label: 'Tea', imageAlt: 'A cup', ...CENTRED, fit: 'contain' },
      optionB: { label: 'Coffee', imageAlt: 'A mug', ...CENTRED, focusY: 0 },
    })
    const { body } = await patch({ optionA: { focusX: 0.123_46, focusY: 1 }, optionB: { focusX: 0.75 } })
    expect(body.data).toMatchObject({
      optionA: { label: 'Tea', imageAlt: 'A cup', fit: 'contain', focusX: 0.1235, focusY: 1 },
      optionB: { label: 'Coffee', imageAlt: 'A mug', fit: 'cover', focusX: 0.75, focusY: 0 },
    })
    service.clock.advance(5)
    const same = { optionA: { fit: 'contain', focusX: 0.123_46 }, optionB: { focusY: 0 }, resultsBeforeVote: false }
    expect((await patch(same)).body.data).toEqual(body.data)
  })

  test('whether results show before a vote is told to the public, and to lists of the owner', async () => {
    await patch({ resultsBeforeVote: true })
    const shown = await service.get<PollData>(`polls/${poll.slug}`)
    expect(shown.body.data['resultsBeforeVote']).toBe(true)
    const listed = await service.get<PollData[]>('brands/me/polls', { token: brand.token })
    expect(listed.body.data.find(({ id }) => id === poll.id)?.['resultsBeforeVote']).toBe(true)
  })

  // spec: 4.5-2
  test.each([{}, { optionA: {} }, { images: {} }])('%j changes nothing, not even updatedAt', async (nothing) => {
    service.clock.advance(5)
    const { body } = await patch(nothing)
    expect(body.data).toEqual(poll)
  })

  test('null clears every optional field', async () => {
    await patch({ opensAt: fromNow(-HOUR), closesAt: fromNow(HOUR) })
    const { body } = await patch({ optionA: { imageAlt: null }, opensAt: null, closesAt: null })
    expect(body.data).toMatchObject({ optionA: { label: 'Tea', imageAlt: null }, opensAt: null, closesAt: null })
  })

  test.each([
    ['title', { title: null }, 'title invalid_type'],
    ['a label', { optionA: { label: null } }, 'optionA.label invalid_type'],
    ['an option', { optionB: null }, 'optionB invalid_type'],
    ['a flag', { isDraft: null }, 'isDraft invalid_type'],
    ['tags', { tags: null }, 'tags invalid_type'],
    ['categories', { categoryIds: null }, 'categoryIds invalid_type'],
    ['images', { images: null }, 'images invalid_type'],
    ['archived', { archived: null }, 'archived invalid_type'],
    ['a fit', { optionA: { fit: null } }, 'optionA.fit invalid_value'],
    ['a focal point', { optionB: { focusX: null } }, 'optionB.focusX invalid_type'],
    ['results before the vote', { resultsBeforeVote: null }, 'resultsBeforeVote invalid_type'],
    ['results', { resultsVisibility: null }, 'resultsVisibility invalid_value'],
  ])('null does not clear %s', async (_name, json, problem) => {
    const reply = await patch(json)
    expect(reply.status).toBe(422)
    expect(problemsOf(reply)).toEqual([problem])
  })

  test.each([
    ['slug', { slug: 'another' }, 'slug unknown_field'],
    ['shortId', { shortId: 'AAAAAAAAAAAA' }, 'shortId unknown_field'],
    ['archivedAt', { archivedAt: null }, 'archivedAt unknown_field'],
    ['tallies', { tallies: { optionA: 9 } }, 'tallies unknown_field'],
    ['images.optionA', { images: { optionA: null } }, 'images.optionA unknown_field'],
    ['a title of 201', { title: 'x'.repeat(201) }, 'title too_long'],
    ['a label of 81', { optionB: { label: 'x'.repeat(81) } }, 'optionB.label too_long'],
    ['21 tags', { tags: Array.from({ length: 21 }, String) }, 'tags too_big'],
    ['a body that is an array', [], ' invalid_type'],
  ])('PATCH refuses %s', async (_name, json, problem) => {
    const reply = await patch(json)
    expect(reply.status).toBe(422)
    expect(problemsOf(reply)).toEqual([problem])
    expect((await ownPoll(service, brand, poll.slug)).updatedAt).toBe(poll.updatedAt)
  })

  // spec: 4.5-2
  test('arrays are replaced whole, in the order given', async () => {
    const ids = [await categoryId(), await categoryId(), await categoryId()]
    await patch({ tags: ['b', 'a'], categoryIds: ids })
    const second = await patch({ tags: ['a', 'c', 'b'], categoryIds: [ids[2], ids[0]] })
    expect(second.body.data.tags).toEqual(['a', 'c', 'b'])
    expect(second.body.data['categories']).toMatchObject([{ id: ids[2] }, { id: ids[0] }])
    const untouched = await patch({ title: 'Other' })
    expect(untouched.body.data.tags).toEqual(['a', 'c', 'b'])
    const emptied = await patch({ tags: [], categoryIds: [] })
    expect(emptied.body.data).toMatchObject({ tags: [], categories: [] })
  })

  test('a refused update leaves everything as it was', async () => {
    const before = await ownPoll(service, brand, poll.slug)
    const reply = await patch({ title: 'New', tags: ['new'], categoryIds: [await categoryId(), randomUUID()] })
    expect(problemsOf(reply)).toEqual(['categoryIds.1 unknown_category'])
    expect(await ownPoll(service, brand, poll.slug)).toEqual(before)
  })

  test('a new opensAt or closesAt is checked against the stored one', async () => {
    const [early, middle, late] = [fromNow(HOUR), fromNow(2 * HOUR), fromNow(3 * HOUR)]
    expect((await patch({ opensAt: middle, closesAt: late })).status).toBe(200)
    for (const json of [{ closesAt: middle }, { closesAt: early }, { opensAt: late }]) {
      const reply = await patch(json)
      expect(problemsOf(reply)).toEqual(['closesAt before_opens_at'])
    }
    expect((await patch({ opensAt: null, closesAt: early })).body.data).toMatchObject({ status: 'open' })
    expect(problemsOf(await patch({ opensAt: early }))).toEqual(['closesAt before_opens_at'])
    expect((await patch({ opensAt: early, closesAt: null })).body.data).toMatchObject({ status: 'scheduled' })
    expect(problemsOf(await patch({ opensAt: late, closesAt: late }))).toEqual(['closesAt before_opens_at'])
  })

  test('one label for both options is refused, also against the stored label', async () => {
    const stored = await ownPoll(service, brand, poll.slug)
    const [a, b] = [stored['optionA'], stored['optionB']].map((option) => (option as { label: string }).label)
    for (const json of [
      { optionB: { label: a } },
      { optionA: { label: ` ${b}\u00a0` } },
      { optionA: { label: 'Caf\u00e9  noir' }, optionB: { label: 'Cafe\u0301 noir' } },
      { optionA: { label: 'One\u00adtwo' }, optionB: { label: 'Onetwo' } },
    ]) {
      expect(problemsOf(await patch(json))).toEqual(['optionB.label same_label'])
    }
    // Case is seen, so such a poll is a question of its own; and a poll of an earlier version can still be changed.
    expect((await patch({ optionA: { label: 'e-mail' }, optionB: { label: 'E-Mail' } })).status).toBe(200)
    await service.db.updateTable('polls').set({ label_a: 'E-Mail' }).where('slug', '=', poll.slug).execute()
    expect((await patch({ title: 'How is it written?' })).status).toBe(200)
    expect((await patch({ optionA: { label: a }, optionB: { label: b } })).status).toBe(200)
  })

  // spec: 2.2-6, 3-10
  test('moving closesAt closes and reopens, opensAt schedules, and votes follow', async () => {
    const steps = [
      [{ closesAt: fromNow(-HOUR) }, 'closed'],
      [{ closesAt: fromNow(HOUR) }, 'open'],
      [{ closesAt: fromNow(-HOUR) }, 'closed'],
      [{ closesAt: null }, 'open'],
      [{ opensAt: fromNow(HOUR) }, 'scheduled'],
      [{ opensAt: fromNow(-HOUR) }, 'open'],
    ] as const
    for (const [json, status] of steps) {
      expect((await patch(json)).body.data.status).toBe(status)
      expect((await service.get<PollData>(`polls/${poll.slug}`)).body.data.status).toBe(status)
      const vote = await service.vote(poll.slug, 'A')
      if (status === 'open') expect(vote.status).toBe(201)
      else expect(vote).toMatchObject({ status: 409, body: { error: { code: 'POLST_CLOSED', details: { status } } } })
    }
  })

  // spec: 3-1
  test('the clock alone opens and closes', async () => {
    await patch({ opensAt: fromNow(24 * HOUR), closesAt: fromNow(48 * HOUR) })
    const status = async () => (await service.get<PollData>(`polls/${poll.slug}`)).body.data.status
    expect(await status()).toBe('scheduled')
    service.clock.advance(24 * HOUR)
    expect(await status()).toBe('open')
    service.clock.advance(24 * HOUR)
    expect(await status()).toBe('closed')
    service.clock.advance(-48 * HOUR)
    expect(await status()).toBe('scheduled')
  })

  // spec: 2.2-8
  test('archivedAt keeps its first time, and a poll can be unarchived', async () => {
    const first = (await patch({ archived: true })).body.data['archivedAt']
    expect(first).toEqual(expect.any(String))
    service.clock.advance(1_000)
    expect((await patch({ archived: true })).body.data['archivedAt']).toBe(first)
    expect((await patch({ title: 'Still archived' })).body.data['archivedAt']).toBe(first)
    expect((await patch({ archived: false })).body.data['archivedAt']).toBeNull()
    expect((await service.vote(poll.slug, 'A')).status).toBe(201)
  })

  // spec: 3-10
  test('a draft can be published and taken back until the first vote', async () => {
    expect((await patch({ isDraft: true })).status).toBe(200)
    expect((await service.vote(poll.slug, 'A')).status).toBe(404)
    expect((await patch({ isDraft: false })).status).toBe(200)
    const device = randomUUID()
    expect((await service.vote(poll.slug, 'A', device)).status).toBe(201)
    const before = await ownPoll(service, brand, poll.slug)
    const reply = await patch({ isDraft: true, title: 'Sneaky', tags: [] })
    expect(reply).toMatchObject({ status: 409, body: { error: { code: 'POLST_HAS_VOTES', details: {} } } })
    expect(await ownPoll(service, brand, poll.slug)).toEqual(before)
    expect((await patch({ isDraft: false })).status).toBe(200)
  })

  test('invalid fields are reported before a refusal because of votes', async () => {
    await service.vote(poll.slug, 'A')
    expect(problemsOf(await patch({ isDraft: true, categoryIds: [randomUUID()] }))).toHaveLength(1)
    expect(problemsOf(await patch({ isDraft: true, optionA: { imageUrl: 'https://x.example/' } }))).toHaveLength(1)
    await patch({ opensAt: fromNow(-HOUR) })
    expect(problemsOf(await patch({ isDraft: true, closesAt: fromNow(-2 * HOUR) }))).toHaveLength(1)
    const missing = await patch({ opensAt: fromNow(HOUR), closesAt: fromNow(-HOUR) }, 'missing')
    expect(problemsOf(missing)).toEqual(['closesAt before_opens_at'])
  })

  test('revisedAt is the last change of title or label after the first vote, and of nothing else', async () => {
    const revisedAt = async (json: unknown) => (await patch(json)).body.data['revisedAt']
    expect(await revisedAt({ title: 'Before any vote', optionA: { label: 'Before' } })).toBeNull()
    await service.vote(poll.slug, 'A')
    const placed = { imageAlt: 'x', fit: 'contain', focusX: 0, focusY: 1 }
    const ownsNone = { optionA: placed, tags: [], isPrivate: true, closesAt: fromNow(HOUR), archived: true }
    expect(await revisedAt({ ...ownsNone, resultsBeforeVote: true })).toBeNull()
    expect(await revisedAt({ title: 'Before any vote', optionA: { label: 'Before' } })).toBeNull()
    const seen = new Set<unknown>()
    for (const json of [{ title: 'New' }, { optionA: { label: 'New' } }, { optionB: { label: 'Newer' } }]) {
      service.clock.advance(1_000)
      const { body } = await patch(json)
      expect(body.data['revisedAt']).toBe(body.data.updatedAt)
      seen.add(body.data['revisedAt'])
    }
    expect(seen.size).toBe(3)
    service.clock.advance(1_000)
    expect(seen).toContain(await revisedAt({ title: 'New', isPrivate: false, archived: false }))
    const shown = await service.get<PollData>(`polls/${poll.slug}`)
    expect(shown.body.data['revisedAt']).toBe([...seen].at(-1))
  })

  test('updatedAt moves with updates and never with votes', async () => {
    await service.vote(poll.slug, 'A')
    expect((await ownPoll(service, brand, poll.slug)).updatedAt).toBe(poll.updatedAt)
    expect((await service.get<PollData>(`polls/${poll.slug}`)).body.data.updatedAt).toBe(poll.updatedAt)
    service.clock.advance(1_000)
    const { body } = await patch({ isPrivate: true })
    expect(Date.parse(body.data.updatedAt)).toBeGreaterThanOrEqual(Date.parse(poll.updatedAt) + 1_000)
    expect(body.data['createdAt']).toBe(poll['createdAt'])
  })

  test('concurrent updates are carried out one after another', async () => {
    const marks = Array.from({ length: 20 }, (_, i) => `mark ${i}`)
    const replies = await Promise.all(marks.map((mark) => patch({ title: mark, tags: [mark] })))
    expect(replies.map(({ status }) => status)).toEqual(marks.map(() => 200))
    const { title, tags } = await ownPoll(service, brand, poll.slug)
    expect(tags).toEqual([title])
  })
})
