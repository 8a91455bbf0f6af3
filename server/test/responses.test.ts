import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHmac, randomUUID } from 'node:crypto'
import { deviceOfUuid, respondentIds } from '../src/features/people/tokens/device.ts'
import { type CampaignData, createCampaign, deleteCampaign, patchCampaign } from './campaigns.ts'
import { dumpTables } from './dump.ts'
import { engines } from './engines.ts'
import { deletePoll, patchPoll, problemsOf } from './polls.ts'
import { type RespondentData, responses, walkAll } from './responses.ts'
import { outcomeOf, type PollData, type Reply, startTestService, type TestBrand, type TestService } from './service.ts'

describe.each([...engines])('%s: the responses of a campaign', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { jobs: 'by hand', settings: { LOG_LEVEL: 'debug' } })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  async function fresh(fields: readonly Record<string, unknown>[] = [{}, {}, {}]) {
    const polls: PollData[] = []
    for (const each of fields) polls.push(await service.createPoll(brand, each))
    const { campaignId } = await createCampaign(service, brand, polls)
    return { polls, campaignId, slug: (place: number) => polls[place]?.slug ?? '' }
  }

  const vote = async (slug: string, option: string, device: string) => {
    // Real time: votes get the database's time.
    await Bun.sleep(2)
    const { status, body } = await service.vote(slug, option, device)
    expect(status).toBe(201)
    return body.data.votedAt
  }
  const idOf = (device: string, owner = brand) =>
    respondentIds(service.deps, owner)(deviceOfUuid(service.deps.keys.device, device), null)

  // spec: 2.6-2, 4.9-2
  test('hold every respondent once, newest first by the first vote, with all votes in the order of the polls', async () => {
    const { campaignId, slug } = await fresh()
    const [ann, bob, cem] = [randomUUID(), randomUUID(), randomUUID()]
    const ann2 = await vote(slug(1), 'B', ann)
    const bob1 = await vote(slug(0), 'A', bob)
    const ann1 = await vote(slug(0), 'A', ann)
    const cem3 = await vote(slug(2), 'B', cem)
    const bob3 = await vote(slug(2), 'A', bob)
    const at = (place: number, option: string, votedAt: string) => ({
      position: place + 1,
      slug: slug(place),
      option,
      votedAt,
    })
    expect(await responses(service, brand, campaignId)).toEqual([
      { respondentId: idOf(cem), startedAt: cem3, totalVotes: 1, votes: [at(2, 'B', cem3)] },
      { respondentId: idOf(bob), startedAt: bob1, totalVotes: 2, votes: [at(0, 'A', bob1), at(2, 'A', bob3)] },
      { respondentId: idOf(ann), startedAt: ann2, totalVotes: 2, votes: [at(0, 'A', ann1), at(1, 'B', ann2)] },
    ])
    const { body } = await service.get(`brands/me/campaigns/${campaignId}/responses`, { token: brand.token })
    expect(body).toMatchObject({ nextCursor: null, hasMore: false })
  })

  test('hold nobody whose votes were refused, and nobody twice whose votes come together', async () => {
    const { campaignId, slug } = await fresh([{}, {}, { closesAt: '2020-01-01T00:00:00Z' }])
    const devices = Array.from({ length: 5 }, () => randomUUID())
    expect((await service.vote(slug(2), 'A', randomUUID())).status).toBe(409)
    expect((await service.vote(slug(0), 'C', randomUUID())).status).toBe(422)
    const votes = devices.flatMap((device) => [0, 1, 0, 1].map((place) => service.vote(slug(place), 'A', device)))
    const answers = (await Promise.all(votes)).map(({ status }) => status)
    expect(answers.filter((status) => status === 201)).toHaveLength(10)
    const found = await responses(service, brand, campaignId)
    expect(found.map(({ respondentId }) => respondentId).sort()).toEqual(devices.map((device) => idOf(device)).sort())
    for (const each of found) expect([each.totalVotes, each.votes.map(({ position }) => position)]).toEqual([2, [1, 2]])
  })

  test('appear in each campaign that a poll is in, and in no other', async () => {
    const { polls, campaignId, slug } = await fresh()
    const second = await createCampaign(service, brand, polls.slice(0, 1))
    const draft = await createCampaign(service, brand, polls.slice(0, 2), { state: 'draft' })
    const empty = await createCampaign(service, brand, [await service.createPoll(brand)])
    const device = randomUUID()
    await vote(slug(0), 'A', device)
    await vote(slug(1), 'A', device)
    const counts: number[][] = []
    for (const id of [campaignId, second.campaignId, draft.campaignId, empty.campaignId])
      counts.push((await responses(service, brand, id)).map(({ totalVotes }) => totalVotes))
    expect(counts).toEqual([[2], [1], [2], []])
  })

  // spec: 2.6-3
  test('name a device by an HMAC under a key of the brand, for each way to vote', async () => {
    const other = await service.createBrand()
    const theirs = await service.createPoll(other)
    const foreign = await createCampaign(service, other, [theirs])
    const { campaignId, slug } = await fresh()
    const device = randomUUID()
    await vote(slug(0), 'A', device)
    await vote(theirs.slug, 'A', device)
    const app = await service.createApp(null, ['vote'])
    const { accessToken } = await service.exchange(app, device.toUpperCase())
    await service.post(`polls/${slug(1)}/votes`, { token: accessToken, json: { option: 'A' } })
    const [mine, ...none] = await responses(service, brand, campaignId)
    const [seen] = await responses(service, other, foreign.campaignId)
    expect(none).toEqual([])
    expect([mine?.totalVotes, mine?.respondentId]).toEqual([2, idOf(device)])
    expect(seen?.respondentId).toBe(idOf(device, other))
    expect(seen?.respondentId).not.toBe(mine?.respondentId)
    expect(mine?.respondentId).toMatch(/^r_[A-Za-z0-9_-]{43}$/)
  })

  // spec: 2.6-4
  test('hold no device id, plain or hashed, in any answer, cursor or log line', async () => {
    const { campaignId, slug } = await fresh()
    const devices = Array.from({ length: 3 }, () => randomUUID())
    for (const device of devices) await vote(slug(0), 'A', device)
    const path = `brands/me/campaigns/${campaignId}/responses?limit=1`
    const first = await service.get(path, { token: brand.token })
    const second = await service.get(`${path}&cursor=${first.body.nextCursor}`, { token: brand.token })
    const said = [first.text, second.text, ...first.headers.values(), ...service.logLines].join('\n')
    const cursor = Buffer.from(first.body.nextCursor ?? '', 'base64url').toString('latin1')
    for (const device of devices) {
      const hash = Buffer.from(deviceOfUuid(service.deps.keys.device, device))
      expect(said).not.toContain(device)
      for (const form of ['hex', 'base64url', 'base64', 'latin1'] as const)
        expect(said).not.toContain(hash.toString(form))
      expect(cursor).not.toContain(hash.toString('latin1'))
      const unkeyed = createHmac('sha256', '').update(`device:${device}`).digest('base64url')
      expect(said).not.toContain(unkeyed)
    }
  })

  test('number the polls as the owner sees them, with drafts and archived polls, without deleted ones', async () => {
    const { polls, campaignId, slug } = await fresh([{ isDraft: true }, {}, {}, {}])
    const device = randomUUID()
    for (const place of [1, 2, 3]) await vote(slug(place), 'A', device)
    const positions = async () =>
      (await responses(service, brand, campaignId)).map(({ votes }) =>
        votes.map((each) => `${each.position} ${each.slug}`),
      )
    expect(await positions()).toEqual([[`2 ${slug(1)}`, `3 ${slug(2)}`, `4 ${slug(3)}`]])
    await patchPoll(service, brand, slug(2), { archived: true })
    expect(await positions()).toEqual([[`2 ${slug(1)}`, `3 ${slug(2)}`, `4 ${slug(3)}`]])
    const list = polls.map(({ id }) => id)
    await patchCampaign(service, brand, campaignId, { polstIds: [list[3], list[1]] })
    expect(await positions()).toEqual([[`1 ${slug(3)}`, `2 ${slug(1)}`]])
    await deletePoll(service, brand, slug(3))
    expect(await positions()).toEqual([[`1 ${slug(1)}`]])
    await deletePoll(service, brand, slug(1))
    expect(await positions()).toEqual([])
  })

  // spec: 4.9-1
  test('belong to the brand alone, and to its analytics scope', async () => {
    const { campaignId, slug } = await fresh()
    await vote(slug(0), 'A', randomUUID())
    const stranger = await service.createBrand()
    const manager = await service.exchange(await service.createApp(brand.brandKey, ['view', 'vote', 'manage']))
    const analyst = await service.exchange(await service.createApp(brand.brandKey, ['analytics']))
    const read = (id: string, ask: object, query = '') =>
      service.get(`brands/me/campaigns/${id}/responses${query}`, ask)
    expect(outcomeOf(await read(campaignId, { token: analyst.accessToken }))).toBe('200 fine')
    expect(outcomeOf(await read(campaignId, { token: manager.accessToken }))).toBe('403 SCOPE_REQUIRED')
    expect(outcomeOf(await read('x', { token: manager.accessToken }))).toBe('403 SCOPE_REQUIRED')
    expect(outcomeOf(await read(campaignId, { device: randomUUID() }))).toBe('401 UNAUTHORIZED')
    const invalid = await read('x', { token: brand.token })
    expect([outcomeOf(invalid), ...problemsOf(invalid)]).toEqual(['422 VALIDATION_ERROR', 'campaignId invalid_format'])
    expect(outcomeOf(await read('x', { token: brand.token }, '?limit=0'))).toBe('400 VALIDATION_ERROR')
    const gone = await createCampaign(service, brand, [await service.createPoll(brand)])
    await deleteCampaign(service, brand, gone.campaignId)
    const refusals = [
      await read(campaignId, { token: stranger.token }),
      await read(randomUUID(), { token: stranger.token }),
      await read(gone.campaignId, { token: brand.token }),
    ]
    for (const { status, body } of refusals) {
      expect([status, { ...body.error, requestId: '' }]).toEqual([
        404,
        { code: 'NOT_FOUND', message: 'Not found.', details: {}, requestId: '' },
      ])
    }
    const scoped = await service.get('brands/me/campaigns?limit=1', { token: analyst.accessToken })
    expect([outcomeOf(scoped), scoped.body.error.details]).toEqual(['403 SCOPE_REQUIRED', { scope: 'manage' }])
  })

  // spec: 4.9-1
  test('a cursor is valid for its campaign and its brand only, with every limit', async () => {
    const { polls, campaignId, slug } = await fresh()
    const other = await createCampaign(service, brand, polls)
    for (let i = 0; i < 5; i++) await vote(slug(i % 3), 'A', randomUUID())
    const path = (id: string) => `brands/me/campaigns/${id}/responses`
    const { token } = brand
    const { nextCursor } = (await service.get(`${path(campaignId)}?limit=2`, { token })).body
    expect((await service.get(`${path(campaignId)}?cursor=${nextCursor}`, { token })).body.data).toHaveLength(3)
    for (const [wrong, ask] of [
      [path(other.campaignId), { token }],
      ['brands/me/campaigns', { token }],
      [path(campaignId), { token: (await service.createBrand()).token }],
    ] as const) {
      expect(outcomeOf(await service.get(`${wrong}?cursor=${nextCursor}`, ask))).toBe('400 VALIDATION_ERROR')
    }
    const whole = await responses(service, brand, campaignId)
    for (const limit of [1, 2, 3, 5]) expect(await responses(service, brand, campaignId, limit)).toEqual(whole)
    expect(whole.map(({ startedAt }) => startedAt)).toEqual(
      whole
        .map(({ startedAt }) => startedAt)
        .sort()
        .reverse(),
    )
  })

  test('votes cast between two pages cause no gap and no repetition', async () => {
    const { campaignId, slug } = await fresh()
    const before = Array.from({ length: 6 }, () => randomUUID())
    for (const device of before) await vote(slug(0), 'A', device)
    const seen: RespondentData[] = []
    const { token } = brand
    for (let next: string | null = ''; next !== null; ) {
      const { body }: Reply<RespondentData[]> = await service.get<RespondentData[]>(
        `brands/me/campaigns/${campaignId}/responses?limit=2${next && `&cursor=${next}`}`,
        { token },
      )
      seen.push(...body.data)
      next = body.nextCursor
      await vote(slug(0), 'A', randomUUID())
      await vote(slug(1), 'A', before[0] ?? '')
      before.push(...before.splice(0, 1))
    }
    expect(new Set(seen.map(({ respondentId }) => respondentId))).toEqual(new Set(before.map((device) => idOf(device))))
    expect(seen).toHaveLength(6)
  })

  test('a vote on a poll of no campaign writes no respondent', async () => {
    const poll = await service.createPoll(brand)
    await createCampaign(service, brand, [poll]).then(({ campaignId }) => deleteCampaign(service, brand, campaignId))
    await walkAll(service)
    const before = await dumpTables(service.db)
    await vote(poll.slug, 'A', randomUUID())
    const after = await dumpTables(service.db)
    const changed = Object.keys(after).filter((name) => Bun.deepEquals(after[name], before[name]) === false)
    expect(changed.filter((name) => !['guests', 'campaigns'].includes(name)).sort()).toEqual([
      'tallies',
      'vote_counts',
      'votes',
    ])
  })

  test('tell how far votes from before the campaign have been read; a file is refused until then', async () => {
    const polls = [await service.createPoll(brand), await service.createPoll(brand)]
    await vote(polls[0]?.slug ?? '', 'A', randomUUID())
    const { campaignId } = await createCampaign(service, brand, polls)
    const ask = (headers: Record<string, string> = {}) =>
      service.get(`brands/me/campaigns/${campaignId}/responses`, { token: brand.token, headers })
    const { text, body } = await ask()
    expect(JSON.parse(text)).toEqual({
      data: [],
      nextCursor: null,
      hasMore: false,
      responsesProgress: { isComplete: false, votesRead: 0, votesToRead: 1 },
      omitted: 0,
    })
    expect(body.data).toEqual([])
    for (const Accept of ['text/csv', 'application/x-ndjson']) {
      const refused = await ask({ Accept })
      expect([outcomeOf(refused), refused.headers.get('retry-after')]).toEqual(['503 UNAVAILABLE', '5'])
    }
    await walkAll(service)
    expect(JSON.parse((await ask()).text)).toMatchObject({
      data: [{ totalVotes: 1 }],
      responsesProgress: { isComplete: true, votesRead: 1, votesToRead: 1 },
    })
    expect((await ask({ Accept: 'text/csv' })).status).toBe(200)
  })

  test('tell how many votes of forgotten devices they leave out', async () => {
    const { polls, campaignId, slug } = await fresh()
    const [device, other] = [randomUUID(), randomUUID()]
    const elsewhere = await service.createPoll(brand)
    for (const voter of [device, other]) {
      await vote(slug(0), 'A', voter)
      await vote(slug(1), 'A', voter)
      await vote(elsewhere.slug, 'A', voter)
    }
    const omitted = async () => {
      const { text } = await service.get(`brands/me/campaigns/${campaignId}/responses`, { token: brand.token })
      return JSON.parse(text).omitted
    }
    expect(await omitted()).toBe(0)
    expect((await service.request('DELETE', 'guests/me', { device })).status).toBe(204)
    expect(await omitted()).toBe(2)
    await vote(slug(2), 'A', device)
    expect(await omitted()).toBe(2)
    // Real time: a request to forget gets a later time of the database.
    await Bun.sleep(2)
    expect((await service.request('DELETE', 'guests/me', { device })).status).toBe(204)
    expect(await omitted()).toBe(3)
    await deletePoll(service, brand, slug(0))
    expect(await omitted()).toBe(2)
    await patchCampaign(service, brand, campaignId, { polstIds: polls.slice(1, 2).map(({ id }) => id) })
    expect(await omitted()).toBe(1)
  })

  test('the public view of a campaign shows nothing of its respondents', async () => {
    const { campaignId } = await fresh()
    const { data } = (await service.get<CampaignData>(`campaigns/${campaignId}`)).body
    expect(Object.keys(data)).not.toContain('responsesProgress')
    expect(Object.keys(data)).not.toContain('withheldPolstIds')
  })
})
