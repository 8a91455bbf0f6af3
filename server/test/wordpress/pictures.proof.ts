import { describe, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import { hasChromium } from '../../../embed/test/browser.ts'
import { seedDemo } from '../../src/cli/demo/seed.ts'
import { CHOICE, EmbedSite } from '../embed-site.ts'
import { freePort } from '../free-port.ts'
import { findProgram } from '../programs.ts'
import { Editor } from './editor.ts'
import { WordPressSite, wordPressVersions } from './wordpress-site.ts'

/** `UPDATE_SCREENSHOTS=1 npm test -- server/test/wordpress/pictures.proof.ts` takes the pictures of the guide to WordPress again. */
const isTaken = process.env['UPDATE_SCREENSHOTS'] === '1'
const FOLDER = new URL('../../../docs/guides/images/wordpress/', import.meta.url)
const MOST_WIDTH = 900
const [newest] = hasChromium && findProgram('php') !== null ? wordPressVersions().reverse() : []

async function keep(name: string, place: Page | Locator): Promise<void> {
  const png = await place.screenshot()
  const image = new Bun.Image(png)
  const { width } = await image.metadata()
  const webp = await image.resize(Math.min(width, MOST_WIDTH)).webp({ quality: 70 }).bytes()
  expect(webp.length).toBeLessThan(40_000)
  if (isTaken) await Bun.write(fileURLToPath(new URL(`${name}.webp`, FOLDER)), webp)
}

describe.if(newest !== undefined)('the pictures of the guide to WordPress', () => {
  test('show the settings, the block in the editor and the published post', async () => {
    const port = freePort()
    const url = `http://127.0.0.1:${port}`
    const settings = { PORT: String(port), PUBLIC_URL: url }
    const site = await EmbedSite.open({ isWholeBrowser: true, settings, prepare: ({ service }) => seedDemo(service) })
    const wordpress = await WordPressSite.open(newest ?? '')
    try {
      await site.renew({ viewport: { width: 390, height: 844 } })
      await wordpress.settings({ address: url, brand: 'corner-cafe' })
      const context = await wordpress.signIn(site.browser, { viewport: { width: 1200, height: 760 } })
      const page = await context.newPage()
      await page.goto(`${wordpress.url}/wp-admin/options-general.php?page=tossup-polls`)
      await page.click('#tossup-test')
      await page.locator('#tossup-result .notice-success').nth(1).waitFor()
      // The address of a reader's service is another one.
      await page.fill('#tossup-address', 'https://polls.example.com')
      await keep('settings', page.locator('.wrap'))

      const editor = await Editor.of(await wordpress.openEditor(context))
      await editor.find('poll')
      await editor.insert()
      await editor.canvas.locator('.tossup-chooser__list button').first().waitFor()
      await keep('chooser', editor.page)
      await editor.canvas.locator('.tossup-chooser__list button').filter({ hasText: 'coffee' }).first().click()
      await editor.canvas.locator('tossup-poll').locator(CHOICE.A).waitFor()
      await editor.select()
      await keep('preview', editor.page)

      const phone = await site.context.newPage()
      await phone.goto(await editor.publish('What do we pour first?'))
      await phone.locator('tossup-poll').locator(CHOICE.A).waitFor()
      await keep('phone', phone)
    } finally {
      await wordpress.close()
      await site.close()
    }
  }, 300_000)
})
