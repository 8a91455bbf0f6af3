import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { plainTheme } from '../../embed/test/samples.ts'
import { keepFile } from '../src/features/uploads/files.ts'
import { createCampaign } from './campaigns.ts'
import { engines } from './engines.ts'
import { problemsOf } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import type { ThemeData } from './themes.ts'

const SITE = 'https://polls.example'

const DEFAULTS = {
  ...plainTheme,
  motion: 'FULL',
  colorScheme: 'AUTO',
  shareResults: 'HIDDEN',
  embedStorage: 'ASK',
  faviconUrl: null,
  embedOrigins: [],
  customCssUrl: null,
}

/** The values of each field, the default last. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  radius: ['NONE', 'SM', 'LG', 'FULL', 'MD'],
  density: ['COMPACT', 'COMFORTABLE'],
  fontStack: ['SERIF', 'MONO', 'ROUNDED', 'MANROPE', 'INHERIT', 'SYSTEM'],
  titlePlacement: ['BELOW', 'HIDDEN', 'ABOVE'],
  labelPlacement: ['OVERLAY', 'HIDDEN', 'BELOW'],
  labelAlign: ['START', 'END', 'CENTER'],
  elevation: ['NONE', 'HIGH', 'LOW'],
  hideWatermark: [true, false],
  motion: ['NONE', 'FULL'],
  colorScheme: ['LIGHT', 'DARK', 'HOST', 'AUTO'],
  shareResults: ['SHOWN', 'HIDDEN'],
  embedStorage: ['ALLOW', 'ASK'],
  accent: ['#000000', '#ff00aa'],
  background: ['#fafafa'],
  foreground: ['#123abc'],
  embedOrigins: [['https://a.test'], ['https://a.test', 'http://localhost:3000', 'https://xn--nxasmq6b.test'], []],
}

describe.each([...engines])('%s: the theme of a brand', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine, { settings: { PUBLIC_URL: SITE } })
  })
  afterAll(() => service.stop())

  const read = async ({ token }: Pick<TestBrand, 'token'>) =>
    (await service.get<ThemeData>('brands/me/theme', { token })).body.data
  const patch = ({ token }: Pick<TestBrand, 'token'>, json: unknown, key: string = randomUUID()) =>
    service.write<ThemeData>('PATCH', 'brands/me/theme', { token, json, key })
  const publicTheme = async (slug: string) => (await service.get<ThemeData>(`brands/${slug}/theme`)).body.data

  async function upload(brand: TestBrand, slot: string): Promise<string> {
    const file = {
      brandKey: brand.brandKey,
      slot: slot as Parameters<typeof keepFile>[2]['slot'],
      contentType: 'image/png',
      width: 1,
      height: 1,
    } as const
    return `${SITE}/files/${await keepFile(service.db, service.deps, { ...file, bytes: new Uint8Array([1]) })}`
  }

  // spec: 2.3-2, 2.3-5
  test('has its defaults and version 0 until it is set', async () => {
    const brand = await service.createBrand()
    expect(await read(brand)).toEqual({ ...DEFAULTS, version: 0, customCss: null })
    expect(await publicTheme(brand.slug)).toEqual({ ...DEFAULTS, version: 0 } as unknown as ThemeData)
    const viewer = await service.exchange(await service.createApp(brand.brandKey, ['view']))
    expect((await read({ token: viewer.accessToken })).version).toBe(0)
  })

  // spec: 2.3-3, 2.3-8, 4.11-2, 4.11-3
  test('accepts each value of each field, keeps the others, and resets a field at null', async () => {
    const brand = await service.createBrand()
    let version = 0
    for (const [field, values] of Object.entries(VALUES)) {
      for (const value of values) {
        const before = await read(brand)
        const { body, status } = await patch(brand, { [field]: value })
        version++
        expect([field, value, status]).toEqual([field, value, 200])
        expect(body.data).toEqual({ ...before, [field]: value, version })
        expect(await read(brand)).toEqual(body.data)
      }
      const { body } = await patch(brand, { [field]: null })
      version++
      expect(body.data).toMatchObject({ [field]: DEFAULTS[field as 'radius'], version })
    }
    expect(await read(brand)).toEqual({ ...DEFAULTS, version, customCss: null })
  })

  // spec: 2.3-4, 4.11-4, 9-2
  test('increases its version by one at each successful update only', async () => {
    const brand = await service.createBrand()
    const key = randomUUID()
    expect((await patch(brand, {})).body.data.version).toBe(1)
    const first = await patch(brand, { radius: 'SM' }, key)
    expect(first.body.data.version).toBe(2)
    const replay = await patch(brand, { radius: 'SM' }, key)
    expect([replay.text, replay.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
    await patch(brand, { radius: 'HUGE' })
    await patch(brand, { radius: 'LG' }, key)
    await patch(brand, { customCss: '.a {' })
    await patch(brand, { logoLightUrl: 'https://elsewhere.test/x.png' })
    expect((await read(brand)).version).toBe(2)
    expect((await patch(brand, { radius: 'SM' })).body.data.version).toBe(3)
  })

  // spec: 4.11-4
  test('loses no change when many are made at the same time', async () => {
    const brand = await service.createBrand()
    const wanted = Object.entries(VALUES).map(([field, [value]]) => [field, value] as const)
    const replies = await Promise.all(wanted.map(([field, value]) => patch(brand, { [field]: value })))
    expect(replies.map(({ status }) => status)).toEqual(wanted.map(() => 200))
    const versions = replies.map(({ body }) => body.data.version).sort((left, right) => left - right)
    expect(versions).toEqual(wanted.map((_, i) => i + 1))
    expect(await read(brand)).toMatchObject({ ...Object.fromEntries(wanted), version: wanted.length })
  })

  // spec: 2.3-8, 4.11-6
  test('names every wrong value', async () => {
    const brand = await service.createBrand()
    for (const [json, problem] of [
      [{ radius: 'md' }, 'radius invalid_value'],
      [{ density: '' }, 'density invalid_value'],
      [{ hideWatermark: 'true' }, 'hideWatermark invalid_type'],
      [{ fontStack: 'inherit' }, 'fontStack invalid_value'],
      [{ motion: 'REDUCED' }, 'motion invalid_value'],
      [{ colorScheme: 'light' }, 'colorScheme invalid_value'],
      [{ shareResults: true }, 'shareResults invalid_value'],
      [{ embedStorage: '' }, 'embedStorage invalid_value'],
      [{ accent: '#fff' }, 'accent invalid_format'],
      [{ accent: 'red' }, 'accent invalid_format'],
      [{ background: '#12345g' }, 'background invalid_format'],
      [{ foreground: '#123456 ' }, 'foreground invalid_format'],
      [{ foreground: '#12345678' }, 'foreground invalid_format'],
      [{ version: 7 }, 'version unknown_field'],
      [{ customCssUrl: null }, 'customCssUrl unknown_field'],
      [{ embedOrigins: 'https://a.test' }, 'embedOrigins invalid_type'],
      [{ embedOrigins: ['https://a.test', 'https://a.test'] }, 'embedOrigins repeated'],
      [{ embedOrigins: Array.from({ length: 21 }, (_, i) => `https://a${i}.test`) }, 'embedOrigins too_big'],
      ...[
        'https://a.test/',
        'https://a.test/path',
        'https://a.test?x',
        'https://*.a.test',
        'https://a.test:443',
        'HTTPS://a.test',
        'https://A.test',
        'https://ü.test',
        'https://user@a.test',
        'a.test',
        '*',
        'null',
        "'self'",
        'ftp://a.test',
        'data:',
        "https://a.test; script-src 'unsafe-inline'",
        'https://a.test https://b.test',
        '',
      ].map((origin) => [{ embedOrigins: ['https://ok.test', origin] }, 'embedOrigins.1 invalid_origin'] as const),
      [{ embedOrigins: [`https://${'a'.repeat(250)}.test`] }, 'embedOrigins.0 too_long'],
    ] as const) {
      const reply = await patch(brand, json)
      expect([json, reply.status]).toEqual([json, 422])
      expect([json, problemsOf(reply)]).toEqual([json, [problem]])
    }
    expect((await patch(brand, { accent: '#AbCdEf' })).body.data['accent']).toBe('#abcdef')
  })

  // spec: 2.3-7, 4.11-2, 4.12-5, 4.12-6
  test('accepts only files of the brand, made for the same slot', async () => {
    const [brand, other] = [await service.createBrand(), await service.createBrand()]
    const slots = { logoLightUrl: 'logo_light', logoDarkUrl: 'logo_dark', faviconUrl: 'favicon' }
    for (const [field, slot] of Object.entries(slots)) {
      const url = await upload(brand, slot)
      expect((await patch(brand, { [field]: url })).body.data[field]).toBe(url)
      expect((await publicTheme(brand.slug))[field]).toBe(url)
      const wrongSlots = [...Object.values(slots), 'optionA', 'combined'].filter((name) => name !== slot)
      const wrong = await Promise.all(wrongSlots.map((name) => upload(brand, name)))
      const bent = [
        `${url}?x`,
        url.replace('https', 'http'),
        url.replace('polls.', 'polls2.'),
        'https://x.test/a.png',
        '',
        'javascript:0',
      ]
      for (const value of [...wrong, await upload(other, slot), ...bent]) {
        expect([value, problemsOf(await patch(brand, { [field]: value }))]).toEqual([value, [`${field} unknown_file`]])
      }
      expect((await read(brand))[field]).toBe(url)
    }
    expect(problemsOf(await patch(brand, { faviconUrl: `${SITE}/${'x'.repeat(2_048)}` }))).toEqual([
      'faviconUrl too_long',
    ])
    const cleared = await patch(brand, { logoLightUrl: null, faviconUrl: null })
    expect(cleared.body.data).toMatchObject({ logoLightUrl: null, faviconUrl: null })
    expect(cleared.body.data['logoDarkUrl']).toStartWith(`${SITE}/files/`)
  })

  test('is public, with its version as ETag', async () => {
    const brand = await service.createBrand()
    const get = (tag: string) => service.get(`brands/${brand.slug}/theme`, { headers: { 'If-None-Match': tag } })
    for (const version of [0, 1, 2]) {
      const reply = await get('"other"')
      expect([reply.status, reply.headers.get('etag')]).toEqual([200, `"v${version}"`])
      const [known, weak, old] = [
        await get(`"v${version}"`),
        await get(`W/"v${version}"`),
        await get(`"v${version - 1}"`),
      ]
      expect([known.status, known.text, weak.status, old.status]).toEqual([304, '', 304, 200])
      await patch(brand, { radius: version === 0 ? 'SM' : 'LG' })
    }
  })

  test('is applied at once wherever the brand is shown', async () => {
    const [brand, other] = [await service.createBrand(), await service.createBrand()]
    const [poll, foreign] = [await service.createPoll(brand), await service.createPoll(other)]
    const { campaignId } = await createCampaign(service, brand, [poll])
    const themeIn = async (path: string, token = '') => {
      const { body } = await service.get<PollData & PollData[]>(path, token ? { token } : {})
      const poll = Array.isArray(body.data) ? body.data[0] : body.data
      return ((poll?.['brand'] ?? poll) as { theme: ThemeData }).theme
    }
    const foreignTag = async () => (await service.get(`polls/${foreign.slug}`)).headers.get('etag')
    const tag = await foreignTag()
    for (let i = 1; i <= 10; i++) {
      const reads = Promise.all([themeIn(`polls/${poll.slug}`), themeIn(`brands/${brand.slug}`)])
      const accent = `#00000${i % 10}`
      await patch(brand, { accent })
      for (const path of [
        `polls/${poll.slug}`,
        `polls/${poll.id}`,
        `brands/${brand.slug}/polls`,
        `brands/${brand.slug}`,
        `campaigns/${campaignId}`,
      ]) {
        expect([path, await themeIn(path)]).toMatchObject([path, { accent, version: i }])
      }
      for (const path of ['brands/me', 'brands/me/polls', `brands/me/polls/${poll.slug}`]) {
        expect([path, await themeIn(path, brand.token)]).toMatchObject([path, { accent, version: i }])
      }
      await reads
    }
    expect(await foreignTag()).toBe(tag)
  })

  test('of another brand cannot be read or changed', async () => {
    const [brand, other] = [await service.createBrand(), await service.createBrand()]
    await patch(brand, { radius: 'FULL', customCss: '.a { color: red }' })
    expect(await read(other)).toMatchObject({ radius: 'MD', version: 0, customCss: null })
  })
})
