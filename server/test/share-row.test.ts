import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { LANGS, wordsOf } from '../../embed/src/words.ts'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { createCampaign } from './campaigns.ts'
import { complaintsOf } from './host-site.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

// A browser draws slowly on a busy machine.
setDefaultTimeout(90_000)

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
    address = `${service.deps.config.publicUrl}/p/${poll.slug}`
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  test('the link can be shared, copied or shown as a QR code, without a layout shift or a CSP violation', async () => {
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
    await page.waitForURL(`${service.service.url}/p/${poll.shortId}/qr?lang=en`)
    await page.getByRole('heading', { name: 'Tea or coffee?' }).waitFor()
    expect(await page.evaluate<number>("document.querySelector('img').naturalWidth")).toBeGreaterThan(0)
    await page.evaluate('window.print = () => { window.printed = true }')
    await page.getByRole('button', { name: 'Print' }).click()
    expect(await page.evaluate<unknown>('window.printed')).toBe(true)
    for (const kind of ['SVG', 'PNG']) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: `Download ${kind}` }).click(),
      ])
      expect(download.suggestedFilename()).toBe(`qr-p-${poll.shortId}.${kind.toLowerCase()}`)
    }
    expect(complaints).toEqual([])
    await context.close()
  })

  test('sharing is offered only where the browser supports it', async () => {
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

  test('polls and campaigns have the row in each language; frames and brands do not', async () => {
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
