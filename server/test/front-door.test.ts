import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { LANGS } from '../../embed/src/words.ts'
import { seedDemo } from '../src/cli/demo/seed.ts'
import { refusalFor } from '../src/features/pages/errors/error-page.ts'
import { WORDS } from '../src/words/words.ts'
import { startTestService, type TestService } from './service.ts'

/** The Accept header of Chromium for an address that a person opens. */
const ACCEPTED_BY_BROWSERS = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8'

describe('the front door', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService('sqlite', { settings: { DEMO: 'true' } })
    await seedDemo(service.service)
  })
  afterAll(() => service.stop())

  /** Opens an address like a browser. */
  const open = (path: string, init: RequestInit & { lang?: string } = {}) => {
    const headers = new Headers(init.headers)
    headers.set('Accept', ACCEPTED_BY_BROWSERS)
    headers.set('Accept-Language', init.lang ?? 'en')
    return fetch(service.service.url + path, { ...init, headers })
  }

  test('is a page with the polls of the demo in a browser, and JSON for everybody else', async () => {
    const page = await service.get('/', { headers: { Accept: ACCEPTED_BY_BROWSERS } })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    for (const address of ['/console', '/docs', '/docs/api', '/openapi.json'])
      expect(page.text).toContain(`href="${address}"`)
    expect(page.text).toContain('<tossup-poll poll="tea-or-coffee">')
    // Closed, and not open yet.
    expect(page.text).not.toMatch(/croissant-or-cinnamon-roll|cat-or-dog/)
    const json = await service.get<{ name: string }>('/')
    expect(json.body.data.name).toBe('Tossup')
    for (const { headers } of [page, json]) {
      expect(headers.get('vary')).toBe('Accept-Encoding, Accept, Accept-Language')
      expect(headers.get('cache-control')).toBe('public, max-age=0, s-maxage=2')
    }
    expect(page.headers.get('etag')).not.toBe(json.headers.get('etag'))
    const headers = { Accept: ACCEPTED_BY_BROWSERS, 'If-None-Match': page.headers.get('etag') ?? '' }
    expect((await service.get('/', { headers })).status).toBe(304)
  })

  test('is in the language of the visitor, with an ETag of its own, and says what is in English', async () => {
    const tags = new Set<string | null>()
    for (const lang of LANGS) {
      const answer = await open('/', { lang })
      const text = await answer.text()
      const { english, own, console: way, ...words } = WORDS[lang].home
      expect(text).toStartWith(`<!doctype html><html lang="${lang}" dir="${lang === 'ar' ? 'rtl' : 'ltr'}">`)
      const shown = [words.question, words.sentence, words.demo, words.next, words.copied, own, ...way]
      for (const word of shown) expect(text).toContain(word)
      expect(text.split(`<small>${english}</small>`).length - 1).toBe(lang === 'en' ? 0 : 2)
      expect(text).toContain('<tossup-poll poll="tea-or-coffee">')
      tags.add(answer.headers.get('etag'))
    }
    expect(tags.size).toBe(LANGS.length)
    expect(await (await open('/', { lang: 'de' })).text()).toBe(await (await open('/', { lang: 'de-CH, fr' })).text())
  })

  test('shows no poll of a demo whose polls are deleted', async () => {
    const empty = await startTestService('sqlite', { settings: { DEMO: 'true' } })
    const { text } = await empty.get('/', { headers: { Accept: 'text/html' } })
    await empty.stop()
    expect(text).toContain('href="/docs"')
    expect(text).not.toMatch(/<tossup-poll poll="(?!your-poll)|src="\/embed.js"/)
  })

  test('answers an unknown path in a browser with a page in each language', async () => {
    for (const lang of LANGS) {
      const answer = await open('/there/is/nothing', { lang })
      const text = await answer.text()
      const { missing, home } = WORDS[lang].errors
      expect(answer.status).toBe(404)
      expect(text).toStartWith(`<!doctype html><html lang="${lang}" dir="${lang === 'ar' ? 'rtl' : 'ltr'}">`)
      for (const words of [...missing, home, answer.headers.get('x-request-id') ?? '?']) expect(text).toContain(words)
      expect(text.length).toBeLessThan(2_500)
    }
  })

  test('answers every kind of refusal with its status, a strict policy and no caching', async () => {
    const { service: running } = service
    const cases = [
      [await open('/there/is/nothing'), 404, WORDS.en.errors.missing[0]],
      [await open('/p/tea-or-coffee', { method: 'POST' }), 405, WORDS.en.errors.invalid[0]],
      [await open('/docs/a%00b'), 422, WORDS.en.errors.invalid[0]],
    ] as const
    for (const [answer, status, words] of cases) {
      expect([answer.status, (await answer.text()).includes(words)]).toEqual([status, true])
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.headers.get('cache-control')).toBe('private, no-store')
      expect(answer.headers.get('vary')).toContain('Accept, Accept-Language')
      const policy = answer.headers.get('content-security-policy')
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toContain('unsafe')
    }
    expect(cases[1][0].headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    expect((await fetch(`${running.url}/there/is/nothing`)).headers.get('vary')).toContain('Accept, Accept-Language')
  })

  test.each([
    [429, 'busy', 'Retry-After'],
    [500, 'broken', null],
    [503, 'away', 'Retry-After'],
  ] as const)('answers %i with a page that can be tried again', (status, trouble, kept) => {
    const headers = { Accept: ACCEPTED_BY_BROWSERS, 'Accept-Language': 'de' }
    const request = new Request('http://127.0.0.1/p/tea-or-coffee', { headers })
    const refusal = {
      status,
      body: '{}',
      headers: { 'Content-Type': 'application/json', ...(kept ? { [kept]: '7' } : {}) },
    }
    const page = refusalFor(request, refusal, {
      requestId: 'an-id',
      brandAt: () => ({ slug: 'corner-cafe', name: 'Corner <Café>' }),
    })
    expect([page.status, kept && page.headers[kept]]).toEqual([status, kept && '7'])
    for (const words of WORDS.de.errors[trouble]) expect(page.body).toContain(words)
    expect(page.body).toContain(`<a href="">${WORDS.de.errors.retry}</a>`)
    expect(page.body).toContain('<a href="/b/corner-cafe">Mehr von Corner &lt;Café&gt;</a>')
    expect(page.body).toMatch(
      /<details><summary>Details<\/summary><p>[^<]*<code dir="ltr">an-id<\/code><\/p><\/details>/,
    )
    expect(String(page.body).includes('<p class="wait">7 Sekunden</p>')).toBe(kept !== null)
  })

  test('answers JSON on the paths of the interface and of probes for every Accept header', async () => {
    for (const path of ['/api/rest/v1/polls/never-there', '/api/nothing', '/oembed?url=x']) {
      const answer = await open(path)
      expect([path, answer.status >= 400, answer.headers.get('content-type')]).toEqual([path, true, 'application/json'])
      expect(((await answer.json()) as { error: { code: string } }).error.code).toBeTruthy()
    }
    for (const accept of ['*/*', 'application/json', 'application/json, text/html', 'image/webp,*/*']) {
      const answer = await fetch(`${service.service.url}/there/is/nothing`, { headers: { Accept: accept } })
      expect([accept, answer.headers.get('content-type')]).toEqual([accept, 'application/json'])
    }
  })

  test('has an icon that browsers keep', async () => {
    const svg = await service.get('/favicon.svg')
    const ico = await fetch(`${service.service.url}/favicon.ico`)
    expect(svg.text).toStartWith('<svg ')
    expect(new Uint8Array(await ico.arrayBuffer()).slice(0, 6)).toEqual(Uint8Array.of(0, 0, 1, 0, 1, 0))
    for (const { headers } of [svg, ico]) expect(headers.get('cache-control')).toBe('public, max-age=604800')
    expect([svg, ico].map(({ headers }) => headers.get('content-type'))).toEqual(['image/svg+xml', 'image/x-icon'])
  })
})
