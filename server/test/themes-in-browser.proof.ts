import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { themePresets } from '../../sdk/src/theme-presets.ts'
import { keepFile } from '../src/features/uploads/files.ts'
import { CHOICE, EmbedSite, untilTold } from './embed-site.ts'
import { eventually } from './eventually.ts'
import { complaintsOf } from './host-site.ts'
import { paint } from './pictures.ts'

setDefaultTimeout(60_000)

const FILES = 'https://files.example'

const SHIFT =
  'window.shift = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.shift += entry.value }).observe({ type: "layout-shift", buffered: true })'

interface Styled {
  getComputedStyle(element: unknown): { getPropertyValue(name: string): string }
}

const style = (page: Page, selector: string, property: string): Promise<string> =>
  page
    .locator(selector)
    .first()
    .evaluate(
      (element, name) => (globalThis as unknown as Styled).getComputedStyle(element).getPropertyValue(name),
      property,
    )

const hexOf = (rgb: string): string =>
  `#${(rgb.match(/\d+/g) ?? []).map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`

describe.if(hasChromium)('a theme in a browser', () => {
  let site: EmbedSite
  beforeAll(async () => {
    site = await EmbedSite.open({ settings: { FILES_URL: FILES }, isWholeBrowser: true })
  })
  afterAll(() => site.close())

  const dress = async (json: object) => {
    const { status } = await site.service.write('PATCH', 'brands/me/theme', { token: site.brand.token, json })
    expect(status).toBe(200)
  }

  test.each([
    ['light', '#f', 'rgb(41, 34, 27)'],
    ['dark', '#1', 'rgb(251, 247, 239)'],
  ] as const)('covers the whole page, in its font and in both schemes: %s', async (colorScheme, ground, ink) => {
    await dress(themePresets.paper)
    const poll = await site.createPoll()
    await site.renew({ colorScheme })
    for (const path of [`/p/${poll.shortId}`, `/b/${site.brand.slug}`]) {
      const { page, complaints } = await site.open(path)
      expect(await style(page, 'body', 'font-family')).toContain('ui-serif')
      expect([path, await style(page, 'body', 'color')]).toEqual([path, ink])
      const found = hexOf(await style(page, 'body', 'background-color'))
      const card = hexOf(await style(page, '.poll', 'background-color'))
      expect([path, found.slice(0, 2), found === card]).toEqual([path, ground, false])
      expect(complaints).toEqual([])
      const { page: code, complaints: none } = await site.open(`${path}/qr`)
      expect(hexOf(await style(code, 'body', 'background-color'))).toBe(found)
      expect(await style(code, 'body', 'font-family')).toContain('ui-serif')
      expect(none).toEqual([])
    }
  })

  test.each(['OVERLAY', 'HIDDEN'])('a picture below its words has four round corners: %s', async (labelPlacement) => {
    await dress({ labelPlacement })
    const bytes = paint({ width: 300, height: 300 })
    const file = { slot: 'optionA', contentType: 'image/png', bytes, width: 300, height: 300 } as const
    const key = await keepFile(site.service.db, site.service.deps, { brandKey: site.brand.brandKey, ...file })
    const poll = await site.createPoll({ optionA: { label: 'Tea', imageUrl: `${FILES}/${key}` } })
    await site.renew()
    await site.context.route(`${FILES}/**`, (route) =>
      route.fulfill({ contentType: 'image/png', body: Buffer.from(bytes) }),
    )
    const { page } = await site.open(`/p/${poll.shortId}`)
    const radius = await style(page, '.option-a', 'border-start-start-radius')
    expect(radius).not.toBe('0px')
    for (const corner of ['start-start', 'start-end', 'end-start', 'end-end']) {
      expect([corner, await style(page, '.frame', `border-${corner}-radius`)]).toEqual([corner, radius])
    }
  })

  test("a brand's own page has its picture, its name and its words once, and no line of the brand on its cards", async () => {
    const bytes = paint({ width: 60, height: 20 })
    const file = { slot: 'logo_light', contentType: 'image/png', bytes, width: 60, height: 20 } as const
    const key = await keepFile(site.service.db, site.service.deps, { brandKey: site.brand.brandKey, ...file })
    const json = {
      displayName: 'Corner Café',
      description: 'Coffee at the corner.',
      avatarUrl: `${FILES}/${key}`,
      locationCity: 'Kyiv',
    }
    await site.service.write('PATCH', 'brands/me', { token: site.brand.token, json })
    await site.createPoll()
    await site.renew()
    await site.context.route(`${FILES}/**`, (route) =>
      route.fulfill({ contentType: 'image/png', body: Buffer.from(bytes) }),
    )
    const { page, complaints } = await site.open(`/b/${site.brand.slug}`)
    await untilTold(page, 'ready')
    expect(await page.locator('h1').allInnerTexts()).toEqual(['Corner Café'])
    expect(await page.locator('.about').textContent()).toBe('Coffee at the corner.')
    expect(await page.locator('.place').textContent()).toBe('Kyiv')
    const avatar = page.locator('.avatar')
    await eventually(
      async () =>
        (await avatar.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)) === 60,
    )
    expect(await page.locator('tossup-feed .option').count()).toBeGreaterThan(1)
    expect(await page.locator('tossup-feed .brand').count()).toBe(0)
    await page.locator(CHOICE.A).first().click()
    await untilTold(page, 'voted')
    expect(await page.locator('tossup-feed .brand').count()).toBe(0)
    expect(complaints).toEqual([])
    await dress({ logoLightUrl: `${FILES}/${key}` })
    const again = await site.open(`/b/${site.brand.slug}`)
    expect(await again.page.getByRole('heading', { level: 1 }).getByRole('img').getAttribute('alt')).toBe('Corner Café')
    await dress({ logoLightUrl: null })
    // Another site would learn who looks at the page.
    const elsewhere = { avatarUrl: `${FILES}.elsewhere.example/me.png` }
    await site.service.write('PATCH', 'brands/me', { token: site.brand.token, json: elsewhere })
    const without = await site.open(`/b/${site.brand.slug}`)
    expect(await without.page.locator('.about').count()).toBe(1)
    expect(await without.page.locator('.avatar').count()).toBe(0)
    const { headers } = await fetch(`${site.url}/b/${site.brand.slug}`)
    expect(headers.get('content-security-policy')).not.toContain('elsewhere')
    const framed = await site.open(`/embed/brand/${site.brand.slug}`)
    expect(await framed.page.locator('tossup-feed .brand').count()).toBeGreaterThan(0)
  })

  describe('in Manrope', () => {
    const requests = (page: Page) => {
      const fonts: string[] = []
      page.on('request', (request) => {
        if (request.url().includes('/embed/fonts/')) fonts.push(new URL(request.url()).pathname)
      })
      return fonts
    }
    const isLoaded = (page: Page) =>
      page.evaluate(
        `[...document.fonts].some(({ family, status }) => family.includes('Tossup Manrope') && !family.includes('Fallback') && status === 'loaded')`,
      )

    test('loads the font only where it is chosen, only the letters that are shown, and moves nothing', async () => {
      await dress(themePresets.clear)
      const poll = await site.createPoll({ title: 'Which of these two mornings would you like more, and why?' })
      await site.renew()
      const page = await site.context.newPage()
      const fonts = requests(page)
      await page.addInitScript(SHIFT)
      const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>()
      const { promise: mayCome, resolve: letCome } = Promise.withResolvers<void>()
      // Late, so that its fallback is painted first.
      await page.route('**/embed/fonts/**', async (route) => {
        ask()
        await mayCome
        await route.continue()
      })
      await page.goto(`${site.url}/p/${poll.shortId}`, { waitUntil: 'domcontentloaded' })
      await isAsked
      await page.locator(CHOICE.A).waitFor()
      const before = await page.locator('.poll').first().boundingBox()
      expect(await isLoaded(page)).toBe(false)
      letCome()
      await eventually(() => isLoaded(page))
      const after = await page.locator('.poll').first().boundingBox()
      expect(after).toEqual(before)
      expect(await page.evaluate('window.shift')).toBe(0)
      expect(fonts).toEqual(['/embed/fonts/manrope-5.3.0-latin.woff2'])
      await dress(themePresets.paper)
      const other = await site.context.newPage()
      const others = requests(other)
      await other.goto(`${site.url}/p/${poll.shortId}`)
      expect(others).toEqual([])
    })

    test('an element gives it to its page, whose own accent counts too', async () => {
      await dress(themePresets.midnight)
      const poll = await site.createPoll()
      await site.renew()
      const page = await site.context.newPage()
      const fonts = requests(page)
      const complaints = complaintsOf(page)
      site.host.body = `${site.script}<tossup-poll poll="${poll.shortId}" accent="ff8800" theme="dark"></tossup-poll>`
      await page.goto(site.host.url)
      await page.locator(CHOICE.A).waitFor()
      await eventually(() => isLoaded(page))
      expect(fonts).toEqual(['/embed/fonts/manrope-5.3.0-latin.woff2'])
      expect(await style(page, '.words', 'font-family')).toStartWith('"Tossup Manrope"')
      expect(await style(page, '.option-a', 'background-color')).toBe('rgb(255, 136, 0)')
      expect(complaints).toEqual([])
    })
  })
})
