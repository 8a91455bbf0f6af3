import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { pollKeyOf } from './ballot-box.ts'
import { engines } from './engines.ts'
import { deletePoll, identifiersOf, problemsOf } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { castMany, type VoterData, voters } from './voters.ts'

describe.each([...engines])('%s: the voters of a poll', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const path = (slug: string) => `brands/me/polls/${slug}/voters`

  async function votedOn(options: string): Promise<PollData> {
    const poll = await service.createPoll(brand)
    for (const option of options) expect((await service.vote(poll.slug, option)).status).toBe(201)
    return poll
  }

  // spec: 4.7-2, 4.7-4
  test('are listed with the highest position first, each with its option and time', async () => {
    const before = Date.now() - 1_000
    const poll = await votedOn('ABBA')
    const { body, headers } = await service.get<VoterData[]>(path(poll.slug), { token: brand.token })
    expect(headers.get('vary')).toBe('Accept-Encoding, Accept')
    expect(headers.get('cache-control')).toBe('private, no-store')
    expect(body.data.map(({ position, option }) => [position, option])).toEqual([
      [4, 'A'],
      [3, 'B'],
      [2, 'B'],
      [1, 'A'],
    ])
    expect(new Set(body.data.map(({ respondentId }) => respondentId)).size).toBe(4)
    for (const { respondentId, votedAt } of body.data) {
      expect(respondentId).toMatch(/^r_[A-Za-z0-9_-]{43}$/)
      expect(new Date(votedAt).toISOString()).toBe(votedAt)
      expect(Date.parse(votedAt)).toBeWithin(before, Date.now() + 1_000)
    }
    for (const slug of identifiersOf(poll)) expect(await voters(service, brand, slug)).toEqual(body.data)
  })

  // spec: 2.6-3, 4.7-4
  test('a device has one respondentId in a brand, and another one in every other brand', async () => {
    const stranger = await service.createBrand()
    const polls = [await service.createPoll(brand), await service.createPoll(brand)]
    const foreign = await service.createPoll(stranger)
    const devices = Array.from({ length: 20 }, () => randomUUID())
    for (const { slug } of [...polls, foreign]) {
      for (const device of devices) expect((await service.vote(slug, 'A', device)).status).toBe(201)
    }
    const namesIn = async (owner: TestBrand, { slug }: PollData) =>
      (await voters(service, owner, slug)).map(({ respondentId }) => respondentId)
    const [one, two] = await Promise.all(polls.map((poll) => namesIn(brand, poll)))
    expect(one).toEqual(two ?? [])
    const others = await namesIn(stranger, foreign)
    expect(others).toHaveLength(20)
    expect(others.filter((name) => one?.includes(name))).toEqual([])
  })

  test('a refused vote is not listed, hidden results are listed for the owner, and a poll without votes has an empty list', async () => {
    const poll = await service.createPoll(brand, { resultsVisibility: 'never' })
    expect(await voters(service, brand, poll.slug)).toEqual([])
    const device = randomUUID()
    for (const status of [201, 409]) expect((await service.vote(poll.slug, 'A', device)).status).toBe(status)
    expect((await voters(service, brand, poll.slug)).map(({ option }) => option)).toEqual(['A'])
  })

  // spec: 4.7-1
  test('pages have no gap and no repetition with any limit, while votes go on', async () => {
    const poll = await service.createPoll(brand)
    const pollKey = await pollKeyOf(service, poll)
    await castMany(service, pollKey, 250)
    for (const limit of [1, 7, 100]) {
      const first = await service.get<VoterData[]>(`${path(poll.slug)}?limit=${limit}`, { token: brand.token })
      const highest = first.body.data[0]?.position ?? 0
      const seen = first.body.data.map(({ position }) => position)
      for (let next = first.body.nextCursor; next !== null; ) {
        if (seen.length % 9 === 0) await castMany(service, pollKey, 3)
        const { body } = await service.get<VoterData[]>(`${path(poll.slug)}?limit=${limit}&cursor=${next}`, {
          token: brand.token,
        })
        seen.push(...body.data.map(({ position }) => position))
        next = body.nextCursor
      }
      expect(seen).toEqual(Array.from({ length: highest }, (_, i) => highest - i))
    }
  })

  test('a cursor is valid for its list, its poll and its brand only', async () => {
    const [poll, other] = [await votedOn('AB'), await votedOn('AB')]
    const stranger = await service.createBrand()
    const theirs = await service.createPoll(stranger)
    const page = await service.get(`${path(poll.slug)}?limit=1`, { token: brand.token })
    const cursor = page.body.nextCursor
    expect((await service.get(`${path(poll.slug)}?limit=1&cursor=${cursor}`, { token: brand.token })).status).toBe(200)
    for (const [list, { token }] of [
      [path(other.slug), brand],
      ['brands/me/polls', brand],
      [path(theirs.slug), stranger],
    ] as const) {
      const reply = await service.get(`${list}?limit=1&cursor=${cursor}`, { token })
      expect([list, reply.status, ...problemsOf(reply)]).toEqual([list, 400, 'cursor invalid_cursor'])
    }
    for (const query of ['limit=0', 'limit=101', 'limit=1.5', 'limit=x', 'cursor=x', 'cursor=', 'limit=1&limit=2']) {
      expect((await service.get(`${path(poll.slug)}?${query}`, { token: brand.token })).status).toBe(400)
    }
  })

  // spec: 4.7-5
  test('other brands, tokens without the scope and deleted polls get none', async () => {
    const poll = await votedOn('A')
    const stranger = await service.createBrand()
    const manager = await service.exchange(await service.createApp(brand.brandKey, ['view', 'vote', 'manage']))
    for (const headers of [{}, { Accept: 'text/csv' }, { Accept: 'application/x-ndjson' }]) {
      const ask = (slug: string, token?: string) => service.get(path(slug), { headers, ...(token ? { token } : {}) })
      const answers = [
        await ask(poll.slug),
        await ask(poll.slug, stranger.token),
        await ask('no-such-poll', brand.token),
        await ask('no%20slug', brand.token),
        await ask(poll.slug, manager.accessToken),
      ]
      expect(answers.map(({ status }) => status)).toEqual([401, 404, 404, 422, 403])
      for (const answer of answers) {
        expect(answer.headers.get('content-type')).toBe('application/json')
        expect(answer.headers.get('vary')).toBe('Accept-Encoding, Accept')
        expect(answer.body.error.requestId).toBe(answer.headers.get('x-request-id') ?? '')
      }
    }
    await deletePoll(service, brand, poll.slug)
    expect((await service.get(path(poll.slug), { token: brand.token })).status).toBe(404)
  })
})
