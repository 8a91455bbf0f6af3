import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { deletePoll, fromNow, HOUR, identifiersOf, patchPoll } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { StreamClient, type TalliesEvent } from './stream-client.ts'

// Several of these tests wait to show that nothing comes.
setDefaultTimeout(60_000)

/** Longer than a round and than the gap between two events. */
const QUIET_MS = 900

describe.each([...engines])('%s: one stream for the tallies of several polls', (engine) => {
  let service: TestService
  let brand: TestBrand
  let polls: PollData[]
  let open: StreamClient[] = []
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    polls = await Promise.all([1, 2, 3].map(() => service.createPoll(brand)))
  })
  afterEach(async () => {
    for (const client of open) client.leave()
    open = []
    await eventually(() => service.service.streams.listeners === 0)
    expect(service.service.streams.listeners).toBe(0)
  })

  const slugs = () => polls.map(({ slug }) => slug)
  const slugAt = (at: number) => polls[at]?.slug ?? ''
  const urlOf = (list: readonly string[]) => `${service.service.url}/api/rest/v1/tallies/stream?polls=${list.join()}`

  async function listen(list: readonly string[], headers: Record<string, string> = {}): Promise<StreamClient> {
    const client = await StreamClient.open(urlOf(list), headers)
    open.push(client)
    return client
  }

  const told = ({ events }: StreamClient) => events.filter(({ event }) => event === 'tallies')
  const gone = ({ events }: StreamClient) =>
    events.filter(({ event }) => event === 'gone').map(({ data }) => (data as unknown as { poll: string }).poll)
  const totalsOf = (client: StreamClient, slug: string) =>
    told(client).flatMap(({ data }) => (data.slug === slug ? [data.tallies.total] : []))
  const present = async (slug: string) => (await service.get<TalliesEvent['data']>(`polls/${slug}/tallies`)).body.data

  test('begins with the present state of each poll, and sends each change as the event of the stream of one poll', async () => {
    await service.vote(slugAt(1), 'A')
    const client = await listen(slugs())
    const one = await StreamClient.open(`${service.service.url}/api/rest/v1/polls/${slugAt(1)}/tallies/stream`)
    open.push(one)
    await client.until(() => told(client).length === 3)
    expect(told(client).map(({ data }) => data)).toEqual(await Promise.all(slugs().map(present)))
    expect(client.retry).toBeWithin(2_000, 5_001)
    await Bun.sleep(QUIET_MS)
    await service.vote(slugAt(1), 'B')
    await client.until(() => totalsOf(client, slugAt(1)).at(-1) === 2)
    await one.until(({ totals }) => totals.at(-1) === 2)
    const plain = ({ id, data }: TalliesEvent) => ({ id, data })
    expect(
      told(client)
        .filter(({ data }) => data.slug === slugAt(1))
        .map(plain),
    ).toEqual(one.events.map(plain))
    expect([totalsOf(client, slugAt(0)), totalsOf(client, slugAt(2))]).toEqual([[0], [0]])
  })

  test('sends at most two events a second of each poll, and always the last state of each', async () => {
    const openedAt = performance.now()
    const client = await listen(slugs())
    const fewest = () => Math.min(...slugs().map((slug) => totalsOf(client, slug).length))
    let votes = 0
    for (; votes < 30 || fewest() < 3; votes++) {
      await Promise.all(slugs().map((slug) => service.vote(slug, 'A')))
      // Real time: the votes come over several rounds.
      await Bun.sleep(75)
    }
    for (const slug of slugs()) {
      await client.until(() => totalsOf(client, slug).at(-1) === votes)
      const own = told(client).filter(({ data }) => data.slug === slug)
      const seconds = ((own.at(-1)?.at ?? 0) - openedAt) / 1_000
      expect(own.length).toBeLessThanOrEqual(2 * seconds + 1)
    }
  })

  test('a poll that is named twice, under any of its names, is sent once', async () => {
    const [poll] = polls
    const client = await listen([...(poll ? identifiersOf(poll) : []), slugAt(0), slugAt(1)])
    await client.until(() => told(client).length === 2)
    await service.vote(slugAt(0), 'A')
    await client.until(() => totalsOf(client, slugAt(0)).at(-1) === 1)
    await Bun.sleep(QUIET_MS)
    expect(client.events).toHaveLength(3)
  })

  test('tells of polls that cannot be seen, drafts and deleted ones alike, and goes on with the others', async () => {
    const draft = await service.createPoll(brand, { isDraft: true })
    await deletePoll(service, brand, slugAt(2))
    const missing = ['no-such-poll', draft.shortId, slugAt(2)]
    const client = await listen([...missing, ...slugs().slice(0, 2)])
    await client.until(() => told(client).length === 2)
    expect(gone(client)).toEqual(missing)
    await deletePoll(service, brand, slugAt(0))
    await client.until(() => gone(client).length === 4)
    await service.vote(slugAt(1), 'A')
    await client.until(() => totalsOf(client, slugAt(1)).at(-1) === 1)
    await deletePoll(service, brand, slugAt(1))
    await client.until(({ isEnded }) => isEnded)
    expect(gone(client)).toEqual([...missing, slugAt(0), slugAt(1)])
    const refused = await service.get(`tallies/stream?polls=${[...missing, ...slugs()].join()}`)
    expect([refused.status, refused.body.error.code]).toEqual([404, 'NOT_FOUND'])
  })

  test.each(['', ',', 'a,', ',a', 'a,,b', 'a b', '%2e%2e', 'x'.repeat(129), new Array(51).fill('a').join()])(
    'refuses the list %p',
    async (list) => {
      const reply = await service.get(`tallies/stream?polls=${list}`)
      expect([reply.status, reply.body.error.code]).toEqual([422, 'VALIDATION_ERROR'])
    },
  )

  test('refuses a request without a list, and takes fifty polls', async () => {
    expect((await service.get('tallies/stream')).status).toBe(422)
    const unknown = Array.from({ length: 49 }, (_, i) => `nothing-${i}`)
    const client = await listen([...unknown, slugAt(0)])
    await client.until(() => told(client).length === 1)
    expect(gone(client)).toEqual(unknown)
  })

  test('votes on hidden results send nothing, and the state of their poll has the same bytes before and after', async () => {
    const [never, late] = [
      await service.createPoll(brand, { resultsVisibility: 'never' }),
      await service.createPoll(brand, { resultsVisibility: 'after_close' }),
    ]
    const list = [never.slug, slugAt(0), late.slug]
    const client = await listen(list)
    await client.until(() => told(client).length === 3)
    const before = client.events.map(({ id, data }) => ({ id, data }))
    for (let i = 0; i < 5; i++) await Promise.all([service.vote(never.slug, 'A'), service.vote(late.slug, 'B')])
    await Bun.sleep(QUIET_MS)
    const later = await listen(list)
    await later.until(() => told(later).length === 3)
    expect(client.events).toHaveLength(3)
    expect(later.events.map(({ id, data }) => ({ id, data }))).toEqual(before)
    await patchPoll(service, brand, late.slug, { closesAt: fromNow(-HOUR) })
    await client.until(() => totalsOf(client, late.slug).at(-1) === 5)
    expect(client.last?.data.status).toBe('closed')
    expect(totalsOf(client, never.slug)).toEqual([0])
  })

  test('Last-Event-ID spares the state that it names', async () => {
    const first = await listen(slugs())
    await first.until(() => told(first).length === 3)
    const again = await listen(slugs(), { 'Last-Event-ID': first.last?.id ?? '' })
    await again.until(() => told(again).length === 2)
    await Bun.sleep(QUIET_MS)
    expect(told(again).map(({ data }) => data.slug)).toEqual(slugs().slice(0, 2))
    await service.vote(slugAt(2), 'A')
    await again.until(() => totalsOf(again, slugAt(2)).at(-1) === 1)
  })

  test('keeps nothing of listeners that leave while their polls are voted on', async () => {
    const clients = await Promise.all(Array.from({ length: 100 }, () => listen(slugs())))
    for (const client of clients) await client.until(() => told(client).length === 3)
    const votes = Promise.all(slugs().map((slug) => service.vote(slug, 'A')))
    for (const client of clients.slice(10)) client.leave()
    await votes
    for (const client of clients.slice(0, 10)) {
      for (const slug of slugs()) await client.until(() => totalsOf(client, slug).at(-1) === 1)
    }
    await eventually(() => service.service.streams.listeners === 10)
    expect(service.service.streams.listeners).toBe(10)
  })
})

test('counts as one stream of its network, however many polls it has', async () => {
  const service = await startTestService('sqlite', {
    settings: { NETWORK_STREAMS: '2', TRUSTED_PROXIES: '127.0.0.1' },
  })
  try {
    const brand = await service.createBrand()
    const list = (await Promise.all([1, 2, 3].map(() => service.createPoll(brand)))).map(({ slug }) => slug)
    const ask = () =>
      StreamClient.open(`${service.service.url}/api/rest/v1/tallies/stream?polls=${list.join()}`, {
        'X-Forwarded-For': '203.0.113.7',
      })
    const clients = [await ask(), await ask(), await ask()]
    expect(clients.map(({ status }) => status)).toEqual([200, 200, 429])
    for (const client of clients) client.leave()
    await eventually(() => service.service.streams.listeners === 0)
    const again = await ask()
    expect(again.status).toBe(200)
    again.leave()
  } finally {
    await service.stop()
  }
})
