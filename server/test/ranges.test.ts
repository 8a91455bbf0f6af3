import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { sampleEngines } from './engines.ts'
import { Scene, successOf } from './scene.ts'
import type { Reply } from './service.ts'

describe.each([...sampleEngines])('%s: a range', (engine) => {
  let scene: Scene
  let path: string
  let whole: string
  let etag: string
  beforeAll(async () => {
    scene = await Scene.open(engine)
    const route = scene.routes.find(({ spec }) => spec.name === 'getFile')
    if (!route) throw new Error('no route for files')
    path = (await scene.bare(route)).path
    const reply = await scene.service.get(path)
    whole = reply.text
    etag = reply.headers.get('etag') ?? ''
  })
  afterAll(() => scene.service.stop())

  const ask = (range: string, headers: Record<string, string> = {}) =>
    scene.service.get(path, { headers: { Range: range, ...headers } })

  /** In the same envelope as every other error. */
  function expectRefused(reply: Reply): void {
    expect([reply.status, reply.body.error.code, reply.body.error.details]).toEqual([
      416,
      'RANGE_NOT_SATISFIABLE',
      { size: whole.length },
    ])
    expect(reply.body.error.requestId).toBe(reply.headers.get('x-request-id') ?? '')
    expect(reply.headers.get('content-range')).toBe(`bytes */${whole.length}`)
    expect(reply.headers.get('cache-control')).toBe('private, no-store')
    expect(reply.headers.get('etag')).toBeNull()
  }

  test('within a file is sent, and one beyond its end is refused', async () => {
    const size = whole.length
    for (const [range, part] of [
      ['bytes=0-3', whole.slice(0, 4)],
      [`bytes=${size - 1}-`, whole.slice(-1)],
      ['bytes=-4', whole.slice(-4)],
      [`bytes=2-${size * 2}`, whole.slice(2)],
    ] as const) {
      const reply = await ask(range)
      expect([range, reply.status, reply.text]).toEqual([range, 206, part])
    }
    for (const range of [
      `bytes=${size}-`,
      `bytes=${size}-${size}`,
      'BYTES= 9999-',
      'bytes=-0',
      'bytes=99-98',
      `bytes=${'9'.repeat(18)}-`,
    ]) {
      expectRefused(await ask(range))
    }
    expectRefused(await ask(`bytes=${size}-`, { 'If-Range': etag }))
  })

  test('that is malformed, of several parts or of another version is ignored', async () => {
    const beyond = `bytes=${whole.length}-`
    for (const range of [
      'bytes=5-2',
      'bytes=x',
      'bytes=',
      'bytes=-',
      'items=99-',
      'bytes=0-1,99-',
      `bytes=${'9'.repeat(30)}-`,
    ]) {
      const reply = await ask(range)
      expect([range, reply.status, reply.text]).toEqual([range, 200, whole])
    }
    expect((await ask(beyond, { 'If-Range': '"other"' })).status).toBe(200)
    expect((await ask(beyond, { 'If-None-Match': etag })).status).toBe(304)
  })

  test('that is refused answers 416 with an error envelope in every form', async () => {
    const number = fc.oneof(
      fc.constant(''),
      fc.nat(whole.length + 2).map(String),
      fc.bigInt({ min: 0n, max: 10n ** 25n }).map(String),
    )
    const space = fc.constantFrom('', ' ', '\t')
    const form = fc.tuple(
      fc.constantFrom('bytes', 'Bytes', 'x'),
      space,
      number,
      fc.constantFrom('-', '', '--'),
      number,
      space,
    )
    await fc.assert(
      fc.asyncProperty(form, async ([unit, before, first, dash, last, after]) => {
        const reply = await ask(`${unit}=${before}${first}${dash}${last}${after}`)
        if (reply.status === 416) expectRefused(reply)
        else expect([200, 206]).toContain(reply.status)
      }),
      { numRuns: 500 },
    )
  })

  test('is ignored on everything but files', async () => {
    for (const route of scene.routes.filter(({ spec }) => spec.method === 'GET' && spec.name !== 'getFile')) {
      const sample = await scene.valid(route)
      const headers = { ...sample.ask.headers, Range: 'bytes=99999999-' }
      const reply = await scene.send(route, { path: sample.path, ask: { ...sample.ask, headers } })
      expect(`${route.spec.name} ${reply.status}`).toBe(`${route.spec.name} ${successOf(route)}`)
    }
  })
})
