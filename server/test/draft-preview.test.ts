import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasChromium } from '../../embed/test/browser.ts'
import { CHOICE, EmbedSite } from './embed-site.ts'
import { engines } from './engines.ts'
import { HOUR, patchPoll } from './polls.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

describe.each([...engines])('%s: a link to a draft', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { jobs: 'by hand' })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  async function linkTo(slug: string, token = brand.token): Promise<URL> {
    const { status, text, body, headers } = await service.get<{ url: string; expiresAt: string }>(
      `brands/me/polls/${slug}/preview`,
      { token },
    )
    expect([status, headers.get('cache-control')], text).toEqual([200, 'private, no-store'])
    expect(Math.abs(Date.parse(body.data.expiresAt) - service.clock.now() - HOUR)).toBeLessThan(60_000)
    return new URL(body.data.url)
  }
  const open = ({ pathname, search }: URL) => service.get(pathname + search)

  test('of another poll, forged, or of another brand opens nothing', async () => {
    const [one, two] = [
      await service.createPoll(brand, { isDraft: true }),
      await service.createPoll(brand, { isDraft: true }),
    ]
    const link = await linkTo(one.slug)
    const token = link.searchParams.get('preview') ?? ''
    const later = `${(service.clock.now() + 2 * HOUR).toString(36)}.${token.split('.')[1]}`
    for (const [name, given] of [
      [two.shortId, token],
      [one.slug, token],
      [one.shortId, later],
      [one.shortId, `${token}A`],
      [one.shortId, token.replace('.', '')],
      [one.shortId, ''],
      [one.shortId, '%00'],
    ]) {
      const reply = await service.get(`/p/${name}?preview=${given}`)
      expect([name, given, reply.status, reply.headers.get('cache-control')]).toEqual([name, given, 404, 'no-store'])
    }
    const stranger = await service.createBrand()
    expect((await service.get(`brands/me/polls/${one.slug}/preview`, { token: stranger.token })).status).toBe(404)
  })

  test('shows the page itself once the poll is published, with the caching of a page', async () => {
    const draft = await service.createPoll(brand, { isDraft: true })
    const link = await linkTo(draft.slug)
    await patchPoll(service, brand, draft.slug, { isDraft: false })
    const page = await open(link)
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'public, max-age=0, s-maxage=2'])
    expect(page.text).not.toContain('class="preview"')
  })

  test('shows the page for an hour, which nothing keeps and nothing else learns of', async () => {
    const draft = await service.createPoll(brand, { isDraft: true, title: 'A secret?' })
    const link = await linkTo(draft.slug)
    const page = await open(link)
    expect(page.status).toBe(200)
    expect(page.text).toContain('A secret?')
    expect(page.text).toContain('<p class="preview">Preview of a draft.')
    expect(page.text).toContain('<meta name="robots" content="noindex">')
    expect(page.text).not.toContain('og:image')
    expect(page.text).not.toContain('class="sharing"')
    expect(page.text).toContain('<meta name="referrer" content="no-referrer">')
    expect(page.headers.get('cache-control')).toBe('private, no-store')
    const translated = await service.get(`${link.pathname}${link.search}&lang=de`)
    expect(translated.text).toContain('<p class="preview">Vorschau eines Entwurfs.')
    expect((await service.vote(draft.slug, 'A')).status).toBe(404)
    // The link of the page opens nothing beside it, and leaves nothing behind in memory.
    for (const path of ['/qr', '/qr.svg', '/qr.png', '/card.jpg']) {
      expect([path, (await service.get(`${link.pathname}${path}${link.search}`)).status]).toEqual([path, 404])
    }
    expect((await service.get(link.pathname)).status).toBe(404)
    expect((await service.get(`/embed/poll/${draft.shortId}${link.search}`)).status).toBe(404)
    service.clock.advance(HOUR)
    expect((await open(link)).status).toBe(404)
  })
})

describe.if(hasChromium)('the page of a preview in a browser', () => {
  test('shows what a vote would look like, and sends none', async () => {
    const site = await EmbedSite.open()
    const poll = await site.createPoll({ isDraft: true })
    const { token } = site.brand
    const { body } = await site.service.get<{ url: string }>(`brands/me/polls/${poll.slug}/preview`, { token })
    await site.renew()
    const page = await site.context.newPage()
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
    const { pathname, search } = new URL(body.data.url)
    await page.goto(site.url + pathname + search)
    await page.locator(CHOICE.B).waitFor()
    await page.locator(CHOICE.B).click()
    await page.locator('article[data-state~="voted"]').waitFor()
    await page.waitForLoadState('networkidle')
    expect(sent).toEqual([])
    await site.close()
  })
})
