import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { removeDeletedVotes } from '../src/features/campaigns/respondents/remove-deleted-votes.ts'
import { engines } from './engines.ts'
import { deletePoll, everyPage, identifiersOf, patchPoll } from './polls.ts'
import { type PollData, type Reply, startTestService, type TestBrand, type TestService } from './service.ts'
import { untilDone } from './until-done.ts'

describe.each([...engines])('%s: who sees a poll', (engine) => {
  let service: TestService
  let brand: TestBrand
  let other: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
    other = await service.createBrand()
  })
  afterAll(() => service.stop())

  const feed = () => everyPage(service, `brands/${brand.slug}/polls`, { limit: 100 })
  const isInFeed = async ({ id }: PollData) => (await feed()).some((item) => item.id === id)

  /** The statuses of the poll, its counts, a vote of a new device, and a vote of a device that has voted. */
  async function publicStatuses(poll: PollData, voted: string): Promise<number[]> {
    const statuses = new Set<string>()
    for (const reference of identifiersOf(poll)) {
      const replies = [
        await service.get(`polls/${reference}`),
        await service.get(`polls/${reference}/tallies`),
        await service.vote(reference, 'A'),
        await service.get(`polls/${reference}/votes/me`, { device: voted }),
      ]
      statuses.add(replies.map(({ status }) => status).join())
    }
    expect(statuses.size).toBe(1)
    return [...statuses].flatMap((line) => line.split(',').map(Number))
  }

  async function pollWithVote(fields: Record<string, unknown> = {}) {
    const poll = await service.createPoll(brand, fields)
    const device = randomUUID()
    expect((await service.vote(poll.slug, 'B', device)).status).toBe(201)
    return { poll, device }
  }

  // spec: 1-1
  test('a public poll is read, counted, voted on and listed', async () => {
    const { poll, device } = await pollWithVote()
    expect(await publicStatuses(poll, device)).toEqual([200, 200, 201, 200])
    expect(await isInFeed(poll)).toBe(true)
  })

  // spec: 3-2
  test('a private poll can be read and voted on by its link, and is in no feed', async () => {
    const { poll, device } = await pollWithVote({ isPrivate: true })
    expect(await publicStatuses(poll, device)).toEqual([200, 200, 201, 200])
    expect(await isInFeed(poll)).toBe(false)
    await patchPoll(service, brand, poll.slug, { isPrivate: false })
    expect(await isInFeed(poll)).toBe(true)
  })

  // spec: 3-2
  test('a draft is visible to its owner alone', async () => {
    const poll = await service.createPoll(brand, { isDraft: true })
    expect(await publicStatuses(poll, randomUUID())).toEqual([404, 404, 404, 404])
    expect(await isInFeed(poll)).toBe(false)
    for (const token of [brand.token, other.token]) {
      expect((await service.get(`polls/${poll.slug}`, { token })).status).toBe(404)
      expect((await service.post(`polls/${poll.slug}/votes`, { token, json: { option: 'A' } })).status).toBe(404)
    }
    expect((await service.get(`brands/me/polls/${poll.slug}`, { token: brand.token })).status).toBe(200)
  })

  // spec: 3-2
  test('an archived poll is read by its link, takes no vote and is in no feed', async () => {
    const { poll, device } = await pollWithVote()
    await patchPoll(service, brand, poll.slug, { archived: true })
    expect(await publicStatuses(poll, device)).toEqual([200, 200, 409, 200])
    expect(await isInFeed(poll)).toBe(false)
    const { body } = await service.get<PollData>(`polls/${poll.slug}`)
    expect(body.data).not.toHaveProperty('archivedAt')
    expect(body.data.tallies.total).toBe(1)
  })

  test('a deleted poll is 404 everywhere, also for its owner, and its content and votes are removed', async () => {
    const { poll, device } = await pollWithVote({ title: 'Secret title', tags: ['secret'] })
    const { status, text, headers } = await deletePoll(service, brand, poll.slug)
    expect([status, text, headers.get('content-type')]).toEqual([204, '', null])
    expect(await publicStatuses(poll, device)).toEqual([404, 404, 404, 404])
    expect(await isInFeed(poll)).toBe(false)
    for (const reference of identifiersOf(poll)) {
      const token = brand.token
      expect((await service.get(`brands/me/polls/${reference}`, { token })).status).toBe(404)
      expect((await patchPoll(service, brand, reference, { title: 'Back' })).status).toBe(404)
      expect((await deletePoll(service, brand, reference)).status).toBe(404)
    }
    const owned = await everyPage(service, 'brands/me/polls', { ask: { token: brand.token }, limit: 100 })
    expect(owned.map(({ id }) => id)).not.toContain(poll.id)
    const row = await service.db.selectFrom('polls').selectAll().where('id', '=', poll.id).executeTakeFirstOrThrow()
    expect(JSON.stringify(row).toLowerCase()).not.toContain('secret title')
    for (let i = 0; i < 2; i++) await untilDone(() => removeDeletedVotes(service.deps.engine))
    const votes = await service.db.selectFrom('votes').select('device').where('poll_key', '=', row.key).execute()
    expect(votes).toEqual([])
    expect((await service.vote(poll.slug, 'A')).status).toBe(404)
  })

  /** The reply without what differs between any two requests. */
  const essence = ({ status, body, headers }: Reply) => ({
    status,
    error: { ...body.error, requestId: '' },
    headers: [...headers]
      .filter(([name]) => !['date', 'x-request-id', 'ratelimit'].includes(name))
      .map(([name, value]) => (name === 'content-length' ? [name, ''] : [name, value])),
  })

  // spec: 4.5-4
  test("another brand's poll is 404 for every method, exactly as an unknown poll", async () => {
    const foreign = await service.createPoll(other)
    const draft = await service.createPoll(other, { isDraft: true })
    const { token } = brand
    for (const reference of [...identifiersOf(foreign), ...identifiersOf(draft)]) {
      for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
        const ask = { token, key: randomUUID(), ...(method === 'PATCH' ? { json: { title: 'Mine' } } : {}) }
        const missing = reference.length === 36 ? randomUUID() : 'A-missing-12'
        const theirs = await service.request(method, `brands/me/polls/${reference}`, ask)
        const none = await service.request(method, `brands/me/polls/${missing}`, { ...ask, key: randomUUID() })
        expect(theirs.status).toBe(404)
        expect(essence(theirs)).toEqual(essence(none))
      }
    }
    const untouched = await service.get(`brands/me/polls/${foreign.id}`, { token: other.token })
    expect(untouched.body.data).toEqual(foreign)
    const owned = await everyPage(service, 'brands/me/polls', { ask: { token }, limit: 100 })
    expect(owned.map(({ id }) => id)).not.toContain(foreign.id)
  })

  test("the refusal of another brand's poll does not depend on the request", async () => {
    const foreign = await service.createPoll(other)
    await service.vote(foreign.slug, 'A')
    const reply = await patchPoll(service, brand, foreign.slug, { isDraft: true, closesAt: null })
    expect(reply).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND', details: {} } } })
  })

  test('an unknown poll, a draft and a deleted poll have the same public answer', async () => {
    const draft = await service.createPoll(brand, { isDraft: true })
    const gone = await service.createPoll(brand)
    await deletePoll(service, brand, gone.slug)
    const answers = async (reference: string) => [
      essence(await service.get(`polls/${reference}`)),
      essence(await service.get(`polls/${reference}/tallies`)),
      essence(await service.get(`polls/${reference}/votes/me`, { device: randomUUID() })),
    ]
    const none = await answers(randomUUID())
    expect(await answers(draft.id)).toEqual(none)
    expect(await answers(gone.id)).toEqual(none)
  })

  // spec: 2.1-3, 4.4-1, 4.4-6
  test('the feed of an unknown brand is 404, and of a malformed slug 422', async () => {
    expect((await service.get('brands/no-such-brand/polls')).status).toBe(404)
    for (const slug of ['Upper', '-x', 'x-', 'a_b', 'x'.repeat(64), '%00'])
      expect((await service.get(`brands/${slug}/polls`)).status).toBe(422)
  })
})
