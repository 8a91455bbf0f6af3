import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { LANGS, wordsOf } from '../../embed/src/words.ts'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { createCampaign } from './campaigns.ts'
import { complaintsOf } from './host-site.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

const SHARES =
  'navigator.share = (data) => { window.shared = data; return Promise.reject(new DOMException("no", "AbortError")) }'
const NOTES_SHIFTS =
  'window.shift = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.shift += entry.value }).observe({ type: "layout-shift", buffered: true })'

describe.if(hasChromium)('under a page of its own', () => {
  let service: TestService
  let brand: TestBrand
  let browser: Browser
  let poll: PollData
  let address: string
  beforeAll(async () => {
    service = await startTestService('sqlite')
    brand = await service.createBrand()
    browser = await openBrowser()
    poll = await service.createPoll(brand)
    address = `${service.deps.config.publicUrl}/p/${poll.shortId}`
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  test('the link is shared, copied, or shown as a code, and nothing moves or is complained of', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = await context.newPage()
    await page.addInitScript(`${SHARES}; ${NOTES_SHIFTS}`)
    const complaints = complaintsOf(page)
    await page.goto(`${service.service.url}/p/${poll.slug}?theme=dark`)
    await page.getByRole('button', { name: 'Share' }).click()
    expect(await page.evaluate<unknown>('window.shared')).toEqual({ title: 'Tea or coffee?', url: address })
    for (let i = 0; i < 2; i++) {
      await page.getByRole('button', { name: 'Copy link' }).click()
      await page.getByText('Link copied').waitFor()
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(address)
    }
    for (const item of await page.locator('footer.sharing :is(a, button)').all()) {
      const { width = 0, height = 0 } = (await item.boundingBox()) ?? {}
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(24)
    }
    expect(await page.evaluate<number>('window.shift')).toBe(0)
    await page.getByRole('link', { name: 'QR code' }).click()
    await page.waitForURL(`${service.service.url}/p/${poll.shortId}/qr.svg`)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('what a browser cannot do is not offered', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const context = await browser.newContext({ javaScriptEnabled })
      const page = await context.newPage()
      await page.addInitScript(
        "Object.defineProperty(navigator, 'clipboard', { value: undefined }); Object.defineProperty(navigator, 'share', { value: undefined })",
      )
      await page.goto(`${service.service.url}/p/${poll.slug}`)
      expect(await page.locator('footer.sharing').getByRole('button').count()).toBe(0)
      expect(await page.locator('footer.sharing').getByRole('link').count()).toBe(1)
      await context.close()
    }
  })

  test('stands under polls and campaigns in each language, and neither in frames nor under a brand', async () => {
    const { campaignId } = await createCampaign(service, brand, [poll])
    const read = async (path: string) => (await fetch(service.service.url + path)).text()
    for (const lang of LANGS) {
      for (const path of [`/p/${poll.slug}`, `/c/${campaignId}`]) {
        const text = await read(`${path}?lang=${lang}`)
        const { share, copyLink, copied, qrCode } = wordsOf(lang)
        for (const word of [share, copyLink, copied, qrCode]) expect(text).toContain(word)
      }
    }
    for (const path of [`/embed/poll/${poll.slug}`, `/embed/campaign/${campaignId}`, `/b/${brand.slug}`, '/p/none']) {
      expect(await read(path)).not.toContain('<footer class="sharing"')
    }
  })
})
