import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { sampleEngines } from './engines.ts'
import { guardKind, Scene } from './scene.ts'
import type { Ask } from './service.ts'

setDefaultTimeout(60_000)

const OWN = new Set(['x-request-id', 'date'])
/** The state of the service has the free bytes of the disk, which other programs use too: its length differs. */
const CHANGING = 'getService'

describe.each([...sampleEngines])('%s: HEAD', (engine) => {
  let scene: Scene
  beforeAll(async () => {
    // Nothing changes between two requests that are compared: no job runs, and no bucket or minute begins.
    scene = await Scene.open(engine, { jobs: 'by hand' })
    scene.service.clock.freeze()
  })
  afterAll(() => scene.service.stop())

  async function headOf(method: string, path: string, { headers, token, device }: Ask) {
    const all: Record<string, string> = { 'Accept-Encoding': 'identity', ...headers }
    if (token) all['Authorization'] = `Bearer ${token}`
    if (device) all['X-Device-Id'] = device
    const url = scene.service.service.url + (path.startsWith('/') ? path : `/api/rest/v1/${path}`)
    const response = await fetch(url, { method, headers: all, decompress: false, redirect: 'manual' })
    if (method === 'HEAD') expect(await response.text()).toBe('')
    else await response.body?.cancel()
    return { status: response.status, headers: response.headers }
  }

  /** Headers with their values, except those that differ with each request: of these only the names. */
  async function expectAlike(name: string, path: string, ask: Ask): Promise<Headers> {
    const get = await headOf('GET', path, ask)
    const head = await headOf('HEAD', path, ask)
    expect([name, head.status]).toEqual([name, get.status])
    // The document of the console has another nonce each time, each request counts, and a second may begin between two.
    const fixed = (value: string) => value.replace(/'nonce-[\w-]+'/, "'nonce'").replace(/;r=\d+;t=\d+/, ';r;t')
    const isOwn = (header: string) => OWN.has(header) || (name === CHANGING && header === 'content-length')
    const common = (headers: Headers) =>
      Object.fromEntries([...headers].flatMap(([header, value]) => (isOwn(header) ? [] : [[header, fixed(value)]])))
    expect([name, common(head.headers)]).toEqual([name, common(get.headers)])
    const [gotAt = Number.NaN, headAt = Number.NaN] = [get, head].map((answer) =>
      Date.parse(answer.headers.get('date') ?? ''),
    )
    if (!(Math.abs(headAt - gotAt) <= 10_000))
      throw new Error(`${name}: the Date of HEAD is ${head.headers.get('date')}`)
    expect(head.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    return head.headers
  }

  // The link of a preview and a cursor of events hold the time at which they were made.
  const reads = () =>
    scene.routes.filter(({ spec }) => spec.method === 'GET' && !['getPollPreview', 'listEvents'].includes(spec.name))
  const with_ = (ask: Ask, headers: Record<string, string>): Ask => ({
    ...ask,
    headers: { ...ask.headers, ...headers },
  })

  test('answers the headers of GET, in every coding, and 304 where GET does', async () => {
    for (const route of reads()) {
      const { name } = route.spec
      const { path, ask } = await scene.valid(route)
      for (const accepted of ['identity', 'br', 'gzip, identity;q=0']) {
        const asking = with_(ask, { 'Accept-Encoding': accepted })
        const headers = await expectAlike(name, path, asking)
        const isStream = headers.get('content-type') === 'text/event-stream' || name === 'getLogBundle'
        expect([name, headers.has('content-length')]).toEqual([name, !isStream])
        const etag = headers.get('etag')
        if (etag !== null) await expectAlike(`${name} 304`, path, with_(asking, { 'If-None-Match': etag }))
      }
    }
  })

  test('is refused as GET is', async () => {
    for (const route of reads()) {
      const { name } = route.spec
      const { path, ask } = await scene.bare(route)
      if (guardKind(route) !== 'none') await expectAlike(`${name} 401`, path, ask)
      await expectAlike(`${name} unknown`, path.replace(/[^/]+$/, 'no-such-thing'), scene.credentials(route, ask))
      await expectAlike(`${name} bad page`, `${path}?limit=0&cursor=x`, { ...ask, ...scene.credentials(route, ask) })
    }
    for (const path of ['/nothing', '/api/rest/v1/auth/token', '/api/rest/v1/nothing', '/%ff']) {
      await expectAlike(path, path, {})
    }
  })
})
