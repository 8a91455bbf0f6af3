import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { ConsoleBrowser } from './console-browser.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

describe.skipIf(!hasChromium)('toasts and unknown addresses in the console', () => {
  let service: TestService
  let brand: TestBrand
  let browser: Browser
  let visits: ConsoleBrowser
  let context: BrowserContext
  beforeAll(async () => {
    service = await startTestService('sqlite', { jobs: 'by hand' })
    brand = await service.createBrand()
    await service.createPoll(brand, { title: 'Archived?' })
    browser = await openBrowser()
    visits = new ConsoleBrowser({ service, brand, browser })
    context = await visits.signedIn('editor')
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  /** A list in which one poll is chosen, on a clock that the test moves. */
  async function withChosen(): Promise<Page> {
    const page = await visits.open(context, `${brand.slug}/polls`)
    await page.getByRole('checkbox', { name: 'Select: Archived?' }).check()
    await page.clock.install()
    return page
  }

  const archive = (page: Page) => page.getByRole('region', { name: 'Actions' }).getByRole('button', { name: 'Archive' })
  const undo = (page: Page) => page.getByRole('button', { name: 'Undo' })
  const isBack = (page: Page) => page.getByText('The poll is restored.').waitFor()

  test('an undo stays while the pointer is on it, and leaves afterwards', async () => {
    const page = await withChosen()
    await archive(page).press('Enter')
    // The text comes first, alone and in another place than in its card.
    await undo(page).waitFor()
    await page.getByText('The poll is archived.').hover()
    await page.clock.runFor(180_000)
    expect(await undo(page).count()).toBe(1)
    await undo(page).click()
    await isBack(page)
    await page.mouse.move(5, 5)
    // It came after one that made room below the pointer.
    await page.clock.runFor(10_000)
    await page.getByText('The poll is restored.').waitFor({ state: 'detached' })
    await page.close()
  }, 180_000)

  test('an undo stays for a minute after a key, and gives the focus back', async () => {
    const page = await withChosen()
    await archive(page).press('Enter')
    await page.getByText('The poll is archived.').waitFor()
    await page.clock.runFor(30_000)
    await undo(page).press('Enter')
    await isBack(page)
    expect(await page.evaluate<string>('document.activeElement.tagName')).not.toBe('BODY')
    expect(await page.evaluate<boolean>("document.querySelector('main').contains(document.activeElement)")).toBe(true)
    await page.clock.runFor(10_000)
    await page.getByText('The poll is restored.').waitFor({ state: 'detached' })
    await page.close()
  }, 180_000)

  test('an unknown address keeps the navigation, and another brand too', async () => {
    const page = await visits.open(context, `${brand.slug}/nowhere`)
    await page.getByRole('heading', { level: 1, name: 'Nothing is here' }).waitFor()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Polls', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Polls' }).waitFor()
    await visits.go(page, 'no-such-brand')
    await page.getByRole('heading', { level: 1, name: 'Nothing is here' }).waitFor()
    await page.close()
    expect(visits.problems).toEqual([])
  }, 180_000)
})
