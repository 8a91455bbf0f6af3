import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { hideVotes, showVotes } from './ballot-box.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { metricsOf } from './metrics.ts'
import { withOtherVotes } from './other-ledger.ts'
import { LOCAL } from './peers.ts'
import { type Ask, type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

setDefaultTimeout(60_000)

const COUNTED = 'tossup_requests_total'
const TIMED = 'tossup_request_duration_seconds'

describe.each([...engines])('%s: every request', (engine) => {
  let service: TestService
  let brand: TestBrand
  let poll: PollData
  beforeAll(async () => {
    const settings = { METRICS_PORT: String(freePort()), LOG_LEVEL: 'info', VOTES_PER_MINUTE: '2' }
    service = await startTestService(engine, { settings })
    brand = await service.createBrand()
    poll = await service.createPoll(brand)
  })
  afterAll(() => service.stop())

  const linesOf = (requestId: string | null | undefined) =>
    service.logLines.map((line) => JSON.parse(line)).filter((line) => line.requestId === requestId)

  /** The series of a metric, with the increase of each. */
  function grown(name: string, before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) {
    const series = [...after].filter(([key]) => key === name || key.startsWith(`${name}{`))
    const changes = series.map(([key, value]) => [key.slice(name.length), value - (before.get(key) ?? 0)] as const)
    return Object.fromEntries(changes.filter(([, change]) => change !== 0))
  }

  /** Each request of `act` is counted under one name and timed under its route, exactly once. */
  async function expectOne(counted: { route: string; status: number; code?: string }, act: () => Promise<unknown>) {
    const { route, status, code = '' } = counted
    const before = await metricsOf(service)
    await act()
    const after = await metricsOf(service)
    expect(grown(COUNTED, before, after)).toEqual({ [`{route="${route}",status="${status}",code="${code}"}`]: 1 })
    expect(grown(`${TIMED}_count`, before, after)).toEqual({ [`{route="${route}"}`]: 1 })
    expect(grown(`${TIMED}_bucket`, before, after)).toMatchObject({ [`{route="${route}",le="+Inf"}`]: 1 })
  }

  interface Way {
    readonly name: string
    readonly counted: { readonly route: string; readonly status: number; readonly code?: string }
    readonly ask: () => [method: string, path: string, ask?: Ask]
  }

  const ofPoll = (rest = '') => `polls/${poll.slug}${rest}`
  const ballot = (ask: Ask): Ask => ({ device: randomUUID(), json: { option: 'A' }, ...ask })
  const repeated = randomUUID()

  const served: Way[] = [
    { name: 'a first read', counted: { route: 'getPoll', status: 200 }, ask: () => ['GET', ofPoll()] },
    { name: 'a read from memory', counted: { route: 'getPoll', status: 200 }, ask: () => ['GET', ofPoll()] },
    { name: 'HEAD', counted: { route: 'getPoll', status: 200 }, ask: () => ['HEAD', ofPoll()] },
    {
      name: 'not modified, from memory',
      counted: { route: 'getPoll', status: 304 },
      ask: () => ['GET', ofPoll(), { headers: { 'If-None-Match': '*' } }],
    },
    {
      name: 'not modified, by the door',
      counted: { route: 'listCategories', status: 304 },
      ask: () => ['GET', 'categories', { headers: { 'If-None-Match': '*' } }],
    },
    {
      name: 'a vote',
      counted: { route: 'castVote', status: 201 },
      ask: () => ['POST', ofPoll('/votes'), ballot({ device: repeated })],
    },
    {
      name: 'a stream',
      counted: { route: 'streamTallies', status: 200 },
      ask: () => ['GET', ofPoll('/tallies/stream')],
    },
    {
      name: 'a stream of several polls',
      counted: { route: 'streamManyTallies', status: 200 },
      ask: () => ['GET', `tallies/stream?polls=${ofPoll().replace('polls/', '')},nothing`],
    },
    { name: 'a preflight', counted: { route: '', status: 204 }, ask: () => ['OPTIONS', ofPoll()] },
  ]

  const refused: Way[] = [
    {
      name: 'an unknown path',
      counted: { route: '', status: 404, code: 'NOT_FOUND' },
      ask: () => ['GET', '/nowhere'],
    },
    {
      name: 'an unknown poll',
      counted: { route: 'getPoll', status: 404, code: 'NOT_FOUND' },
      ask: () => ['GET', 'polls/nothing'],
    },
    {
      name: 'another method',
      counted: { route: '', status: 405, code: 'METHOD_NOT_ALLOWED' },
      ask: () => ['DELETE', ofPoll()],
    },
    {
      name: 'no credentials',
      counted: { route: 'getOwnBrand', status: 401, code: 'UNAUTHORIZED' },
      ask: () => ['GET', 'brands/me'],
    },
    {
      name: 'malformed JSON',
      counted: { route: 'castVote', status: 400, code: 'MALFORMED_JSON' },
      ask: () => ['POST', ofPoll('/votes'), ballot({ raw: '{', headers: { 'Content-Type': 'application/json' } })],
    },
    {
      name: 'another content type',
      counted: { route: 'castVote', status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
      ask: () => ['POST', ofPoll('/votes'), ballot({ headers: { 'Content-Type': 'text/plain' } })],
    },
    {
      name: 'a body that is too large',
      counted: { route: 'castVote', status: 413, code: 'PAYLOAD_TOO_LARGE' },
      ask: () => ['POST', ofPoll('/votes'), ballot({ json: { option: 'A'.repeat(1_000_000) } })],
    },
    {
      name: 'an invalid field',
      counted: { route: 'castVote', status: 422, code: 'VALIDATION_ERROR' },
      ask: () => ['POST', ofPoll('/votes'), ballot({ json: { option: 'C' } })],
    },
    ...['under its key', 'again under the same key'].map(
      (again): Way => ({
        name: `a slug that is taken, ${again}`,
        counted: { route: 'createPoll', status: 409, code: 'SLUG_TAKEN' },
        ask: () => [
          'POST',
          'brands/me/polls',
          {
            token: brand.token,
            key: 'the-same-key',
            json: { slug: poll.slug, title: 'Tea?', optionA: { label: 'Yes' }, optionB: { label: 'No' } },
          },
        ],
      }),
    ),
    {
      name: 'a second vote',
      counted: { route: 'castVote', status: 409, code: 'VOTE_ALREADY_CAST' },
      ask: () => ['POST', ofPoll('/votes'), ballot({ device: repeated })],
    },
    {
      name: 'one request too many',
      counted: { route: 'castVote', status: 429, code: 'RATE_LIMITED' },
      ask: () => ['POST', ofPoll('/votes'), ballot({ device: repeated })],
    },
  ]

  test.each(served)('is counted and timed once, and no line of the log: $name', async ({ counted, ask }) => {
    const lines = service.logLines.length
    await expectOne(counted, async () => {
      const { status } = await service.request(...ask())
      expect(status).toBe(counted.status)
    })
    expect(service.logLines).toHaveLength(lines)
  })

  test.each(refused)('is counted and timed once, and its id leads to a line: $name', async ({ counted, ask }) => {
    await expectOne(counted, async () => {
      const { status, body, headers } = await service.request(...ask())
      const { code } = body.error
      const requestId = headers.get('x-request-id')
      expect({ status, code }).toEqual({ status: counted.status, code: counted.code as string })
      expect(headers.get('original-request-id') ?? requestId).toBe(body.error.requestId)
      expect(linesOf(requestId)).toEqual([
        { ...counted, requestId, ms: expect.any(Number), level: 'info', time: expect.any(String), msg: REFUSED },
      ])
    })
  })

  test('is counted with the scope that it lacks', async () => {
    const viewer = await service.createBrand(['view'])
    await expectOne({ route: 'listOwnPolls', status: 403, code: 'SCOPE_REQUIRED' }, () =>
      service.get('brands/me/polls', { token: viewer.token }),
    )
  })

  test('that fails is an error in the log, with its cause', async () => {
    await hideVotes(service)
    let requestId = ''
    await expectOne({ route: 'castVote', status: 500, code: 'INTERNAL' }, async () => {
      const failed = await service.vote(poll.slug, 'A')
      requestId = failed.body.error.requestId
    })
    await showVotes(service)
    expect(linesOf(requestId)).toMatchObject([
      { level: 'error', msg: 'a request failed', route: 'castVote', status: 500, code: 'INTERNAL', err: {} },
    ])
    expect(linesOf(requestId)[0].ms).toBeGreaterThan(0)
  })

  test('of a client that disconnects while sending is counted as 499 and not logged as an error', async () => {
    const lines = service.logLines.length
    await expectOne({ route: 'castVote', status: 499 }, async () => {
      const socket = connect(Number(new URL(service.service.url).port), '127.0.0.1')
      const head = `POST /api/rest/v1/${ofPoll('/votes')} HTTP/1.1\r\nHost: x\r\nX-Device-Id: ${randomUUID()}\r\n`
      const sent = `${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"option"`
      await new Promise((resolve) => socket.write(sent, resolve))
      // The server must begin to read before the client leaves, and gives no sign of it: later requests are answered later.
      for (let turn = 0; turn < 10; turn++) await metricsOf(service)
      socket.destroy()
      const key = `${COUNTED}{route="castVote",status="499",code=""}`
      await eventually(async () => (await metricsOf(service)).has(key))
    })
    expect(service.logLines).toHaveLength(lines)
  })

  test('of every kind is in one bucket and in one count', async () => {
    const all = await metricsOf(service)
    const counted = new Map<string, number>()
    for (const [key, value] of all) {
      const [, route] = /^tossup_requests_total\{route="(\w*)"/.exec(key) ?? []
      if (route !== undefined) counted.set(route, (counted.get(route) ?? 0) + value)
    }
    expect(counted.size).toBeGreaterThan(7)
    for (const [route, count] of counted) {
      expect([route, all.get(`${TIMED}_count{route="${route}"}`)]).toEqual([route, count])
      expect([route, all.get(`${TIMED}_bucket{route="${route}",le="+Inf"}`)]).toEqual([route, count])
      const buckets = [...all].filter(([key]) => key.startsWith(`${TIMED}_bucket{route="${route}",`))
      const sizes = buckets.map(([, value]) => value)
      expect(sizes).toEqual(sizes.toSorted((left, right) => left - right))
    }
  })

  test('is described without an address, a query, a device or a secret', async () => {
    const device = randomUUID()
    await service.get(`polls/nothing?secret=${device}`)
    await service.get(`/files/${device}`)
    await service.get('brands/me', { token: `token-${device}`, device })
    const log = service.logLines.join('')
    expect(log).toContain('getFile')
    for (const hidden of [device, '127.0.0.1', 'secret=', 'nothing', repeated]) expect(log).not.toContain(hidden)
  })
})

const REFUSED = 'a request was refused'

describe.each([...engines])('%s: 503', (engine) => {
  let service: TestService
  let poll: PollData
  beforeAll(async () => {
    service = await startTestService(engine, { settings: { LOG_LEVEL: 'info' } })
    poll = await service.createPoll(await service.createBrand())
  })
  afterAll(() => service.stop())

  type Answer = Awaited<ReturnType<ReturnType<typeof withOtherVotes>['vote']>>

  const idsOf = (answers: readonly Answer[]): string[] => answers.map(({ body }) => body.error.requestId).sort()

  /** Each failure is logged: the first on a line of its own, the others in the count of that line. */
  async function expectTold(refused: readonly Answer[], reason: string, route: string) {
    const named = () =>
      service.logLines
        .map((line) => JSON.parse(line))
        .filter((line) => line.msg === reason && line.route === route)
        .flatMap((line) => {
          expect(line).toMatchObject({ level: 'warn', status: 503, code: 'UNAVAILABLE' })
          return line.requestIds ?? [line.requestId]
        })
    await eventually(() => named().length >= refused.length)
    expect(named().sort()).toEqual(idsOf(refused))
  }

  const stalled = () => new Promise<never>(() => undefined)

  test('of a full queue of votes is counted and named in the log', async () => {
    const taken = Promise.withResolvers<void>()
    const stalledAtFirst = () => {
      taken.resolve()
      return stalled()
    }
    const { app, vote } = withOtherVotes(service, stalledAtFirst, { largestGroup: 1, longestQueue: 3 })
    // The ledger takes the first before the others arrive, so that three of them have to wait.
    const first = vote(poll.slug)
    await taken.promise
    const answers = [first, ...Array.from({ length: 8 }, () => vote(poll.slug))]
    void Promise.allSettled(answers)
    const refused = await firstOf(5, answers)
    expect(refused.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503])
    await expectTold(refused, 'the queue of votes is full', 'castVote')
    const counts = app.answered.find(({ route }) => route === 'castVote')
    expect(counts?.endings).toEqual([{ status: 503, code: 'UNAVAILABLE', count: 5 }])
  })

  test('of votes that waited too long is counted and named in the log', async () => {
    const { engine: real } = service.deps
    const { app, vote } = withOtherVotes(service, real.votes.commit.bind(real.votes), { longestWaitMs: -1_000 })
    const refused = await Promise.all([vote(poll.slug), vote(poll.slug)])
    await expectTold(refused, 'votes waited too long for their commit', 'castVote')
    const counts = app.answered.find(({ route }) => route === 'castVote')
    expect(counts?.endings).toEqual([{ status: 503, code: 'UNAVAILABLE', count: 2 }])
  })

  test('of a server that stops is counted and named in the log, also where the answer is in memory', async () => {
    const { engine: real } = service.deps
    const { app, vote } = withOtherVotes(service, real.votes.commit.bind(real.votes))
    const get = async () => {
      const request = new Request(`${service.service.url}/api/rest/v1/polls/${poll.slug}`)
      return (await app.fetch(request, LOCAL)).status
    }
    expect([await get(), await get()]).toEqual([200, 200])
    await app.drain()
    const refused = await vote(poll.slug)
    expect([refused.status, await get()]).toEqual([503, 503])
    await expectTold([refused], 'the server is stopping', 'castVote')
    const counts = app.answered.find(({ route }) => route === 'getPoll')
    expect(counts?.endings).toEqual([
      { status: 200, code: '', count: 2 },
      { status: 503, code: 'UNAVAILABLE', count: 1 },
    ])
  })
})

/** The first answers that arrive. */
function firstOf<T>(count: number, answers: readonly Promise<T>[]): Promise<T[]> {
  const { promise, resolve, reject } = Promise.withResolvers<T[]>()
  const found: T[] = []
  for (const answer of answers) {
    answer.then((value) => {
      found.push(value)
      if (found.length === count) resolve(found)
    }, reject)
  }
  return promise
}
