import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { sampleEngines } from '../../server/test/engines.ts'
import { startTestService, type TestBrand, type TestService } from '../../server/test/service.ts'
import { isTossupError, type TokenPair, Tossup } from '../src/index.ts'
import { FaultyProxy } from './faulty-proxy.ts'
import { caught, record } from './recorder.ts'

/** Longer than an access token lives. */
const EXPIRED_MS = 3_600_000

/** The SDK and the service read the same clock, which goes on with real time: only `expire` makes a token expire. */
const now = Date.now
let shiftMs = 0
const clock = spyOn(Date, 'now').mockImplementation(() => now() + shiftMs)
const expire = () => {
  shiftMs += EXPIRED_MS
}
afterAll(() => clock.mockRestore())

/** A fetch that records the paths under /auth. */
function listening() {
  const asked: string[] = []
  const send = ((address: string, init: RequestInit) => {
    const { pathname } = new URL(address)
    if (pathname.includes('/auth/')) asked.push(pathname.slice(pathname.indexOf('/auth/')))
    return fetch(address, init)
  }) as typeof fetch
  return { asked, fetch: send }
}

describe.each([...sampleEngines])('on %s', (engine) => {
  let service: TestService
  let brand: TestBrand

  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })

  afterAll(() => service.stop())

  const url = () => service.service.url
  const key = () => ({ apiKeyId: brand.apiKeyId, apiKeySecret: brand.apiKeySecret })

  test('many calls at once make one exchange, and one refresh when the token has expired', async () => {
    const { asked, fetch } = listening()
    const tossup = new Tossup({ url: url(), fetch, auth: { ...key(), externalDeviceId: 'me' } })
    const many = () => Promise.all(Array.from({ length: 20 }, () => tossup.getOwnBrand()))
    const brands = await many()
    expect(brands.map(({ slug }) => slug)).toEqual(new Array(20).fill(brand.slug))
    expect(asked).toEqual(['/auth/token'])
    expire()
    await many()
    expect(asked).toEqual(['/auth/token', '/auth/token/refresh'])
    expire()
    await many()
    expect(asked).toEqual(['/auth/token', '/auth/token/refresh', '/auth/token/refresh'])
  })

  test('tokens that were revoked early are replaced, once', async () => {
    const { asked, fetch } = listening()
    const tossup = new Tossup({ url: url(), fetch, auth: { ...key(), externalDeviceId: 'me' } })
    await tossup.getOwnBrand()
    const stranger = new Tossup({ url: url(), auth: { ...key(), externalDeviceId: 'me' } })
    const { refreshToken } = await stranger.issueTokens({ externalDeviceId: 'somebody' })
    await stranger.revokeTokens(refreshToken)
    expect(isTossupError(await caught(stranger.refreshTokens(refreshToken)), 'INVALID_REFRESH_TOKEN')).toBe(true)
    await tossup.revokeTokens()
    await Promise.all([tossup.getOwnBrand(), tossup.getOwnBrand()])
    expect(asked).toEqual(['/auth/token', '/auth/token/revoke', '/auth/token'])
  })

  test('a given pair is refreshed, each new pair is reported, and no refresh token is used twice', async () => {
    const first = await new Tossup({ url: url(), auth: { ...key(), externalDeviceId: 'x' } }).issueTokens({
      externalDeviceId: 'a phone',
      scopes: ['view', 'vote', 'manage'],
    })
    const told: TokenPair[] = []
    const auth = { tokens: first, onTokens: (pair: TokenPair) => void told.push(pair) }
    const tossup = new Tossup({ url: url(), auth })
    expect((await tossup.getOwnBrand()).scopes).toEqual(['view', 'vote', 'manage'])
    expect(told).toEqual([])
    for (let i = 1; i <= 3; i++) {
      expire()
      await Promise.all([tossup.getOwnBrand(), tossup.getOwnTheme()])
      expect(told).toHaveLength(i)
    }
    expect(new Set([first, ...told].map((pair) => pair.refreshToken)).size).toBe(4)
    await tossup.revokeTokens()
    const error = await caught(new Tossup({ url: url(), auth: { tokens: told[2] as TokenPair } }).getOwnBrand())
    expect(isTossupError(error, 'INVALID_REFRESH_TOKEN')).toBe(true)
  })

  test('a refresh whose answer is lost is repeated, and the token family stays valid', async () => {
    const proxy = new FaultyProxy(url())
    await proxy.open()
    try {
      const { asked, fetch } = listening()
      const tossup = new Tossup({ url: proxy.url, fetch, auth: { ...key(), externalDeviceId: 'me' } })
      await tossup.getOwnBrand()
      expire()
      proxy.plan.push('lose', 'halve', 'refuse')
      await tossup.getOwnBrand()
      expect(proxy.seen.filter((fault) => fault !== 'pass')).toEqual(['lose', 'halve', 'refuse'])
      expect(asked.slice(0, 5)).toEqual(['/auth/token', ...new Array(4).fill('/auth/token/refresh')])
      expire()
      const before = asked.length
      await tossup.getOwnBrand()
      // If the family had been revoked, a second exchange would have been needed.
      expect(asked.slice(before)).toEqual(['/auth/token/refresh'])
      expect(asked.filter((path) => path === '/auth/token')).toHaveLength(1)
    } finally {
      await proxy.close()
    }
  })

  test('a caller that aborts does not abort the exchange for the others', async () => {
    const { asked, fetch } = listening()
    const tossup = new Tossup({ url: url(), fetch, auth: { ...key(), externalDeviceId: 'me' } })
    const leaving = new AbortController()
    const left = caught(tossup.getOwnBrand({ signal: leaving.signal }))
    const stays = tossup.getOwnBrand()
    leaving.abort('left')
    expect(await left).toBe('left')
    expect((await stays).slug).toBe(brand.slug)
    expect(asked).toEqual(['/auth/token'])
  })

  test('a wrong key is INVALID_API_KEY, and a scope that the app lacks is INVALID_SCOPE', async () => {
    const wrong = { ...key(), apiKeySecret: '0'.repeat(64), externalDeviceId: 'me' }
    expect(isTossupError(await caught(new Tossup({ url: url(), auth: wrong }).getOwnBrand()), 'INVALID_API_KEY')).toBe(
      true,
    )
    const viewer = await service.createApp(brand.brandKey, ['view'])
    const auth = { apiKeyId: viewer.apiKeyId, apiKeySecret: viewer.apiKeySecret, externalDeviceId: 'me' }
    const asked = new Tossup({ url: url(), auth: { ...auth, scopes: ['manage'] } }).getOwnBrand()
    expect(isTossupError(await caught(asked), 'INVALID_SCOPE')).toBe(true)
    const error = await caught(
      new Tossup({ url: url(), auth }).createPoll({ title: 'x', optionA: { label: 'x' }, optionB: { label: 'y' } }),
    )
    expect(isTossupError(error, 'SCOPE_REQUIRED') && error.details.scope).toBe('manage')
  })
})

test('a token from a callback is requested before each call, and once more when it is refused', async () => {
  const { fetch, requests } = record(() =>
    Response.json({ error: { code: 'UNAUTHORIZED', message: 'no', details: {}, requestId: 'r' } }, { status: 401 }),
  )
  let asked = 0
  const tossup = new Tossup({ url: 'https://x.example', fetch, auth: { accessToken: async () => `token-${++asked}` } })
  expect(isTossupError(await caught(tossup.getOwnBrand()), 'UNAUTHORIZED')).toBe(true)
  expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer token-1', 'Bearer token-2'])
})

test('an operation that needs tokens or a key throws before anything is sent', async () => {
  const { fetch, requests } = record(() => Response.json({}))
  const none = new Tossup({ url: 'https://x.example', fetch })
  expect(isTossupError(await caught(none.getOwnBrand()), 'UNAUTHORIZED')).toBe(true)
  expect(() => none.listOwnPolls()).toThrow('auth')
  const keyless = new Tossup({ url: 'https://x.example', fetch, auth: { accessToken: () => 'x' } })
  expect(() => keyless.issueTokens({ externalDeviceId: 'x' })).toThrow('API key')
  await keyless.revokeTokens()
  expect(requests).toEqual([])
})
