import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampleEngines } from '../../server/test/engines.ts'
import { startTestService, type TestBrand, type TestService } from '../../server/test/service.ts'
import { DEVICE_KEY, isTossupError, type KeyValueStore, memoryStore, Tossup, Visitor, VoteQueue } from '../src/index.ts'
import { caught } from './recorder.ts'

describe.each([...sampleEngines])('on %s', (engine) => {
  let service: TestService
  let brand: TestBrand

  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })

  afterAll(() => service.stop())

  const newVisitor = (storage: KeyValueStore = memoryStore()) => new Visitor({ url: service.service.url, storage })
  const newOwner = () => {
    const { apiKeyId, apiKeySecret } = brand
    return new Tossup({ url: service.service.url, auth: { apiKeyId, apiKeySecret, externalDeviceId: 'my-server' } })
  }

  test('a visitor reads, votes once, and gets the earlier vote at the second try', async () => {
    const tossup = newOwner()
    const made = await tossup.createPoll({ title: 'Tea?', optionA: { label: 'Yes' }, optionB: { label: 'No' } })
    const storage = memoryStore()
    const visitor = newVisitor(storage)
    expect((await visitor.getPoll(made.shortId)).title).toBe('Tea?')
    expect(await visitor.getOwnVote(made.slug)).toBeNull()
    expect(await storage.getItem(DEVICE_KEY)).toBeNull()
    const vote = await visitor.castVote(made.shortId, 'B')
    expect(vote.tallies).toEqual({ optionA: 0, optionB: 1, total: 1 })
    expect(await storage.getItem(DEVICE_KEY)).toMatch(/^[0-9a-f-]{36}$/)
    // The next visit, on the same device.
    const again = newVisitor(storage)
    expect(await again.getOwnVote(made.slug)).toEqual(vote)
    const error = await caught(again.castVote(made.id, 'A'))
    expect(isTossupError(error, 'VOTE_ALREADY_CAST') && error.details.existingVote).toEqual({
      option: 'B',
      votedAt: vote.votedAt,
    })
    expect(await newVisitor().getOwnVote(made.slug)).toBeNull()
    await again.forgetGuest()
    expect((await visitor.getTallies(made.slug)).tallies.total).toBe(1)
  })

  test('a challenge is solved, and the vote sent again', async () => {
    const { slug } = await service.createPoll(brand, { challenge: 'always' })
    expect((await newVisitor().castVote(slug, 'A')).tallies.total).toBe(1)
    expect((await newOwner().castVote(slug, 'B')).tallies.total).toBe(2)
    const controller = new AbortController()
    const aborted = caught(newVisitor().castVote(slug, 'A', { signal: controller.signal }))
    controller.abort(new Error('left'))
    expect(await aborted).toEqual(new Error('left'))
  })

  test('a vote in the queue solves its challenge', async () => {
    const { slug } = await service.createPoll(brand, { challenge: 'always' })
    const queue = new VoteQueue({ visitor: newVisitor(), storage: memoryStore() })
    await queue.add(slug, 'A')
    expect((await queue.flush()).map(({ kind }) => kind)).toEqual(['delivered'])
    expect((await newVisitor().getTallies(slug)).tallies.total).toBe(1)
  })

  test('a challenge that no solution satisfies is asked for four times, and thrown', async () => {
    const { slug } = await service.createPoll(brand, { challenge: 'always' })
    const solutions: (string | null)[] = []
    const spoiling = ((url: string, init: RequestInit) => {
      const headers = new Headers(init.headers)
      solutions.push(headers.get('X-Challenge-Solution'))
      if (headers.has('X-Challenge-Solution')) headers.set('X-Challenge-Solution', 'spoiled')
      return fetch(url, { ...init, headers })
    }) as typeof fetch
    const visitor = new Visitor({ url: service.service.url, storage: memoryStore(), fetch: spoiling })
    expect(await caught(visitor.castVote(slug, 'A'))).toMatchObject({ code: 'CHALLENGE_REQUIRED', status: 403 })
    expect(solutions.map((solution) => solution !== null)).toEqual([false, true, true, true])
    expect(new Set(solutions).size).toBe(4)
    const queue = new VoteQueue({ visitor, storage: memoryStore() })
    await queue.add(slug, 'A')
    expect(await queue.flush()).toEqual([])
    expect(await queue.pending()).toHaveLength(1)
  })

  test("another refusal with 403, or a proxy's, is thrown as it is", async () => {
    for (const body of ['<h1>Forbidden</h1>', '{}', 'null', '{"error":{"code":"ORIGIN_NOT_ALLOWED","details":{}}}']) {
      const fetch = (async () => new Response(body, { status: 403 })) as unknown as typeof globalThis.fetch
      const visitor = new Visitor({ url: service.service.url, storage: memoryStore(), fetch })
      expect(await caught(visitor.castVote('tea', 'A'))).toMatchObject({ status: 403 })
    }
  })

  test('two first votes at the same moment are one device', async () => {
    const [one, other] = [await service.createPoll(brand), await service.createPoll(brand)]
    const slow = memoryStore()
    const storage: KeyValueStore = {
      // Real time: a store that answers later, so that both votes read it before it is written.
      getItem: async (key) => Bun.sleep(5).then(() => slow.getItem(key)),
      setItem: async (key, value) => Bun.sleep(5).then(() => slow.setItem(key, value)),
    }
    const visitor = newVisitor(storage)
    await Promise.all([visitor.castVote(one.slug, 'A'), visitor.castVote(other.slug, 'A')])
    expect(await visitor.getOwnVote(one.slug)).not.toBeNull()
    expect(await visitor.getOwnVote(other.slug)).not.toBeNull()
  })

  test('a campaign, step by step', async () => {
    const tossup = newOwner()
    const polls = [await service.createPoll(brand), await service.createPoll(brand)]
    const { campaignId } = await tossup.createCampaign({ title: 'Both', polstIds: polls.map(({ id }) => id) })
    const visitor = newVisitor()
    expect((await visitor.getCampaign(campaignId)).polsts.map(({ id }) => id)).toEqual(polls.map(({ id }) => id))
    expect(await visitor.getProgress(campaignId)).toBeNull()
    await visitor.castVote(polls[0]?.slug ?? '', 'A')
    expect(await visitor.getProgress(campaignId)).toMatchObject({ completedSteps: 1, totalSteps: 2, completed: false })
    expect((await visitor.getCampaignTallies(campaignId)).polsts.map(({ tallies }) => tallies.total)).toEqual([1, 0])
    const responses: number[] = []
    for await (const { totalVotes } of tossup.listResponses(campaignId)) responses.push(totalVotes)
    expect(responses).toEqual([1])
    const csv = await new Response(await tossup.exportResponses(campaignId, 'csv')).text()
    expect(csv.trim().split(/\r?\n/).length).toBeGreaterThan(1)
  })

  test('with tokens votes as their device, and with a device id as that device', async () => {
    const poll = await service.createPoll(brand)
    const tossup = newOwner()
    expect(await tossup.getOwnVote(poll.slug)).toBeNull()
    await tossup.castVote(poll.slug, 'A')
    await tossup.castVote(poll.slug, 'B', { deviceId: crypto.randomUUID() })
    expect(isTossupError(await caught(tossup.castVote(poll.slug, 'B')), 'VOTE_ALREADY_CAST')).toBe(true)
    expect(await tossup.getOwnVote(poll.slug)).toMatchObject({ option: 'A', tallies: { total: 2 } })
    const voters: string[] = []
    for await (const { option } of tossup.listVoters(poll.slug, { limit: 1 })) voters.push(option)
    expect(voters).toEqual(['B', 'A'])
    const lines = (await new Response(await tossup.exportVoters(poll.slug, 'ndjson')).text()).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).option)).toEqual(['B', 'A'])
    const { points } = await tossup.getTimeline(poll.slug, { bucket: 'hour' })
    expect(points.reduce((sum, { optionA, optionB }) => sum + optionA + optionB, 0)).toBe(2)
  })

  test('lists give pages, a page by its cursor, and items over all pages', async () => {
    const other = await service.createBrand()
    for (let i = 0; i < 5; i++) await service.createPoll(other, { title: `Poll ${i}` })
    const titles = ['Poll 4', 'Poll 3', 'Poll 2', 'Poll 1', 'Poll 0']
    const visitor = newVisitor()
    const list = visitor.listPublicPolls(other.slug, { limit: 2 })
    const sizes: number[] = []
    for await (const { data } of list.pages()) sizes.push(data.length)
    expect(sizes).toEqual([2, 2, 1])
    const { nextCursor, hasMore } = await list.page()
    expect(hasMore).toBe(true)
    const rest: string[] = []
    for await (const { title } of visitor.listPublicPolls(other.slug, { limit: 2, cursor: nextCursor ?? '' }))
      rest.push(title)
    expect(rest).toEqual(titles.slice(2))
    const all: string[] = []
    for await (const { title } of list) {
      all.push(title)
      if (all.length === 3) break
    }
    expect(all).toEqual(titles.slice(0, 3))
    expect(
      isTossupError(await caught(visitor.listPublicPolls(other.slug, { cursor: 'junk' }).page()), 'VALIDATION_ERROR'),
    ).toBe(true)
  })

  test('errors have their code, details and requestId', async () => {
    const visitor = newVisitor()
    const missing = await caught(visitor.getPoll('not-there'))
    expect(isTossupError(missing, 'NOT_FOUND') && [missing.status, missing.requestId?.length]).toEqual([
      404,
      expect.any(Number),
    ])
    const tossup = newOwner()
    const invalid = await caught(tossup.createPoll({ title: '', optionA: { label: 'x' }, optionB: { label: 'y' } }))
    expect(isTossupError(invalid, 'VALIDATION_ERROR') && invalid.details.fields.map(({ path }) => path)).toEqual([
      'title',
    ])
    const stranger = await service.createPoll(await service.createBrand())
    const foreign = await caught(tossup.createCampaign({ title: 'Not mine', polstIds: [stranger.id] }))
    expect(isTossupError(foreign, 'INVALID_POLST_OWNERSHIP') && foreign.details.foreignPolstIds).toEqual([stranger.id])
    const past = { opensAt: '2020-01-01T00:00:00.000Z', closesAt: '2020-01-02T00:00:00.000Z' }
    const closed = await service.createPoll(brand, past)
    const late = await caught(visitor.castVote(closed.slug, 'A'))
    expect(isTossupError(late, 'POLST_CLOSED') && late.details.status).toBe('closed')
  })

  test('a picture is uploaded by its ticket and shown in the poll', async () => {
    const tossup = newOwner()
    const poll = await service.createPoll(brand)
    const bytes = await Bun.file(new URL('../../server/src/cli/demo/tea.webp', import.meta.url)).bytes()
    const ticket = await tossup.createPollImageTicket(poll.slug, { slot: 'optionA', contentType: 'image/webp' })
    // A service on a random port does not know its own URL.
    const uploadUrl = ticket.uploadUrl.replace('http://127.0.0.1:0', service.service.url.replace(/\/$/, ''))
    const shares: number[] = []
    const onProgress = (share: number) => shares.push(share)
    const { publicUrl } = await tossup.uploadFile({ ...ticket, uploadUrl }, bytes, { onProgress })
    // Outside of browsers nobody knows how much is sent.
    expect(shares).toEqual([1])
    const updated = await tossup.updatePoll(poll.slug, { optionA: { imageUrl: publicUrl } })
    expect(updated.optionA).toMatchObject({ label: 'Tea', imageUrl: publicUrl })
    const file = await service.get(new URL(publicUrl).pathname)
    expect(file.headers.get('content-type')).toBe('image/webp')
  })

  test('webhooks, themes and brands have methods', async () => {
    const tossup = newOwner()
    const made = await tossup.createWebhook({ url: 'https://example.com/x', events: ['poll.voted'] })
    expect(made.secret).toStartWith('whsec_')
    expect((await tossup.updateWebhook(made.id, { status: 'DISABLED' })).status).toBe('DISABLED')
    expect((await tossup.rotateWebhookSecret(made.id)).secret).not.toBe(made.secret)
    await tossup.updateWebhook(made.id, { status: 'ACTIVE' })
    const { id } = await tossup.testWebhook(made.id)
    expect((await tossup.listWebhookDeliveries(made.id).page()).data.map((delivery) => delivery.id)).toContain(id)
    expect((await tossup.redeliverWebhookDelivery(made.id, id)).eventType).toBe('webhook.test')
    await tossup.deleteWebhook(made.id)
    expect(isTossupError(await caught(tossup.getWebhook(made.id)), 'NOT_FOUND')).toBe(true)

    const theme = await tossup.updateTheme({ customCss: '.title { color: red }' })
    expect(theme.customCssUrl).toContain(`/css/${brand.slug}/`)
    expect((await tossup.getTheme(brand.slug)).version).toBe(theme.version)
    expect((await tossup.updateBrand({ displayName: 'Ours' })).displayName).toBe('Ours')
    expect((await tossup.getBrand(brand.slug)).displayName).toBe('Ours')
    expect(await tossup.listCategories()).toEqual([])
  })
})

test.each(['polls.example.com', 'localhost:3000', '/polls', ''])('refuses the url %p by name', (url) => {
  expect(() => new Visitor({ url })).toThrow(`url: not http: ${url}`)
})

test('knows whether it shares the device of the embeds on the page', () => {
  const url = 'http://127.0.0.1:9'
  expect(new Visitor({ url }).isOfPage).toBe(true)
  expect(new Tossup({ url }).isOfPage).toBe(true)
  expect(new Visitor({ url, storage: memoryStore() }).isOfPage).toBe(false)
  expect(new Visitor({ url, deviceId: crypto.randomUUID() }).isOfPage).toBe(false)
  expect(new Tossup({ url, auth: { accessToken: () => 'x' } }).isOfPage).toBe(false)
})
