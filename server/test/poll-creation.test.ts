import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { newShortId } from '../src/base/ids.ts'
import { createCategory } from '../src/features/polls/change-category.ts'
import { engines } from './engines.ts'
import { CENTRED, deletePoll, fromNow, HOUR, identifiersOf, minimalPoll, patchPoll, problemsOf } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

describe.each([...engines])('%s: creating a poll', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { settings: { PUBLIC_URL: 'https://polls.example' } })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const create = (fields: Record<string, unknown>) =>
    service.write<PollData>('POST', 'brands/me/polls', { token: brand.token, json: { ...minimalPoll, ...fields } })

  const newCategory = async (name: string) => {
    const made = await createCategory(service.db, service.deps, { slug: `c-${randomUUID()}`, name })
    if (!made) throw new Error('no category')
    return made
  }

  // spec: 2.2-1
  test('needs only a title and two labels, and sets every default', async () => {
    const { status, body, headers } = await create({})
    expect(status).toBe(201)
    const { data } = body
    expect(headers.get('location')).toBe(`/api/rest/v1/brands/me/polls/${data.slug}`)
    expect(data).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      slug: expect.stringMatching(/^tea-or-coffee-[a-z0-9]{6}$/),
      shortId: expect.stringMatching(/^(?=.*[A-Z])[A-Za-z0-9_-]{12}$/),
      title: 'Tea or coffee?',
      optionA: { label: 'Tea', imageUrl: null, imageAlt: null, ...CENTRED },
      optionB: { label: 'Coffee', imageUrl: null, imageAlt: null, ...CENTRED },
      images: { optionA: null, optionB: null, combined: null },
      imageVariants: [],
      tallies: { optionA: 0, optionB: 0, total: 0 },
      status: 'open',
      brand: { slug: brand.slug, name: `Brand ${brand.slug}`, theme: expect.any(Object) },
      createdAt: data.updatedAt,
      isDraft: false,
      isPrivate: false,
      updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      tags: [],
      categories: [],
      opensAt: null,
      closesAt: null,
      resultsVisibility: 'always',
      resultsBeforeVote: false,
      optionOrder: 'fixed',
      challenge: 'off',
      admission: 'open',
      shareUrl: `https://polls.example/p/${data.shortId}`,
      revisedAt: null,
      archivedAt: null,
      codeListId: null,
    })
  })

  // spec: 2.2-2
  test('stores every field and answers it, also when the poll is read again', async () => {
    const [first, second] = [await newCategory('Food & drink'), await newCategory('Ÿ')]
    const slug = `all-fields-${randomUUID().slice(0, 8)}`
    const fields = {
      title: '  Ünïcode 🍵 or 🫘?  ',
      optionA: { label: ' 🍵 ', imageUrl: null, imageAlt: 'Ein Glas', fit: 'contain', focusX: 0, focusY: 1 },
      optionB: { label: '"<b>\'', imageAlt: null, focusX: 1 / 3 },
      isDraft: true,
      isPrivate: true,
      tags: ['z', 'a', 'É', 'e'],
      resultsVisibility: 'after_close',
      resultsBeforeVote: true,
      optionOrder: 'random',
      challenge: 'adaptive',
    }
    const { status, body } = await create({
      ...fields,
      slug,
      categoryIds: [second.id.toUpperCase(), first.id],
      opensAt: '2031-01-31T12:00:00+02:00',
      closesAt: '2031-01-31T10:00:00.001Z',
    })
    expect(status).toBe(201)
    expect(body.data).toMatchObject({
      ...fields,
      title: 'Ünïcode 🍵 or 🫘?',
      slug,
      optionA: {
        label: '🍵',
        imageUrl: null,
        imageAlt: 'Ein Glas',
        fit: 'contain',
        focusX: 0,
        focusY: 1,
        shuffled: true,
      },
      optionB: {
        label: '"<b>\'',
        imageUrl: null,
        imageAlt: null,
        fit: 'cover',
        focusX: 0.3333,
        focusY: 0.5,
        shuffled: true,
      },
      categories: [second, first],
      opensAt: '2031-01-31T10:00:00.000Z',
      closesAt: '2031-01-31T10:00:00.001Z',
      status: 'scheduled',
    })
    const again = await service.get(`brands/me/polls/${slug}`, { token: brand.token })
    expect(again.body.data).toEqual(body.data)
  })

  const label = (characters: number) => ({ label: '🫖'.repeat(characters) })
  const alt = (characters: number) => ({ label: `x${characters}`, imageAlt: 'é'.repeat(characters) })
  const tags = (count: number) => Array.from({ length: count }, (_, i) => `tag ${i}`)

  // spec: 2.2-9
  test.each([
    ['a title of one character', { title: '?' }],
    ['a title of 200 characters outside the first plane', { title: '🗳'.repeat(200) }],
    ['labels of 80 characters', { optionA: label(80), optionB: label(1) }],
    ['an alternative text of 200 characters', { optionA: alt(200), optionB: alt(1) }],
    ['20 tags', { tags: tags(20) }],
    ['a tag of 40 characters', { tags: ['🏷'.repeat(40)] }],
    ['a slug with hyphens in a row', { slug: 'a---b' }],
    ['a slug of 128 characters', { slug: `a${'0-'.repeat(63)}b` }],
    ['a slug of twelve characters', { slug: 'abcdefghijkl' }],
    ['an opening at the very first instant that can be told', { opensAt: '0000-01-01T00:00:00Z' }],
    ['a close at the very last', { closesAt: '9999-12-31T23:59:59.999Z' }],
    ['a window of one millisecond', { opensAt: '2031-01-01T00:00:00.000Z', closesAt: '2031-01-01T00:00:00.001Z' }],
    ['a window that has passed', { closesAt: fromNow(-HOUR) }],
    ...['always', 'after_vote', 'after_close', 'never'].map(
      (policy) => [`results ${policy}`, { resultsVisibility: policy }] as const,
    ),
  ])('takes %s', async (_name, fields) => {
    const { status, body, text } = await create(fields)
    expect(status, text).toBe(201)
    if ('title' in fields) expect(body.data.title).toBe(fields.title)
    if ('slug' in fields) expect(await service.get(`polls/${fields.slug}`)).toMatchObject({ status: 200 })
  })

  // spec: 2.2-9
  test.each<[string, Record<string, unknown>, string]>([
    ['no title', { title: undefined }, 'title required'],
    ['another fit', { optionA: { label: 'Tea', fit: 'fill' } }, 'optionA.fit invalid_value'],
    ['a fit of null', { optionB: { label: 'Coffee', fit: null } }, 'optionB.fit invalid_value'],
    ['a focal point beyond the edge', { optionA: { label: 'Tea', focusX: 1.0001 } }, 'optionA.focusX too_big'],
    ['a focal point before it', { optionB: { label: 'Coffee', focusY: -0.1 } }, 'optionB.focusY too_small'],
    ['a focal point as text', { optionA: { label: 'Tea', focusY: '0.5' } }, 'optionA.focusY invalid_type'],
    ['results before the vote as text', { resultsBeforeVote: 'true' }, 'resultsBeforeVote invalid_type'],
    ['a title of null', { title: null }, 'title invalid_type'],
    ['an empty title', { title: '' }, 'title too_short'],
    ['a title of spaces', { title: ' \t\u3000' }, 'title too_short'],
    ['a title of 201 characters', { title: 'é'.repeat(201) }, 'title too_long'],
    ['no first option', { optionA: undefined }, 'optionA required'],
    ['no second option', { optionB: undefined }, 'optionB required'],
    ['an option without a label', { optionA: {} }, 'optionA.label required'],
    ['an option that is a string', { optionA: 'Tea' }, 'optionA invalid_type'],
    ['an empty label', { optionA: { label: '' } }, 'optionA.label too_short'],
    ['a label of 81 characters', { optionB: label(81) }, 'optionB.label too_long'],
    ['an alternative text of 201 characters', { optionA: alt(201) }, 'optionA.imageAlt too_long'],
    ['an empty alternative text', { optionA: alt(0) }, 'optionA.imageAlt too_short'],
    ['an unknown field of an option', { optionA: { label: 'x', color: 'red' } }, 'optionA.color unknown_field'],
    ['21 tags', { tags: tags(21) }, 'tags too_big'],
    ['a tag of 41 characters', { tags: ['ok', 'x'.repeat(41)] }, 'tags.1 too_long'],
    ['an empty tag', { tags: [''] }, 'tags.0 too_short'],
    ['two tags that differ in case', { tags: ['Ä', 'b', 'ä'] }, 'tags repeated'],
    ['two tags that differ in composition', { tags: ['\u00e9', 'e\u0301'] }, 'tags repeated'],
    ['a tag twice', { tags: ['a', 'b', 'a'] }, 'tags repeated'],
    ['tags of null', { tags: null }, 'tags invalid_type'],
    ['a category that is no UUID', { categoryIds: ['food'] }, 'categoryIds.0 invalid_format'],
    ['an unknown category', { categoryIds: [randomUUID()] }, 'categoryIds.0 unknown_category'],
    ['a slug in upper case', { slug: 'Tea' }, 'slug invalid_format'],
    ['an empty slug', { slug: '' }, 'slug invalid_format'],
    ['a slug with an underscore', { slug: 'tea_time' }, 'slug invalid_format'],
    ['a slug that begins with a hyphen', { slug: '-tea' }, 'slug invalid_format'],
    ['a slug that ends with a hyphen', { slug: 'tea-' }, 'slug invalid_format'],
    ['a slug of one hyphen', { slug: '-' }, 'slug invalid_format'],
    ['a reserved slug', { slug: 'api' }, 'slug reserved_slug'],
    ['a slug of 129 characters', { slug: 'x'.repeat(129) }, 'slug invalid_format'],
    ['a slug shaped as a UUID', { slug: randomUUID() }, 'slug uuid_shaped'],
    ['a flag of 1', { isDraft: 1 }, 'isDraft invalid_type'],
    ['a flag in quotes', { isPrivate: 'true' }, 'isPrivate invalid_type'],
    ['an unknown policy', { resultsVisibility: 'sometimes' }, 'resultsVisibility invalid_value'],
    ['an unknown challenge', { challenge: 'sometimes' }, 'challenge invalid_value'],
    ['an instant without an offset', { opensAt: '2031-01-01T00:00:00' }, 'opensAt invalid_format'],
    ['an instant in milliseconds', { opensAt: 1_900_000_000_000 }, 'opensAt invalid_type'],
    ['a day that is not', { closesAt: '2031-02-29T00:00:00Z' }, 'closesAt invalid_format'],
    ['an instant past the last year', { closesAt: '9999-12-31T23:59:59-00:01' }, 'closesAt invalid_format'],
    ['an instant before the first year', { opensAt: '0000-01-01T00:00:00+00:01' }, 'opensAt invalid_format'],
    ['a field of PATCH alone', { archived: true }, 'archived unknown_field'],
    ['a combined picture', { images: { combined: null } }, 'images unknown_field'],
    ['a field that the server gives', { id: randomUUID() }, 'id unknown_field'],
    ['one label for both options', { optionB: { label: ' Tea\u00a0' } }, 'optionB.label same_label'],
    [
      'a close at the opening',
      { opensAt: '2031-01-01T01:00:00+01:00', closesAt: '2031-01-01T00:00:00Z' },
      'closesAt before_opens_at',
    ],
  ])('refuses %s', async (_name, fields, problem) => {
    const reply = await create(fields)
    expect(reply.status, reply.text).toBe(422)
    expect(reply.body.error.code).toBe('VALIDATION_ERROR')
    expect(problemsOf(reply)).toEqual([problem])
  })

  test('names every wrong field at once', async () => {
    const reply = await create({ title: '', optionA: { label: 7 }, tags: ['x', 'x'], surprise: 1 })
    expect(problemsOf(reply).sort()).toEqual([
      'optionA.label invalid_type',
      'surprise unknown_field',
      'tags repeated',
      'title too_short',
    ])
  })

  test("refuses a slug of any other brand's poll, also after that poll is deleted", async () => {
    const other = await service.createBrand()
    const poll = await service.createPoll(other, { slug: `taken-${randomUUID().slice(0, 8)}` })
    const taken = await create({ slug: poll.slug })
    const suggestion = expect.stringMatching(new RegExp(`^${poll.slug}-[a-z0-9]{6}$`))
    const free = taken.body.error.details['suggestion']
    expect(taken).toMatchObject({ status: 409, body: { error: { code: 'SLUG_TAKEN', details: { suggestion } } } })
    expect((await create({ slug: free })).status).toBe(201)
    await deletePoll(service, other, poll.slug)
    expect(await create({ slug: poll.slug })).toMatchObject({ status: 409, body: { error: { code: 'SLUG_TAKEN' } } })
    const again = await service.write('POST', 'brands/me/polls', {
      token: other.token,
      json: { ...minimalPoll, slug: poll.slug },
    })
    expect(again.status).toBe(409)
  })

  test('answers a taken slug alike for every state and owner of the poll that has it', async () => {
    const other = await service.createBrand()
    const states = [{}, { isDraft: true }, { isPrivate: true }, { opensAt: '2090-01-01T00:00:00Z' }]
    for (const owner of [other, brand]) {
      for (const [i, state] of states.entries()) {
        const { slug } = await service.createPoll(owner, { slug: `state-${i}-${randomUUID().slice(0, 8)}`, ...state })
        const { status, body } = await create({ slug })
        const { requestId, ...said } = body.error
        const details = { suggestion: expect.stringMatching(new RegExp(`^${slug}-[a-z0-9]{6}$`)) }
        expect([status, said]).toEqual([
          409,
          { code: 'SLUG_TAKEN', message: 'This slug is not available.', details },
        ] as unknown as [number, typeof said])
        expect(requestId).not.toBe('')
      }
    }
    const longest = (await service.createPoll(other, { slug: `${randomUUID()}-${'x'.repeat(91)}`, isDraft: true })).slug
    const { suggestion } = (await create({ slug: longest })).body.error.details
    expect(suggestion).toHaveLength(128)
    expect((await create({ slug: suggestion })).status).toBe(201)
  })

  test('gives a slug to exactly one of many requests at once, and keeps nothing of the others', async () => {
    const slug = `race-${randomUUID().slice(0, 8)}`
    const rivals = await Promise.all([service.createBrand(), service.createBrand(), service.createBrand()])
    const replies = await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        service.write('POST', 'brands/me/polls', {
          token: rivals[i % rivals.length]?.token ?? '',
          json: { ...minimalPoll, slug, tags: ['race'] },
        }),
      ),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...new Array(23).fill(409)])
    const owned = await Promise.all(rivals.map(({ token }) => service.get<PollData[]>('brands/me/polls', { token })))
    expect(owned.flatMap(({ body }) => body.data.map((poll) => poll.slug))).toEqual([slug])
  })

  test('reports invalid fields before a taken slug', async () => {
    const { slug } = await service.createPoll(brand)
    const category = await create({ slug, categoryIds: [randomUUID()] })
    expect(problemsOf(category)).toEqual(['categoryIds.0 unknown_category'])
    const picture = await create({ slug, optionA: { label: 'x', imageUrl: 'https://polls.example/files/x.png' } })
    expect(problemsOf(picture)).toEqual(['optionA.imageUrl unknown_file'])
  })

  test.each([
    ['Ça va – oui ou non ?!', /^ca-va-oui-ou-non-[a-z0-9]{6}$/],
    ['紅茶か珈琲か', /^poll-[a-z0-9]{6}$/],
    ['-- ½ --', /^1-2-[a-z0-9]{6}$/],
    ['x'.repeat(200), /^x{80}-[a-z0-9]{6}$/],
    [`${'x'.repeat(79)} y`, /^x{79}-[a-z0-9]{6}$/],
    [randomUUID(), /^[0-9a-f-]{36}-[a-z0-9]{6}$/],
  ])('a slug made from the title %s ends in a hyphen and six characters', async (title, shape) => {
    const { body } = await create({ title })
    expect(body.data.slug).toMatch(shape)
  })

  // spec: 1-7, 2.1-1, 2.1-4, 4.5-1
  test('id, slug and shortId find the poll in every path', async () => {
    const poll = await service.createPoll(brand, { slug: 'abcdef-abcde' })
    for (const [i, reference] of identifiersOf(poll).entries()) {
      const device = randomUUID()
      expect(await service.get(`polls/${reference}`)).toMatchObject({ body: { data: { id: poll.id } } })
      expect(await service.get(`polls/${reference}/tallies`)).toMatchObject({ body: { data: { slug: poll.slug } } })
      expect(await service.vote(reference, 'A', device)).toMatchObject({
        status: 201,
        body: { data: { tallies: { total: i + 1 } } },
      })
      expect(await service.get(`polls/${reference}/votes/me`, { device })).toMatchObject({ status: 200 })
      const token = brand.token
      expect(await service.get(`brands/me/polls/${reference}`, { token })).toMatchObject({
        body: { data: { id: poll.id } },
      })
      const patched = await patchPoll(service, brand, reference, { title: `Title ${i}` })
      expect(patched.body.data).toMatchObject({ id: poll.id, title: `Title ${i}` })
    }
    for (const place of identifiersOf(poll).keys()) {
      const gone = await service.createPoll(brand)
      const reference = identifiersOf(gone)[place] ?? ''
      expect((await deletePoll(service, brand, reference)).status).toBe(204)
      for (const each of identifiersOf(gone)) expect((await service.get(`polls/${each}`)).status).toBe(404)
    }
  })

  test('a shortId is case-sensitive, and an upper-case slug is malformed', async () => {
    const poll = await service.createPoll(brand, { slug: 'only-lower' })
    const swapped = [...poll.shortId].map((c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase())).join('')
    expect((await service.get(`polls/${swapped}`)).status).toBe(404)
    expect((await service.get('polls/ONLY-LOWER')).status).toBe(404)
  })

  test.each(['%00', 'a%20b', 'a.b', 'x'.repeat(129), '%FF', '%C3%A9'])(
    'the path %s is refused with 422 wherever it stands for a poll',
    async (reference) => {
      const { token } = brand
      const replies = [
        await service.get(`polls/${reference}`),
        await service.get(`polls/${reference}/tallies`),
        await service.vote(reference, 'A'),
        await service.get(`polls/${reference}/votes/me`, { device: randomUUID() }),
        await service.get(`brands/me/polls/${reference}`, { token }),
        await patchPoll(service, brand, reference, {}),
        await deletePoll(service, brand, reference),
      ]
      for (const reply of replies) {
        expect(reply.status).toBe(422)
        expect(problemsOf(reply)).toEqual(['slug invalid_format'])
      }
    },
  )
})

test('a shortId always holds an upper-case letter', () => {
  const ids = Array.from({ length: 20_000 }, newShortId)
  expect(ids.filter((id) => !/^(?=.*[A-Z])[A-Za-z0-9_-]{12}$/.test(id))).toEqual([])
  expect(new Set(ids).size).toBe(ids.length)
})
