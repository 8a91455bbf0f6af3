import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { DAY, SECOND } from '../src/base/clock.ts'
import { AuthClient } from './auth-client.ts'
import { engines } from './engines.ts'
import { keyHeaders, startTestService, type TestBrand, type TestService } from './service.ts'

const NEVER_ISSUED = `tsr_${'A'.repeat(43)}`
const ALL_SCOPES = ['view', 'vote', 'manage', 'analytics']

describe.each([...engines])('%s: tokens', (engine) => {
  let service: TestService
  let auth: AuthClient
  let brand: TestBrand

  beforeAll(async () => {
    service = await startTestService(engine, { settings: { TRUSTED_PROXIES: '127.0.0.1', LOG_LEVEL: 'trace' } })
    auth = new AuthClient(service)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  describe('exchange', () => {
    // spec: 1-4, 2.9-1, 4.2-4, 4.2-5, 5-4
    test('gives a pair with every scope of the app', async () => {
      const { status, headers, body } = await auth.exchange(brand)
      expect(status).toBe(200)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(body.data).toMatchObject({ tokenType: 'Bearer', expiresIn: 900, scopes: ALL_SCOPES })
      expect(Object.keys(body.data)).toHaveLength(5)
      for (const token of [body.data.accessToken, body.data.refreshToken]) {
        expect(Buffer.from(token.slice(4), 'base64url')).toHaveLength(32)
      }
      expect(await auth.isAlive(body.data.accessToken)).toBe(true)
    })

    // spec: 4.2-4
    test('gives the requested scopes, each once, in a fixed order', async () => {
      const externalDeviceId = 'x'
      const { scopes } = await auth.pair(brand, { externalDeviceId, scopes: ['manage', 'vote', 'manage'] })
      expect(scopes).toEqual(['vote', 'manage'])
      const { accessToken } = await auth.pair(brand, { externalDeviceId, scopes: ['view'] })
      const refused = await service.get('brands/me/polls', { token: accessToken })
      expect(refused.status).toBe(403)
      expect(refused.body.error).toMatchObject({ code: 'SCOPE_REQUIRED', details: { scope: 'manage' } })
    })

    // spec: 4.2-7, 5-4
    test('refuses scopes that the app lacks, known or unknown, and names them', async () => {
      const app = await service.createApp(brand.brandKey, ['view', 'vote'])
      const scopes = ['view', 'manage', 'everything']
      const { status, body } = await auth.exchange(app, { externalDeviceId: 'x', scopes })
      expect(status).toBe(400)
      expect(body.error).toMatchObject({ code: 'INVALID_SCOPE', details: { scopes: ['manage', 'everything'] } })
    })

    test('gives an app without a brand a token that votes but manages no brand', async () => {
      const app = await service.createApp(null, ['view', 'vote'])
      const { accessToken: token } = await auth.pair(app)
      const refused = await service.get('brands/me/polls', { token })
      expect(refused.status).toBe(403)
      expect(refused.body.error.code).toBe('BRAND_CONTEXT_REQUIRED')
      const { slug } = await service.createPoll(brand)
      expect((await service.post(`polls/${slug}/votes`, { token, json: { option: 'A' } })).status).toBe(201)
    })

    const wrongKeys: [string, (headers: Record<string, string>) => Record<string, string>][] = [
      ['no headers', () => ({})],
      ['no secret', (right) => ({ 'X-API-Key-ID': right['X-API-Key-ID'] ?? '' })],
      ['no id', (right) => ({ 'X-API-Key-Secret': right['X-API-Key-Secret'] ?? '' })],
      ['empty headers', () => ({ 'X-API-Key-ID': '', 'X-API-Key-Secret': '' })],
      ['a malformed id', (right) => ({ ...right, 'X-API-Key-ID': "tai_' or 1=1 --" })],
      ['an unknown id', (right) => ({ ...right, 'X-API-Key-ID': `tai_${'A'.repeat(24)}` })],
      ['an id in another case', (right) => ({ ...right, 'X-API-Key-ID': `TAI_${right['X-API-Key-ID']?.slice(4)}` })],
      ['a wrong secret', (right) => ({ ...right, 'X-API-Key-Secret': '0'.repeat(64) })],
      [
        'a secret with one character more',
        (right) => ({ ...right, 'X-API-Key-Secret': `${right['X-API-Key-Secret']}0` }),
      ],
      ['a very long secret', (right) => ({ ...right, 'X-API-Key-Secret': 'f'.repeat(8_000) })],
      ['bytes beyond ASCII', (right) => ({ ...right, 'X-API-Key-ID': 'tai_\u00e9\u00ff' })],
    ]

    // spec: 4.2-1, 7-10
    test.each(wrongKeys)('answers 401 to %s', async (_name, change) => {
      const headers = change(keyHeaders(brand))
      const {
        status,
        headers: answered,
        body,
        text,
      } = await auth.ask('token', { headers, json: { externalDeviceId: 'x' } })
      expect(status).toBe(401)
      expect(body.error.code).toBe('INVALID_API_KEY')
      expect(answered.get('www-authenticate')).toContain('ApiKey')
      expect(answered.get('cache-control')).toContain('no-store')
      expect(text).not.toContain(brand.apiKeySecret)
    })

    test('answers an unknown key and a wrong secret alike', async () => {
      const json = { externalDeviceId: 'x' }
      const unknown = await auth.ask('token', { json, app: { ...brand, apiKeyId: `tai_${'B'.repeat(24)}` } })
      const wrong = await auth.ask('token', { json, app: { ...brand, apiKeySecret: '1'.repeat(64) } })
      expect({ ...unknown.body.error, requestId: '' }).toEqual({ ...wrong.body.error, requestId: '' })
    })

    // spec: 4.2-3
    test.each([
      ['1 character', 'x', 200],
      ['255 characters', 'x'.repeat(255), 200],
      ['255 characters outside the first plane', '😀'.repeat(255), 200],
      ['256 characters', 'x'.repeat(256), 422],
      ['none', '', 422],
      ['a number', 7, 422],
      ['null', null, 422],
      ['a UUID', '6f1c2b1e-94f7-4b8a-9a3e-0f6f0a6b7c11', 200],
      ['the nil UUID', '00000000-0000-0000-0000-000000000000', 422],
      ['the max UUID', 'FFFFFFFF-ffff-ffff-ffff-ffffffffffff', 422],
    ])('accepts or refuses an externalDeviceId of %s', async (_name, externalDeviceId, status) => {
      const reply = await auth.exchange(brand, { externalDeviceId })
      expect(reply.status).toBe(status)
      if (status === 422) expect(reply.body.error.details['fields']).toMatchObject([{ path: 'externalDeviceId' }])
    })

    test.each([
      ['no device', {}, 'externalDeviceId'],
      ['an empty list of scopes', { externalDeviceId: 'x', scopes: [] }, 'scopes'],
      ['scopes that are no list', { externalDeviceId: 'x', scopes: 'view' }, 'scopes'],
      ['a scope that is no string', { externalDeviceId: 'x', scopes: [1] }, 'scopes.0'],
      ['an unknown field', { externalDeviceId: 'x', scope: 'view' }, 'scope'],
    ])('answers 422 to %s', async (_name, json, path) => {
      const { status, body } = await auth.exchange(brand, json)
      expect(status).toBe(422)
      expect(body.error.details['fields']).toMatchObject([{ path }])
    })

    test('checks the key before the body', async () => {
      expect((await auth.ask('token', { raw: '{' })).status).toBe(401)
      expect(
        (await auth.ask('token', { app: brand, raw: '{', headers: { 'Content-Type': 'application/json' } })).status,
      ).toBe(400)
      expect(
        (await auth.ask('token', { app: brand, raw: '{}', headers: { 'Content-Type': 'text/plain' } })).status,
      ).toBe(415)
    })
  })

  describe('refresh', () => {
    // spec: 4.2-6
    test('gives a pair with the same scopes, and the earlier access token stays valid until it expires', async () => {
      const first = await auth.pair(brand, { externalDeviceId: 'x', scopes: ['view', 'manage'] })
      const reply = await auth.refresh(first.refreshToken)
      expect(reply.status).toBe(200)
      expect(reply.headers.get('cache-control')).toBe('no-store')
      const second = reply.body.data
      expect(second).toMatchObject({ tokenType: 'Bearer', expiresIn: 900, scopes: ['view', 'manage'] })
      expect(new Set([first.accessToken, first.refreshToken, second.accessToken, second.refreshToken]).size).toBe(4)
      expect(await auth.isAlive(second.accessToken)).toBe(true)
      expect(await auth.isAlive(first.accessToken)).toBe(true)
    })

    test.each([
      ['never issued', NEVER_ISSUED],
      ['of another shape', 'x'],
      ['with a quote', "' or ''='"],
      ['beyond ASCII', 'ü😀'],
    ])('answers 401 to a token %s', async (_name, token) => {
      const { status, body, headers } = await auth.refresh(token)
      expect(status).toBe(401)
      expect(body.error.code).toBe('INVALID_REFRESH_TOKEN')
      expect(headers.get('www-authenticate')).toContain('Bearer')
    })

    test('refuses an access token, and a refresh token authorizes no request', async () => {
      const { accessToken, refreshToken } = await auth.pair(brand)
      expect((await auth.refresh(accessToken)).status).toBe(401)
      expect(await auth.isAlive(refreshToken)).toBe(false)
      expect(await auth.isAlive(accessToken)).toBe(true)
    })

    // spec: 5-9
    test('validates its body', async () => {
      expect((await auth.ask('token/refresh', { json: {} })).status).toBe(422)
      expect((await auth.ask('token/refresh', { json: { refreshToken: '' } })).status).toBe(422)
      expect((await auth.ask('token/refresh', { json: { refreshToken: NEVER_ISSUED, token: 'x' } })).status).toBe(422)
      expect((await auth.ask('token/revoke', { json: { refreshToken: 'x' } })).status).toBe(422)
      expect(
        (await auth.ask('token/revoke', { raw: '', headers: { 'Content-Type': 'application/json' } })).status,
      ).toBe(400)
    })

    test('needs no key headers, and refuses those of another app', async () => {
      const other = await service.createApp(brand.brandKey, ['view'])
      const pair = await auth.pair(brand)
      for (const app of [other, { ...brand, apiKeySecret: '0'.repeat(64) }]) {
        for (const reply of [
          await auth.refresh(pair.refreshToken, { app }),
          await auth.revoke(pair.refreshToken, { app }),
          await auth.revoke(pair.accessToken, { app }),
        ]) {
          expect(reply.status).toBe(401)
          expect(reply.body.error.code).toBe('INVALID_API_KEY')
        }
      }
      const half = { headers: { 'X-API-Key-ID': brand.apiKeyId } }
      expect((await auth.refresh(pair.refreshToken, half)).status).toBe(401)
      expect(await auth.isAlive(pair.accessToken)).toBe(true)
      const next = await auth.refresh(pair.refreshToken, { app: brand })
      expect(next.status).toBe(200)
      expect((await auth.revoke(next.body.data.refreshToken, { app: brand })).status).toBe(200)
      expect(await auth.isAlive(next.body.data.accessToken)).toBe(false)
    })
  })

  describe('revoke', () => {
    // spec: 5-8
    test.each(['accessToken', 'refreshToken'] as const)(
      'by the %s revokes the whole family, and no other',
      async (kind) => {
        const bystander = await auth.pair(brand)
        const first = await auth.pair(brand)
        const second = await auth.rotate(first)
        const { status, body, headers } = await auth.revoke(first[kind])
        expect(status).toBe(200)
        expect(body).toEqual({ data: { revoked: true } } as never)
        expect(headers.get('cache-control')).toBe('no-store')
        for (const { accessToken, refreshToken } of [first, second]) {
          expect(await auth.isAlive(accessToken)).toBe(false)
          expect((await auth.refresh(refreshToken)).status).toBe(401)
        }
        expect(await auth.isAlive(bystander.accessToken)).toBe(true)
        expect((await auth.revoke(second[kind])).status).toBe(200)
      },
    )

    // spec: 5-9
    test('answers 200 for a token that is not known', async () => {
      expect((await auth.revoke(NEVER_ISSUED)).body).toEqual({ data: { revoked: true } } as never)
      expect((await auth.revoke('x', { app: brand })).status).toBe(200)
    })
  })

  test('of an app ends its key, access tokens and refresh tokens at once', async () => {
    const app = await service.createApp(brand.brandKey, ['manage', 'vote'])
    const pair = await auth.pair(app)
    const { slug } = await service.createPoll(brand)
    await service.db.updateTable('apps').set({ revoked_at: 1 }).where('id', '=', app.appId).execute()
    expect((await auth.exchange(app)).status).toBe(401)
    expect(await auth.isAlive(pair.accessToken)).toBe(false)
    expect((await service.post(`polls/${slug}/votes`, { token: pair.accessToken, json: { option: 'A' } })).status).toBe(
      401,
    )
    expect((await auth.refresh(pair.refreshToken)).status).toBe(401)
    expect((await auth.revoke(pair.refreshToken)).status).toBe(200)
    expect(await auth.isAlive(brand.token)).toBe(true)
  })

  // spec: 5-10
  test('no key or token is stored or logged in plain text', async () => {
    const externalDeviceId = `device-${randomUUID()}`
    const uuidDevice = randomUUID()
    const first = await auth.pair(brand, { externalDeviceId })
    const second = await auth.rotate(first)
    await auth.pair(brand, { externalDeviceId: uuidDevice })
    const { slug } = await service.createPoll(brand)
    await service.vote(slug, 'A', uuidDevice)
    await auth.refresh(`${second.refreshToken}x`)
    await auth.ask('token', { app: { ...brand, apiKeyId: second.refreshToken }, json: { externalDeviceId } })
    const tokens = [first, second].flatMap((pair) => [pair.accessToken, pair.refreshToken])
    const secrets = [
      ...tokens,
      ...tokens.map((token) => token.slice(4)),
      brand.apiKeySecret,
      externalDeviceId,
      uuidDevice,
    ]
    const written = `${await dump(service)}\n${service.logLines.join('')}`
    expect(written).toContain(brand.apiKeyId)
    for (const secret of secrets) {
      for (const shape of shapesOf(secret)) expect(written).not.toContain(shape)
    }
  })

  describe('over time', () => {
    // spec: 1-4, 5-6
    test('an access token expires to the second', async () => {
      service.clock.freeze()
      const { accessToken } = await auth.pair(brand)
      service.clock.advance(900 * SECOND - 1)
      expect(await auth.isAlive(accessToken)).toBe(true)
      service.clock.advance(1)
      expect(await auth.isAlive(accessToken)).toBe(false)
    })

    test('a refresh token expires after 30 days without use, and each use gives 30 more', async () => {
      const idle = await auth.pair(brand)
      const used = await auth.pair(brand)
      service.clock.advance(30 * DAY - 1)
      const next = await auth.rotate(used)
      service.clock.advance(1)
      expect((await auth.refresh(idle.refreshToken)).status).toBe(401)
      service.clock.advance(29 * DAY)
      await auth.rotate(next)
    })

    test('no family lives longer than 90 days, and no token longer than its family', async () => {
      let pair = await auth.pair(brand)
      for (const days of [29, 29, 29]) {
        service.clock.advance(days * DAY)
        pair = await auth.rotate(pair)
      }
      service.clock.advance(3 * DAY - 10 * SECOND)
      pair = await auth.rotate(pair)
      expect(pair.expiresIn).toBe(10)
      service.clock.advance(10 * SECOND - 500)
      pair = await auth.rotate(pair)
      expect(pair.expiresIn).toBe(0)
      expect(await auth.isAlive(pair.accessToken)).toBe(true)
      service.clock.advance(500)
      expect(await auth.isAlive(pair.accessToken)).toBe(false)
      expect((await auth.refresh(pair.refreshToken)).status).toBe(401)
    })

    test('an expired token is not taken for reuse, and its family lives on', async () => {
      const first = await auth.pair(brand)
      const second = await auth.rotate(first)
      service.clock.advance(29 * DAY)
      const third = await auth.rotate(second)
      service.clock.advance(2 * DAY)
      expect((await auth.refresh(first.refreshToken)).status).toBe(401)
      expect((await auth.refresh(third.refreshToken)).status).toBe(200)
    })
  })
})

/** Every value of every table, with bytes as text, so that unhashed secrets would be found. */
async function dump({ db }: TestService): Promise<string> {
  const tables = await db.introspection.getTables()
  const rows = await Promise.all(
    tables.map(({ name }) =>
      db
        .selectFrom(name as 'apps')
        .selectAll()
        .execute(),
    ),
  )
  const values = rows.flat().flatMap((row) => Object.values(row) as unknown[])
  expect(values.length).toBeGreaterThan(50)
  return values.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value)).join('\n')
}

const shapesOf = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString('base64url'),
  Buffer.from(secret).toString('hex'),
  Buffer.from(secret, 'base64url').toString('latin1'),
]
