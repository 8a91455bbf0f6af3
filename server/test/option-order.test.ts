import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { FrameLocator, Page, Request } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { ORDER_SCRIPT } from '../src/features/pages/inline-scripts.ts'
import { violationsOf } from './axe.ts'
import { CHOICE, EmbedSite, told, untilTold } from './embed-site.ts'
import { eventually } from './eventually.ts'
import type { PollData } from './service.ts'

type Order = 'AB' | 'BA'

const NOTES_SHIFTS =
  'window.shift = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.shift += entry.value }).observe({ type: "layout-shift", buffered: true })'

/** Decides the draws of a page. */
const drawing = (order: Order): string => `Math.random = () => ${order === 'AB' ? 0.1 : 0.9}`

async function orderIn(place: Page | FrameLocator): Promise<string> {
  const options = await place.locator('[data-option]').all()
  return (await Promise.all(options.map((option) => option.getAttribute('data-option')))).join('')
}

const placesOf = async (page: Page) =>
  Promise.all((await page.locator('[data-option]').all()).map((option) => option.boundingBox()))

const focused = (page: Page) =>
  page.evaluate<string>("document.querySelector('tossup-poll').shadowRoot.activeElement?.dataset.option ?? ''")

async function pressTab(page: Page, times: number): Promise<string[]> {
  const seen: string[] = []
  for (let i = 0; i < times; i++) {
    await page.keyboard.press('Tab')
    const option = await focused(page)
    if (option) seen.push(option)
  }
  return seen
}

describe.if(hasChromium)('a poll with a random order', () => {
  let site: EmbedSite
  let poll: PollData
  beforeAll(async () => {
    site = await EmbedSite.open({ isWholeBrowser: true })
  }, 60_000)
  afterAll(() => site.close())
  beforeEach(async () => {
    await site.renew()
    poll = await site.createPoll({ optionOrder: 'random' })
  })

  const votesSent = (): Request[] => {
    const sent: Request[] = []
    site.context.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/votes')) sent.push(request)
    })
    return sent
  }

  test.each(['AB', 'BA'] as const)(
    'in an element shows %s as drawn, keeps it over reloads, and says so in the vote',
    async (order) => {
      const sent = votesSent()
      await site.context.addInitScript(drawing(order))
      const { page, complaints } = await site.openWith(`<tossup-poll poll="${poll.shortId}"></tossup-poll>`)
      await page.locator(CHOICE.A).waitFor()
      expect(await orderIn(page)).toBe(order)
      expect(await page.evaluate<string>("localStorage.getItem('tossup.orders')")).toBe(` ${poll.id}:${order}`)

      // From now on, each draw would give the other order.
      await site.context.addInitScript(drawing(order === 'AB' ? 'BA' : 'AB'))
      for (let i = 0; i < 3; i++) {
        await page.reload()
        await page.locator(CHOICE.A).waitFor()
        expect(await orderIn(page)).toBe(order)
      }

      await page.locator('[data-option]').first().click()
      const [first = '', second = ''] = order
      expect((await untilTold(page, 'voted')).detail).toMatchObject({ poll: poll.shortId, option: first })
      expect(sent.map((request) => request.postDataJSON())).toEqual([{ option: first, shown: order }])
      expect(await page.locator('.share').allTextContents()).toEqual(['100%', '0%'])
      await page
        .getByRole('status')
        .getByText(order === 'AB' ? /^Tea 100%, Coffee 0%/ : /^Coffee 100%, Tea 0%/)
        .waitFor({ state: 'attached' })
      expect(await site.tallies(poll)).toMatchObject(
        first === 'A' ? { optionA: 1, optionB: 0 } : { optionA: 0, optionB: 1 },
      )

      // Live counts stay with their option.
      for (let i = 0; i < 3; i++) await site.service.vote(poll.slug, second as 'A' | 'B')
      await page.getByText('75%').first().waitFor()
      expect(await page.locator('.share').allTextContents()).toEqual(['25%', '75%'])
      expect(await orderIn(page)).toBe(order)
      expect(complaints).toEqual([])
    },
  )

  test('is drawn on pages and in frames before the first paint, without a shift, and stays fixed without scripts', async () => {
    await site.context.addInitScript(`${NOTES_SHIFTS}; ${drawing('BA')}`)
    for (const path of [`/p/${poll.shortId}`, `/embed/poll/${poll.shortId}`]) {
      const page = await site.context.newPage()
      // Without the script of the element, only the page itself can have drawn.
      await page.route('**/embed.js', (route) => route.abort())
      await page.goto(site.url + path)
      expect(await orderIn(page)).toBe('BA')
      await page.unroute('**/embed.js')
      const { page: whole, complaints } = await site.open(path)
      await untilTold(whole, 'ready')
      expect(await orderIn(whole)).toBe('BA')
      expect(await whole.evaluate<string>("localStorage.getItem('tossup.orders')")).toBe(` ${poll.id}:BA`)
      expect(await whole.evaluate<number>('window.shift')).toBe(0)
      expect(complaints).toEqual([])
      await whole.evaluate('localStorage.clear()')
    }
    await site.renew({ javaScriptEnabled: false })
    const page = await site.context.newPage()
    await page.goto(`${site.url}/p/${poll.shortId}`)
    expect(await orderIn(page)).toBe('AB')
  })

  test.each([
    ['en', 390],
    ['en', 1440],
    ['ar', 390],
    ['ar', 1440],
  ] as const)('is reached by keyboard in the order that is seen, in %s at %i pixels', async (lang, width) => {
    await site.context.addInitScript(drawing('BA'))
    const { page } = await site.openWith(`<tossup-poll poll="${poll.shortId}" lang="${lang}" hidebrand></tossup-poll>`)
    await page.setViewportSize({ width, height: 900 })
    await page.locator(CHOICE.A).waitFor()
    expect(await orderIn(page)).toBe('BA')
    const [first, second] = await placesOf(page)
    if (!first || !second) throw new Error('an option is missing')
    const isFirstBefore = { 390: first.y < second.y, 1440: lang === 'ar' ? first.x > second.x : first.x < second.x }
    expect(isFirstBefore[width]).toBe(true)
    expect(await pressTab(page, 2)).toEqual(['B', 'A'])
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    expect((await untilTold(page, 'voted')).detail['option']).toBe('B')
    expect(await violationsOf(page, ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])).toEqual([])
  })

  test('keeps its order for the page where nothing may be stored', async () => {
    const sent = votesSent()
    await site.context.addInitScript(drawing('BA'))
    const allowed = { token: site.brand.token, json: { embedStorage: 'ALLOW' } }
    await site.service.write('PATCH', 'brands/me/theme', allowed)
    const address = `${site.url}/embed/poll/${poll.shortId}`
    const { page } = await site.openWith(
      `<iframe sandbox="allow-scripts" width="400" height="500" src="${address}"></iframe>`,
    )
    const inside = page.frameLocator('iframe')
    await inside.locator(CHOICE.A).waitFor()
    expect(await orderIn(inside)).toBe('BA')
    await inside.locator(CHOICE.A).click()
    await inside.locator('article[data-state~="voted"]').waitFor()
    expect(await orderIn(inside)).toBe('BA')

    const { page: silent } = await site.open(`/p/${poll.shortId}?storage=none`)
    await untilTold(silent, 'ready')
    await silent.locator(CHOICE.B).click()
    await untilTold(silent, 'voted')
    expect(await silent.evaluate<number>('localStorage.length')).toBe(0)
    expect(sent.map((request) => request.postDataJSON())).toEqual([
      { option: 'A', shown: 'BA' },
      { option: 'B', shown: 'BA' },
    ])
  })

  test('is the same in a campaign, step by step and at its end', async () => {
    const sent = votesSent()
    await site.context.addInitScript(drawing('BA'))
    const fixed = await site.createPoll()
    const campaign = await site.createCampaign([poll, fixed])
    const { page } = await site.open(`/c/${campaign}?autoAdvance=false`)
    await untilTold(page, 'ready')
    expect(await orderIn(page)).toBe('BA')
    await page.locator(CHOICE.A).click()
    await page.getByRole('button', { name: 'Next' }).click()
    await eventually(async () => (await orderIn(page)) === 'AB')
    await page.locator(CHOICE.A).click()
    await page.getByRole('button', { name: 'Next' }).click()
    await eventually(async () => (await orderIn(page)) === 'BAAB')
    expect(sent.map((request) => request.postDataJSON())).toEqual([
      { option: 'A', campaign, shown: 'BA' },
      { option: 'A', campaign },
    ])
    expect((await told(page)).map(({ type }) => type)).not.toContain('error')
  })

  test('draws each order about as often', async () => {
    const { page } = await site.open('about:blank')
    const drawn = await page.evaluate<number>(`{
      const element = document.body.appendChild(document.createElement('div'))
      const options = '<p data-random aria-labelledby="tossup-#"><b>A</b><b>B</b></p>'
      element.attachShadow({ mode: 'open' }).innerHTML = Array.from({ length: 10_000 }, (_, i) => options.replace('#', i)).join('')
      const script = document.createElement('script')
      script.textContent = ${JSON.stringify(ORDER_SCRIPT)}
      document.body.append(script)
      element.shadowRoot.querySelectorAll('b:first-child').values().filter(({ textContent }) => textContent === 'B').toArray().length
    }`)
    // Five standard deviations: false alarms once in 1.7 million runs.
    expect(Math.abs(drawn - 5_000)).toBeLessThan(250)
  })
})
