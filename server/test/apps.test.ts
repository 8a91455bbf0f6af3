import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { engines } from './engines.ts'
import { addMember, type TestMember } from './people.ts'
import { everyPage } from './polls.ts'
import { keyHeaders, outcomeOf, startTestService, type TestApp, type TestBrand, type TestService } from './service.ts'

interface AppData extends TestApp {
  readonly name: string | null
  readonly scopes: string[]
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly revokedAt: string | null
}

describe.each([...engines])('%s: the apps of a brand', (engine) => {
  let service: TestService
  let brand: TestBrand
  let owner: TestMember
  beforeAll(async () => {
    service = await startTestService(engine)
    await renew()
  })
  afterAll(() => service.stop())

  async function renew() {
    brand = await service.createBrand()
    owner = await addMember(service, brand, 'owner')
  }

  const write = (method: 'POST' | 'PATCH' | 'DELETE', path: string, json?: unknown, key?: string) =>
    service.write<AppData>(method, `brands/me/apps${path}`, {
      token: owner.token,
      ...(json === undefined ? {} : { json }),
      ...(key === undefined ? {} : { key }),
    })

  async function create(scopes = ['view', 'manage'], name = 'Website'): Promise<AppData> {
    const reply = await write('POST', '', { name, scopes })
    expect(outcomeOf(reply)).toBe('201 fine')
    return reply.body.data
  }

  const exchanged = (app: TestApp) =>
    service.post<{ accessToken: string; scopes: string[] }>('auth/token', {
      headers: keyHeaders(app),
      json: { externalDeviceId: 'my server' },
    })

  const list = () => everyPage<AppData>(service, 'brands/me/apps', { ask: { token: owner.token }, limit: 2 })

  test('a new one has a key that works, and its secret is shown once', async () => {
    await renew()
    const made = await create()
    expect(made).toMatchObject({ name: 'Website', scopes: ['view', 'manage'], lastUsedAt: null, revokedAt: null })
    const reply = await exchanged(made)
    expect([outcomeOf(reply), reply.body.data.scopes]).toEqual(['200 fine', ['view', 'manage']])
    const all = await list()
    expect(all.map(({ appId }) => appId)).toEqual([made.appId, brand.appId])
    expect(JSON.stringify(all)).not.toContain(made.apiKeySecret)
    expect(all[1]?.name).toBeNull()
  })

  test('are for owners: not for an editor, an app or a stranger', async () => {
    await renew()
    const made = await create()
    const editor = await addMember(service, brand, 'editor')
    const stranger = await addMember(service, await service.createBrand(), 'owner')
    for (const [token, code] of [
      [editor.token, '403 ROLE_REQUIRED'],
      [brand.token, '403 MEMBER_REQUIRED'],
    ] as const) {
      expect(outcomeOf(await service.get('brands/me/apps', { token }))).toBe(code)
      expect(outcomeOf(await service.write('DELETE', `brands/me/apps/${made.appId}`, { token }))).toBe(code)
    }
    const foreign = { token: stranger.token }
    expect(outcomeOf(await service.write('DELETE', `brands/me/apps/${made.appId}`, foreign))).toBe('404 NOT_FOUND')
    const rotation = { ...foreign, json: {} }
    expect(outcomeOf(await service.write('POST', `brands/me/apps/${made.appId}/rotate-secret`, rotation))).toBe(
      '404 NOT_FOUND',
    )
    expect(outcomeOf(await exchanged(made))).toBe('200 fine')
  })

  test('one is renamed, and keeps its key', async () => {
    const made = await create()
    const reply = await write('PATCH', `/${made.appId.toUpperCase()}`, { name: 'Kiosk' })
    expect([outcomeOf(reply), reply.body.data.name]).toEqual(['200 fine', 'Kiosk'])
    expect(outcomeOf(await exchanged(made))).toBe('200 fine')
  })

  test('a revoked one is refused at once, with its tokens, and only its name changes any more', async () => {
    const made = await create()
    const { accessToken } = (await exchanged(made)).body.data
    expect((await write('DELETE', `/${made.appId}`)).status).toBe(204)
    expect(outcomeOf(await exchanged(made))).toBe('401 INVALID_API_KEY')
    expect(outcomeOf(await service.get('brands/me', { token: accessToken }))).toBe('401 UNAUTHORIZED')
    expect(outcomeOf(await write('DELETE', `/${made.appId}`))).toBe('409 APP_REVOKED')
    expect(outcomeOf(await write('POST', `/${made.appId}/rotate-secret`, {}))).toBe('409 APP_REVOKED')
    const renamed = await write('PATCH', `/${made.appId}`, { name: 'Old kiosk' })
    expect([outcomeOf(renamed), renamed.body.data.name]).toEqual(['200 fine', 'Old kiosk'])
    const listed = (await list()).find(({ appId }) => appId === made.appId)
    expect([listed?.name, listed?.revokedAt]).toEqual(['Old kiosk', expect.any(String)])
  })

  const rotate = async (app: TestApp, json: object): Promise<TestApp> => {
    const reply = await write('POST', `/${app.appId}/rotate-secret`, json)
    expect(outcomeOf(reply)).toBe('200 fine')
    return reply.body.data
  }

  test('a secret is rotated at once without a body, with any content type, and a body must be JSON', async () => {
    const made = await create()
    const path = `brands/me/apps/${made.appId}/rotate-secret`
    const second = await service.write<TestApp>('POST', path, { token: owner.token })
    expect(outcomeOf(second)).toBe('200 fine')
    expect([outcomeOf(await exchanged(made)), outcomeOf(await exchanged(second.body.data))]).toEqual([
      '401 INVALID_API_KEY',
      '200 fine',
    ])
    const sent = (raw: string, type: string) =>
      service.write('POST', path, { token: owner.token, raw, headers: { 'Content-Type': type } })
    expect(outcomeOf(await sent('', 'text/plain'))).toBe('200 fine')
    expect(outcomeOf(await sent('{}', 'text/plain'))).toBe('415 UNSUPPORTED_MEDIA_TYPE')
    expect(outcomeOf(await sent('{', 'application/json'))).toBe('400 MALFORMED_JSON')
  })

  test('a rotated secret ends at once, or at the end of the overlap, and tokens go on', async () => {
    service.clock.freeze()
    const made = await create()
    const { accessToken } = (await exchanged(made)).body.data
    const second = await rotate(made, { overlapSeconds: 60 })
    expect([outcomeOf(await exchanged(made)), outcomeOf(await exchanged(second))]).toEqual(['200 fine', '200 fine'])
    service.clock.advance(59_999)
    expect(outcomeOf(await exchanged(made))).toBe('200 fine')
    service.clock.advance(1)
    expect(outcomeOf(await exchanged(made))).toBe('401 INVALID_API_KEY')
    expect(outcomeOf(await exchanged(second))).toBe('200 fine')
    const third = await rotate(second, { overlapSeconds: 3_600 })
    const fourth = await rotate(third, {})
    expect(outcomeOf(await exchanged(second))).toBe('401 INVALID_API_KEY')
    expect(outcomeOf(await exchanged(third))).toBe('401 INVALID_API_KEY')
    expect(outcomeOf(await exchanged(fourth))).toBe('200 fine')
    expect(outcomeOf(await service.get('brands/me', { token: accessToken }))).toBe('200 fine')
    service.clock.thaw()
  })

  test('a rotation while the key is used never refuses the present or the new secret', async () => {
    const made = await create()
    let isOver = false
    const using = (async () => {
      const codes = new Set<string>()
      while (!isOver) codes.add(outcomeOf(await exchanged(made)))
      return [...codes]
    })()
    const next = await rotate(made, { overlapSeconds: 86_400 })
    for (let i = 0; i < 5; i++) expect(outcomeOf(await exchanged(next))).toBe('200 fine')
    isOver = true
    expect(await using).toEqual(['200 fine'])
  })

  test('two rotations at once leave two secrets that work, the last and the one before', async () => {
    const made = await create()
    const both = await Promise.all([1, 2].map(() => rotate(made, { overlapSeconds: 60 })))
    expect(await Promise.all(both.map(async (app) => outcomeOf(await exchanged(app))))).toEqual([
      '200 fine',
      '200 fine',
    ])
    expect(outcomeOf(await exchanged(made))).toBe('401 INVALID_API_KEY')
  })

  test.each([
    [{ overlapSeconds: -1 }],
    [{ overlapSeconds: 86_401 }],
    [{ overlapSeconds: 1.5 }],
    [{ overlapSeconds: '60' }],
    [{ seconds: 60 }],
  ])('rotate-secret refuses %j', async (json) => {
    const made = await create()
    expect(outcomeOf(await write('POST', `/${made.appId}/rotate-secret`, json))).toBe('422 VALIDATION_ERROR')
    expect(outcomeOf(await exchanged(made))).toBe('200 fine')
  })

  test.each([
    [{ name: 'x' }],
    [{ name: 'x', scopes: [] }],
    [{ name: 'x', scopes: ['fly'] }],
    [{ name: 'x', scopes: ['view', 'view'] }],
    [{ name: ' ', scopes: ['view'] }],
    [{ name: 'x'.repeat(81), scopes: ['view'] }],
    [{ name: 'x', scopes: ['view'], brandSlug: 'other' }],
  ])('a creation with %j is refused', async (json) => {
    expect(outcomeOf(await write('POST', '', json))).toBe('422 VALIDATION_ERROR')
  })

  test('a creation is replayed with its secret to the same owner, and to no other', async () => {
    const key = crypto.randomUUID()
    const first = await write('POST', '', { name: 'x', scopes: ['view'] }, key)
    const again = await write('POST', '', { name: 'x', scopes: ['view'] }, key)
    expect([again.status, again.text]).toEqual([201, first.text])
    const other = await addMember(service, brand, 'owner')
    const reply = await service.write('POST', 'brands/me/apps', {
      token: other.token,
      key,
      json: { name: 'x', scopes: ['view'] },
    })
    expect(outcomeOf(reply)).toBe('422 IDEMPOTENCY_KEY_REUSED')
    const stored = await service.db.selectFrom('idempotency_keys').select('body').where('key', '=', key).execute()
    expect(Buffer.from(stored[0]?.body ?? []).toString()).not.toContain(first.body.data.apiKeySecret)
  })

  test('there are at most 50 at once, also when several owners create them at the same time', async () => {
    await renew()
    for (let i = 0; i < 47; i++) await service.createApp(brand.brandKey, ['view'])
    const codes = await Promise.all(
      [1, 2, 3, 4].map(async (i) => outcomeOf(await write('POST', '', { name: `${i}`, scopes: ['view'] }))),
    )
    expect(codes.toSorted()).toEqual(['201 fine', '201 fine', '422 VALIDATION_ERROR', '422 VALIDATION_ERROR'])
    await write('DELETE', `/${brand.appId}`)
    expect(outcomeOf(await write('POST', '', { name: 'one more', scopes: ['view'] }))).toBe('201 fine')
  })

  test('lastUsedAt follows the requests of its tokens, to the minute', async () => {
    await renew()
    service.clock.freeze()
    const made = await create()
    const lastUse = async () => (await list()).find(({ appId }) => appId === made.appId)?.lastUsedAt
    const { accessToken: token } = (await exchanged(made)).body.data
    await service.get('brands/me', { token })
    const first = new Date(service.clock.now()).toISOString()
    expect(await lastUse()).toBe(first)
    service.clock.advance(59_999)
    await service.get('brands/me', { token })
    expect(await lastUse()).toBe(first)
    service.clock.advance(1)
    await service.get('brands/me', { token })
    expect(await lastUse()).toBe(new Date(service.clock.now()).toISOString())
    service.clock.thaw()
  })
})
