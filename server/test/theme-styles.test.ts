import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { engines } from './engines.ts'
import { problemsOf } from './polls.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'
import type { ThemeData } from './themes.ts'

describe.each([...engines])('%s: the stylesheet of a brand', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  const patch = ({ token }: Pick<TestBrand, 'token'>, json: unknown) =>
    service.write<ThemeData>('PATCH', 'brands/me/theme', { token, json })
  const sheet = (slug: string, version: number | string) => service.get(`/css/${slug}/v${version}-2.css`)

  // spec: 2.3-6
  test('is returned to its owner as written, and served to everybody rewritten and cacheable for ever', async () => {
    const brand = await service.createBrand()
    const customCss = '/* ours */\n.option { padding: 4px; background: var(--tossup-accent) }\n'
    const { body } = await patch(brand, { customCss })
    const url = `${service.deps.config.publicUrl}/css/${brand.slug}/v1-2.css`
    expect(body.data).toMatchObject({ customCss, customCssUrl: url, version: 1 })
    const publicTheme = await service.get<ThemeData>(`brands/${brand.slug}/theme`)
    expect(publicTheme.body.data.customCssUrl).toBe(url)
    expect(publicTheme.text + (await service.get('brands/me', { token: brand.token })).text).not.toContain('customCss"')

    const served = await sheet(brand.slug, 1)
    expect(served.status).toBe(200)
    expect(served.text).toStartWith(
      '/* rules 2 */\n@layer tossup.integrity, tossup.base, tossup.theme, tossup.brand;\n@layer tossup.brand{\n',
    )
    expect(served.text).toContain(
      '.tossup .option{padding:4px min(4px,12%) 4px min(4px,12%);background:var(--tossup-accent)}',
    )
    const headers = {
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
    }
    for (const [name, value] of Object.entries(headers)) expect([name, served.headers.get(name)]).toEqual([name, value])
    const etag = served.headers.get('etag') ?? ''
    const known = await service.get(`/css/${brand.slug}/v1-2.css`, { headers: { 'If-None-Match': etag } })
    expect([known.status, known.text]).toEqual([304, ''])
  })

  test('has an address for each version, and old addresses keep working', async () => {
    const brand = await service.createBrand()
    const urlOf = async (json: unknown) => (await patch(brand, json)).body.data.customCssUrl?.split('/').at(-1) ?? null
    expect(await urlOf({ radius: 'SM' })).toBeNull()
    expect(await urlOf({ customCss: '.title { color: red }' })).toBe('v2-2.css')
    expect(await urlOf({ radius: 'LG' })).toBe('v3-2.css')
    expect(await urlOf({ customCss: '.title { color: blue }' })).toBe('v4-2.css')
    expect(await urlOf({ customCss: '.title { color: blue }', radius: null })).toBe('v5-2.css')
    expect(await urlOf({ customCss: null })).toBeNull()
    expect(await urlOf({})).toBeNull()
    expect(await urlOf({ customCss: '' })).toBe('v8-2.css')
    const found = await Promise.all(
      Array.from({ length: 10 }, async (_, version) => {
        const { status, text } = await sheet(brand.slug, version)
        return status === 200 ? (/color:(\w+)/.exec(text)?.[1] ?? 'empty') : status
      }),
    )
    expect(found).toEqual([404, 404, 'red', 'red', 'blue', 'blue', 404, 404, 'empty', 404])
  })

  test('is 404 under an address that was never used', async () => {
    const brand = await service.createBrand()
    await patch(brand, { customCss: '.title { color: red }' })
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
      'v1-1.css',
      'v1-2',
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

  test('is kept for thirty days after its replacement, at most fifty versions', async () => {
    const brand = await service.createBrand()
    await patch(brand, { customCss: '.title { border-radius: 1px }' })
    await patch(brand, { customCss: '.title { border-radius: 2px }' })
    service.clock.advance(29 * 86_400_000)
    const token = (await service.exchange(brand)).accessToken
    await patch({ token }, { customCss: '.title { border-radius: 3px }' })
    expect((await sheet(brand.slug, 1)).status).toBe(200)
    service.clock.advance(2 * 86_400_000)
    const later = (await service.exchange(brand)).accessToken
    await patch({ token: later }, { customCss: '.title { border-radius: 4px }' })
    expect([(await sheet(brand.slug, 1)).status, (await sheet(brand.slug, 2)).status]).toEqual([404, 200])
    for (let i = 5; i <= 60; i++) await patch({ token: later }, { customCss: `.title { border-radius: ${i}px }` })
    const kept = await service.db
      .selectFrom('theme_styles')
      .select('from_version')
      .where('brand_key', '=', brand.brandKey)
      .execute()
    expect(kept).toHaveLength(50)
    expect((await sheet(brand.slug, 60)).text).toContain('border-radius:60px')
    expect((await sheet(brand.slug, 11)).text).toContain('border-radius:11px')
    expect((await sheet(brand.slug, 10)).status).toBe(404)
  })

  test('keeps what is allowed of a stylesheet that earlier rules accepted and printed', async () => {
    const brand = await service.createBrand()
    await patch(brand, { customCss: '.title { color: red }' })
    const source = '* { position: absolute } .title { color: teal; order: 2 } @keyframes a { to { padding: 1e9px } }'
    const printed = (css: string) => ({ source: css, css: `@layer tossup.brand{\n.tossup ${css}}\n` })
    const store = (css: string) =>
      service.db.updateTable('theme_styles').set(printed(css)).where('brand_key', '=', brand.brandKey).execute()
    await store(source)
    for (const path of [`/css/${brand.slug}/v1.css`, `/css/${brand.slug}/v1-2.css`, `/css/${brand.slug}/v1-2.css`]) {
      const served = await service.get(path)
      expect([served.status, served.text]).toEqual([
        200,
        '/* rules 2 */\n@layer tossup.integrity, tossup.base, tossup.theme, tossup.brand;\n@layer tossup.brand{\n.tossup .title{color:teal}\n@keyframes a{\nto{}\n}\n}\n',
      ])
    }
    const own = await service.get<ThemeData>('brands/me/theme', { token: brand.token })
    expect(own.body.data.customCss).toBe(source)
    expect((await patch(brand, { radius: 'LG', customCss: source })).status).toBe(422)
    expect((await patch(brand, { radius: 'LG' })).status).toBe(200)
    await store('.title { color: red')
    expect((await sheet(brand.slug, 1)).text).toEndWith('@layer tossup.brand{\n}\n')
  })

  // spec: 2.3-6, 4.11-7
  test('is refused with each broken rule and its place', async () => {
    const brand = await service.createBrand()
    const reply = await patch(brand, {
      customCss: '.title { color: red }\n.title { color: red;\n  background: url(x) }',
      radius: 'HUGE',
    })
    expect(reply.status).toBe(422)
    expect(reply.body.error.details['fields']).toEqual([
      { path: 'radius', code: 'invalid_value', message: expect.any(String) },
      {
        path: 'customCss',
        code: 'css_value',
        message: 'Line 3, column 15: background takes none | <color> || <gradient>, not "url(x)".',
        line: 3,
        column: 15,
      },
    ])
    const several = await patch(brand, { customCss: '.title { order: 1 }\n.brand { order: 2 }' })
    expect(problemsOf(several)).toEqual(['customCss css_property', 'customCss css_property'])
    for (const customCss of ['<', '>', 'a > b {}', '.a {', '}', 'x'.repeat(48 * 1024 + 1)]) {
      expect([customCss.slice(0, 9), (await patch(brand, { customCss })).status]).toEqual([customCss.slice(0, 9), 422])
    }
    const largest = `/*${'x'.repeat(48 * 1024 - 4)}*/`
    expect((await patch(brand, { customCss: largest })).status).toBe(200)
    expect(problemsOf(await patch(brand, { customCss: `${largest} ` }))).toEqual(['customCss css_size'])
    expect((await patch(brand, { customCss: ['.title {}'] })).status).toBe(422)
  })

  test('is measured by its own length, not by its escapes in JSON', async () => {
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

  test('gets a version of its own in each of many changes at once', async () => {
    const brand = await service.createBrand()
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, i) => patch(brand, { customCss: `.title { border-radius: ${i}px }` })),
    )
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
    for (const { body } of replies) {
      const width = /radius: (\d+)px/.exec(body.data.customCss ?? '')?.[1]
      expect((await sheet(brand.slug, body.data.version)).text).toContain(`border-radius:${width}px`)
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
