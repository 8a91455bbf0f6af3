import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { pollKeyOf } from './ballot-box.ts'
import { type CampaignData, createCampaign, type OwnedCampaignData } from './campaigns.ts'
import { engines } from './engines.ts'
import { everyPage, fromNow, HOUR, identifiersOf, ownPoll, patchPoll } from './polls.ts'
import { refreshPopularity } from './popularity.ts'
import { Receiver } from './receiver.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { StreamClient } from './stream-client.ts'
import { createWebhook } from './webhooks.ts'

setDefaultTimeout(60_000)

const WINDOWS = {
  'never closes': {},
  'closes later': { closesAt: fromNow(HOUR) },
  'opens later': { opensAt: fromNow(HOUR), closesAt: fromNow(2 * HOUR) },
  'has closed': { closesAt: fromNow(-HOUR) },
} as const

const STATUS_BEFORE = {
  'never closes': 'open',
  'closes later': 'open',
  'opens later': 'scheduled',
  'has closed': 'closed',
} as const

const windows = Object.keys(WINDOWS) as (keyof typeof WINDOWS)[]

describe.each([...engines])('%s: an archived poll', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const archive = (poll: PollData, archived = true) => patchPoll(service, brand, poll.slug, { archived })

  const listedAs = async (poll: PollData): Promise<string[]> => {
    const ask = { token: brand.token }
    const lists = ['open', 'closed', 'scheduled'].map(async (status) => {
      const items = await everyPage(service, `brands/me/polls?status=${status}`, { ask, limit: 100 })
      return items.some(({ id }) => id === poll.id) ? status : []
    })
    return (await Promise.all(lists)).flat()
  }

  /** The status of a poll, read from every source that reports it. */
  async function statusesOf(poll: PollData): Promise<string[]> {
    const paths = identifiersOf(poll).flatMap((reference) => [`polls/${reference}`, `polls/${reference}/tallies`])
    const replies = await Promise.all(paths.map((path) => service.get<PollData>(path)))
    const pages = [`/p/${poll.shortId}`, `/embed/poll/${poll.shortId}`].map(async (path) => {
      const text = await (await fetch(service.service.url + path)).text()
      return /<article [^>]*data-state="(\w+)/.exec(text)?.[1] ?? 'none'
    })
    const own = await ownPoll(service, brand, poll.slug)
    const list = await everyPage(service, 'brands/me/polls', { ask: { token: brand.token }, limit: 100 })
    return [
      ...replies.map(({ body }) => body.data.status),
      ...(await Promise.all(pages)),
      own.status,
      list.find(({ id }) => id === poll.id)?.status ?? 'none',
      ...(await listedAs(poll)),
    ]
  }

  test.each(windows)(
    'that %s is shown as closed everywhere, and has its earlier status again when it is unarchived',
    async (window) => {
      const poll = await service.createPoll(brand, WINDOWS[window])
      for (const [archived, expected] of [
        [false, STATUS_BEFORE[window]],
        [true, 'closed'],
        [false, STATUS_BEFORE[window]],
      ] as const) {
        const { body } = await archive(poll, archived)
        expect(body.data.status).toBe(expected)
        expect(new Set(await statusesOf(poll))).toEqual(new Set([expected]))
      }
    },
  )

  test.each(windows)('that %s refuses votes as closed', async (window) => {
    const poll = await service.createPoll(brand, WINDOWS[window])
    await archive(poll)
    const { status, body } = await service.vote(poll.slug, 'A')
    expect([status, body.error.code, body.error.details]).toEqual([
      409,
      'POLST_CLOSED',
      { status: 'closed', archived: true },
    ])
  })

  test('has no enabled vote button on its page, and is marked noindex', async () => {
    const poll = await service.createPoll(brand)
    const page = async () => (await fetch(`${service.service.url}/p/${poll.shortId}`)).text()
    const enabled = (text: string) =>
      text.match(/<button class="option [^>]*>/g)?.filter((tag) => !/disabled/.test(tag))
    expect([enabled(await page())?.length, (await page()).includes('noindex')]).toEqual([2, false])
    await archive(poll)
    expect([enabled(await page())?.length, (await page()).includes('noindex')]).toEqual([0, true])
  })

  test('is sent to open streams at once, and so is its return', async () => {
    const poll = await service.createPoll(brand)
    const url = `${service.service.url}/api/rest/v1/polls/${poll.slug}/tallies/stream`
    const client = await StreamClient.open(url)
    await client.until(({ last }) => last?.data.status === 'open')
    await archive(poll)
    await client.until(({ last }) => last?.data.status === 'closed')
    await archive(poll, false)
    await client.until(({ last }) => last?.data.status === 'open')
    expect(client.isEnded).toBe(false)
    client.leave()
  })

  test('is left out of public campaigns, and its owner sees it there as closed', async () => {
    const [stays, goes] = [await service.createPoll(brand), await service.createPoll(brand)]
    const { campaignId } = await createCampaign(service, brand, [goes, stays])
    await archive(goes)
    const ask = { token: brand.token }
    const owned = (await service.get<OwnedCampaignData>(`brands/me/campaigns/${campaignId}`, ask)).body.data
    expect(owned).toMatchObject({ totalSteps: 1, polstCount: 1, withheldPolstIds: [goes.id] })
    expect(owned.polsts.map(({ id, status }) => [id, status])).toEqual([
      [goes.id, 'closed'],
      [stays.id, 'open'],
    ])
    const seen = (await service.get<CampaignData>(`campaigns/${campaignId}`)).body.data
    expect([seen.polsts.map(({ id }) => id), seen.totalSteps, seen.polstCount]).toEqual([[stays.id], 1, 1])
  })

  test('reveals results that are visible after the close, sorts by them, and hides them again when it is unarchived', async () => {
    const poll = await service.createPoll(brand, { resultsVisibility: 'after_close', closesAt: fromNow(HOUR) })
    await service.vote(poll.slug, 'A')
    const key = await pollKeyOf(service, poll)
    const popularity = async () => {
      const row = service.db.selectFrom('polls').select('popularity').where('key', '=', key)
      return (await row.executeTakeFirstOrThrow()).popularity
    }
    for (const archived of [true, false, true]) {
      await archive(poll, archived)
      const { tallies } = (await service.get<PollData>(`polls/${poll.slug}`)).body.data
      expect(tallies).toEqual(
        archived ? { optionA: 1, optionB: 0, total: 1 } : { optionA: 0, optionB: 0, total: 0, hidden: true },
      )
      expect(await popularity()).toBe(archived ? 1 : 0)
      // The sweep over all polls agrees with the archiving.
      await refreshPopularity(service)
      expect(await popularity()).toBe(archived ? 1 : 0)
    }
  })

  test('raises poll.updated and poll.closed once, and poll.opened when it is unarchived', async () => {
    const own = await service.createBrand()
    const receiver = new Receiver()
    await createWebhook(service, own, { url: receiver.url, events: ['poll.updated', 'poll.closed', 'poll.opened'] })
    const poll = await service.createPoll(own, { closesAt: fromNow(HOUR) })
    await receiver.untilCount(1)
    const told = (from: number) =>
      receiver.received
        .slice(from)
        .map(({ payload }) => [payload.type, (payload.data['poll'] as PollData).status])
        .sort()
    await patchPoll(service, own, poll.slug, { archived: true })
    await receiver.untilCount(3)
    expect(told(1)).toEqual([
      ['poll.closed', 'closed'],
      ['poll.updated', 'closed'],
    ])
    await patchPoll(service, own, poll.slug, { title: 'Still archived' })
    await receiver.untilCount(4)
    expect(told(3)).toEqual([['poll.updated', 'closed']])
    await patchPoll(service, own, poll.slug, { archived: false })
    await receiver.untilCount(6)
    expect(told(4)).toEqual([
      ['poll.opened', 'open'],
      ['poll.updated', 'open'],
    ])
    await receiver.stop()
  })

  test('does not open or close by the clock', async () => {
    const poll = await service.createPoll(brand, { opensAt: fromNow(HOUR), closesAt: fromNow(2 * HOUR) })
    await archive(poll)
    const row = await service.db.selectFrom('polls').selectAll().where('id', '=', poll.id).executeTakeFirstOrThrow()
    expect([row.announced_status, row.announce_at]).toEqual(['closed', null])
    await archive(poll, false)
    const again = await service.db.selectFrom('polls').selectAll().where('id', '=', poll.id).executeTakeFirstOrThrow()
    expect([again.announced_status, again.announce_at]).toEqual(['scheduled', again.opens_at])
  })
})
