import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { ConsoleBrowser } from './console-browser.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

describe.skipIf(!hasChromium)('lists in the console', () => {
  let service: TestService
  let brand: TestBrand
  let browser: Browser
  let visits: ConsoleBrowser
  beforeAll(async () => {
    service = await startTestService('sqlite')
    brand = await service.createBrand()
    browser = await openBrowser()
    visits = new ConsoleBrowser({ service, brand, browser })
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  test('a page that does not come is not asked for again and again, and times do not stand still', async () => {
    const titles = Array.from({ length: 61 }, (_, i) => `Poll number ${i}?`)
    for (const title of titles) await service.createPoll(brand, { title })
    const context = await visits.signedIn('editor')
    const page = await visits.open(context, `${brand.slug}/polls`)
    await page.clock.install()
    let asked = 0
    const refuse = { status: 400, json: { error: { code: 'VALIDATION_FAILED', message: 'Not now.' } } }
    await page.route(/brands\/me\/polls\?.*cursor=/, (route) => {
      asked++
      return route.fulfill(refuse)
    })
    await page.reload()
    const list = page.getByRole('list', { name: 'Polls' })
    await list.getByText('Poll number 60?').waitFor()
    await page.clock.fastForward('03:00:00')
    await list.getByText('3 hours ago').first().waitFor()

    const more = page.getByRole('button', { name: 'Show more' })
    await more.scrollIntoViewIfNeeded()
    await page.getByRole('status').getByText('Not now.').waitFor()
    await list.getByText('Poll number 11?').waitFor()
    expect(asked).toBe(1)
    await page.unroute(/brands\/me\/polls\?.*cursor=/)
    await more.click()
    await list.getByText('Poll number 10?').waitFor()
    await context.close()
    expect(visits.problems).toEqual([])
  }, 180_000)
})
