import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type App, createHttpApp } from '../src/app/app.ts'
import { createLog } from '../src/base/log.ts'
import { etagOf } from '../src/http/answers/caching.ts'
import { PackedText } from '../src/http/answers/content-coding.ts'
import type { Reply } from '../src/http/answers/reply.ts'
import { anyone, type Route, route } from '../src/http/route.ts'
import { LOCAL } from './peers.ts'
import { startTestService, type TestService } from './service.ts'

const plain = {
  method: 'GET',
  isOutside: true,
  tag: 'Service',
  summary: '',
  description: '',
  guard: anyone,
  caching: 'own',
  answers: {},
} as const

/** Longer than text that is compressed on the event loop. */
const LONG = 'tea or coffee? '.repeat(10_000)

interface Line {
  readonly level: string
  readonly msg: string
  readonly requestId?: string
  readonly route?: string
  readonly path?: string
  readonly repeated?: number
}

let service: TestService
beforeAll(async () => {
  service = await startTestService('sqlite')
})
afterAll(() => service.stop())

/** An application with a few routes that record which of their functions answered. */
function openApp(level: string, more: Route[] = []) {
  const calls: string[] = []
  const lines: string[] = []
  const texts = { '/short': 'tea', '/long': LONG } as const
  const routes = (Object.keys(texts) as (keyof typeof texts)[]).map((path) => {
    const body = texts[path]
    const reply: Reply = { status: 200, body, packed: new PackedText(body), headers: { ETag: etagOf(body) } }
    return route({
      ...plain,
      path,
      name: path.slice(1),
      fromMemory: () => {
        calls.push(`${path} from memory`)
        return reply
      },
      handle: () => {
        calls.push(`${path} by the door`)
        return reply
      },
    })
  })
  const log = createLog(level, { write: (line) => void lines.push(line) })
  const app = createHttpApp({ ...service.deps, log }, [...routes, ...more])
  return { app, calls, log, linesNow: () => lines.map((line) => JSON.parse(line) as Line) }
}

const ask = async (app: App, path: string, init: RequestInit = {}) =>
  app.fetch(new Request(`http://tossup${path}`, init), LOCAL)

const REQUESTS: [path: string, init?: RequestInit][] = [
  ['/short'],
  ['/short', { headers: { 'If-None-Match': etagOf('tea') } }],
  ['/short', { method: 'HEAD' }],
  ['/short?page=2'],
  ['/long', { headers: { 'Accept-Encoding': 'br' } }],
  ['/nowhere?page=2'],
  ['/short', { method: 'DELETE' }],
]

/** The status and code of each answer, and their request ids. */
async function runAt(level: string) {
  const { app, calls, linesNow } = openApp(level)
  const statuses: number[] = []
  const ids: string[] = []
  for (const [path, init] of REQUESTS) {
    const answer = await ask(app, path, init)
    await answer.arrayBuffer()
    statuses.push(answer.status)
    ids.push(answer.headers.get('x-request-id') ?? '')
  }
  const counts = app.answered.map(({ route, endings }) => ({ route, endings }))
  return { ran: { statuses, calls, counts }, ids, lines: linesNow() }
}

describe('the level of the log', () => {
  test('changes nothing of how requests are answered, and debug has a line for each, from memory too', async () => {
    const [debug, info, silent] = [await runAt('debug'), await runAt('info'), await runAt('silent')]
    expect(debug.ran.statuses).toEqual([200, 304, 200, 200, 200, 404, 405])
    expect(debug.ran.calls).toEqual([
      '/short from memory',
      '/short from memory',
      '/short by the door',
      '/short by the door',
      '/long from memory',
    ])
    expect(info.ran).toEqual(debug.ran)
    expect(silent.ran).toEqual(debug.ran)
    const ofRequests = debug.lines.filter(({ msg }) => msg === 'request')
    expect(ofRequests.map(({ requestId }) => requestId)).toEqual(debug.ids)
    expect(ofRequests.map(({ route }) => route)).toEqual(['short', 'short', 'short', 'short', 'long', '', ''])
    expect(ofRequests[3]?.path).toBe('/short')
    expect(info.lines.map(({ msg, requestId }) => [msg, requestId])).toEqual([
      ['a request was refused', info.ids[5]],
      ['a request was refused', info.ids[6]],
    ])
    expect(silent.lines).toEqual([])
  })

  test('info has the first refusals of each route and code, then their number', async () => {
    const { app, log, linesNow } = openApp('info')
    const startedAt = performance.now()
    for (let i = 0; i < 50; i++) {
      await ask(app, '/nowhere')
      await ask(app, '/short', { method: 'DELETE' })
    }
    await app.drain()
    log.flush()
    const seconds = (performance.now() - startedAt) / 1_000
    const lines = linesNow()
    const samples = lines.filter(({ requestId }) => requestId !== undefined)
    const counted = lines.reduce((sum, { repeated = 0 }) => sum + repeated, 0)
    expect(samples.length + counted).toBe(100)
    // Three lines of each code in a second.
    expect(samples.length).toBeWithin(6, 6 * (seconds + 2))
    expect(samples.slice(0, 6).every(({ msg }) => msg === 'a request was refused')).toBe(true)
    expect(lines.slice(6).map(({ msg }) => msg)).toContain('requests were refused')
  })
})

describe('a failure on the way to an answer', () => {
  const broken = (name: string, spec: { fromMemory?: () => Reply; handle?: () => Reply | Promise<Reply> }) =>
    route({ ...plain, path: `/${name}`, name, handle: () => ({ data: {} }), ...spec })

  const failing: Reply = { status: 200, body: 'tea', headers: { 'Content-Disposition': 'filename="☕"' } }
  const away = () => Promise.reject(new Error('no thread'))
  const packed = new PackedText(LONG)
  packed.find = away
  const unpacked: Reply = { status: 200, body: LONG, packed, headers: {} }

  test.each([
    ['a handler that throws', broken('one', { handle: () => Promise.reject(new Error('lost')) })],
    ['a header that cannot be sent', broken('one', { handle: () => failing })],
    ['a header that cannot be sent, from memory', broken('one', { fromMemory: () => failing })],
    ['an answer from memory that cannot be compressed', broken('one', { fromMemory: () => unpacked })],
    [
      'an answer from memory that cannot be made',
      broken('one', {
        fromMemory: () => {
          throw new Error('lost')
        },
      }),
    ],
  ])('is 500, counted once, and an error in the log: %s', async (_name, failingRoute) => {
    const { app, linesNow } = openApp('info', [failingRoute])
    const answer = await ask(app, '/one', { headers: { 'Accept-Encoding': 'br' } })
    expect(answer.status).toBe(500)
    const { error } = (await answer.json()) as { error: { code: string; requestId: string } }
    expect([error.code, error.requestId]).toEqual(['INTERNAL', answer.headers.get('x-request-id') ?? ''])
    const counts = app.answered.find((each) => each.route === 'one')
    expect(counts?.endings).toEqual([{ status: 500, code: 'INTERNAL', count: 1 }])
    expect(linesNow()).toMatchObject([
      { level: 'error', msg: 'a request failed', requestId: error.requestId, route: 'one', code: 'INTERNAL' },
    ])
  })
})
