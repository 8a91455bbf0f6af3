import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { fullPath, type Route } from '../src/http/route.ts'
import { fetchRaw, type TestCoding, testCodings } from './content-codings.ts'
import { engines, sampleEngines } from './engines.ts'
import { type Sample, Scene, successOf } from './scene.ts'
import { type Ask, startTestService, type TestService } from './service.ts'

setDefaultTimeout(60_000)

/** Pictures, and a stream that never ends. */
const NEVER = new Set([
  'streamTallies',
  'streamManyTallies',
  'getFile',
  'getEmbedFont',
  ...['getPoll', 'getCampaign', 'getBrand'].flatMap((name) => [`${name}Card`, `${name}CodePicture`]),
  'getDocsPicture',
  'getPollResultsPicture',
  'getResultsPicture',
  'getFavicon',
  'getFaviconBitmap',
  'getLogTile',
])
const SECRET = new Set([
  'issueTokens',
  'refreshTokens',
  'revokeTokens',
  'createWebhook',
  'rotateWebhookSecret',
  'createPollImageTicket',
  'createThemeAssetTicket',
  'createInvitation',
  'createPollResultsLink',
  'createCampaignResultsLink',
  'issueCodes',
  'createApp',
  'rotateAppSecret',
])

const isAuth = ({ spec }: Route): boolean => /\/(?:o?auth)\//.test(fullPath(spec))
/** The document of the console, whose nonce differs with each answer. */
const isDocument = ({ spec }: Route): boolean => /^getConsole(OfBrand|Page|Item|Part)?$/.test(spec.name)
const isNever = (route: Route): boolean => NEVER.has(route.spec.name) || isAuth(route) || isDocument(route)
const isSecret = (route: Route): boolean => SECRET.has(route.spec.name) || isAuth(route)

describe.each([...sampleEngines])('%s: compression', (engine) => {
  let scene: Scene
  beforeAll(async () => {
    // Nothing changes between two requests that are compared: no job runs, and no bucket or minute begins.
    scene = await Scene.open(engine, { jobs: 'by hand' })
    scene.service.clock.freeze()
  })
  afterAll(() => scene.service.stop())

  /** Sends the given Accept-Encoding, or none. */
  function ask(path: string, { headers, token, device, key, json, raw }: Ask, accepted: string, method = 'GET') {
    const all: Record<string, string> = { 'Accept-Encoding': accepted, ...headers }
    if (token) all['Authorization'] = `Bearer ${token}`
    if (device) all['X-Device-Id'] = device
    if (key) all['X-Service-Idempotency-Key'] = key
    if (json !== undefined) all['Content-Type'] = 'application/json'
    const body = raw ?? (json === undefined ? undefined : JSON.stringify(json))
    return fetchRaw(scene.service.service.url + pathOf(path), {
      method,
      headers: all,
      ...(body === undefined ? {} : { body }),
    })
  }

  const pathOf = (path: string) => (path.startsWith('/') ? path : `/api/rest/v1/${path}`)
  /** A stream never ends, the file of a log is compressed as it is made, and a link to a preview, a page of results and a cursor of events hold the time at which they were made. */
  const isUnlikeItself = (name: string) =>
    [
      'streamTallies',
      'streamManyTallies',
      'getPollPreview',
      'getService',
      'getResultsPage',
      'listEvents',
      'getLogBundle',
    ].includes(name)
  // A redirect has no bytes to compress.
  const reads = () =>
    scene.routes.filter(
      (route) => route.spec.method === 'GET' && !isUnlikeItself(route.spec.name) && Number(successOf(route)) < 300,
    )
  const known = ({ headers, ...rest }: Ask, tag: string): Ask => ({
    ...rest,
    headers: { ...headers, 'If-None-Match': tag },
  })

  test('changes only the bytes and the ETag of an answer', async () => {
    for (const route of reads()) {
      const { name } = route.spec
      const { path, ask: asking } = await scene.valid(route)
      const plain = await ask(path, asking, 'identity')
      expect([name, plain.status, plain.headers.get('content-encoding')]).toEqual([name, successOf(route), null])
      const tags = new Set([plain.headers.get('etag')])
      for (const coding of testCodings) {
        const { status, headers, text, bytes } = await ask(path, asking, `${coding}, identity;q=0`)
        const isText = !isNever(route)
        expect([name, status, headers.get('content-encoding')]).toEqual([
          name,
          successOf(route),
          isText ? coding : null,
        ])
        // The document of the console has another nonce each time.
        const words = (each: string) => each.replace(/data-nonce="[\w-]+"/, '')
        expect([name, words(text)]).toEqual([name, words(plain.text)])
        expect(headers.get('content-type')).toBe(plain.headers.get('content-type'))
        expect(headers.get('content-length')).toBe(String(bytes.byteLength))
        expect([name, headers.get('vary')]).toEqual([name, plain.headers.get('vary')])
        const varied = (headers.get('vary') ?? '').split(', ')
        expect([name, varied.includes('Accept-Encoding')]).toEqual([name, isText])
        tags.add(headers.get('etag'))
      }
      const isTagged = plain.headers.get('etag') !== null
      expect([name, tags.size]).toEqual([name, isTagged && !isNever(route) ? 4 : 1])
    }
  })

  test('answers 304 to the ETag of each coding, with the Vary of the answer', async () => {
    let count = 0
    for (const route of reads()) {
      const { name } = route.spec
      const { path, ask: asking } = await scene.valid(route)
      for (const coding of [...testCodings, 'identity'] as const) {
        const accepted = coding === 'identity' ? coding : `${coding}, identity;q=0`
        const { headers } = await ask(path, asking, accepted)
        const etag = headers.get('etag')
        if (etag === null) continue
        const again = await ask(path, known(asking, etag), accepted)
        expect([name, coding, again.status, again.headers.get('etag')]).toEqual([name, coding, 304, etag])
        expect(again.headers.get('vary')).toBe(headers.get('vary'))
        expect(again.headers.get('content-encoding')).toBeNull()
        expect((await ask(path, known(asking, etag.replace('"', '"x')), accepted)).status).toBe(200)
        count++
      }
    }
    expect(count).toBeGreaterThan(40)
  })

  test('never applies to /auth and to answers that show a secret', async () => {
    const seen = new Set<string>()
    for (const route of scene.routes.filter(({ spec }) => spec.method !== 'GET')) {
      const { name, method } = route.spec
      const sample = await scene.valid(route)
      const { status, headers, text } = await ask(sample.path, sample.ask, 'br, identity;q=0', method)
      const isPlain = isSecret(route) || text === ''
      expect([name, status < 300, headers.get('content-encoding')]).toEqual([name, true, isPlain ? null : 'br'])
      if (isSecret(route)) expect([name, headers.get('vary')]).toEqual([name, null])
      seen.add(name)
    }
    for (const name of SECRET) expect(seen).toContain(name)
    const refused = await ask('auth/token', { json: {} }, 'br, identity;q=0', 'POST')
    expect([refused.status, refused.headers.get('content-encoding')]).toEqual([401, null])
  })

  test('replays a write in the coding of the present request', async () => {
    const route = scene.routes.find(({ spec }) => spec.name === 'createPoll') as Route
    const { path, ask: asking }: Sample = await scene.valid(route)
    const key = randomUUID()
    const first = await ask(path, { ...asking, key }, 'identity', 'POST')
    for (const coding of testCodings) {
      const again = await ask(path, { ...asking, key }, `${coding}, identity;q=0`, 'POST')
      expect([again.status, again.text]).toEqual([201, first.text])
      expect([again.headers.get('content-encoding'), again.headers.get('idempotent-replayed')]).toEqual([
        coding,
        'true',
      ])
    }
  })

  test('applies to error answers too', async () => {
    const unknown = Array.from({ length: 40 }, (_, i) => [`field${i}`, i])
    const json = { ...Object.fromEntries(unknown), title: 'Tea?', optionA: {}, optionB: {} }
    const { token } = scene.brand
    const { status, headers, text } = await ask('brands/me/polls', { token, key: randomUUID(), json }, 'gzip', 'POST')
    expect([status, headers.get('content-encoding'), headers.get('vary')]).toEqual([422, 'gzip', 'Accept-Encoding'])
    expect(text.length).toBeGreaterThan(1_024)
    expect(JSON.parse(text).error.code).toBe('VALIDATION_ERROR')
    const missing = await ask('/nothing', {}, 'gzip')
    expect([missing.status, missing.headers.get('content-encoding'), missing.headers.get('vary')]).toEqual([
      404,
      null,
      'Accept-Encoding, Accept, Accept-Language',
    ])
  })

  test('of a snapshot in memory has the content of the plain answer, after each vote', async () => {
    const { service } = scene
    const brand = await service.createBrand()
    const title = 'Tea or coffee, which has been asked for a long time?'
    const poll = await service.createPoll(brand, { title })
    for (let i = 1; i < 20; i++) await service.createPoll(brand, { title, tags: [`tag-${i}`, 'breakfast', 'drinks'] })
    const feed = `brands/${brand.slug}/polls`
    const expectSame = async (path: string, accepted: TestCoding, coding: TestCoding | null) => {
      const { headers, text } = await ask(path, {}, accepted)
      expect([path, headers.get('content-encoding')]).toEqual([path, coding])
      expect(text).toBe((await ask(path, {}, 'identity')).text)
    }
    for (let votes = 0; votes < 4; votes++) {
      for (const coding of [...testCodings, ...testCodings]) {
        await expectSame(`polls/${poll.slug}`, coding, coding)
        await expectSame(`polls/${poll.shortId}/tallies`, coding, null)
        await expectSame(feed, coding, coding)
      }
      await service.vote(poll.slug, 'A')
      const { data } = JSON.parse((await ask(`polls/${poll.slug}`, {}, 'br')).text)
      expect(data.tallies.total).toBe(votes + 1)
    }
  })

  test.each<[string, TestCoding | null]>([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=0.9, br;q=0.8', 'gzip'],
    ['zstd, *;q=0.1', 'zstd'],
    ['*', 'br'],
    ['identity, br;q=0.5', null],
    ['identity;q=0', null],
    ['compress', null],
    [`${'x,'.repeat(2_000)}br`, null],
  ])('goes by %p', async (accepted, coding) => {
    const { status, headers } = await ask('/openapi.json', {}, accepted)
    expect([status, headers.get('content-encoding')]).toEqual([200, coding])
  })
})

describe.each([...engines])('%s: an answer from memory', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine, { jobs: 'by hand' })
  })
  afterAll(() => service.stop())

  /** The parts of an answer that must be equal for equal requests. */
  async function told(path: string, headers: Record<string, string>) {
    const { status, headers: sent, bytes } = await fetchRaw(`${service.service.url}/api/rest/v1/${path}`, { headers })
    const own = [...sent].filter(([name]) => name !== 'x-request-id' && name !== 'date')
    return { status, headers: own.sort(), bytes: Buffer.from(bytes).toString('base64') }
  }

  const tagOf = ({ headers }: Awaited<ReturnType<typeof told>>) => headers.find(([name]) => name === 'etag')?.[1]

  test.each([
    ...['identity', 'gzip', 'br', 'zstd'].map((coding) => [`in ${coding}`, { 'Accept-Encoding': coding }] as const),
    ['that a client has', { 'If-None-Match': '*' }],
    ['that a client has in another coding', { 'If-None-Match': '*', 'Accept-Encoding': 'br' }],
  ])('%s has the same headers when it is sent again, and new ones after a vote', async (_what, headers) => {
    const brand = await service.createBrand()
    const poll = await service.createPoll(brand)
    // A list that is long enough to be compressed.
    for (let others = 0; others < 4; others++) await service.createPoll(brand)
    for (const path of [`polls/${poll.slug}`, `polls/${poll.slug}/tallies`, `brands/${brand.slug}/polls`]) {
      const first = await told(path, headers)
      const tag = tagOf(first)
      for (let again = 0; again < 4; again++) expect(await told(path, headers)).toEqual(first)
      const vote = await service.post(`polls/${poll.slug}/votes`, { device: randomUUID(), json: { option: 'A' } })
      expect(vote.status).toBe(201)
      const next = await told(path, headers)
      expect(tagOf(next)).not.toBe(tag)
      expect(next.headers.map(([name]) => name)).toEqual(first.headers.map(([name]) => name))
    }
  })
})
