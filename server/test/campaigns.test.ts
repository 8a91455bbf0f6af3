import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import {
  type CampaignData,
  createCampaign,
  deleteCampaign,
  type OwnedCampaignData,
  patchCampaign,
  postCampaign,
  slugsOf,
} from './campaigns.ts'
import { engines } from './engines.ts'
import { deletePoll, everyPage, HOUR, patchPoll, problemsOf } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

describe.each([...engines])('%s: campaigns of a brand', (engine) => {
  let service: TestService
  let brand: TestBrand
  let polls: PollData[]
  beforeAll(async () => {
    // A test goes hours ahead: a job in the background would remove the tokens that are expired by then.
    service = await startTestService(engine, { jobs: 'by hand' })
    brand = await service.createBrand()
    polls = []
    for (let i = 0; i < 4; i++) polls.push(await service.createPoll(brand, { title: `Poll ${i}` }))
  })
  afterAll(() => service.stop())

  const ids = (...places: number[]): string[] => places.map((place) => polls[place]?.id ?? '')
  const slugs = (...places: number[]): string[] => places.map((place) => polls[place]?.slug ?? '')
  const own = async (id: string) =>
    (await service.get<OwnedCampaignData>(`brands/me/campaigns/${id}`, { token: brand.token })).body.data

  // spec: 2.1-2, 2.5-1, 2.5-3, 4.8-2
  test('is created with its polls in the order given, and reads the same everywhere', async () => {
    const fields = {
      description: 'Five minutes',
      opensAt: '2020-01-01T00:00:00Z',
      closesAt: '2090-01-01T01:00:00+01:00',
    }
    const json = { title: 'Morning', polstIds: ids(2, 0, 3), ...fields }
    const { status, headers, body } = await postCampaign(service, brand, json)
    const { data } = body
    expect(status).toBe(201)
    expect(headers.get('location')).toBe(`/api/rest/v1/brands/me/campaigns/${data.campaignId}`)
    expect(data).toMatchObject({
      title: 'Morning',
      description: 'Five minutes',
      totalSteps: 3,
      polstCount: 3,
      status: 'open',
      state: 'published',
      isPublic: true,
      opensAt: '2020-01-01T00:00:00.000Z',
      closesAt: '2090-01-01T00:00:00.000Z',
      withheldPolstIds: [],
      responsesProgress: { isComplete: true, votesRead: 0, votesToRead: 0 },
    })
    expect(data.createdAt).toBe(data.updatedAt)
    expect(slugsOf(data)).toEqual(slugs(2, 0, 3))
    const feed = await service.get<PollData[]>(`brands/${brand.slug}/polls`)
    for (const poll of data.polsts) expect(feed.body.data).toContainEqual(poll)
    expect(data.brand).toEqual(feed.body.data[0]?.['brand'] as never)
    expect(await own(data.campaignId)).toEqual(data)
    const { withheldPolstIds: _, responsesProgress: __, ...shared } = data
    expect((await service.get<CampaignData>(`campaigns/${data.campaignId}`)).body.data).toEqual(shared)
    expect((await service.get<CampaignData>(`campaigns/${data.campaignId.toUpperCase()}`)).body.data).toEqual(shared)
  })

  // spec: 4.8-2
  test('accepts name for title, and both when they are equal', async () => {
    const named = await postCampaign(service, brand, { name: 'By name', polstIds: ids(0) })
    expect(named.body.data.title).toBe('By name')
    const both = await postCampaign(service, brand, { name: 'Both', title: 'Both', polstIds: ids(0) })
    expect(both.body.data.title).toBe('Both')
    const { campaignId } = both.body.data
    expect((await patchCampaign(service, brand, campaignId, { name: 'Renamed' })).body.data.title).toBe('Renamed')
    const two = { title: 'One', name: 'Two' }
    expect(problemsOf(await postCampaign(service, brand, { ...two, polstIds: ids(0) }))).toEqual([
      'name differs_from_title',
    ])
    expect(problemsOf(await patchCampaign(service, brand, campaignId, two))).toEqual(['name differs_from_title'])
    expect(problemsOf(await postCampaign(service, brand, { polstIds: ids(0) }))).toEqual(['title required'])
  })

  // spec: 4.8-4
  test.each([
    [{ title: '' }, 'title too_short'],
    [{ title: '   ' }, 'title too_short'],
    [{ title: 'x'.repeat(121) }, 'title too_long'],
    [{ title: 'Tea\u200b' }, 'title zero_width_end'],
    [{ title: undefined, name: '🙂'.repeat(121) }, 'name too_long'],
    [{ description: 'x'.repeat(501) }, 'description too_long'],
    [{ polstIds: [] }, 'polstIds too_small'],
    [{ polstIds: Array.from({ length: 101 }, () => randomUUID()) }, 'polstIds too_big'],
    [{ polstIds: undefined }, 'polstIds required'],
    [{ polstIds: ['tea-or-coffee'] }, 'polstIds.0 invalid_format'],
    [{ state: 'open' }, 'state invalid_value'],
    [{ state: null }, 'state invalid_value'],
    [{ isPublic: 'yes' }, 'isPublic invalid_type'],
    [{ opensAt: 'soon' }, 'opensAt invalid_format'],
    [{ opensAt: '2030-01-01T00:00:00Z', closesAt: '2030-01-01T00:00:00Z' }, 'closesAt before_opens_at'],
    [{ status: 'open' }, 'status unknown_field'],
    [{ campaignId: randomUUID() }, 'campaignId unknown_field'],
  ])('%o is refused with %s', async (fields, problem) => {
    const json = { title: `T ${randomUUID()}`, polstIds: ids(0), ...fields }
    const reply = await postCampaign(service, brand, json)
    expect([reply.status, reply.body.error.code]).toEqual([422, 'VALIDATION_ERROR'])
    expect(problemsOf(reply)).toEqual([problem])
  })

  test('names the entry that is no poll id', async () => {
    const { body } = await postCampaign(service, brand, { title: 'By slug', polstIds: ['tea-or-coffee'] })
    expect(body.error.details['fields']).toEqual([
      {
        path: 'polstIds.0',
        code: 'invalid_format',
        message: 'Must be the id of a poll (not its slug or shortId), a UUID.',
      },
    ])
  })

  test('a poll that is listed twice is refused, in any spelling of its id', async () => {
    for (const twice of [[...ids(0, 1, 0)], [ids(0)[0], ids(0)[0]?.toUpperCase()]]) {
      const reply = await postCampaign(service, brand, { title: 'Twice', polstIds: twice })
      expect([reply.status, ...problemsOf(reply)]).toEqual([422, 'polstIds repeated'])
    }
  })

  // spec: 4.8-4
  test('accepts the longest title and list', async () => {
    const many: PollData[] = []
    for (let i = 0; i < 100; i++) many.push(await service.createPoll(brand))
    const fields = { title: '𝅘𝅥𝅱'.repeat(120).slice(0, 240), description: '🙂'.repeat(500) }
    const campaign = await createCampaign(service, brand, many, fields)
    expect(campaign).toMatchObject({ ...fields, totalSteps: 100 })
    expect(slugsOf(campaign)).toEqual(many.map(({ slug }) => slug))
    const reversed = many.toReversed().map(({ id }) => id)
    const patched = await patchCampaign(service, brand, campaign.campaignId, { polstIds: reversed })
    expect(patched.body.data.polsts.map(({ id }) => id)).toEqual(reversed)
  })

  test('an update changes the given fields and nothing else', async () => {
    const made = await createCampaign(service, brand, [], { polstIds: ids(0, 1), description: 'Old' })
    let before = made
    for (const [patch, change] of [
      [{ description: null }, { description: null }],
      [{ isPublic: false }, { isPublic: false }],
      [{ state: 'archived' }, { state: 'archived' }],
      [{ state: 'draft' }, { state: 'draft' }],
      [{ opensAt: '2090-01-01T00:00:00Z' }, { opensAt: '2090-01-01T00:00:00.000Z', status: 'scheduled' }],
      [
        { opensAt: null, closesAt: '2020-01-01T00:00:00Z' },
        { opensAt: null, closesAt: '2020-01-01T00:00:00.000Z', status: 'closed' },
      ],
      [{ closesAt: null }, { closesAt: null, status: 'open' }],
      [{ title: `New ${made.campaignId}` }, { title: `New ${made.campaignId}` }],
      [{}, {}],
    ] as const) {
      service.clock.advance(2)
      const { status, body } = await patchCampaign(service, brand, made.campaignId, patch)
      expect(status).toBe(200)
      expect(body.data).toEqual({ ...before, ...change, updatedAt: body.data.updatedAt } as OwnedCampaignData)
      expect(body.data.updatedAt > before.updatedAt).toBe(Object.keys(patch).length > 0)
      expect(await own(made.campaignId)).toEqual(body.data)
      before = body.data
    }
  })

  // spec: 2.5-3
  test('an update of its polls replaces the whole list, with its order', async () => {
    const { campaignId } = await createCampaign(service, brand, [], { polstIds: ids(0, 1, 2) })
    for (const places of [[2, 1, 0], [3], [3, 0, 1], [1, 3], [0, 1, 2, 3], [3, 2, 1, 0]]) {
      const { body } = await patchCampaign(service, brand, campaignId, { polstIds: ids(...places) })
      expect(slugsOf(body.data)).toEqual(slugs(...places))
      expect(body.data.polstCount).toBe(places.length)
      const { body: read } = await service.get<CampaignData>(`campaigns/${campaignId}`)
      expect(slugsOf(read.data)).toEqual(slugs(...places))
    }
  })

  test('a window that would never be open is refused, also when half of it is stored already', async () => {
    const { campaignId } = await createCampaign(service, brand, [], {
      polstIds: ids(0),
      opensAt: '2030-01-01T00:00:00Z',
    })
    const reply = await patchCampaign(service, brand, campaignId, { closesAt: '2029-12-31T23:59:59Z' })
    expect([reply.status, ...problemsOf(reply)]).toEqual([422, 'closesAt before_opens_at'])
  })

  test('a list is newest first, page by page', async () => {
    const fresh = await service.createBrand()
    const poll = await service.createPoll(fresh)
    const made: string[] = []
    for (let i = 0; i < 7; i++) made.unshift((await createCampaign(service, fresh, [poll])).campaignId)
    const list = await everyPage<OwnedCampaignData>(service, 'brands/me/campaigns', {
      ask: { token: fresh.token },
      limit: 3,
    })
    expect(list.map(({ campaignId }) => campaignId)).toEqual(made)
    const { body } = await service.get('brands/me/campaigns', { token: (await service.createBrand()).token })
    expect(body as unknown).toEqual({ data: [], nextCursor: null, hasMore: false })
  })

  test('a page holds at most 500 polls, and the next page continues without a gap', async () => {
    const fresh = await service.createBrand()
    const some: PollData[] = []
    for (let i = 0; i < 100; i++) some.push(await service.createPoll(fresh))
    const made: string[] = []
    for (let i = 0; i < 7; i++) made.unshift((await createCampaign(service, fresh, some)).campaignId)
    for (const [path, ask] of [
      ['brands/me/campaigns', { token: fresh.token }],
      [`brands/${fresh.slug}/campaigns`, {}],
    ] as const) {
      const first = await service.get<CampaignData[]>(path, ask)
      expect(first.body.data.map(({ campaignId }) => campaignId)).toEqual(made.slice(0, 5))
      const rest = await service.get<CampaignData[]>(`${path}?cursor=${first.body.nextCursor}`, ask)
      expect(rest.body.data.map(({ campaignId }) => campaignId)).toEqual(made.slice(5))
      expect(rest.body.nextCursor).toBeNull()
    }
  })

  test('titles that differ only in case, width or surrounding spaces are the same title', async () => {
    const owner = await service.createBrand()
    const polstIds = [(await service.createPoll(owner)).id]
    const made = await postCampaign(service, owner, { title: ' Tea 1 ', polstIds })
    expect([made.status, made.body.data.title]).toEqual([201, 'Tea 1'])
    for (const title of ['Tea 1', 'TEA 1\u3000', 'Ｔｅａ １', 'tea\u00a0①']) {
      const { status, body } = await postCampaign(service, owner, { title, polstIds })
      expect([status, body.error.code]).toEqual([409, 'CAMPAIGN_NAME_TAKEN'])
    }
    const longest = await postCampaign(service, owner, { title: '\ufdfa'.repeat(120), polstIds })
    expect(longest.status).toBe(201)
  })

  test('a deleted campaign is 404 everywhere, its polls stay and its title is free', async () => {
    const made = await createCampaign(service, brand, [], { polstIds: ids(0, 1) })
    expect((await deleteCampaign(service, brand, made.campaignId)).status).toBe(204)
    const { token } = brand
    for (const [method, path] of [
      ['GET', `brands/me/campaigns/${made.campaignId}`],
      ['GET', `campaigns/${made.campaignId}`],
      ['GET', `campaigns/${made.campaignId}/tallies`],
      ['GET', `campaigns/${made.campaignId}/progress`],
      ['PATCH', `brands/me/campaigns/${made.campaignId}`],
      ['DELETE', `brands/me/campaigns/${made.campaignId}`],
    ] as const) {
      const json = method === 'PATCH' ? { json: { title: 'New' } } : {}
      const reply = await service.request(method, path, { token, key: randomUUID(), ...json })
      expect([method, path, reply.status]).toEqual([method, path, 404])
    }
    expect((await service.get(`polls/${slugs(0)[0]}`)).status).toBe(200)
    const again = await postCampaign(service, brand, { title: made.title, polstIds: ids(0) })
    expect(again.status).toBe(201)
    expect(again.body.data.campaignId).not.toBe(made.campaignId)
  })

  test('the owner sees draft and archived polls in their place, but no deleted polls', async () => {
    const three: PollData[] = []
    for (let i = 0; i < 4; i++) three.push(await service.createPoll(brand, { isDraft: i === 1 }))
    const made = await createCampaign(service, brand, three)
    const [first, draft, third, last] = three.map(({ id }) => id) as [string, string, string, string]
    expect(made).toMatchObject({ totalSteps: 3, polstCount: 3, withheldPolstIds: [draft] })
    await patchPoll(service, brand, third, { archived: true })
    await deletePoll(service, brand, first)
    const seen = await own(made.campaignId)
    expect(seen.polsts.map(({ id }) => id)).toEqual([draft, third, last])
    expect(seen).toMatchObject({ totalSteps: 1, polstCount: 1, withheldPolstIds: [draft, third] })
    await patchPoll(service, brand, third, { archived: false })
    await patchPoll(service, brand, draft, { isDraft: false })
    expect(await own(made.campaignId)).toMatchObject({ totalSteps: 3, withheldPolstIds: [] })
    const added = await patchCampaign(service, brand, made.campaignId, { polstIds: [last, ...ids(0), draft] })
    expect(added.body.data.polsts.map(({ id }) => id)).toEqual([last, ...ids(0), draft])
    await deletePoll(service, brand, last)
    await deletePoll(service, brand, draft)
    const rest = await patchCampaign(service, brand, made.campaignId, { description: 'x' })
    expect(rest.body.data.polsts.map(({ id }) => id)).toEqual(ids(0))
  })

  // spec: 3-4, 3-9
  test('the status follows the clock, and a closed campaign refuses no vote', async () => {
    const now = Date.now()
    const poll = await service.createPoll(brand)
    const at = (ms: number) => new Date(ms).toISOString()
    const window = { opensAt: at(now + HOUR), closesAt: at(now + 2 * HOUR) }
    const { campaignId } = await createCampaign(service, brand, [poll], window)
    for (const status of ['scheduled', 'open', 'closed']) {
      expect((await own(campaignId)).status).toBe(status)
      expect((await service.get<CampaignData>(`campaigns/${campaignId}`)).body.data.status).toBe(status)
      expect((await service.vote(poll.slug, 'A')).status).toBe(201)
      service.clock.advance(HOUR)
      brand = { ...brand, token: (await service.exchange(brand)).accessToken }
    }
    service.clock.advance(-3 * HOUR)
    brand = { ...brand, token: (await service.exchange(brand)).accessToken }
  })
})
