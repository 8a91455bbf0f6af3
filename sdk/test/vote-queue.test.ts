import { afterAll, beforeAll, describe, expect, setSystemTime, test } from 'bun:test'
import { sampleEngines } from '../../server/test/engines.ts'
import { eventually } from '../../server/test/eventually.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from '../../server/test/service.ts'
import { type KeyValueStore, memoryStore, type Outcome, Visitor, VoteQueue } from '../src/index.ts'
import { FaultyProxy } from './faulty-proxy.ts'
import { failure, record } from './recorder.ts'

/** Asynchronous, like React Native's AsyncStorage. */
function slowStore(): KeyValueStore {
  const store = memoryStore()
  return {
    // Real time: each call is answered later.
    getItem: (key) => Bun.sleep(1).then(() => store.getItem(key)),
    setItem: (key, value) => Bun.sleep(1).then(() => store.setItem(key, value)),
  }
}

const kinds = (outcomes: readonly Outcome[]) => outcomes.map(({ kind }) => kind)

describe.each([...sampleEngines])('on %s', (engine) => {
  let service: TestService
  let brand: TestBrand

  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })

  afterAll(() => service.stop())

  const total = async (poll: PollData) => {
    const { tallies } = await new Visitor({ url: service.service.url, storage: memoryStore() }).getTallies(poll.slug)
    return tallies.total
  }

  test('votes without a network wait, survive a restart, and arrive in order', async () => {
    const polls = [await service.createPoll(brand), await service.createPoll(brand)] as const
    const storage = slowStore()
    const proxy = new FaultyProxy(service.service.url)
    await proxy.open()
    const isAway = record(() => Promise.reject(new TypeError('no network')))
    const away = new Visitor({ url: proxy.url, storage, fetch: isAway.fetch, retries: 0 })
    const before = new VoteQueue({ visitor: away, storage })
    await Promise.all([before.add(polls[0].slug, 'A'), before.add(polls[1].slug, 'B')])
    // Another tap on the same poll adds no second vote.
    expect((await before.add(polls[0].slug, 'B')).option).toBe('A')
    expect(await before.flush()).toEqual([])
    expect(isAway.requests).toHaveLength(1)

    const told: Outcome[] = []
    const visitor = new Visitor({ url: proxy.url, storage })
    const after = new VoteQueue({ visitor, storage, onOutcome: (outcome) => told.push(outcome) })
    expect((await after.pending()).map(({ poll, option }) => [poll, option])).toEqual([
      [polls[0].slug, 'A'],
      [polls[1].slug, 'B'],
    ])
    proxy.plan.push('lose', 'refuse')
    const outcomes = await after.flush()
    expect(outcomes).toEqual(told)
    expect(kinds(outcomes)).toEqual(['delivered', 'delivered'])
    expect(await after.pending()).toEqual([])
    expect([await total(polls[0]), await total(polls[1])]).toEqual([1, 1])
    expect(await visitor.getOwnVote(polls[0].slug)).toMatchObject({ option: 'A' })
    await proxy.close()
  })

  test('a vote that the service already has counts as delivered, with its stored option', async () => {
    const poll = await service.createPoll(brand)
    const storage = memoryStore()
    const visitor = new Visitor({ url: service.service.url, storage })
    const queue = new VoteQueue({ visitor, storage })
    const queued = await queue.add(poll.slug, 'B')
    const { votedAt } = await visitor.castVote(poll.slug, 'A')
    expect(await queue.flush()).toEqual([{ kind: 'delivered', queued, vote: { option: 'A', votedAt } }])
    expect(await total(poll)).toBe(1)
  })

  test('a vote is waiting until its outcome has been heard, and no longer if hearing it failed', async () => {
    const [first, second] = [await service.createPoll(brand), await service.createPoll(brand)]
    const storage = memoryStore()
    const visitor = new Visitor({ url: service.service.url, storage })
    const waiting: string[][] = []
    const hearing = Promise.withResolvers<void>()
    const onOutcome = async ({ queued }: Outcome) => {
      if (queued.poll === second.slug) throw new Error('not heard')
      await hearing.promise
      waiting.push((await queue.pending()).map(({ poll }) => poll))
    }
    const queue: VoteQueue = new VoteQueue({ visitor, storage, onOutcome })
    await queue.add(first.slug, 'A')
    await queue.add(second.slug, 'A')
    const flushed = queue.flush()
    await eventually(async () => (await total(first)) === 1)
    hearing.resolve()
    await expect(flushed).rejects.toThrow('not heard')
    expect(waiting).toEqual([[first.slug, second.slug]])
    expect(await queue.pending()).toEqual([])
  })

  test('two tabs that send the same queue count no vote twice', async () => {
    const polls = await Promise.all(Array.from({ length: 5 }, () => service.createPoll(brand)))
    const storage = slowStore()
    const tab = () => new VoteQueue({ visitor: new Visitor({ url: service.service.url, storage }), storage })
    const [one, other] = [tab(), tab()]
    for (const { slug } of polls) await one.add(slug, 'A')
    const outcomes = await Promise.all([one.flush(), other.flush(), one.flush()])
    expect(new Set(kinds(outcomes.flat()))).toEqual(new Set(['delivered']))
    expect(await one.pending()).toEqual([])
    expect(await Promise.all(polls.map(total))).toEqual([1, 1, 1, 1, 1])
  })

  test('a vote that the service will never accept is reported and dropped, and does not delay the others', async () => {
    const past = { opensAt: '2020-01-01T00:00:00.000Z', closesAt: '2020-01-02T00:00:00.000Z' }
    const [closed, open] = [await service.createPoll(brand, past), await service.createPoll(brand)]
    const storage = memoryStore()
    const queue = new VoteQueue({ visitor: new Visitor({ url: service.service.url, storage }), storage })
    for (const slug of [closed.slug, 'not-there', open.slug]) await queue.add(slug, 'A')
    const outcomes = await queue.flush()
    expect(outcomes.map((outcome) => (outcome.kind === 'refused' ? outcome.error.code : outcome.kind))).toEqual([
      'POLST_CLOSED',
      'NOT_FOUND',
      'delivered',
    ])
    expect(await queue.pending()).toEqual([])
  })

  test('a vote that is too old is never sent', async () => {
    const poll = await service.createPoll(brand)
    const storage = memoryStore()
    const visitor = new Visitor({ url: service.service.url, storage })
    const queue = new VoteQueue({ visitor, storage, ttlMs: 60_000 })
    await queue.add(poll.slug, 'A')
    try {
      setSystemTime(Date.now() + 61_000)
      expect(kinds(await queue.flush())).toEqual(['expired'])
    } finally {
      setSystemTime()
    }
    expect(await queue.pending()).toEqual([])
    expect(await total(poll)).toBe(0)
  })

  test('a started queue sends at once and when the network is back, until it is stopped', async () => {
    const [poll, later] = [await service.createPoll(brand), await service.createPoll(brand)]
    const storage = memoryStore()
    const arrived = Promise.withResolvers<Outcome>()
    const again = Promise.withResolvers<Outcome>()
    const onOutcome = (outcome: Outcome) => (outcome.queued.poll === poll.slug ? arrived : again).resolve(outcome)
    const queue = new VoteQueue({ visitor: new Visitor({ url: service.service.url, storage }), storage, onOutcome })
    await queue.add(poll.slug, 'A')
    const online = new EventTarget()
    const real = { add: globalThis.addEventListener, remove: globalThis.removeEventListener }
    Object.assign(globalThis, {
      addEventListener: online.addEventListener.bind(online),
      removeEventListener: online.removeEventListener.bind(online),
    })
    const stop = queue.start()
    try {
      expect((await arrived.promise).kind).toBe('delivered')
      await queue.add(later.slug, 'A')
      online.dispatchEvent(new Event('online'))
      expect((await again.promise).kind).toBe('delivered')
    } finally {
      stop()
      Object.assign(globalThis, { addEventListener: real.add, removeEventListener: real.remove })
    }
  })
})

test.each([
  ['busy', () => failure(429, 'RATE_LIMITED', { 'Retry-After': '60' })],
  ['away', () => failure(503, 'UNAVAILABLE', { 'Retry-After': '60' })],
  ['behind the login page of some network', () => new Response('<html>Welcome to our hotel</html>')],
])('while the service is %s nothing is sent, and every vote waits', async (_, answer) => {
  const { fetch, requests } = record(answer)
  const storage = memoryStore()
  const queue = new VoteQueue({
    visitor: new Visitor({ url: 'https://x.example', fetch, storage, retries: 0 }),
    storage,
  })
  await queue.add('one', 'A')
  await queue.add('two', 'A')
  expect(await queue.flush()).toEqual([])
  expect(requests).toHaveLength(1)
  expect(await queue.pending()).toHaveLength(2)
})

test('Retry-After is respected however often flush is called, and the queue sends by itself afterwards', async () => {
  const askedAt: number[] = []
  const { fetch } = record((_, index) => {
    askedAt.push(performance.now())
    return index === 0
      ? failure(429, 'RATE_LIMITED', { 'Retry-After': '1' })
      : Response.json({ data: { option: 'A', votedAt: '2030-01-01T00:00:00.000Z', tallies: { total: 1 } } })
  })
  const storage = memoryStore()
  const visitor = new Visitor({ url: 'https://x.example', fetch, storage, retries: 0 })
  const told = Promise.withResolvers<Outcome>()
  const queue = new VoteQueue({ visitor, storage, onOutcome: told.resolve })
  await queue.add('one', 'A')
  const stop = queue.start()
  try {
    await eventually(() => askedAt.length > 0)
    await queue.flush()
    // Real time: another attempt, in the middle of the wait.
    await Bun.sleep(50)
    await queue.flush()
    expect(await told.promise).toMatchObject({ kind: 'delivered', vote: { tallies: { total: 1 } } })
    expect(askedAt).toHaveLength(2)
    expect((askedAt[1] ?? 0) - (askedAt[0] ?? 0)).toBeGreaterThanOrEqual(950)
  } finally {
    stop()
  }
})

test('a Retry-After that the visitor got elsewhere holds for the queue too', async () => {
  const { fetch, requests } = record(() => failure(503, 'UNAVAILABLE'))
  const storage = memoryStore()
  const queue = new VoteQueue({ visitor: new Visitor({ url: 'https://x.example', fetch, storage }), storage })
  await queue.add('one', 'A', 60_000)
  expect(await queue.flush()).toEqual([])
  expect(requests).toEqual([])
})

test('a vote that is added while another one is being sent is sent after it', async () => {
  const gate = Promise.withResolvers<void>()
  const { fetch, requests } = record(async () => {
    await gate.promise
    return Response.json({ data: { option: 'A', votedAt: '2030-01-01T00:00:00.000Z', tallies: { total: 1 } } })
  })
  const storage = memoryStore()
  const queue = new VoteQueue({ visitor: new Visitor({ url: 'https://x.example', fetch, storage }), storage })
  await queue.add('one', 'A')
  const sent = queue.flush()
  await eventually(() => requests.length > 0)
  await queue.add('two', 'B')
  gate.resolve()
  expect((await sent).map(({ queued }) => queued.poll)).toEqual(['one', 'two'])
})

test('votes are kept although the Web Locks of the browser are denied', async () => {
  const real = Object.getOwnPropertyDescriptor(globalThis, 'navigator')
  const locks = { request: () => Promise.reject(new DOMException('denied', 'SecurityError')) }
  Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { locks } })
  try {
    const storage = memoryStore()
    const queue = new VoteQueue({ visitor: new Visitor({ url: 'https://x.example', storage }), storage })
    await queue.add('one', 'A')
    expect(await queue.pending()).toHaveLength(1)
  } finally {
    if (real) Object.defineProperty(globalThis, 'navigator', real)
  }
})

test("foreign data under the queue's storage key is ignored", async () => {
  const good = { id: 'a', poll: 'kept', option: 'A', deviceId: 'd', queuedAt: 1 }
  const bad = [null, 7, { id: 1 }, { ...good, deviceId: 'ü\n' }, { ...good, queuedAt: 'soon' }, { ...good, poll: '' }]
  for (const junk of ['junk', '{}', 'null', '7', JSON.stringify(bad), JSON.stringify([...bad, good])]) {
    const storage = memoryStore()
    const queue = new VoteQueue({ visitor: new Visitor({ url: 'https://x.example', storage }), storage })
    await storage.setItem(queue.key, junk)
    const left = (await queue.pending()).map(({ poll }) => poll)
    expect(left).toEqual(junk.endsWith(`${JSON.stringify(good)}]`) ? ['kept'] : [])
    expect((await queue.add('one', 'A')).poll).toBe('one')
    expect((await queue.pending()).map(({ poll }) => poll)).toEqual([...left, 'one'])
  }
})

test('a vote is sent only to the service that it was cast at', async () => {
  const storage = memoryStore()
  const sent: string[] = []
  const answer = async (url: string | URL | Request) => {
    sent.push(String(url))
    return Response.json({ error: { code: 'NOT_FOUND', message: '', details: {} } }, { status: 404 })
  }
  const at = (url: string) =>
    new VoteQueue({ visitor: new Visitor({ url, storage, fetch: answer as typeof fetch }), storage })
  const [one, other] = [at('https://one.example'), at('https://other.example')]
  await one.add('tea', 'A')
  expect(await other.pending()).toEqual([])
  expect(await other.flush()).toEqual([])
  expect(sent).toEqual([])
  expect(kinds(await one.flush())).toEqual(['refused'])
  expect(sent.join()).toContain('https://one.example/')
})

test('a flush during a failing flush tries again', async () => {
  const storage = memoryStore()
  let tries = 0
  const fails = Promise.withResolvers<void>()
  const answer = async () => {
    tries++
    if (tries > 1) return Response.json({ data: { option: 'A', votedAt: 'now', tallies: {} } }, { status: 201 })
    await fails.promise
    throw new TypeError('no network')
  }
  const visitor = new Visitor({
    url: 'https://x.example',
    storage,
    fetch: answer as unknown as typeof fetch,
    retries: 0,
  })
  const queue = new VoteQueue({ visitor, storage })
  await queue.add('one', 'A')
  const first = queue.flush()
  await eventually(() => tries === 1)
  const second = queue.flush()
  fails.resolve()
  expect(kinds(await second)).toEqual(['delivered'])
  await first
  expect(tries).toBe(2)
})

test('with a full storage the last successful write is read', async () => {
  const real = Object.getOwnPropertyDescriptor(globalThis, 'localStorage')
  const stored = new Map([['tossup.votes https://x.example', '[]']])
  let isFull = true
  const localStorage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem(key: string, value: string) {
      if (isFull) throw new DOMException('full', 'QuotaExceededError')
      stored.set(key, value)
    },
  }
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, value: localStorage })
  try {
    const queue = new VoteQueue({ visitor: new Visitor({ url: 'https://x.example' }) })
    await queue.add('one', 'A')
    expect(await queue.pending()).toHaveLength(1)
    isFull = false
    await queue.add('two', 'B')
    expect(JSON.parse(stored.get(queue.key) ?? '')).toHaveLength(2)
    stored.set(queue.key, '[]')
    expect(await queue.pending()).toEqual([])
  } finally {
    if (real) Object.defineProperty(globalThis, 'localStorage', real)
    else Reflect.deleteProperty(globalThis, 'localStorage')
  }
})
