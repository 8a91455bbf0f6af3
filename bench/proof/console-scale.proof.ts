import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { newShortId, newUuid } from '../../server/src/base/ids.ts'
import type { Db } from '../../server/src/db/store.ts'
import { createCampaign } from '../../server/test/campaigns.ts'
import { ConsoleBrowser } from '../../server/test/console-browser.ts'
import { eventually } from '../../server/test/eventually.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from '../../server/test/service.ts'

const POLLS = 1_500
const PAGE = 50
/** More than a high window shows, with the rows above and below it. */
const MOST_ROWS = 60
const SCROLL_PIXELS = 60
const SCROLL_MS = 2_000
/** A page counts as settled when it has shown no placeholder for this long. */
const SETTLED_MS = 500
const POLLS_AT_ONCE = 300

/** Notes the last frame in which something was still a placeholder. */
const NOTES = `const look = () => {
  if (!document.querySelector('h1') || document.querySelector('[class*=Skeleton]')) window.busyAt = performance.now()
  requestAnimationFrame(look)
}
look()`

const USABLE = `new Promise((resolve) => {
  const look = () => {
    if (window.busyAt !== undefined && performance.now() - busyAt > ${SETTLED_MS}) resolve(busyAt)
    else requestAnimationFrame(look)
  }
  look()
})`

/** Scrolls in every frame, like a person who holds the key down. */
const SCROLL = `new Promise((resolve) => {
  const from = performance.now()
  const step = (now) => {
    scrollBy(0, ${SCROLL_PIXELS})
    if (now - from < ${SCROLL_MS}) requestAnimationFrame(step)
    else resolve()
  }
  requestAnimationFrame(step)
})`

/** Scrolls until the list has no more pages to read. Resolves with the number of rows. */
const TO_THE_END = `new Promise((resolve) => {
  const step = () => {
    scrollTo(0, document.documentElement.scrollHeight)
    const row = document.querySelector('[role=listitem]')
    if (row && row.getAttribute('aria-setsize') !== '-1') resolve(Number(row.getAttribute('aria-setsize')))
    else requestAnimationFrame(step)
  }
  step()
})`

const scrollToTheEnd = (page: Page): Promise<number> => page.evaluate<number>(TO_THE_END)

/** Copies of the first poll, each a millisecond older than the one before. */
async function copyFirstPoll(db: Db, polls: number): Promise<void> {
  const model = await db.selectFrom('polls').selectAll().orderBy('key').limit(1).executeTakeFirstOrThrow()
  const { key: _, ...fields } = model
  for (let made = 0; made < polls; made += POLLS_AT_ONCE) {
    const copies = Array.from({ length: Math.min(POLLS_AT_ONCE, polls - made) }, (_value, i) => ({
      ...fields,
      id: newUuid(),
      short_id: newShortId(),
      slug: `filled-${made + i}`,
      vote_total: 0,
      created_at: model.created_at - made - i,
    }))
    const keys = await db.insertInto('polls').values(copies).returning('key').execute()
    const tallies = keys.map(({ key }) => ({ poll_key: key, option_a: 0, option_b: 0, version: 0, updated_at: 0 }))
    await db.insertInto('tallies').values(tallies).execute()
  }
}

/** The console with many polls. Nothing here depends on how fast the machine is: rows, requests and the work of two halves are compared. */
describe.skipIf(!hasChromium)('the console of a brand with many polls', () => {
  let service: TestService
  let brand: TestBrand
  let browser: Browser
  let context: BrowserContext
  let poll: PollData
  beforeAll(async () => {
    service = await startTestService('sqlite')
    brand = await service.createBrand()
    poll = await service.createPoll(brand, { title: 'One of many?' })
    await copyFirstPoll(service.db, POLLS - 1)
    browser = await openBrowser()
    context = await new ConsoleBrowser({ service, brand, browser }).signedIn('owner')
    await context.addInitScript(NOTES)
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  async function open(path: string): Promise<{ page: Page; devTools: CDPSession; requests: string[] }> {
    const page = await context.newPage()
    const requests: string[] = []
    page.on('request', (request) => requests.push(new URL(request.url()).pathname))
    const devTools = await context.newCDPSession(page)
    // Processor time: what else the machine does is no work of the page.
    await devTools.send('Performance.enable', { timeDomain: 'threadTicks' })
    await page.goto(`${service.service.url}/console/${brand.slug}/${path}`)
    await page.evaluate(USABLE)
    return { page, devTools, requests }
  }

  /** Main-thread work, in seconds for each pixel scrolled. */
  async function workOfScrolling(page: Page, devTools: CDPSession): Promise<number> {
    const seconds = async () => {
      const { metrics } = await devTools.send('Performance.getMetrics')
      return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
    }
    const [top, before] = [await page.evaluate<number>('scrollY'), await seconds()]
    await page.evaluate(SCROLL)
    return ((await seconds()) - before) / ((await page.evaluate<number>('scrollY')) - top)
  }

  const listRequests = (requests: readonly string[]) =>
    requests.filter((path) => path.endsWith('/brands/me/polls')).length
  const rowsOf = (page: Page) => page.getByRole('list', { name: 'Polls' }).getByRole('listitem').count()

  test('a list holds the rows in sight, reads each page once, and scrolls as lightly at its end as at its start', async () => {
    const { page, devTools, requests } = await open('polls')
    const early = await workOfScrolling(page, devTools)
    expect(await scrollToTheEnd(page)).toBe(POLLS)
    expect(listRequests(requests)).toBe(POLLS / PAGE)
    expect(await rowsOf(page)).toBeLessThan(MOST_ROWS)
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight / 2)')
    const late = await workOfScrolling(page, devTools)
    process.stdout.write(
      `scrolling, in ms a thousand pixels: ${(early * 1e6).toFixed(0)}, then ${(late * 1e6).toFixed(0)}\n`,
    )
    expect(late / early).toBeLessThan(4)
    expect(await rowsOf(page)).toBeLessThan(MOST_ROWS)
    // Scrolling read no page a second time.
    expect(listRequests(requests)).toBe(POLLS / PAGE)

    await page.getByRole('checkbox').first().check()
    await page.getByRole('region', { name: 'Actions' }).getByRole('button', { name: 'Archive' }).click()
    await page.getByText('The poll is archived.').waitFor()
    expect(await page.getByRole('listitem').first().getAttribute('aria-setsize')).toBe(String(POLLS - 1))
    expect(listRequests(requests)).toBe(POLLS / PAGE)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('The poll is restored.').waitFor()
    expect(await page.getByRole('listitem').first().getAttribute('aria-setsize')).toBe(String(POLLS))

    const before = listRequests(requests)
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'API keys' }).click()
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    await page.goBack()
    await page.getByRole('list', { name: 'Polls' }).waitFor()
    await page.getByRole('listitem').first().waitFor()
    expect(listRequests(requests) - before).toBeLessThan(POLLS / PAGE / 2)
    await page.close()
  }, 300_000)

  test('a poll whose votes keep coming reads its timeline at most once a second, and its voters as they are scrolled to', async () => {
    await createCampaign(service, brand, [poll])
    const { page, requests } = await open(`polls/${poll.shortId}`)
    const isTimeline = (path: string) => path.endsWith('/timeline')
    const [from, before] = [performance.now(), requests.filter(isTimeline).length]
    for (let i = 0; i < 120; i++) await service.vote(poll.id, i % 3 === 0 ? 'A' : 'B')
    await eventually(async () => (await page.getByTestId('total').textContent()) === '120')
    const seconds = (performance.now() - from) / 1_000
    expect(requests.filter(isTimeline).length - before).toBeLessThanOrEqual(Math.ceil(seconds) + 1)
    expect(requests.filter((path) => path.endsWith('/voters'))).toHaveLength(0)
    await page.getByRole('button', { name: 'Show the voters' }).click()
    expect(await scrollToTheEnd(page)).toBe(120)
    expect(requests.filter((path) => path.endsWith('/voters'))).toHaveLength(3)
    expect(await page.getByRole('list', { name: 'Voters' }).getByRole('listitem').count()).toBeLessThan(MOST_ROWS)
    await page.close()
  }, 120_000)
})
