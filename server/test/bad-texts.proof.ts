import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { sql } from 'kysely'
import { PAGING_NAMES } from '../src/http/paging.ts'
import { fullPath, type Route } from '../src/http/route.ts'
import { engines } from './engines.ts'
import { newNetwork } from './network.ts'
import { type Sample, Scene } from './scene.ts'

setDefaultTimeout(120_000)

/** U+0000, lone surrogates, half a character: text that one of the databases refuses or alters. */
const TEXTS = ['%00', 'a%00b', '%ed%a0%80', 'x%ed%b0%80', '%f0%90', '%ff']
const IN_A_HEADER = 'a\xed\xa0\x80\xff'
/** The runtime's own answer to input that is not HTTP. */
const NO_HTTP = 505
const HEADERS = [
  'Accept',
  'Accept-Encoding',
  'Accept-Language',
  'Authorization',
  'Content-Type',
  'Cookie',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'Origin',
  'Range',
  'Referer',
  'User-Agent',
  'X-API-Key-ID',
  'X-API-Key-Secret',
  'X-Device-Id',
  'X-Forwarded-For',
  'X-Service-Idempotency-Key',
]

describe.each([...engines])('%s: text that no database takes', (engine) => {
  let scene: Scene
  beforeAll(async () => {
    scene = await Scene.open(engine)
  })
  afterAll(() => scene.service.stop())

  const unused = new Map<Route, Sample[]>()

  /** Spoils a request that would succeed. Reads and refused requests use nothing up, so the next bad text takes the same one. */
  async function statusOfSpoiled(route: Route, spoiled: (path: string) => string): Promise<readonly [string, number]> {
    const free = unused.get(route) ?? []
    unused.set(route, free)
    const sample = free.pop() ?? (await scene.valid(route))
    const { ask } = sample
    const key = route.kind === 'once' ? { key: randomUUID() } : {}
    const path = spoiled(sample.path)
    const headers = { ...ask.headers, ...newNetwork() }
    const { status } = await scene.send(route, { path, ask: { ...ask, ...key, headers } })
    if (route.spec.method === 'GET' || status >= 400) free.push(sample)
    return [`${route.spec.method} ${path}`, status]
  }

  /** Accepted or refused, it is never an internal error. */
  async function expectNoFailure(requests: readonly (() => Promise<readonly [where: string, status: number]>)[]) {
    expect(requests).not.toBeEmpty()
    const failed: unknown[] = []
    for (let i = 0; i < requests.length; i += 8) {
      const answers = await Promise.all(requests.slice(i, i + 8).map((request) => request()))
      failed.push(...answers.filter(([, status]) => status >= 500 && status !== NO_HTTP))
    }
    expect(failed).toEqual([])
    expect(scene.service.logLines).toEqual([])
  }

  test('in any part of any path', async () => {
    const requests = TEXTS.flatMap((text) =>
      scene.routes.flatMap((route) => {
        const parts = [...fullPath(route.spec).split('/').entries()].filter(([, part]) => part.includes('{'))
        return parts.map(
          ([at]) =>
            () =>
              statusOfSpoiled(route, (path) => path.split('/').with(at, text).join('/')),
        )
      }),
    )
    await expectNoFailure(requests)
  })

  test('in any parameter of any query, known or not', async () => {
    const requests = TEXTS.flatMap((text) =>
      scene.routes.flatMap((route) => {
        const { query, isPaged } = route.spec
        const names = [...Object.keys(query?.shape ?? {}), ...(isPaged ? PAGING_NAMES : []), 'x']
        return names.map(
          (name) => () => statusOfSpoiled(route, (path) => `${path.split('?')[0]}?${name}=${text}&${text}=1`),
        )
      }),
    )
    await expectNoFailure(requests)
  })

  test('in any header', async () => {
    const samples = new Map(scene.routes.map((route) => [route, scene.valid(route)]))
    const requests = HEADERS.flatMap((name) =>
      [...samples].map(([route, sample]) => async () => {
        const { path, ask } = await sample
        const bad = { ...ask, headers: { ...ask.headers, [name]: IN_A_HEADER } }
        return [`${route.spec.name}, ${name}`, (await scene.send(route, { path, ask: bad })).status] as const
      }),
    )
    await expectNoFailure(requests)
  })

  test('as U+0000 itself, in a header or a path', async () => {
    const { port } = new URL(scene.service.service.url)
    const statusOf = async (request: string): Promise<number> => {
      const socket = connect(Number(port), '127.0.0.1')
      const answer = new Promise<string>((resolve) => {
        socket.once('data', (bytes) => resolve(bytes.toString('latin1')))
        socket.once('close', () => resolve(''))
        socket.once('error', () => resolve(''))
      })
      socket.write(Buffer.from(request, 'latin1'))
      // Real time: waits for a server that neither answers nor closes.
      const text = await Promise.race([answer, Bun.sleep(1_000).then(() => '')])
      socket.destroy()
      return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)
    }
    const at = `/api/rest/v1/polls/${scene.poll.slug}`
    const get = (target: string, header: string) => `GET ${target} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`
    const requests = [
      ...HEADERS.map((name) => get(`${at}/votes/me`, `${name}: a\0b`)),
      get(`${at}\0`, 'X-A: b'),
      get(`${at}?q=\0`, 'X-A: b'),
      get('/css/\0/v2.css', 'X-A: b'),
    ]
    await expectNoFailure(requests.map((request) => async () => [request, await statusOf(request)] as const))
  })

  test('is refused by the last check before the database, on both engines alike', async () => {
    const { db } = scene.service
    for (const text of ['\0', 'a\0b', '\ud800', 'x\udfff']) {
      const stored = sql`select ${text} as text`.execute(db)
      await expect(stored).rejects.toMatchObject({ code: 'VALIDATION_ERROR', status: 422 })
    }
    const { rows } = await sql<{ text: string }>`select cast(${'😀 \u0001'} as text) as text`.execute(db)
    expect(rows).toEqual([{ text: '😀 \u0001' }])
  })
})
