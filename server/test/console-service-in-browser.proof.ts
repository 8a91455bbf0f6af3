import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { ConsoleBrowser } from './console-browser.ts'
import { eventually } from './eventually.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

const MIGRATIONS = new URL('../migrations', import.meta.url).pathname
const newestMigration = (): string =>
  readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => name.replace('.sql', ''))
    .sort()
    .at(-1) ?? ''

const SERVICE = '**/api/rest/v1/service'
const BRANDS = '**/api/rest/v1/service/brands*'

describe.skipIf(!hasChromium)('the page of the operator', () => {
  let service: TestService
  let brand: TestBrand
  let browser: Browser
  let visits: ConsoleBrowser
  let context: BrowserContext
  beforeAll(async () => {
    service = await startTestService('sqlite', { jobs: 'by hand' })
    brand = await service.createBrand()
    browser = await openBrowser()
    visits = new ConsoleBrowser({ service, brand, browser })
    context = await visits.signedIn('analyst')
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  const appoint = (isOperator: boolean) =>
    service.db
      .updateTable('people')
      .set({ is_operator: isOperator ? 1 : 0 })
      .execute()

  const placeOf = (page: Page) => page.getByRole('navigation').getByRole('link', { name: 'Service' })

  test('is not there for a person without the role', async () => {
    const page = await visits.open(context, brand.slug)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(await placeOf(page).count()).toBe(0)
    await visits.go(page, '_service')
    await page.getByText('This page is for operators').waitFor()
    await page.getByText('tossup member operator').waitFor()
    expect(visits.problems).toEqual([])
    await page.close()
  }, 120_000)

  test('shows an operator what to look at, what runs, and the brands', async () => {
    await appoint(true)
    const poll = await service.createPoll(brand)
    await service.vote(poll.slug, 'A')
    await service.runDue()
    service.deps.proxyWatch.note('10.0.0.7', '203.0.113.1')
    service.deps.proxyWatch.note('10.0.0.7', '203.0.113.2')
    const page = await visits.open(context, brand.slug)
    await placeOf(page).click()
    await page.getByRole('heading', { level: 1, name: 'Service' }).waitFor()
    await page.getByText('start the server with this setting: TRUSTED_PROXIES=10.0.0.7').waitFor()
    await page.getByText('No backups are made by themselves').waitFor()
    await page.getByText(newestMigration()).waitFor()
    const row = page.getByRole('listitem').filter({ hasText: brand.slug })
    await row.getByText('Total votes 1').waitFor()

    const search = page.getByRole('searchbox', { name: 'Search brands' })
    await search.fill('no such brand')
    await page.getByText('No brand matches').waitFor()
    await search.fill(brand.slug)
    await row.waitFor()

    // Matches on a later page are found, also after pages without any.
    const { data } = await page.evaluate<{ data: object[] }>(
      "fetch('/api/rest/v1/service/brands').then((answer) => answer.json())",
    )
    let asked = 0
    await page.route(BRANDS, (route) => {
      const isLast = ++asked === 3
      const body = isLast
        ? { data: [{ ...data[0], name: 'Found on the third page' }], nextCursor: null }
        : { data: [], nextCursor: `page-${asked}` }
      return route.fulfill({ json: { ...body, hasMore: !isLast } })
    })
    await search.fill('a rare word')
    await page.getByText('Found on the third page').waitFor()
    expect(asked).toBe(3)
    await page.unroute(BRANDS)

    await appoint(false)
    await page.getByText('This page is for operators').waitFor()
    expect(visits.problems).toEqual([])
    await page.close()
  }, 120_000)

  test('is found by its name, and at /service where that is no brand of the person', async () => {
    await appoint(true)
    const page = await visits.open(context, brand.slug)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('servi')
    await page.getByRole('option', { name: 'Service' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Service' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/_service')
    await visits.go(page, 'service')
    await page.getByRole('heading', { level: 1, name: 'Service' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/_service')

    const rename = (slug: string) =>
      service.db.updateTable('brands').set({ slug }).where('key', '=', brand.brandKey).execute()
    await rename('service')
    await visits.go(page, 'service')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/service')
    await rename(brand.slug)
    await page.close()
  }, 120_000)

  test('says that it loads, that it failed, that nothing is wrong, and that the device is offline', async () => {
    await appoint(true)
    const page = await visits.open(context, 'me')
    const read = "fetch('/api/rest/v1/service').then((answer) => answer.json())"
    const { data } = await page.evaluate<{ data: object }>(read)
    const stalled = Promise.withResolvers<void>()
    await page.route(SERVICE, async (route) => {
      await stalled.promise
      await route.fulfill({
        status: 500,
        json: { error: { code: 'INTERNAL', message: 'x', details: {}, requestId: 'r1' } },
      })
    })
    await visits.go(page, '_service')
    await page.getByRole('status', { name: 'Loading' }).waitFor()
    stalled.resolve()
    await page.getByRole('alert').getByText('This did not load').waitFor()

    await page.unroute(SERVICE)
    await page.route(SERVICE, (route) => route.fulfill({ json: { data: { ...data, findings: [] } } }))
    await page.route(BRANDS, (route) => route.fulfill({ json: { data: [], nextCursor: null, hasMore: false } }))
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Everything works').waitFor()
    await page.getByText('No brands yet').waitFor()

    await context.setOffline(true)
    await page.getByText('You are offline.').waitFor()
    // Content that was loaded stays.
    expect(await page.getByText('Everything works').count()).toBe(1)
    await context.setOffline(false)
    await eventually(async () => (await page.getByText('You are offline.').count()) === 0)
    await page.close()
  }, 120_000)

  test('has no barriers and fits on a phone, in light and dark, also from right to left', async () => {
    await appoint(true)
    const page = await visits.open(context, '_service')
    await visits.expectNoBarriers(page, '_service')
    for (const [lang, title] of [
      ['de', 'Dienst'],
      ['ar', 'الخدمة'],
    ] as const) {
      await context.addCookies([{ name: 'tossup_console_lang', value: lang, url: service.service.url }])
      await visits.expectNoBarriers(page, '_service', async () => {
        await page.getByRole('heading', { level: 1, name: title }).waitFor()
      })
    }
    expect(await page.evaluate('document.documentElement.dir')).toBe('rtl')
  }, 240_000)
})
