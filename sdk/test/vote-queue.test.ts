import { afterAll, beforeAll, describe, expect, setSystemTime, test } from 'bun:test'
import { engines } from '../../server/test/engines.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from '../../server/test/service.ts'
import { type KeyValueStore, memoryStore, type Outcome, Visitor, VoteQueue } from '../src/index.ts'
import { FaultyProxy } from './faulty-proxy.ts'
import { failure, record } from './recorder.ts'

/** As React Native's AsyncStorage does it. */
function slowStore(): KeyValueStore {
  const store = memoryStore()
  return {
    getItem: (key) => Bun.sleep(1).then(() => store.getItem(key)),
    setItem: (key, value) => Bun.sleep(1).then(() => store.setItem(key, value)),
  }
}

const kinds = (outcomes: readonly Outcome[]) => outcomes.map(({ kind }) => kind)

describe.each([...engines])('on %s', (engine) => {
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

  test('votes without a network wait, survive the program, and arrive in order', async () => {
    const polls = [await service.createPoll(brand), await service.createPoll(brand)] as const
    const storage = slowStore()
    const proxy = new FaultyProxy(service.service.url)
    await proxy.open()
    const isAway = record(() => Promise.reject(new TypeError('no network')))
    const away = new Visitor({ url: proxy.url, storage, fetch: isAway.fetch, retries: 0 })
    const before = new VoteQueue({ visitor: away, storage })
    await Promise.all([before.add(polls[0].slug, 'A'), before.add(polls[1].slug, 'B')])
    // Another tap on the same poll is no second vote.
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

  test('a vote that is there already counts as delivered, with the one that stands', async () => {
    const poll = await service.createPoll(brand)
    const storage = memoryStore()
    const visitor = new Visitor({ url: service.service.url, storage })
    const queue = new VoteQueue({ visitor, storage })
    const queued = await queue.add(poll.slug, 'B')
    const { votedAt } = await visitor.castVote(poll.slug, 'A')
    expect(await queue.flush()).toEqual([{ kind: 'delivered', queued, vote: { option: 'A', votedAt } }])
    expect(await total(poll)).toBe(1)
  })

  test('two tabs that send the same queue count nothing twice', async () => {
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

  test('what the service will never take is told and dropped, and does not hold up the others', async () => {
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

  test('one that is too old is never sent', async () => {
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

  test('started, it sends at once and when the network comes back, until it is stopped', async () => {
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
])('a service that is %s is left alone, and everything waits', async (_, answer) => {
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

test('a service that asks to be left alone is, however often it is tried, and is asked again by itself when that is over', async () => {
  const { fetch, requests } = record((_, index) =>
    index === 0
      ? failure(429, 'RATE_LIMITED', { 'Retry-After': '1' })
      : Response.json({ data: { option: 'A', votedAt: '2030-01-01T00:00:00.000Z', tallies: { total: 1 } } }),
  )
  const storage = memoryStore()
  const visitor = new Visitor({ url: 'https://x.example', fetch, storage, retries: 0 })
  const told = Promise.withResolvers<Outcome>()
  const queue = new VoteQueue({ visitor, storage, onOutcome: told.resolve })
  await queue.add('one', 'A')
  const stop = queue.start()
  try {
    while (requests.length === 0) await Bun.sleep(1)
    const refusedAt = Date.now()
    await queue.flush()
    await Bun.sleep(50)
    expect(await queue.flush()).toEqual([])
    expect(requests).toHaveLength(1)
    expect(await told.promise).toMatchObject({ kind: 'delivered', vote: { tallies: { total: 1 } } })
    expect(Date.now() - refusedAt).toBeGreaterThanOrEqual(950)
  } finally {
    stop()
  }
})

test('what an answer said elsewhere about being left alone holds here, too', async () => {
  const { fetch, requests } = record(() => failure(503, 'UNAVAILABLE'))
  const storage = memoryStore()
  const queue = new VoteQueue({ visitor: new Visitor({ url: 'https://x.example', fetch, storage }), storage })
  await queue.add('one', 'A', 60_000)
  expect(await queue.flush()).toEqual([])
  expect(requests).toEqual([])
})

test('a vote that comes while another one is on its way is sent after it', async () => {
  const gate = Promise.withResolvers<void>()
  const { fetch, requests } = record(async () => {
    await gate.promise
    return Response.json({ data: { option: 'A', votedAt: '2030-01-01T00:00:00.000Z', tallies: { total: 1 } } })
  })
  const storage = memoryStore()
  const queue = new VoteQueue({ visitor: new Visitor({ url: 'https://x.example', fetch, storage }), storage })
  await queue.add('one', 'A')
  const sent = queue.flush()
  while (requests.length === 0) await Bun.sleep(1)
  await queue.add('two', 'B')
  gate.resolve()
  expect((await sent).map(({ queued }) => queued.poll)).toEqual(['one', 'two'])
})

test('where there are locks and they are denied, votes are kept all the same', async () => {
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

test('what somebody else left under its name is no vote, and holds up none', async () => {
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

test('a vote waits for the service that it was cast at, and goes to no other', async () => {
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

test('who asks again while a try is failing is heard', async () => {
  const storage = memoryStore()
  let tries = 0
  const answer = async () => {
    tries++
    if (tries > 1) return Response.json({ data: { option: 'A', votedAt: 'now', tallies: {} } }, { status: 201 })
    await Bun.sleep(50)
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
  await Bun.sleep(10)
  expect(kinds(await queue.flush())).toEqual(['delivered'])
  await first
  expect(tries).toBe(2)
})

test('where the storage is full, what was written last is read', async () => {
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
