import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** In a world of its own: the policy of the page does not let a script in. */
async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(`${axe.source};undefined`)
  const { violations } = await page.evaluate<{ violations: Violation[] }>(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })",
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  )
}

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
      campaign: `/c/${campaign.body.data.campaignId}`,
      brand: `/b/${brand.slug}`,
      'without polls': `/b/${(await service.createBrand()).slug}`,
    })
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  test.each(Object.keys(SURROUNDINGS))('in any state, %s', async (name) => {
    const context = await browser.newContext(SURROUNDINGS[name])
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
    // The second one is closed.
    await page.getByText('2 / 2', { exact: true }).waitFor()
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
    await page.locator('.share').first().waitFor()
    expect(['voted', await violationsOf(page)]).toEqual(['voted', []])
    await context.close()
  })

  test('with letters twice as large nothing is cut off or wider than the page', async () => {
    const page = await browser.newPage({ viewport: { width: 640, height: 800 } })
    for (const [state, path] of Object.entries(states)) {
      await page.goto(service.service.url + path)
      await page.evaluate("document.documentElement.style.fontSize = '200%'")
      const isWider = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
      expect([state, isWider]).toEqual([state, false])
    }
    await page.close()
  })

  test('by the keys alone: to the choice, to vote, to hear the result, and the focus stays', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${service.service.url}/p/${poll.shortId}`)
    await page.locator('[data-option="A"]').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    const focused = () =>
      page.evaluate<string>("document.querySelector('tossup-poll').shadowRoot.activeElement?.dataset.option")
    expect(await focused()).toBe('B')
    await page.keyboard.press('Enter')
    await page.locator('[role="status"]').getByText('%').waitFor()
    expect(await page.locator('[role="status"]').textContent()).toMatch(/^Tea \d+%, Coffee \d+%, \d+ votes?$/)
    expect(await focused()).toBe('B')
    await context.close()
  })

  test('nothing moves by itself, from the first byte to the script', async () => {
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
})
