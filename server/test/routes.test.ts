import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fullPath, type Route } from '../src/http/route.ts'
import { sampleEngines } from './engines.ts'
import { openapiFile } from './openapi-check.ts'
import { guardKind, isBrandWrite, type Sample, Scene, successOf } from './scene.ts'
import type { Reply } from './service.ts'

const SCOPES = ['view', 'vote', 'manage', 'analytics'] as const
const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS']
const EXPOSED =
  'ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, Original-Request-Id, Idempotent-Replayed, WWW-Authenticate'
const isAuth = ({ spec }: Route): boolean => /^\/(?:api\/rest\/v1\/auth|oauth)\//.test(fullPath(spec))
const isNeverStored = (route: Route): boolean => isAuth(route) || guardKind(route) === 'agent'
const hasCors = ({ spec }: Route): boolean =>
  !/^(?:\/api\/rest\/v1\/(?:auth|service)|\/oauth|\/mcp)(?:\/|$)/.test(fullPath(spec))

/** Reads of what a brand edits: a browser may keep them and asks by their ETag. */
const REVALIDATED = new Set(
  'listOwnPolls getOwnPoll listOwnCampaigns getOwnCampaign listCodeLists getCodeList getOwnBrand getOwnTheme listWebhooks getWebhook'.split(
    ' ',
  ),
)

/** Each path once, with all its methods. */
const eachPath = (routes: readonly Route[]) =>
  [...Map.groupBy(routes, ({ spec }) => fullPath(spec))].flatMap(([path, group]) =>
    group.slice(0, 1).map((route) => {
      const methods: string[] = group.map(({ spec }) => spec.method)
      if (methods.includes('GET')) methods.push('HEAD')
      return { route, path, allowed: hasCors(route) ? [...methods, 'OPTIONS'] : methods }
    }),
  )

/** Status and code, under the route's name, so that a failure names the route. */
const verdict = ({ spec }: Route, { status, body }: Reply) => `${spec.name} ${status} ${body.error?.code ?? 'fine'}`

function expectRefusal(route: Route, reply: Reply, [status, code]: [number, string]): void {
  expect(verdict(route, reply)).toBe(`${route.spec.name} ${status} ${code}`)
  expectHouseStyle(route, reply)
  const { error } = reply.body
  expect(Object.keys(error).sort()).toEqual(['code', 'details', 'message', 'requestId'])
  expect(error.details).toBeObject()
  expect(reply.headers.get('x-request-id')).toBe(error.requestId)
  expect(reply.headers.get('cache-control')).toBe(isAuth(route) ? 'no-store' : 'private, no-store')
}

/** The headers of every answer. */
function expectHouseStyle(route: Route, { headers }: Reply): void {
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('access-control-allow-origin')).toBe(hasCors(route) ? '*' : null)
  expect(headers.get('access-control-expose-headers')).toBe(hasCors(route) ? EXPOSED : null)
  expect(headers.get('access-control-allow-credentials')).toBeNull()
  const answer = route.spec.answers[successOf(route)]
  if (!answer?.headers?.always?.includes('Set-Cookie')) expect(headers.get('set-cookie')).toBeNull()
}

const takesTokens = (route: Route): boolean => ['brand', 'member', 'voter'].includes(guardKind(route))

/** The answer to a token that is none. */
function expectNoUseOfToken(route: Route, reply: Reply): void {
  if (takesTokens(route)) {
    expectRefusal(route, reply, [401, 'UNAUTHORIZED'])
    expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="tossup", error="invalid_token"')
  } else if (guardKind(route) === 'none') {
    expect(verdict(route, reply)).toBe(`${route.spec.name} ${successOf(route)} fine`)
  }
}

describe.each([...sampleEngines])('%s: every route', (engine) => {
  let scene: Scene
  let routes: readonly Route[]
  beforeAll(async () => {
    scene = await Scene.open(engine)
    routes = scene.routes
  })
  afterAll(() => scene.service.stop())

  // spec: 1-1, 1-5, 5-1
  test('answers a valid request, with its Cache-Control', async () => {
    for (const route of routes) {
      const reply = await scene.send(route, await scene.valid(route))
      expect(verdict(route, reply)).toBe(`${route.spec.name} ${successOf(route)} fine`)
      expectHouseStyle(route, reply)
      const kept = reply.headers.get('cache-control') ?? ''
      if (isNeverStored(route)) expect(kept).toBe('no-store')
      else if (REVALIDATED.has(route.spec.name)) expect(kept).toBe('private, no-cache')
      else if (guardKind(route) !== 'none') expect(kept).toBe('private, no-store')
      if (route.spec.caching !== 'public') continue
      expect(kept).toBe('public, max-age=0, s-maxage=2')
      expect(reply.headers.get('etag')).toMatch(/^"([A-Za-z0-9_-]{22}|v\d+)(-br)?"$/)
    }
  })

  // spec: 5-3, 7-6, 7-13
  test('without credentials is 401 where it needs them', async () => {
    for (const route of routes) {
      const kind = guardKind(route)
      // `/mcp` refuses in its own form: see `agents.test.ts`.
      if (['none', 'page', 'optional key', 'agent'].includes(kind)) continue
      const reply = await scene.send(route, await scene.bare(route))
      expectRefusal(route, reply, [401, kind === 'key' ? 'INVALID_API_KEY' : 'UNAUTHORIZED'])
      const scheme = { key: 'ApiKey', session: 'Session' }[kind as string] ?? 'Bearer'
      expect(reply.headers.get('www-authenticate')).toBe(`${scheme} realm="tossup"`)
    }
  })

  // spec: 4-6, 5-1, 7-6
  test('refuses broken credentials, and public reads ignore credentials', async () => {
    const sendAs = (route: Route, authorization: string, { path, ask: { token: _, ...ask } }: Sample) =>
      scene.send(route, { path, ask: { ...ask, headers: { ...ask.headers, Authorization: authorization } } })
    for (const route of routes) {
      // A refused request uses nothing up.
      const unused = takesTokens(route) ? await scene.valid(route) : null
      for (const authorization of ['Bearer nonsense', 'Bearer', 'Basic dGVzdDp0ZXN0', `bearer ${scene.brand.token}x`]) {
        const reply = await sendAs(route, authorization, unused ?? (await scene.valid(route)))
        expectNoUseOfToken(route, reply)
      }
    }
  })

  // spec: 7-7
  test('needs no scope but those of its guard, and names the missing one', async () => {
    const tokens: { missing: string; token: string }[] = []
    for (const missing of SCOPES) {
      const held = SCOPES.filter((scope) => scope !== missing)
      const app = await scene.service.createApp(scene.brand.brandKey, held)
      tokens.push({ missing, token: (await scene.service.exchange(app)).accessToken })
    }
    const refusalsOf = async (route: Route) => {
      const refusals: Reply[] = []
      for (const { missing, token } of tokens) {
        const { path, ask } = await scene.bare(route)
        const reply = await scene.send(route, {
          path,
          ask: { ...ask, token, key: `without-${missing}-${route.spec.name}` },
        })
        if (reply.status !== 403) continue
        expectRefusal(route, reply, [403, 'SCOPE_REQUIRED'])
        expect(reply.body.error.details).toEqual({ scope: missing })
        refusals.push(reply)
      }
      return refusals
    }
    for (const route of routes.filter((candidate) => ['brand', 'voter'].includes(guardKind(candidate)))) {
      // A link gives away what analytics reads, by a change.
      const most = route.spec.path.includes('/results-links') ? 2 : 1
      expect(await refusalsOf(route)).toHaveLength(route.spec.guard.errors.includes('SCOPE_REQUIRED') ? most : 0)
    }
  })

  // spec: 5-5, 7-7
  test('of a brand refuses an app without a brand', async () => {
    const app = await scene.service.createApp(null, ['view', 'vote'])
    const { accessToken } = await scene.service.exchange(app)
    const brandRoutes = routes.filter((route) => guardKind(route) === 'brand')
    expect(brandRoutes).not.toBeEmpty()
    for (const route of brandRoutes) {
      const { path, ask } = await scene.valid(route)
      const reply = await scene.send(route, { path, ask: { ...ask, token: accessToken } })
      expectRefusal(route, reply, [403, 'BRAND_CONTEXT_REQUIRED'])
    }
  })

  // spec: 0-2, 4-2, 4-3, 4.5-1, 4.8-1, 4.11-1, 4.12-1, 4.14-1, 4.15-1, 7-5, 8-3
  test('that writes for a brand needs a well-formed idempotency key', async () => {
    const writes = routes.filter(isBrandWrite)
    expect(writes).not.toBeEmpty()
    for (const route of writes) {
      expect({ [route.spec.name]: route.kind }).toEqual({ [route.spec.name]: 'once' })
      const longest = (route.kind === 'once' ? route.spec.longestKey : undefined) ?? 255
      // A refused request uses nothing up.
      const unused = await scene.valid(route)
      const withKey = ({ path, ask }: Sample, key?: string) => {
        const { key: _, ...rest } = ask
        const headers = { ...ask.headers, ...(key === undefined ? {} : { 'X-Service-Idempotency-Key': key }) }
        return scene.send(route, { path, ask: { ...rest, headers } })
      }
      expectRefusal(route, await withKey(unused), [400, 'IDEMPOTENCY_KEY_REQUIRED'])
      const bad = [
        '1234567',
        'k'.repeat(longest + 1),
        'has a space',
        'has/slash',
        'has+plus',
        'komma,komma',
        'ümlauts-in',
        '12345678,87654321',
      ]
      for (const key of bad) expectRefusal(route, await withKey(unused, key), [400, 'IDEMPOTENCY_KEY_INVALID'])
      const letter = route.spec.name.slice(0, 2)
      const good = ['A.z_~-09', `${letter}______`, letter.padEnd(longest, '~')]
      for (const key of good) {
        const reply = await withKey(await scene.valid(route), key)
        expect({
          [route.spec.name]: reply.status < 300 || reply.body.error?.code === 'IDEMPOTENCY_KEY_REUSED',
        }).toEqual({
          [route.spec.name]: true,
        })
      }
    }
  })

  test('lists its methods in Allow and refuses all others', async () => {
    for (const { route, path, allowed } of eachPath(routes)) {
      const target = (await scene.bare(route)).path
      for (const method of METHODS.filter((candidate) => !allowed.includes(candidate))) {
        const reply = await scene.service.request(method, target)
        expect(`${method} ${path} ${reply.status}`).toBe(`${method} ${path} 405`)
        expect(reply.headers.get('allow')?.split(', ').sort()).toEqual([...allowed].sort())
        if (method === 'HEAD') expectHouseStyle(route, reply)
        else expectRefusal(route, reply, [405, 'METHOD_NOT_ALLOWED'])
      }
    }
  })

  test('answers a CORS preflight, except under /auth and /service', async () => {
    for (const { route, path, allowed } of eachPath(routes).filter((each) => hasCors(each.route))) {
      const reply = await scene.service.request('OPTIONS', (await scene.bare(route)).path, {
        headers: { Origin: 'https://page.test', 'Access-Control-Request-Method': 'POST' },
      })
      expect(`${path} ${reply.status}${reply.text}`).toBe(`${path} 204`)
      expectHouseStyle(route, reply)
      expect(reply.headers.get('access-control-allow-methods')?.split(', ').sort()).toEqual([...allowed].sort())
      expect(reply.headers.get('access-control-allow-headers')).toBe(
        'Content-Type, Authorization, X-Device-Id, X-Vote-Code, X-Challenge-Solution, X-Service-Idempotency-Key, If-None-Match, If-Match, Last-Event-ID',
      )
    }
  })

  // spec: 0-1, 4.1-2
  test('is in openapi.json under its own name', () => {
    const { paths } = JSON.parse(readFileSync(openapiFile, 'utf8')) as {
      paths: Record<string, Record<string, { operationId: string }>>
    }
    const inReference = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { operationId }]) =>
        operationId ? [[method, path, operationId]] : [],
      ),
    )
    expect(inReference.sort()).toEqual(
      routes
        .filter(({ spec }) => !spec.isOutside)
        .map(({ spec }) => [spec.method.toLowerCase(), spec.path, spec.name])
        .sort(),
    )
  })
})

describe('an unknown path', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await Scene.open('sqlite')
  })
  afterAll(() => scene.service.stop())

  // spec: 0-1, 7-13, 9-1, 9-3
  test('is 404 in the same envelope for every method', async () => {
    const api = ['/api/rest/v1', '/api/rest/v1/', '/api/rest/v2/categories', '/api/rest/v1/categories/']
    const spellings = ['/API/rest/v1/categories', '/api/rest/v1/%63ategories', '/api//rest/v1/categories', '/livez;a=b']
    for (const path of ['/nothing', ...api, ...spellings, '/api/rest/v1/brands', '/api/rest/v1/auth']) {
      for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE']) {
        const { status, headers, text } = await scene.service.request(method, path)
        expect(`${method} ${path} ${status}`).toBe(`${method} ${path} 404`)
        const requestId = headers.get('x-request-id')
        expect(JSON.parse(text)).toEqual({
          error: { code: 'NOT_FOUND', message: 'Not found.', details: {}, requestId },
        })
        expect(headers.get('cache-control')).toBe('private, no-store')
        expect(headers.get('access-control-allow-origin')).toBe('*')
      }
    }
  })
})
