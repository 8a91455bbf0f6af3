import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { deletePoll, fromNow, HOUR, identifiersOf, patchPoll } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { StreamClient, type TalliesEvent } from './stream-client.ts'

// Several of these tests wait to show that nothing comes.
setDefaultTimeout(60_000)

/** Longer than a round and than the gap between two events. */
const QUIET_MS = 900
const HIDDEN = { optionA: 0, optionB: 0, total: 0, hidden: true }

describe.each([...engines])('%s: the stream of tallies', (engine) => {
  let service: TestService
  let brand: TestBrand
  let poll: PollData
  let open: StreamClient[] = []
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    poll = await service.createPoll(brand)
  })
  afterEach(async () => {
    for (const client of open) client.leave()
    open = []
    await allGone()
  })

  async function allGone(): Promise<void> {
    await eventually(() => service.service.streams.listeners === 0)
    expect(service.service.streams.listeners).toBe(0)
  }

  const urlOf = (reference: string) => `${service.service.url}/api/rest/v1/polls/${reference}/tallies/stream`

  async function listen(reference = poll.slug, headers: Record<string, string> = {}): Promise<StreamClient> {
    const client = await StreamClient.open(urlOf(reference), headers)
    open.push(client)
    return client
  }

  /** The current answer to GET. */
  const present = async () => (await service.get<TalliesEvent['data']>(`polls/${poll.slug}/tallies`)).body.data

  const voteMany = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, i) => service.vote(poll.slug, i % 2 ? 'A' : 'B')))

  const patch = (json: unknown) => patchPoll(service, brand, poll.slug, json)

  test('begins with the present state, as GET answers it, with headers against caching and buffering', async () => {
    await voteMany(3)
    const client = await listen()
    await client.until(({ events }) => events.length > 0)
    expect(client.status).toBe(200)
    expect(Object.fromEntries(client.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
    })
    expect(client.headers.get('etag')).toBeNull()
    expect(client.events).toEqual([
      {
        id: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
        event: 'tallies',
        data: await present(),
        at: expect.any(Number),
      },
    ])
    expect(client.retry).toBeWithin(2_000, 5_001)
  })

  test('accepts every identifier of a poll', async () => {
    const clients = await Promise.all(identifiersOf(poll).map((reference) => listen(reference)))
    await service.vote(poll.slug, 'A')
    for (const client of clients) await client.until(({ totals }) => totals.at(-1) === 1)
  })

  test('answers HEAD with the same headers, without opening a stream', async () => {
    const client = await listen()
    const head = await fetch(urlOf(poll.slug), { method: 'HEAD' })
    expect(head.status).toBe(200)
    for (const name of ['content-type', 'cache-control', 'x-accel-buffering', 'access-control-allow-origin'])
      expect([name, head.headers.get(name)]).toEqual([name, client.headers.get(name)])
    expect(service.service.streams.listeners).toBe(1)
    expect((await fetch(urlOf('no-such-poll'), { method: 'HEAD' })).status).toBe(404)
  })

  test('of a poll that is not there, a draft or a deleted one is 404, of a malformed name 422', async () => {
    const draft = await service.createPoll(brand, { isDraft: true })
    await deletePoll(service, brand, poll.slug)
    for (const reference of [
      'no-such-poll',
      'AAAAAAAAAAAA',
      randomUUID(),
      draft.slug,
      draft.id,
      poll.slug,
      poll.shortId,
    ]) {
      const reply = await service.get(`polls/${reference}/tallies/stream`)
      expect([reply.status, reply.body.error.code]).toEqual([404, 'NOT_FOUND'])
      expect(reply.headers.get('cache-control')).toBe('private, no-store')
    }
    expect((await service.get('polls/no%20slug/tallies/stream')).status).toBe(422)
  })

  test('sends each change, always the last one, and at most two events a second', async () => {
    const openedAt = performance.now()
    const client = await listen()
    let votes = 0
    for (; votes < 200 || client.events.length < 4; votes += 8) {
      await voteMany(8)
      // Real time: the votes come over several rounds.
      await Bun.sleep(100)
    }
    await client.until(({ totals }) => totals.at(-1) === votes)
    await Bun.sleep(QUIET_MS)
    expect(client.last?.data).toEqual(await present())
    expect(client.totals).toEqual([...client.totals].sort((a, b) => a - b))
    expect(new Set(client.events.map(({ id }) => id)).size).toBe(client.events.length)
    // Counted over all events, because a busy machine shifts single ones (tally-channel.test.ts tests the gap between two).
    const seconds = ((client.last?.at ?? 0) - openedAt) / 1_000
    expect(client.events.length).toBeLessThanOrEqual(2 * seconds + 1)
  })

  test('sends a single vote without delay, the same to all', async () => {
    const clients = await Promise.all(Array.from({ length: 20 }, () => listen()))
    for (const client of clients) await client.until(({ events }) => events.length === 1)
    await Bun.sleep(QUIET_MS)
    const votedAt = performance.now()
    await service.vote(poll.slug, 'B')
    for (const client of clients) await client.until(({ events }) => events.length === 2)
    const last = clients.map((client) => client.last)
    for (const event of last) expect((event?.at ?? 0) - votedAt).toBeLessThan(2_000)
    expect(new Set(last.map((event) => event?.id)).size).toBe(1)
  })

  describe('Last-Event-ID', () => {
    const resume = (id: string) => listen(poll.slug, { 'Last-Event-ID': id })

    test('of the present state: nothing is sent twice, and the next change is sent', async () => {
      await service.vote(poll.slug, 'A')
      const first = await listen()
      await first.until(({ events }) => events.length === 1)
      const again = await resume(first.last?.id ?? '')
      await Bun.sleep(QUIET_MS)
      expect(again.retry).not.toBeNull()
      expect(again.events).toEqual([])
      await service.vote(poll.slug, 'A')
      await again.until(({ totals }) => totals.at(-1) === 2)
      expect(again.totals).toEqual([2])
    })

    test('of an earlier state: the present state is sent at once', async () => {
      const first = await listen()
      await first.until(({ events }) => events.length === 1)
      const old = first.last?.id ?? ''
      first.leave()
      await voteMany(5)
      const again = await resume(old)
      await again.until(({ events }) => events.length > 0)
      expect(again.totals).toEqual([5])
    })

    test.each(['nonsense', '', '0', '"', 'x'.repeat(4_000), 'naïve'])('%p is ignored', async (id) => {
      const client = await resume(Buffer.from(id).toString('latin1'))
      await client.until(({ events }) => events.length === 1)
      expect(client.totals).toEqual([0])
    })
  })

  describe('hidden results', () => {
    test.each(['never', 'after_vote', 'after_close'])('%s: votes send nothing and change nothing', async (policy) => {
      poll = await service.createPoll(brand, { resultsVisibility: policy, closesAt: fromNow(HOUR) })
      const client = await listen()
      await client.until(({ events }) => events.length === 1)
      const id = client.last?.id ?? ''
      for (let i = 0; i < 3; i++) {
        await voteMany(5)
        await Bun.sleep(QUIET_MS / 3)
      }
      const late = await listen()
      const resumed = await listen(poll.slug, { 'Last-Event-ID': id })
      await late.until(({ events }) => events.length === 1)
      await Bun.sleep(QUIET_MS)
      expect(client.events.map(({ data }) => data.tallies)).toEqual([HIDDEN as never])
      expect(late.events.map((event) => [event.id, event.data])).toEqual([[id, client.last?.data as never]])
      expect(resumed.events).toEqual([])
    })

    test('changes of the owner are sent at once, whether or not somebody has just voted', async () => {
      poll = await service.createPoll(brand, { resultsVisibility: 'never' })
      const client = await listen()
      await client.until(({ events }) => events.length === 1)
      const delays: number[] = []
      for (const isVoting of [false, true]) {
        const seen = client.events.length
        const voting = isVoting ? setInterval(() => void service.vote(poll.slug, 'A'), 30) : null
        await Bun.sleep(QUIET_MS)
        const changedAt = performance.now()
        await patch({ title: `Changed ${seen}` })
        await client.until(({ events }) => events.length > seen)
        if (voting) clearInterval(voting)
        delays.push((client.last?.at ?? 0) - changedAt)
      }
      expect(Math.max(...delays)).toBeLessThan(2_000)
      expect(client.events.map(({ data }) => data.tallies)).toEqual(client.events.map(() => HIDDEN as never))
    })

    test('made visible by the owner: the true counts are sent, and hidden again later', async () => {
      poll = await service.createPoll(brand, { resultsVisibility: 'never' })
      await voteMany(4)
      const client = await listen()
      await patch({ resultsVisibility: 'always' })
      await client.until(({ totals }) => totals.at(-1) === 4)
      await patch({ resultsVisibility: 'never' })
      await client.until(({ last }) => last?.data.tallies.hidden === true)
      await voteMany(2)
      await Bun.sleep(QUIET_MS)
      expect(client.totals).toEqual([0, 4, 0])
    })
  })

  test('sends each closing, reopening, archiving and unarchiving by the owner', async () => {
    const client = await listen()
    await client.until(({ events }) => events.length === 1)
    await patch({ closesAt: fromNow(-HOUR) })
    await client.until(({ last }) => last?.data.status === 'closed')
    await patch({ closesAt: fromNow(HOUR) })
    await client.until(({ last }) => last?.data.status === 'open')
    await voteMany(2)
    await client.until(({ totals }) => totals.at(-1) === 2)
    const seen = client.events.length
    await patch({ archived: true })
    await client.until(({ events }) => events.length > seen)
    expect(client.last?.data).toEqual(await present())
    expect((await service.vote(poll.slug, 'A')).status).toBe(409)
    await patch({ archived: false })
    await voteMany(1)
    await client.until(({ totals }) => totals.at(-1) === 3)
    expect(client.isEnded).toBe(false)
  })

  test('ends when its poll is deleted or becomes a draft, and can be opened again once that is published', async () => {
    const doomed = await listen()
    const other = await service.createPoll(brand)
    const drafted = await listen(other.slug)
    for (const client of [doomed, drafted]) await client.until(({ events }) => events.length === 1)
    await deletePoll(service, brand, poll.slug)
    await patchPoll(service, brand, other.slug, { isDraft: true })
    for (const client of [doomed, drafted]) await client.until(({ isEnded }) => isEnded)
    await allGone()
    expect((await listen(other.slug)).status).toBe(404)
    await patchPoll(service, brand, other.slug, { isDraft: false })
    const again = await listen(other.slug)
    await again.until(({ events }) => events.length === 1)
    await service.vote(other.slug, 'A')
    await again.until(({ totals }) => totals.at(-1) === 1)
  })

  test('sends a listener that connects during votes the last state, and never an older state after a newer one', async () => {
    let isDone = false
    const voting = (async () => {
      while (!isDone) await voteMany(5)
    })()
    const clients: StreamClient[] = []
    for (let i = 0; i < 40; i++) {
      clients.push(await listen())
      if (i % 3 === 0) clients[Math.floor(Math.random() * clients.length)]?.leave()
      // Real time: listeners come and go at any moment of a round.
      await Bun.sleep(Math.random() * 40)
    }
    isDone = true
    await voting
    const { tallies } = await present()
    const staying = clients.filter(({ isEnded }) => !isEnded)
    expect(staying.length).toBeGreaterThan(10)
    for (const client of staying) await client.until(({ last }) => last?.data.tallies.total === tallies.total)
    for (const { totals } of clients) expect(totals).toEqual([...new Set(totals)].sort((a, b) => a - b))
  })

  test('keeps nothing of many listeners that leave during an event', async () => {
    const clients = await Promise.all(Array.from({ length: 200 }, () => listen()))
    const staying = clients.splice(0, 20)
    await voteMany(3)
    await Promise.race(clients.map((client) => client.until(({ totals }) => totals.at(-1) === 3)))
    for (const client of clients) client.leave()
    await voteMany(2)
    for (const client of staying) await client.until(({ totals }) => totals.at(-1) === 5)
    await eventually(() => service.service.streams.listeners <= 20)
    expect(service.service.streams.listeners).toBe(20)
  })

  test('keeps nothing of listeners that leave before they are answered', async () => {
    await Promise.all(
      Array.from({ length: 150 }, async () => {
        const leaving = new AbortController()
        const answer = fetch(urlOf(poll.slug), { signal: leaving.signal }).catch(() => undefined)
        // Real time: listeners come and go at any moment of a round.
        await Bun.sleep(Math.random() * 20)
        leaving.abort()
        await answer
      }),
    )
    await allGone()
  })
})
