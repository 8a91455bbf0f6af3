import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { transaction } from '../src/db/transaction.ts'
import { updateBrand } from '../src/features/brands/brands.ts'
import { updateTheme } from '../src/features/brands/themes/update-theme.ts'
import { publicUrl } from '../src/features/uploads/files.ts'
import { engines } from './engines.ts'
import { problemsOf } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

interface ProfileData {
  slug: string
  name: string
  theme: Record<string, unknown>
  brandId: string
  scopes: string[]
  displayName: string | null
  description: string | null
  avatarUrl: string | null
  locationCity: string | null
  locationState: string | null
}

const FULL = {
  name: 'Corner Café',
  displayName: 'The Corner Café',
  description: 'Open from seven. ☕️',
  avatarUrl: 'https://cdn.example.com/logo.png?v=2#x',
  locationCity: 'Lyon',
  locationState: 'Auvergne-Rhône-Alpes',
}
const NOTHING = { displayName: null, description: null, avatarUrl: null, locationCity: null, locationState: null }

describe.each([...engines])('%s: the profile of a brand', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  const read = async ({ token }: Pick<TestBrand, 'token'>) =>
    (await service.get<ProfileData>('brands/me', { token })).body.data
  const patch = ({ token }: Pick<TestBrand, 'token'>, json: unknown, key: string = randomUUID()) =>
    service.write<ProfileData>('PATCH', 'brands/me', { token, json, key })

  // spec: 2.4-4
  test('is read with any scope, and says which scopes the token holds', async () => {
    const brand = await service.createBrand()
    const profile = await read(brand)
    expect(profile).toMatchObject({ slug: brand.slug, name: `Brand ${brand.slug}`, ...NOTHING })
    expect(profile.brandId).toMatch(/^[0-9a-f-]{36}$/)
    expect(profile.scopes).toEqual(['view', 'vote', 'manage', 'analytics'])
    expect(Object.keys(profile).sort()).toEqual([
      'avatarUrl',
      'brandId',
      'description',
      'displayName',
      'locationCity',
      'locationState',
      'name',
      'scopes',
      'slug',
      'theme',
    ])
    for (const scope of ['view', 'vote', 'analytics', 'manage'] as const) {
      const { accessToken } = await service.exchange(await service.createApp(brand.brandKey, [scope]))
      expect((await read({ token: accessToken })).scopes).toEqual([scope])
    }
  })

  // spec: 2.4-1, 2.4-2, 4.10-2, 4.10-3
  test('is updated field by field: absent fields stay, and null clears a field', async () => {
    const brand = await service.createBrand()
    const whole = await patch(brand, FULL)
    expect(whole.status).toBe(200)
    expect(whole.body.data).toMatchObject(FULL)
    for (const [field, value] of Object.entries({ ...NOTHING, name: 'N', displayName: 'D' })) {
      const before = await read(brand)
      const { body } = await patch(brand, { [field]: value })
      expect(body.data).toEqual({ ...before, [field]: value })
      expect(await read(brand)).toEqual(body.data)
    }
    const unchanged = await read(brand)
    expect((await patch(brand, {})).body.data).toEqual(unchanged)
  })

  // spec: 4.10-5
  test('accepts each field up to its longest length in characters, and refuses one more', async () => {
    const brand = await service.createBrand()
    const longest = { name: 80, displayName: 80, description: 500, locationCity: 80, locationState: 80 }
    for (const [field, most] of Object.entries(longest)) {
      for (const letter of ['x', '🙂']) {
        expect((await patch(brand, { [field]: letter.repeat(most) })).status).toBe(200)
        expect(problemsOf(await patch(brand, { [field]: letter.repeat(most + 1) }))).toEqual([`${field} too_long`])
      }
      for (const empty of ['', '  ', '\n']) {
        expect(problemsOf(await patch(brand, { [field]: empty }))).toEqual([`${field} too_short`])
      }
    }
    expect(problemsOf(await patch(brand, { name: null }))).toEqual(['name invalid_type'])
    const url = `https://x.test/${'a'.repeat(2_048 - 15)}`
    expect((await patch(brand, { avatarUrl: url })).body.data.avatarUrl).toBe(url)
    expect(problemsOf(await patch(brand, { avatarUrl: `${url}a` }))).toEqual(['avatarUrl too_long'])
  })

  // spec: 4.10-5
  test('accepts an https address or a file of the service as avatar, and no other', async () => {
    const brand = await service.createBrand()
    await patch(brand, { avatarUrl: FULL.avatarUrl })
    const wrong = [
      'http://x.test/a.png',
      `http://x.test/files/${'k'.repeat(32)}.png`,
      '//x.test/a.png',
      'x.test/a.png',
      'https://',
      'https:x.test',
      'https:///a',
      'https://user@x.test/',
      'https://user:pass@x.test/',
      'https://x.test/a b',
      'https://x.test/a\nb',
      ' https://x.test/',
      'https:\\\\x.test\\a',
      'https://x.test:99999/',
      'https://[::1/',
      'javascript:alert(1)//https://x.test',
      'data:image/png;base64,AAAA',
      '',
    ]
    for (const avatarUrl of wrong) {
      expect([avatarUrl, problemsOf(await patch(brand, { avatarUrl }))]).toEqual([avatarUrl, ['avatarUrl invalid_url']])
    }
    expect((await read(brand)).avatarUrl).toBe(FULL.avatarUrl)
    // A file of the service has the scheme of the service.
    const own = publicUrl(service.deps, `${'k'.repeat(32)}.png`)
    expect(own).toStartWith('http:')
    expect((await patch(brand, { avatarUrl: own })).body.data.avatarUrl).toBe(own)
  })

  // spec: 2.4-3, 4.10-4
  test('refuses unknown fields, the slug and the theme, and then changes nothing', async () => {
    const brand = await service.createBrand()
    const before = await read(brand)
    for (const field of ['slug', 'theme', 'brandId', 'scopes', 'id', 'createdAt']) {
      const reply = await patch(brand, { displayName: 'New', [field]: before[field as 'slug'] ?? null })
      expect(problemsOf(reply)).toEqual([`${field} unknown_field`])
    }
    const several = await patch(brand, { slug: 'x', name: '', avatarUrl: 'http://x/', locationCity: 7 })
    expect(problemsOf(several).sort()).toEqual([
      'avatarUrl invalid_url',
      'locationCity invalid_type',
      'name too_short',
      'slug unknown_field',
    ])
    expect(await read(brand)).toEqual(before)
  })

  // spec: 4-2, 4.10-1
  test('takes an idempotency key of 8 to 128 characters, and replays', async () => {
    const brand = await service.createBrand()
    for (const key of ['k'.repeat(7), 'k'.repeat(129)]) {
      const reply = await patch(brand, { name: 'X' }, key)
      expect([reply.status, reply.body.error.code]).toEqual([400, 'IDEMPOTENCY_KEY_INVALID'])
    }
    expect((await patch(brand, { name: 'X' }, 'k'.repeat(128))).status).toBe(200)
    expect((await patch(brand, { name: 'X' }, 'k'.repeat(8))).status).toBe(200)
    const key = randomUUID()
    const first = await patch(brand, { name: 'First' }, key)
    await patch(brand, { name: 'Second' })
    const replay = await patch(brand, { name: 'First' }, key)
    expect([replay.text, replay.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
    expect((await read(brand)).name).toBe('Second')
    expect((await patch(brand, { name: 'Third' }, key)).body.error.code).toBe('IDEMPOTENCY_KEY_REUSED')
  })

  test('loses nothing when its fields are changed at the same time', async () => {
    const brand = await service.createBrand()
    const replies = await Promise.all(Object.entries(FULL).map(([field, value]) => patch(brand, { [field]: value })))
    expect(replies.map(({ status }) => status)).toEqual(Object.keys(FULL).map(() => 200))
    expect(await read(brand)).toMatchObject(FULL)
  })

  test('is shown to the public without the fields that only its owner sees', async () => {
    const brand = await service.createBrand()
    const { brandId: _, scopes: __, ...shown } = (await patch(brand, FULL)).body.data
    const reply = await service.get<ProfileData>(`brands/${brand.slug}`)
    expect(reply.body.data as unknown).toEqual(shown)
    const etag = reply.headers.get('etag') ?? ''
    expect((await service.get(`brands/${brand.slug}`, { headers: { 'If-None-Match': etag } })).status).toBe(304)
    await patch(brand, { locationCity: null })
    expect((await service.get(`brands/${brand.slug}`, { headers: { 'If-None-Match': etag } })).status).toBe(200)
    for (const slug of ['no-such-brand', 'x'.repeat(63)]) {
      expect((await service.get(`brands/${slug}`)).status).toBe(404)
      expect((await service.get(`brands/${slug}/theme`)).status).toBe(404)
    }
    for (const slug of ['-x', 'X', 'a_b', 'x'.repeat(64)]) {
      expect((await service.get(`brands/${slug}`)).status).toBe(422)
      expect((await service.get(`brands/${slug}/theme`)).status).toBe(422)
    }
  })

  test('is shown at once in the polls of the brand, and in no others', async () => {
    const [brand, other] = [await service.createBrand(), await service.createBrand()]
    const [poll, foreign] = [await service.createPoll(brand), await service.createPoll(other)]
    const nameIn = async (path: string) => (await service.get<PollData>(path)).body.data['brand'] as { name: string }
    for (let i = 0; i < 10; i++) {
      const reads = [nameIn(`polls/${poll.slug}`), nameIn(`polls/${poll.shortId}`)]
      await patch(brand, { name: `Name ${i}` })
      expect((await nameIn(`polls/${poll.slug}`)).name).toBe(`Name ${i}`)
      expect((await nameIn(`polls/${foreign.slug}`)).name).toBe(`Brand ${other.slug}`)
      await Promise.all(reads)
    }
  })

  // spec: 4.10-7
  test('of a deleted one is refused like a revoked token', async () => {
    const { deps } = service
    for (const update of [updateBrand, updateTheme]) {
      const gone = transaction(
        deps.engine,
        async (tx) => void (await update(deps, tx, { brandKey: 2 ** 40, patch: {}, printedCss: null })),
      )
      await expect(gone).rejects.toMatchObject({ code: 'UNAUTHORIZED', status: 401 })
    }
  })
})
