import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { LANGS } from '../../embed/src/words.ts'
import { hasChromium } from '../../embed/test/browser.ts'
import { CHOICE, EmbedSite, untilTold } from './embed-site.ts'
import { eventually } from './eventually.ts'
import { fromNow, problemsOf } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

interface Mail {
  readonly html: string
  readonly text: string
}

describe('a poll for a mail', () => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService('sqlite')
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const mailOf = (poll: string, query = '') => service.get<Mail>(`brands/me/polls/${poll}/email${query}`, brand)

  test('has a link for each answer, with the source, in HTML and in text', async () => {
    const { slug, shortId } = await service.createPoll(brand)
    const { status, body } = await mailOf(slug, '?source=news')
    expect(status).toBe(200)
    const { html, text } = body.data
    for (const choice of ['A', 'B']) {
      expect(text).toContain(`/p/${shortId}?source=news&choose=${choice}`)
      expect(html).toContain(`/p/${shortId}?source=news&amp;choose=${choice}"`)
    }
    expect(html).toContain('prefers-color-scheme:dark')
    expect(html).not.toMatch(/<script|<form|<svg|javascript:/i)
    expect((await mailOf(slug)).body.data.text).toContain(`/p/${shortId}?choose=A`)
  })

  test('escapes everything that a brand writes', async () => {
    const evil = `"><img src=x onerror=alert(1)>'&`
    const { slug } = await service.createPoll(brand, { title: evil, optionA: { label: `A${evil}` } })
    const { html, text } = (await mailOf(slug)).body.data
    expect(html).not.toContain('<img')
    expect(html).toContain('&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&#39;&amp;')
    expect(text).toContain(evil)
  })

  test('speaks ten languages, from right to left too', async () => {
    const { slug } = await service.createPoll(brand)
    const notes = await Promise.all(
      LANGS.map(async (lang) => {
        const { html, text } = (await mailOf(slug, `?lang=${lang}`)).body.data
        expect(html).toContain(` lang="${lang}" dir="${lang === 'ar' ? 'rtl' : 'ltr'}"`)
        return text.split('\n').at(-1)
      }),
    )
    expect(new Set(notes).size).toBe(LANGS.length)
  })

  test('is given for drafts, to the owner alone, and refuses what it does not know', async () => {
    const { slug } = await service.createPoll(brand, { isDraft: true })
    expect((await mailOf(slug)).status).toBe(200)
    const stranger = await service.createBrand()
    expect((await service.get(`brands/me/polls/${slug}/email`, stranger)).status).toBe(404)
    for (const [query, problem] of [
      ['?source=News%20letter', 'source'],
      ['?lang=xx', 'lang'],
      ['?choose=A', 'choose'],
    ] as const) {
      const refused = await mailOf(slug, query)
      expect([query, refused.status, problemsOf(refused)[0]?.split(' ')[0]]).toEqual([query, 422, problem])
    }
  })
})

describe('the feed of results', () => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService('sqlite')
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const feed = (headers: Record<string, string> = {}, query = '') =>
    fetch(`${service.service.url}/b/${brand.slug}/feed.atom${query}`, { headers })

  test('has closed polls with public results, the latest first, and no others', async () => {
    const closed = { opensAt: fromNow(-7_200_000) }
    const first = await service.createPoll(brand, { ...closed, title: 'First & <last>', closesAt: fromNow(-3_600_000) })
    const second = await service.createPoll(brand, {
      ...closed,
      title: 'Second',
      closesAt: fromNow(-60_000),
      resultsVisibility: 'after_close',
    })
    await service.createPoll(brand, { title: 'Open' })
    for (const [title, fields] of Object.entries({
      Never: { resultsVisibility: 'never' },
      'After vote': { resultsVisibility: 'after_vote' },
      Private: { isPrivate: true },
      Draft: { isDraft: true },
    }))
      await service.createPoll(brand, { ...closed, title, closesAt: fromNow(-60_000), ...fields })
    const reply = await feed()
    const text = await reply.text()
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/atom+xml; charset=utf-8'])
    expect([...text.matchAll(/<entry><id>urn:uuid:([\w-]+)</g)].map(([, id]) => id)).toEqual([second.id, first.id])
    expect(text).toContain('<title>First &amp; &lt;last&gt;</title>')
    expect(text).toContain(`href="${service.deps.config.publicUrl}/p/${first.shortId}"`)
    const etag = reply.headers.get('etag') ?? ''
    expect((await feed({ 'If-None-Match': etag })).status).toBe(304)
    expect(await (await feed({}, '?lang=de')).text()).toContain('xml:lang="de"')
    expect((await feed({ 'Accept-Language': 'fr' })).headers.get('vary')).toContain('Accept-Language')
  })

  test('is named by the page of the brand, and is 404 where there is no brand', async () => {
    const page = await (await fetch(`${service.service.url}/b/${brand.slug}`)).text()
    expect(page).toContain(`<link rel="alternate" type="application/atom+xml" href=`)
    expect((await fetch(`${service.service.url}/b/nobody-here/feed.atom`)).status).toBe(404)
  })
})

const CAST = '.ask > .cast'
const BACK = '.ask > .unask'
const ROOT = `document.querySelector('tossup-poll').shadowRoot`
const FOCUSED = `${ROOT}.activeElement?.className ?? ''`

describe.if(hasChromium)('an answer that is prepared', () => {
  let site: EmbedSite
  beforeAll(async () => {
    site = await EmbedSite.open()
  })
  afterAll(() => site.close())

  async function visit(poll: PollData, query: string): Promise<Page> {
    await site.renew()
    const page = await site.context.newPage()
    await page.goto(`${site.url}/p/${poll.shortId}?${query}`)
    return page
  }

  const total = async ({ slug }: PollData) =>
    (await site.service.get<{ tallies: { total: number } }>(`polls/${slug}`)).body.data.tallies.total

  const pressed = (page: Page): Promise<(string | null)[]> =>
    page.evaluate(`[...${ROOT}.querySelectorAll('[data-option]')].map((option) => option.getAttribute('aria-pressed'))`)

  /** Stops the clock of the page a second later: a press at once could be the second one of a double tap. */
  const later = (page: Page) => page.evaluate('{ const at = performance.now() + 1000; performance.now = () => at }')

  test('by a link is cast by one press, with its source, and the button has the focus', async () => {
    const name = { token: site.brand.token, json: { name: 'newsletter' } }
    await site.service.write('POST', 'brands/me/source-names', name)
    const poll = await site.createPoll()
    const page = await visit(poll, 'source=newsletter&choose=B')
    await page.locator(CAST).waitFor()
    expect(await pressed(page)).toEqual(['false', 'true'])
    expect(await page.locator(CAST).textContent()).toBe('Vote for Coffee')
    await eventually(async () => (await page.evaluate(FOCUSED)) === 'cast')
    expect(await total(poll)).toBe(0)
    await later(page)
    await page.keyboard.press('Enter')
    await page.locator('article[data-state~="voted"]').waitFor()
    await eventually(async () => (await total(poll)) === 1)
    expect(await page.locator('.ask').count()).toBe(0)
    const counted = await site.service.db.selectFrom('attributed_counts').selectAll().execute()
    expect(counted.filter(({ source_key }) => source_key !== null)).toHaveLength(1)
  })

  test('is of its poll alone: the link to the next poll keeps the source and names no answer', async () => {
    const [poll, next] = [await site.createPoll(), await site.createPoll()]
    const page = await visit(poll, 'choose=A&source=newsletter&side=A')
    await page.locator(CAST).waitFor()
    await later(page)
    await page.locator(CAST).click()
    const link = page.locator('a.way.go')
    expect(await link.getAttribute('href')).toBe(`${site.url}/p/${next.shortId}?source=newsletter`)
    await link.click()
    await page.waitForURL(`**/p/${next.shortId}?*`)
    await untilReady(page)
    expect(await page.locator('.ask').count()).toBe(0)
    expect(await pressed(page)).toEqual([null, null])
  })

  test('is not cast by a script, nor by a second press at once, and there is a way back', async () => {
    const poll = await site.createPoll()
    const page = await visit(poll, 'choose=A')
    await page.locator(CAST).waitFor()
    await later(page)
    await page.evaluate(`for (const each of ${ROOT}.querySelectorAll('.cast, [data-option="A"]')) {
      each.click()
      each.dispatchEvent(new MouseEvent('click', { bubbles: true }))
    }`)
    await page.locator(BACK).click()
    expect(await page.locator('.ask').count()).toBe(0)
    expect(await pressed(page)).toEqual([null, null])
    expect(await total(poll)).toBe(0)
    // Then it is a poll that asks for a second press, and a double tap is one press.
    await page.locator(CHOICE.B).click()
    await page.locator(CAST).waitFor()
    expect(await page.locator(CAST).textContent()).toBe('Vote for Coffee')
    await page.locator(CHOICE.B).click()
    await page.locator(CAST).click()
    expect(await total(poll)).toBe(0)
    await later(page)
    await page.locator(CHOICE.B).click()
    await eventually(async () => (await total(poll)) === 1)
  })

  test.each([
    ['choose=C', {}],
    ['choose=', {}],
    ['choose=A', { closesAt: fromNow(-1_000) }],
    ['choose=A', { opensAt: fromNow(3_600_000) }],
  ])('by ?%s is none, where it cannot be cast: %p', async (query, fields) => {
    const poll = await site.createPoll(fields)
    const page = await visit(poll, query)
    await untilReady(page)
    expect(await page.locator('.ask').count()).toBe(0)
    expect(await pressed(page)).toEqual([null, null])
  })

  test('is none where this device has voted, and follows the order that the device sees', async () => {
    const poll = await site.createPoll({ optionOrder: 'random', resultsVisibility: 'never' })
    const page = await visit(poll, 'choose=A')
    await page.locator(CAST).waitFor()
    expect(await page.locator(CAST).textContent()).toBe('Vote for Tea')
    expect(await page.locator(CHOICE.A).getAttribute('aria-pressed')).toBe('true')
    await later(page)
    await page.locator(CAST).click()
    await page.locator('article[data-state~="voted"]').waitFor()
    expect(await page.locator('.ask').count()).toBe(0)
    await page.reload()
    await page.locator('article[data-state~="voted"]').waitFor()
    await untilReady(page)
    expect(await page.locator('.ask').count()).toBe(0)
  })

  test('by `confirm` an element asks for a second press, on a page of another site', async () => {
    const poll = await site.createPoll()
    await site.renew()
    const { page } = await site.openWith(`<tossup-poll poll="${poll.shortId}" confirm></tossup-poll>`)
    await untilTold(page, 'ready')
    await page.locator(CHOICE.A).click()
    await page.locator(CAST).waitFor()
    expect(await total(poll)).toBe(0)
    await later(page)
    await page.locator(CAST).click()
    await untilTold(page, 'voted')
    expect(await total(poll)).toBe(1)
  })
})

/** The part for what follows a vote is loaded once the page is idle, and that for a prepared answer before it. */
const untilReady = (page: Page) => page.waitForLoadState('networkidle')
