import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { plainTheme } from '../../embed/test/samples.ts'
import { keepFile } from '../src/features/uploads/files.ts'
import { createCampaign } from './campaigns.ts'
import { engines } from './engines.ts'
import { createDatabase } from './own-database.ts'
import { problemsOf } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

interface ThemeData {
  version: number
  customCss: string | null
  customCssUrl: string | null
  [field: string]: unknown
}

const SITE = 'https://polls.example'

const DEFAULTS = { ...plainTheme, faviconUrl: null, embedOrigins: [], customCssUrl: null }

/** What each field may be, the default last. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  radius: ['NONE', 'SM', 'LG', 'FULL', 'MD'],
  density: ['COMPACT', 'COMFORTABLE'],
  fontStack: ['SERIF', 'MONO', 'ROUNDED', 'SYSTEM'],
  titlePlacement: ['BELOW', 'HIDDEN', 'ABOVE'],
  labelPlacement: ['OVERLAY', 'HIDDEN', 'BELOW'],
  labelAlign: ['START', 'END', 'CENTER'],
  elevation: ['NONE', 'HIGH', 'LOW'],
  hideWatermark: [true, false],
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

  test('has its defaults until it is set, at version 0', async () => {
    const brand = await service.createBrand()
    expect(await read(brand)).toEqual({ ...DEFAULTS, version: 0, customCss: null })
    expect(await publicTheme(brand.slug)).toEqual({ ...DEFAULTS, version: 0 } as unknown as ThemeData)
    const viewer = await service.exchange(await service.createApp(brand.brandKey, ['view']))
    expect((await read({ token: viewer.accessToken })).version).toBe(0)
  })

  test('takes each value of each field, keeps the others, and goes back to the default at null', async () => {
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

  test('goes up by one at each call that is carried out, and at no other', async () => {
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

  test('loses nothing when many change it at the same time', async () => {
    const brand = await service.createBrand()
    const wanted = Object.entries(VALUES).map(([field, [value]]) => [field, value] as const)
    const replies = await Promise.all(wanted.map(([field, value]) => patch(brand, { [field]: value })))
    expect(replies.map(({ status }) => status)).toEqual(wanted.map(() => 200))
    const versions = replies.map(({ body }) => body.data.version).sort((left, right) => left - right)
    expect(versions).toEqual(wanted.map((_, i) => i + 1))
    expect(await read(brand)).toMatchObject({ ...Object.fromEntries(wanted), version: wanted.length })
  })

  test('names every wrong value', async () => {
    const brand = await service.createBrand()
    for (const [json, problem] of [
      [{ radius: 'md' }, 'radius invalid_value'],
      [{ density: '' }, 'density invalid_value'],
      [{ hideWatermark: 'true' }, 'hideWatermark invalid_type'],
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
      [{ embedOrigins: [`https://${'a'.repeat(250)}.test`] }, 'embedOrigins.0 too_big'],
    ] as const) {
      const reply = await patch(brand, json)
      expect([json, reply.status]).toEqual([json, 422])
      expect([json, problemsOf(reply)]).toEqual([json, [problem]])
    }
    expect((await patch(brand, { accent: '#AbCdEf' })).body.data['accent']).toBe('#abcdef')
  })

  test('takes only files of the brand, made for that very slot', async () => {
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
      'faviconUrl too_big',
    ])
    const cleared = await patch(brand, { logoLightUrl: null, faviconUrl: null })
    expect(cleared.body.data).toMatchObject({ logoLightUrl: null, faviconUrl: null })
    expect(cleared.body.data['logoDarkUrl']).toStartWith(`${SITE}/files/`)
  })

  test('is public under a tag that is its version', async () => {
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

  test('shows at once wherever the brand is shown', async () => {
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

  test('of another brand is out of reach', async () => {
    const [brand, other] = [await service.createBrand(), await service.createBrand()]
    await patch(brand, { radius: 'FULL', customCss: '.a { color: red }' })
    expect(await read(other)).toMatchObject({ radius: 'MD', version: 0, customCss: null })
  })
})

describe.each([...engines])('%s: the stylesheet of a brand', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  const patch = ({ token }: Pick<TestBrand, 'token'>, json: unknown) =>
    service.write<ThemeData>('PATCH', 'brands/me/theme', { token, json })
  const sheet = (slug: string, version: number | string) => service.get(`/css/${slug}/v${version}.css`)

  test('is given back to its owner as it was written, and served rewritten, to everybody, for good', async () => {
    const brand = await service.createBrand()
    const customCss = '/* ours */\n.option { padding: 4px; background: var(--tossup-accent) }\n'
    const { body } = await patch(brand, { customCss })
    const url = `${service.deps.config.publicUrl}/css/${brand.slug}/v1.css`
    expect(body.data).toMatchObject({ customCss, customCssUrl: url, version: 1 })
    const publicTheme = await service.get<ThemeData>(`brands/${brand.slug}/theme`)
    expect(publicTheme.body.data.customCssUrl).toBe(url)
    expect(publicTheme.text + (await service.get('brands/me', { token: brand.token })).text).not.toContain('customCss"')

    const served = await sheet(brand.slug, 1)
    expect(served.status).toBe(200)
    expect(served.text).toStartWith(
      '@layer tossup.integrity, tossup.base, tossup.theme, tossup.brand;\n@layer tossup.brand{\n',
    )
    expect(served.text).toContain('.tossup .option{padding:4px;--tossup-padding-top:4px;')
    const headers = {
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
    }
    for (const [name, value] of Object.entries(headers)) expect([name, served.headers.get(name)]).toEqual([name, value])
    const etag = served.headers.get('etag') ?? ''
    const known = await service.get(`/css/${brand.slug}/v1.css`, { headers: { 'If-None-Match': etag } })
    expect([known.status, known.text]).toEqual([304, ''])
  })

  test('has an address for each version, and the old ones go on working', async () => {
    const brand = await service.createBrand()
    const urlOf = async (json: unknown) => (await patch(brand, json)).body.data.customCssUrl?.split('/').at(-1) ?? null
    expect(await urlOf({ radius: 'SM' })).toBeNull()
    expect(await urlOf({ customCss: '.a { color: red }' })).toBe('v2.css')
    expect(await urlOf({ radius: 'LG' })).toBe('v3.css')
    expect(await urlOf({ customCss: '.a { color: blue }' })).toBe('v4.css')
    expect(await urlOf({ customCss: '.a { color: blue }', radius: null })).toBe('v5.css')
    expect(await urlOf({ customCss: null })).toBeNull()
    expect(await urlOf({})).toBeNull()
    expect(await urlOf({ customCss: '' })).toBe('v8.css')
    const found = await Promise.all(
      Array.from({ length: 10 }, async (_, version) => {
        const { status, text } = await sheet(brand.slug, version)
        return status === 200 ? (/color:(\w+)/.exec(text)?.[1] ?? 'empty') : status
      }),
    )
    expect(found).toEqual([404, 404, 'red', 'red', 'blue', 'blue', 404, 404, 'empty', 404])
  })

  test('is not found under an address that never was', async () => {
    const brand = await service.createBrand()
    await patch(brand, { customCss: '.a { color: red }' })
    const files = [
      'v1',
      'v1.CSS',
      'v01.css',
      'v+1.css',
      'v-1.css',
      'v1.0.css',
      'v1e0.css',
      'v.css',
      '1.css',
      'v1.css.map',
      'V1.css',
      `v${'9'.repeat(30)}.css`,
      'v9007199254740993.css',
      '%00',
      'v1.css%00',
    ]
    for (const file of files) {
      expect([file, (await service.get(`/css/${brand.slug}/${file}`)).status]).toEqual([file, 404])
    }
    for (const path of [
      '/css/no-such-brand/v1.css',
      `/css/${brand.slug.toUpperCase()}/v1.css`,
      '/css//v1.css',
      `/css/${brand.slug}/`,
    ]) {
      expect([path, (await service.get(path)).status]).toEqual([path, 404])
    }
  })

  test('is kept for thirty days after it was replaced, fifty of them at most', async () => {
    const brand = await service.createBrand()
    await patch(brand, { customCss: '.a { width: 1px }' })
    await patch(brand, { customCss: '.a { width: 2px }' })
    service.clock.advance(29 * 86_400_000)
    const token = (await service.exchange(brand)).accessToken
    await patch({ token }, { customCss: '.a { width: 3px }' })
    expect((await sheet(brand.slug, 1)).status).toBe(200)
    service.clock.advance(2 * 86_400_000)
    const later = (await service.exchange(brand)).accessToken
    await patch({ token: later }, { customCss: '.a { width: 4px }' })
    expect([(await sheet(brand.slug, 1)).status, (await sheet(brand.slug, 2)).status]).toEqual([404, 200])
    for (let i = 5; i <= 60; i++) await patch({ token: later }, { customCss: `.a { width: ${i}px }` })
    const kept = await service.db
      .selectFrom('theme_styles')
      .select('from_version')
      .where('brand_key', '=', brand.brandKey)
      .execute()
    expect(kept).toHaveLength(50)
    expect((await sheet(brand.slug, 60)).text).toContain('width:60px')
    expect((await sheet(brand.slug, 11)).text).toContain('width:11px')
    expect((await sheet(brand.slug, 10)).status).toBe(404)
  })

  test('is refused with each rule that it breaks, and where', async () => {
    const brand = await service.createBrand()
    const reply = await patch(brand, {
      customCss: '.a { color: red }\n.b { order: 1;\n  background: url(x) }',
      radius: 'HUGE',
    })
    expect(reply.status).toBe(422)
    expect(reply.body.error.details['fields']).toEqual([
      { path: 'radius', code: 'invalid_value', message: expect.any(String) },
      {
        path: 'customCss',
        code: 'css_address',
        message: 'Line 3, column 15: url() is refused: a stylesheet loads nothing.',
        line: 3,
        column: 15,
      },
    ])
    const several = await patch(brand, { customCss: '.a { order: 1 }\n.b { order: 2 }' })
    expect(problemsOf(several)).toEqual(['customCss css_property', 'customCss css_property'])
    for (const customCss of ['<', '>', 'a > b {}', '.a {', '}', 'x'.repeat(48 * 1024 + 1)]) {
      expect([customCss.slice(0, 9), (await patch(brand, { customCss })).status]).toEqual([customCss.slice(0, 9), 422])
    }
    const largest = `/*${'x'.repeat(48 * 1024 - 4)}*/`
    expect((await patch(brand, { customCss: largest })).status).toBe(200)
    expect(problemsOf(await patch(brand, { customCss: `${largest} ` }))).toEqual(['customCss css_size'])
    expect((await patch(brand, { customCss: ['.a {}'] })).status).toBe(422)
  })

  test('is judged by itself, however it was written down in JSON', async () => {
    const { token } = await service.createBrand()
    const ascii = (css: string) =>
      JSON.stringify({ customCss: css }).replace(
        /[\u0080-\uffff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
    const send = (raw: string) =>
      service.write<ThemeData>('PATCH', 'brands/me/theme', {
        token,
        raw,
        headers: { 'Content-Type': 'application/json' },
      })
    const filled = (text: string, bytes: number) =>
      `/*${text.repeat(Math.floor((bytes - 4) / Buffer.byteLength(text)))}*/`
    for (const text of ['é', '🙂', '"', '\\', '\n']) {
      expect([text, (await send(ascii(filled(text, 48 * 1024)))).status]).toEqual([text, 200])
      expect([text, problemsOf(await send(ascii(filled(text, 49 * 1024))))]).toEqual([text, ['customCss css_size']])
    }
  })

  test('changes under the lock of its brand: of many at once each has its own version', async () => {
    const brand = await service.createBrand()
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, i) => patch(brand, { customCss: `.a { width: ${i}px }` })),
    )
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
    for (const { body } of replies) {
      const width = /width: (\d+)px/.exec(body.data.customCss ?? '')?.[1]
      expect((await sheet(brand.slug, body.data.version)).text).toContain(`width:${width}px`)
    }
    const open = await service.db
      .selectFrom('theme_styles')
      .select('from_version')
      .where('brand_key', '=', brand.brandKey)
      .where('until_version', 'is', null)
      .execute()
    expect(open).toEqual([{ from_version: 12 }])
  })
})

/** Asks until the answer is right, for at most a second. */
async function withinASecond(isRight: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + 1_000
  while (performance.now() < end) if (await isRight()) return true
  return false
}

const accentOf = async (service: TestService, slug: string) =>
  ((await service.get<PollData>(`polls/${slug}`)).body.data['brand'] as { theme: ThemeData }).theme['accent']

test('sqlite: a theme that another process wrote is seen in a poll within a second', async () => {
  const service = await startTestService('sqlite')
  const brand = await service.createBrand()
  const { slug } = await service.createPoll(brand)
  expect(await accentOf(service, slug)).toBeNull()
  const other = new Database(join(service.deps.config.dataDir, 'tossup.sqlite'))
  other.run(`update brands set theme = '{"accent":"#123456"}', theme_version = 1 where slug = ?`, [brand.slug])
  other.close()
  expect(await withinASecond(async () => (await accentOf(service, slug)) === '#123456')).toBe(true)
  await service.stop()
})

test.if(engines.includes('postgres'))('postgres: two servers agree on a theme within a second', async () => {
  const database = await createDatabase()
  const settings = { DATABASE_URL: database.url }
  const [one, two] = [await startTestService('sqlite', { settings }), await startTestService('sqlite', { settings })]
  const brand = await one.createBrand()
  const { slug } = await one.createPoll(brand)
  expect(await accentOf(two, slug)).toBeNull()
  await one.write('PATCH', 'brands/me/theme', { token: brand.token, json: { accent: '#123456' } })
  expect(await accentOf(one, slug)).toBe('#123456')
  expect(await withinASecond(async () => (await accentOf(two, slug)) === '#123456')).toBe(true)
  await one.stop()
  await two.stop()
  await database.drop()
})
