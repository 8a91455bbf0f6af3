import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { type App, createHttpApp } from '../src/app.ts'
import { unavailable } from '../src/base/errors.ts'
import { createLog } from '../src/base/log.ts'
import { OutcomeUnknown } from '../src/db/vote-store.ts'
import { createChecks } from '../src/http/checks.ts'
import { createFastDoor } from '../src/http/fast-door.ts'
import { Incoming } from '../src/http/incoming.ts'
import { MemoryLimiter } from '../src/http/memory-limiter.ts'
import type { Reply } from '../src/http/reply.ts'
import type { Route } from '../src/http/route.ts'
import { sampleEngines } from './engines.ts'
import { peersFrom, peersOf } from './peers.ts'
import { fromNow, HOUR, patchPoll } from './polls.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

const QUOTA = 3
const JSON_TYPE = { 'Content-Type': 'application/json' }
const NOBODY = '00000000-0000-4000-8000-000000000000'

interface Sent {
  readonly method?: string
  readonly poll: string
  readonly query?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly isChunked?: boolean
}

interface LogLine {
  readonly level: string
  readonly time?: string
  readonly requestId?: string
  readonly ms?: number
  readonly path?: string
  readonly repeated?: number
}

/** One app on the same data, with a limiter of its own whose clock stands still, behind a real socket. */
class Side {
  readonly app: App
  readonly #server: ReturnType<typeof Bun.serve>
  readonly #limiter = new MemoryLimiter(() => 0)
  readonly #logLines: string[] = []
  /** The poll of this side in each state. */
  readonly polls = new Map<string, string>()

  constructor(service: TestService, isFast: boolean) {
    const log = createLog('debug', { write: (line) => void this.#logLines.push(line) })
    const deps = { ...service.deps, limiter: this.#limiter, log }
    this.app = createHttpApp(deps, isFast ? service.service.routes : service.service.routes.map(withoutFastPath))
    const peers = peersOf(() => this.#server)
    this.#server = Bun.serve({ port: 0, fetch: (request) => this.app.fetch(request, peers) })
  }

  async send({ method = 'POST', poll, query = '', headers, body, isChunked = false }: Sent): Promise<string> {
    const path = `/api/rest/v1/polls/${this.polls.get(poll) ?? poll}/votes${query}`
    const sent = isChunked && body !== undefined ? new Blob([body]).stream() : body
    const answer = await fetch(new URL(path, this.#server.url), {
      method,
      headers,
      ...(sent === undefined ? {} : { body: sent }),
      decompress: false,
    })
    return said(answer, Buffer.from(await answer.arrayBuffer()))
  }

  /** The traces of all requests so far beside their answers: in the metrics, the limits and the log. */
  get records(): unknown {
    const routes = this.app.answered.map(({ route, endings, durations }) => ({
      route,
      endings: endings.map(({ status, code, count }) => `${status} ${code} ${count}`).sort(),
      timed: durations.count,
    }))
    const lines = this.#logLines.map((line) => JSON.parse(line) as LogLine).map((line) => this.#withoutOwn(line))
    const requests = lines.filter(({ level }) => level === 'debug')
    // How many of several equal lines are written depends on the time; the first always is.
    const others = lines.filter(({ level, repeated }) => level !== 'debug' && repeated === undefined)
    const refused = [...new Set(others.map((line) => JSON.stringify(line)))].sort()
    return { routes, callers: this.#limiter.size, requests, refused }
  }

  /** Times, ids and this side's polls differ between any two requests. */
  #withoutOwn({ time: _time, requestId: _id, ms: _ms, path = '', ...rest }: LogLine): LogLine {
    const slug = path.split('/')[5] ?? ''
    const state = [...this.polls].find(([, own]) => own === slug)?.[0] ?? slug
    return { ...rest, path: path.replace(slug, state) }
  }

  stop = () => this.#server.stop(true)
}

function withoutFastPath(route: Route): Route {
  if (route.kind !== 'plain') return route
  const { fast: _fast, ...spec } = route.spec
  return { ...route, spec }
}

/** Everything of an answer that does not differ between any two requests. */
function said(answer: Response, bytes: Buffer): string {
  const isCoded = answer.headers.has('content-encoding')
  const own = new Set(['date', 'x-request-id', ...(isCoded ? ['content-length'] : [])])
  const text = (isCoded ? gunzipSync(bytes) : bytes).toString('latin1')
  const headers = [...answer.headers].filter(([name]) => !own.has(name)).map((header) => header.join(': '))
  const body = text.replace(/"(requestId|votedAt)":"[^"]*"/g, '"$1":"…"')
  return [answer.status, ...headers, body].join('\n')
}

const bodies: readonly (string | Uint8Array | undefined)[] = [
  ...['A', 'B', 'optionA', 'optionB', 'C', 'a', ''].map((option) => JSON.stringify({ option })),
  ' { "option" : "A" } ',
  '{"\\u006fption":"A"}',
  '{"option":"A","option":"B"}',
  '{"option":"A","more":1}',
  '{"option":null}',
  '{}',
  '[]',
  'null',
  '{"option":"A"',
  '\ufeff{"option":"A"}',
  Buffer.from([0x7b, 0xff, 0x7d]),
  '',
  undefined,
  `{"option":"${'A'.repeat(70_000)}"}`,
]

const kinds: readonly Readonly<Record<string, string>>[] = [
  {},
  { 'Content-Type': 'application/json; charset=utf-8' },
  { 'Content-Type': 'text/plain' },
  { 'Content-Encoding': 'gzip' },
  { 'Content-Encoding': 'identity' },
  { 'Accept-Encoding': 'gzip, br' },
  { 'Accept-Encoding': 'gzip, identity;q=0' },
  { 'If-None-Match': '*', Origin: 'https://example.org' },
  { Authorization: 'Bearer wrong' },
  { 'X-Device-Id': '' },
  { 'X-Device-Id': 'no uuid' },
  { 'X-Device-Id': NOBODY.replace('8000', 'ABCD') },
]

describe.each([...sampleEngines])('%s: the fast path answers as the door does', (engine) => {
  let service: TestService
  let brand: TestBrand
  let sides: [fast: Side, door: Side]
  const states = ['open', 'hidden', 'scheduled', 'closed', 'archived', 'draft']

  beforeAll(async () => {
    service = await startTestService(engine, {
      settings: {
        VOTES_PER_MINUTE: String(QUOTA),
        NETWORK_VOTES_PER_MINUTE: '400',
        TRUSTED_PROXIES: '127.0.0.1,::1',
      },
    })
    brand = await service.createBrand()
    sides = [new Side(service, true), new Side(service, false)]
    const fields: Record<string, Record<string, unknown>> = {
      hidden: { resultsVisibility: 'after_close', closesAt: fromNow(HOUR) },
      scheduled: { opensAt: fromNow(HOUR) },
      closed: { opensAt: fromNow(-2 * HOUR), closesAt: fromNow(-HOUR) },
      draft: { isDraft: true },
    }
    for (const { polls } of sides) {
      for (const state of states) polls.set(state, (await service.createPoll(brand, fields[state])).slug)
      await patchPoll(service, brand, polls.get('archived') ?? '', { archived: true })
    }
  })
  afterAll(async () => {
    for (const side of sides) await side.stop()
    await service.stop()
  })

  async function expectSame(sent: Sent): Promise<string> {
    const [fast, door] = sides
    const [left, right] = [await fast.send(sent), await door.send(sent)]
    expect(left).toBe(right)
    return left
  }

  test('to every body with every header', async () => {
    const statuses = new Set<string>()
    for (const body of bodies) {
      for (const kind of kinds) {
        for (const isChunked of [false, true]) {
          const headers = { 'X-Device-Id': randomUUID(), ...JSON_TYPE, ...kind }
          const sent = { poll: 'open', headers, isChunked, ...(body === undefined ? {} : { body }) }
          statuses.add((await expectSame(sent)).slice(0, 3))
        }
      }
    }
    expect([...statuses].sort()).toEqual(['201', '400', '401', '409', '413', '415', '422', '429'])
  })

  test('on every poll, with every method and query', async () => {
    const statuses = new Set<string>()
    for (const poll of [...states, 'missing', 'No%20Slug', '%00', 'a'.repeat(300)]) {
      for (const method of ['POST', 'GET', 'HEAD', 'PUT', 'OPTIONS']) {
        for (const query of ['', '?', '?x=1']) {
          const hasBody = method === 'POST' || method === 'PUT'
          const headers = { 'X-Device-Id': randomUUID(), ...JSON_TYPE }
          const sent = { method, poll, query, headers, ...(hasBody ? { body: '{"option":"A"}' } : {}) }
          statuses.add((await expectSame(sent)).slice(0, 3))
        }
      }
    }
    expect([...statuses].sort()).toEqual(['201', '204', '404', '405', '409', '422'])
  })

  test('to the same callers in any order, until their limits refuse them', async () => {
    const step = fc.record({
      poll: fc.constantFrom('open', 'open', 'hidden', 'closed', 'missing'),
      device: fc.nat(2),
      body: fc.constantFrom(...bodies.slice(0, 8)),
      network: fc.nat(1),
    })
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
        const devices = Array.from({ length: 3 }, () => randomUUID())
        for (const { poll, device, body, network } of steps) {
          const headers = {
            'X-Device-Id': devices[device] ?? NOBODY,
            'X-Forwarded-For': `192.0.2.${network}`,
            ...JSON_TYPE,
          }
          seen.add((await expectSame({ poll, headers, body: body ?? '' })).slice(0, 3))
        }
      }),
      { numRuns: 60 },
    )
    expect([...seen].sort()).toEqual(['201', '404', '409', '422', '429'])
  })

  test('when a vote cannot be stored, and gives back what the request was counted for', async () => {
    const { ledger } = service.service
    const put = ledger.put.bind(ledger)
    const failures = [unavailable(1), new Error('a fault of ours'), new OutcomeUnknown('the answer was lost')]
    const left: unknown[] = []
    for (const failure of failures) {
      const headers = { 'X-Device-Id': randomUUID(), ...JSON_TYPE }
      const sent = { poll: 'open', headers, body: '{"option":"A"}' }
      ledger.put = (vote) => vote.fail(failure)
      const failed = await expectSame(sent)
      ledger.put = put
      const stored = await expectSame(sent)
      left.push([failed, stored].map((answer) => `${answer.slice(0, 3)} ${/r=\d/.exec(answer)?.[0]}`))
    }
    expect(left).toEqual([
      ['503 r=3', '201 r=2'],
      ['500 r=3', '201 r=2'],
      ['503 r=2', '201 r=1'],
    ])
  })

  test('with the same metrics, limits and log lines', () => {
    const [fast, door] = sides.map((side) => side.records)
    expect(fast).toEqual(door)
    expect(JSON.stringify(fast)).toContain('409 VOTE_ALREADY_CAST')
  })

  test('while the server stops', async () => {
    await Promise.all(sides.map(({ app }) => app.drain()))
    const headers = { 'X-Device-Id': randomUUID(), ...JSON_TYPE }
    expect(await expectSame({ poll: 'open', headers, body: '{"option":"A"}' })).toStartWith('503')
  })

  describe('takes', () => {
    const enter = async (change: Readonly<Record<string, string | null>>, query = '') => {
      const limiter = new MemoryLimiter(() => 0)
      const route = service.service.routes.find(({ spec }) => spec.name === 'castVote')
      if (route?.kind !== 'plain') throw new Error('there is no vote route')
      const door = createFastDoor({ ...service.deps, limiter }, route.spec, createChecks(route.spec))
      const headers = new Headers({ ...JSON_TYPE, 'Content-Length': '14', 'X-Device-Id': randomUUID() })
      for (const [name, value] of Object.entries(change))
        value === null ? headers.delete(name) : headers.set(name, value)
      const slug = sides[0].polls.get('open') ?? ''
      const url = `http://tossup/api/rest/v1/polls/${slug}/votes${query}`
      const request = new Request(url, { method: 'POST', headers, body: '{"option":"A"}' })
      const { proxyWatch } = service.deps
      const around = { peers: peersFrom('192.0.2.1'), trustedProxies: [], proxyWatch }
      const admitted = door.admit(new Incoming(request, around), { slug })
      const answering = new Promise<Reply>((answer, fail) => {
        admitted?.read({ answer, fail })
      })
      return { answer: admitted && (await answering), isRead: request.bodyUsed, callers: limiter.size }
    }

    test('the usual request', async () => {
      // The device, its address and the /24 around it.
      expect(await enter({})).toMatchObject({ answer: { status: 201 }, isRead: true, callers: 3 })
    })

    test.each([
      { Authorization: 'Bearer wrong' },
      { 'Content-Encoding': 'identity' },
      { 'Content-Type': 'application/json;charset=utf-8' },
      { 'Content-Length': null },
      { 'Content-Length': '65537' },
    ])('no request with %p, which it leaves untouched', async (change) => {
      expect(await enter(change)).toEqual({ answer: null, isRead: false, callers: 0 })
    })

    test('no request with a query', async () => {
      expect(await enter({}, '?x=1')).toEqual({ answer: null, isRead: false, callers: 0 })
    })
  })
})
