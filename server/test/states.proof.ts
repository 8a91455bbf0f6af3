import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { seedDemo } from '../src/cli/demo/seed.ts'
import { CHOICE, EmbedSite } from './embed-site.ts'
import { freePort } from './free-port.ts'
import { withFonts } from './states/fonts.ts'
import { makeScenes } from './states/scenes.ts'
import { PHONE, type Scenes, type Shot, type Size } from './states/shot.ts'
import { SHOTS } from './states/shots.ts'
import { pictureName, sizesOf } from './states/tables.ts'

/** `UPDATE_SCREENSHOTS=1 npm test -- server/test/states.proof.ts` takes new screenshots for the guide to states. */
const isTaken = process.env['UPDATE_SCREENSHOTS'] === '1'
const folder = new URL('../../docs/guides/images/states/', import.meta.url)

/** A loaded picture may not be decoded yet. */
const DECODED = `Promise.all([...document.querySelectorAll('tossup-poll, tossup-campaign, tossup-feed')].flatMap((element) =>
  [...element.shadowRoot.querySelectorAll('img')].filter((image) => image.getBoundingClientRect().top < innerHeight).map((image) => image.decode())))`

/** The end of what is on the page. */
const BOTTOM = 'Math.ceil(document.body.getBoundingClientRect().bottom) + 8'

/** Wide screens are taken at half of their size. */
const MOST_WIDTH = 720

async function take(page: Page, shot: Shot, [width, height]: Size): Promise<void> {
  await page.evaluate(DECODED)
  const bottom = await page.evaluate<number>(BOTTOM)
  const png = await page.screenshot({ clip: { x: 0, y: 0, width, height: Math.min(height, bottom) } })
  const webp = await new Bun.Image(png).resize(Math.min(width, MOST_WIDTH)).webp({ quality: 75 }).bytes()
  await Bun.write(fileURLToPath(new URL(pictureName(shot, [width, height]), folder)), webp)
}

describe.if(hasChromium)('every page and state', () => {
  let site: EmbedSite
  let scenes: Scenes
  beforeAll(async () => {
    // The pictures of the guides show what visitors' browsers show.
    let campaign = ''
    const openSite = () =>
      EmbedSite.open({
        isWholeBrowser: isTaken,
        // Pictures have the public URL, which names the port.
        settings: { PORT: String(freePort()) },
        async prepare({ service }) {
          campaign = (await seedDemo(service))?.campaignId ?? ''
        },
      })
    site = await withFonts(openSite)
    scenes = { ...(await makeScenes(site)), campaign }
    await site.renew()
    if (isTaken) mkdirSync(folder, { recursive: true })
  }, 120_000)
  afterAll(() => site.close())

  test.each(SHOTS.map((shot) => [shot.name, shot] as const))(
    'is as it should be: %s',
    async (_, shot) => {
      const [[width, height] = PHONE] = sizesOf(shot)
      const page = await site.forget()
      // A test that takes too long ends the browser, and with it all others.
      page.setDefaultTimeout(30_000)
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce', forcedColors: 'none', ...shot.around })
      const where = shot.at(scenes)
      const markup = where.replace('src="/', `src="${site.url}/`)
      await (where.startsWith('/') ? site.open(where, page) : site.openWith(markup, page))
      await shot.act?.(page, site)
      await page.locator(shot.until).first().waitFor({ state: 'attached' })
      for (const size of sizesOf(shot)) {
        await page.setViewportSize({ width: size[0], height: size[1] })
        const isWider = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
        expect([size[0], isWider]).toEqual([size[0], false])
        if (isTaken) await take(page, shot, size)
      }
    },
    60_000,
  )

  test.each([
    [360, 740],
    [390, 760],
  ])('the way to the next step of a campaign is in view on a phone of %i by %i', async (width, height) => {
    await site.renew({ viewport: { width, height }, reducedMotion: 'reduce' })
    const { page } = await site.open(`/c/${scenes.campaign}?autoAdvance=false`)
    await page.locator(CHOICE.A).first().click()
    await page.locator('.go-on').waitFor()
    const { y = 0, height: tall = 0 } = (await page.locator('.go-on').boundingBox()) ?? {}
    expect(tall).toBeGreaterThan(40)
    expect(y + tall).toBeLessThanOrEqual(height)
  })
})
