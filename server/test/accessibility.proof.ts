import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { violationsOf } from './axe.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

/** The texts of a poll that reach out of their choice or their card. */
const CUT_OFF = `[...document.querySelectorAll('tossup-poll, tossup-campaign, tossup-feed')].flatMap(({ shadowRoot }) =>
  [...shadowRoot.querySelectorAll('.words, .figure, .title, .status')].filter((text) => {
    const range = document.createRange()
    range.selectNodeContents(text)
    const [inner, outer] = [range, text.closest('.option, .poll')].map((each) => each.getBoundingClientRect())
    return inner.left < outer.left || inner.right > outer.right || inner.top < outer.top || inner.bottom > outer.bottom
  }).map((text) => text.textContent))`

const SURROUNDINGS: Record<string, BrowserContextOptions> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  narrow: { viewport: { width: 320, height: 640 } },
  'forced colours': { forcedColors: 'active' },
}

describe.if(hasChromium)('a page of ours has no barrier', () => {
  let service: TestService
  let brand: TestBrand
  let browser: Browser
  let poll: PollData
  const states: Record<string, string> = {}
  beforeAll(async () => {
    service = await startTestService('sqlite')
    brand = await service.createBrand()
    browser = await openBrowser()
    const json = { accent: '#ffff66', background: '#fffffe', foreground: '#777777' }
    await service.write('PATCH', 'brands/me/theme', { token: brand.token, json })
    poll = await service.createPoll(brand)
    const closed = await service.createPoll(brand, { title: 'Long ago?' })
    await service.vote(closed.slug, 'A')
    const closesAt = new Date(Date.now() - 60_000).toISOString()
    await service.write('PATCH', `brands/me/polls/${closed.slug}`, { token: brand.token, json: { closesAt } })
    const opensAt = new Date(Date.now() + 86_400_000).toISOString()
    const scheduled = await service.createPoll(brand, { title: 'Soon?', opensAt })
    const campaign = await service.write<{ campaignId: string }>('POST', 'brands/me/campaigns', {
      token: brand.token,
      json: { title: `Campaign ${randomUUID()}`, polstIds: [poll.id, closed.id] },
    })
    Object.assign(states, {
      open: `/p/${poll.shortId}`,
      'in a frame': `/embed/poll/${poll.shortId}`,
      'in Arabic': `/p/${poll.shortId}?lang=ar`,
      'without its title': `/p/${poll.shortId}?hideTitle`,
      closed: `/p/${closed.shortId}`,
      scheduled: `/p/${scheduled.shortId}`,
      missing: '/p/AAAAAAAAAAAA',
      'its QR code': `/p/${poll.shortId}/qr`,
      campaign: `/c/${campaign.body.data.campaignId}`,
      brand: `/b/${brand.slug}`,
      'without polls': `/b/${(await service.createBrand()).slug}`,
    })
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  test.each(Object.keys(SURROUNDINGS))(
    'axe finds no violation in any state, %s',
    async (name) => {
      const context = await browser.newContext({ ...SURROUNDINGS[name], reducedMotion: 'reduce' })
      const page = await context.newPage()
      for (const [state, path] of Object.entries(states)) {
        await page.goto(service.service.url + path)
        await page.locator('main').waitFor()
        expect([state, await violationsOf(page)]).toEqual([state, []])
        const isWider = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
        expect([state, isWider]).toEqual([state, false])
      }
      await page.goto(`${service.service.url}${states['campaign']}?autoAdvance=false`)
      await page.locator('[data-option="A"]').click()
      await page.locator('.go-on').click()
      await page.locator('article').nth(1).waitFor()
      expect(['the end of a campaign', await violationsOf(page)]).toEqual(['the end of a campaign', []])
      await context.clearCookies()
      await page.evaluate('localStorage.clear()')
      await page.goto(service.service.url + states['open'])
      await page.locator('[data-option="A"]').waitFor()
      await page.route('**/votes', (route) => route.abort())
      await page.locator('[data-option="A"]').click()
      await page.locator('.retry').waitFor()
      expect(['not sent', await violationsOf(page)]).toEqual(['not sent', []])
      await page.unroute('**/votes')
      await page.evaluate('localStorage.clear()')
      await page.goto(service.service.url + states['open'])
      await page.locator('[data-option="A"]').click()
      await page.locator('nav.after').waitFor()
      expect(['voted', await violationsOf(page)]).toEqual(['voted', []])
      await context.close()
    },
    180_000,
  )

  test('with letters twice as large nothing is cut off or wider than the page', async () => {
    const page = await browser.newPage({ viewport: { width: 640, height: 800 } })
    for (const [state, path] of Object.entries(states)) {
      await page.goto(service.service.url + path)
      await page.evaluate("document.documentElement.style.fontSize = '200%'")
      const isWider = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
      expect([state, isWider]).toEqual([state, false])
      expect([state, await page.evaluate<string[]>(CUT_OFF)]).toEqual([state, []])
    }
    await page.goto(service.service.url + states['open'])
    await page.locator('[data-option="A"]').click()
    await page.locator('nav.after').waitFor()
    await page.evaluate("document.documentElement.style.fontSize = '200%'")
    expect(await page.locator('.figure').count()).toBe(2)
    expect(await page.evaluate<string[]>(CUT_OFF)).toEqual([])
    expect(await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')).toBe(false)
    await page.close()
  })

  test('in forced colours the letters of a result have the colours of the visitor, and the mark stands out', async () => {
    const context = await browser.newContext({ forcedColors: 'active', reducedMotion: 'reduce' })
    const page = await context.newPage()
    await page.goto(service.service.url + states['open'])
    await page.locator('[data-option="A"]').click()
    await page.locator('.figure').first().waitFor()
    const [own, seen, mark] = await page.evaluate<[string, string[], string[]]>(`(() => {
      const root = document.querySelector('tossup-poll').shadowRoot
      const probe = document.body.appendChild(document.createElement('button'))
      const colors = [...root.querySelectorAll('.words, .figure')].map((text) => getComputedStyle(text).color)
      const { stroke, backgroundColor, width } = getComputedStyle(root.querySelector('.mark'))
      return [getComputedStyle(probe).color, colors, [stroke, backgroundColor, width]]
    })()`)
    expect(seen).toEqual([own, own, own, own])
    expect(mark[0]).not.toBe(mark[1])
    expect(mark[2]).toBe('28px')
    await context.close()
  })

  test('the keyboard alone reaches a choice and votes; the result is announced and the focus stays', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${service.service.url}/p/${poll.shortId}`)
    await page.locator('[data-option="A"]').waitFor()
    // The brand's name, and the two choices.
    for (let i = 0; i < 3; i++) await page.keyboard.press('Tab')
    const focused = () =>
      page.evaluate<string>("document.querySelector('tossup-poll').shadowRoot.activeElement?.dataset.option")
    expect(await focused()).toBe('B')
    await page.keyboard.press('Enter')
    await page.locator('[role="status"]').getByText('%').waitFor()
    expect(await page.locator('.spoken[role="status"]').textContent()).toMatch(
      /^Tea \d+%, Coffee \d+%, \d+ votes?\. .*Your answer: Coffee\. Below: Share my answer$/,
    )
    expect(await focused()).toBe('B')
    await context.close()
  })

  test('nothing shifts while the page and its script load', async () => {
    const page = await browser.newPage()
    await page.addInitScript(
      'window.shift = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value }).observe({ type: "layout-shift", buffered: true })',
    )
    for (const path of [states['open'], states['campaign'], states['brand']]) {
      await page.goto(`${service.service.url}${path}`)
      await page.waitForLoadState('networkidle')
      expect([path, await page.evaluate<number>('window.shift')]).toEqual([path, 0])
    }
    await page.close()
  })

  test('a page that arrives in two parts is drawn whole: a bar does not move when the figure beside it comes', async () => {
    // Real time: the browser would draw the first part in this pause.
    const PAUSE_MS = 300
    await using proxy = Bun.serve({
      port: 0,
      async fetch({ url }) {
        const { pathname, search } = new URL(url)
        const answer = await fetch(`${service.service.url}${pathname}${search}`)
        const type = answer.headers.get('content-type') ?? ''
        const text = await answer.text()
        const cut = text.indexOf('<span class="share">')
        const stream = async function* () {
          if (cut > 0) {
            yield text.slice(0, cut)
            await Bun.sleep(PAUSE_MS)
          }
          yield text.slice(Math.max(cut, 0))
        }
        return new Response(stream(), { headers: { 'Content-Type': type } })
      },
    })
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${proxy.port}${states['closed']}`)
    await page.locator('.figure').first().waitFor()
    const drawnAt = 'performance.getEntriesByName("first-contentful-paint")[0]?.startTime'
    await page.waitForFunction(drawnAt)
    const arrivedAt = 'performance.getEntriesByType("navigation")[0].responseEnd'
    expect(await page.evaluate<boolean>(`${drawnAt} >= ${arrivedAt}`)).toBe(true)
    await page.close()
  })
})
