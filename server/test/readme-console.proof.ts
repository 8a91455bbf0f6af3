import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { readDocument } from './documents.ts'
import { CHOICE } from './embed-site.ts'
import { freePort } from './free-port.ts'
import { HOST_POLICY, HostSite } from './host-site.ts'
import { NpmStart } from './npm-start.ts'

// The console is bundled at its first request, and npm starts slowly on a busy machine.
setDefaultTimeout(240_000)

/** `UPDATE_SCREENSHOTS=1 npm test -- server/test/readme-console.proof.ts` takes the pictures of README again. */
const isTaken = process.env['UPDATE_SCREENSHOTS'] === '1'
const folder = new URL('../../docs/guides/images/console/', import.meta.url)
const WINDOW = { width: 1200, height: 760 }
const PICTURE_WIDTH = 720

async function take(page: Page, name: string): Promise<void> {
  if (!isTaken) return
  mkdirSync(folder, { recursive: true })
  const webp = await new Bun.Image(await page.screenshot()).resize(PICTURE_WIDTH).webp({ quality: 80 }).bytes()
  await Bun.write(fileURLToPath(new URL(`${name}.webp`, folder)), webp)
}

describe.skipIf(!hasChromium)('the way through the console in README', () => {
  // The pictures show the port that a reader has.
  const port = isTaken ? 3000 : freePort()
  let service: NpmStart
  let browser: Browser
  let context: BrowserContext

  beforeAll(async () => {
    service = await NpmStart.open({ PORT: String(port) })
    browser = await openBrowser()
    context = await browser.newContext({ locale: 'en-US', viewport: WINDOW, reducedMotion: 'reduce' })
    context.setDefaultTimeout(60_000)
  })
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  test('leads from the link of npm start to a poll on a page of one’s own', async () => {
    const page = await context.newPage()
    await page.goto(await service.link())
    await page.getByRole('button').click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()

    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Polls', exact: true }).click()
    await page.getByRole('link', { name: 'New poll' }).first().click()
    await page.getByLabel('Question').fill('Window or aisle?')
    await page.getByLabel('First answer: Answer').fill('Window')
    await page.getByLabel('Second answer: Answer').fill('Aisle')
    await page.getByRole('region', { name: 'Preview' }).getByText('Window or aisle?').waitFor()
    await take(page, 'tour-new-poll')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByTestId('total').waitFor()

    const note = page.getByRole('status').filter({ hasText: 'It’s live' })
    await note.getByRole('button', { name: 'Share' }).click()
    const dialog = page.getByRole('dialog', { name: 'Share this poll' })
    const lines = (await dialog.getByRole('region', { name: 'Script tag' }).textContent()) ?? ''
    await dialog.locator('img.qr').waitFor()
    await take(page, 'tour-share')

    const [, block = ''] = /```html\n([\s\S]*?)\n```/.exec(readDocument('README.md')) ?? []
    const poll = /poll="([^"]+)"/.exec(lines)?.[1] ?? ''
    expect(lines).toBe(block.replace(':3000', `:${port}`).replace('tea-or-coffee', poll))
    await page.close()
    await expectPollOnPage(lines, 'Window or aisle?', 'tour-page')
    await expectPollOnPage(block.replace(':3000', `:${port}`), 'Tea or coffee?', null)
  })

  /** The lines work on a page of another origin, also for a vote. */
  async function expectPollOnPage(lines: string, title: string, picture: string | null): Promise<void> {
    const site = new HostSite(HOST_POLICY(`http://127.0.0.1:${port}`))
    site.body = lines
    const page = await context.newPage()
    await page.setViewportSize({ width: PICTURE_WIDTH, height: 340 })
    await page.goto(site.url)
    await page.getByText(title).waitFor()
    await page.locator(CHOICE.A).click()
    await page.locator('article[data-state~="results"]').waitFor()
    await page.locator('nav.after').waitFor()
    if (picture) await take(page, picture)
    await page.close()
    await site.stop()
  }
})
