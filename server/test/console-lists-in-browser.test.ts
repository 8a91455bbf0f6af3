import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { ConsoleBrowser } from './console-browser.ts'
import { eventually } from './eventually.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

interface OwnPoll extends PollData {
  readonly archivedAt: string | null
}

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

  test('undoing one archiving brings back its poll alone, at its place', async () => {
    const titles = Array.from({ length: 4 }, (_, i) => `Undone ${i}?`)
    for (const title of titles) await service.createPoll(brand, { title })
    const context = await visits.signedIn('editor')
    const page = await visits.open(context, `${brand.slug}/polls`)
    const list = page.getByRole('list', { name: 'Polls' })
    const shown = () => list.getByText(/^Undone \d\?$/).allTextContents()
    await list.getByText('Undone 3?').waitFor()
    for (const title of ['Undone 2?', 'Undone 1?']) {
      await page.getByRole('checkbox', { name: `Choose: ${title}` }).check()
      await page.getByRole('region', { name: 'Actions' }).getByRole('button', { name: 'Archive' }).click()
      await list.getByText(title).waitFor({ state: 'detached' })
      await page.getByRole('region', { name: 'Actions' }).waitFor({ state: 'detached' })
    }
    expect(await shown()).toEqual(['Undone 3?', 'Undone 0?'])
    const undo = page.getByRole('button', { name: 'Undo' })
    await eventually(async () => (await undo.count()) === 2)
    await undo.first().click()
    await page.getByText('The poll is back.').waitFor()
    const newest = await service.get<OwnPoll[]>('brands/me/polls?limit=4', { token: brand.token })
    const open = newest.body.data.filter(({ archivedAt }) => archivedAt === null).map(({ title }) => title)
    expect(open).toHaveLength(3)
    await eventually(async () => (await shown()).join() === open.join())
    await context.close()
    expect(visits.problems).toEqual([])
  }, 180_000)
})
