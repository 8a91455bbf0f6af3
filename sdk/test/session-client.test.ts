import { expect, test } from 'bun:test'
import { isTossupError, SessionClient, Tossup } from '../src/index.ts'
import { failure, ok, record } from './recorder.ts'

const URL_OF_SERVICE = 'https://polls.example.com'
const TOKEN = { tokenType: 'Bearer', scopes: ['view'], role: 'owner' }

test('a session is exchanged for a token of the brand once, and again when it is due or refused', async () => {
  let issued = 0
  const { fetch, requests } = record(({ path, headers }) => {
    if (path.endsWith('/auth/session/token')) return ok({ ...TOKEN, accessToken: `t${++issued}`, expiresIn: 900 })
    return headers.get('authorization') === 'Bearer t1' && requests.length > 3 ? failure(401, 'UNAUTHORIZED') : ok({})
  })
  const tossup = new Tossup({ url: URL_OF_SERVICE, fetch, auth: { brandSlug: 'tea' } })
  await Promise.all([tossup.getOwnBrand(), tossup.getOwnTheme()])
  await tossup.getOwnBrand()
  expect(requests.map(({ path }) => path.replace('/api/rest/v1', ''))).toEqual([
    '/auth/session/token',
    '/brands/me',
    '/brands/me/theme',
    '/brands/me',
    '/auth/session/token',
    '/brands/me',
  ])
  expect(requests[0]?.body).toEqual({ brandSlug: 'tea' })
  expect(requests.at(-1)?.headers.get('authorization')).toBe('Bearer t2')
})

test('a call without a session fails with the answer to the exchange', async () => {
  const { fetch } = record(() => failure(401, 'UNAUTHORIZED'))
  const tossup = new Tossup({ url: URL_OF_SERVICE, fetch, auth: { brandSlug: 'tea' } })
  const error = await tossup.getOwnBrand().catch((thrown) => thrown)
  expect(isTossupError(error, 'UNAUTHORIZED')).toBeTrue()
})

test('each operation of a session sends its request, and a sign-in is tried once', async () => {
  const { fetch, requests } = record(({ method }) =>
    method === 'DELETE' ? new Response(null, { status: 204 }) : ok([]),
  )
  const session = new SessionClient({ url: URL_OF_SERVICE, fetch })
  await session.read()
  await session.requestLink('ada@example.com')
  await session.signIn('tsl_x')
  await session.signOut()
  await session.listSessions().page()
  await session.endSession('s1')
  await session.challengePasskey()
  await session.signInWithPasskey({ id: 'c' })
  await session.beginPasskey()
  await session.createPasskey({ id: 'c' }, 'Phone')
  await session.listPasskeys().page()
  await session.renamePasskey('p1', 'Laptop')
  await session.deletePasskey('p1')
  await session.readAgentRequest('client_id=x')
  await session.allowAgent({ query: 'client_id=x', brandSlug: 'brand', permissions: ['read'] })
  await session.readService()
  await session.listServedBrands({ q: 'tea', cursor: 'c1', limit: 5 }).page()
  expect(requests.map(({ method, path }) => `${method} ${path.replace(/^\/api\/rest\/v1(\/auth)?/, '')}`)).toEqual([
    'GET /session',
    'POST /links',
    'POST /session',
    'DELETE /session',
    'GET /sessions?limit=100',
    'DELETE /sessions/s1',
    'POST /passkeys/challenge',
    'POST /passkeys/session',
    'POST /passkeys/options',
    'POST /passkeys',
    'GET /passkeys?limit=100',
    'PATCH /passkeys/p1',
    'DELETE /passkeys/p1',
    'POST /agents/request',
    'POST /agents',
    'GET /service',
    'GET /service/brands?q=tea&limit=5&cursor=c1',
  ])
  expect(requests[9]?.body).toEqual({ credential: { id: 'c' }, name: 'Phone' })
  const failing = record(() => failure(503, 'UNAVAILABLE'))
  const once = new SessionClient({ url: URL_OF_SERVICE, fetch: failing.fetch })
  expect(await once.signIn('tsl_x').catch(({ code }) => code)).toBe('UNAVAILABLE')
  expect(failing.requests).toHaveLength(1)
})
