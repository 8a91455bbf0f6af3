import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { createCampaign } from './campaigns.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { HostSite } from './host-site.ts'
import { photo } from './pictures.ts'
import { patchPoll } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { upload } from './uploads.ts'

const guide = readFileSync(new URL('../../docs/guides/embedding.md', import.meta.url), 'utf8')
const examples = [...guide.matchAll(/```html\n([\s\S]*?)```/g)].map(([, code = '']) => code)

const heightsOfConsole = readFileSync(
  new URL('../../console/src/parts/polls/frame-heights.ts', import.meta.url),
  'utf8',
)
/** Heights that the console writes into its snippets. */
const FRAME_HEIGHTS = new Map(
  [...heightsOfConsole.matchAll(/(\w+): (\d+)/g)].map(([, holds = '', pixels]) => [holds, Number(pixels)]),
)

describe.if(hasChromium)('the guide to embedding', () => {
  let service: TestService
  let browser: Browser
  let brand: TestBrand
  let poll: PollData
  beforeAll(async () => {
    // The addresses of pictures name the port.
    service = await startTestService('sqlite', { settings: { PORT: String(freePort()) } })
    browser = await openBrowser()
    brand = await service.createBrand()
    poll = await service.createPoll(brand, { slug: 'tea-or-coffee' })
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  test('has elements with a link inside, with a source and without storage, a frame and a page with events, and each votes as pasted', async () => {
    expect(examples).toHaveLength(6)
    const script = /<script.*<\/script>/.exec(examples[0] ?? '')?.[0] ?? ''
    expect(script).toContain('/embed.js')
    const host = new HostSite('')
    for (const [i, example] of examples.entries()) {
      const isFrame = example.includes('<iframe')
      // The second one is for a page that has the script already.
      const whole = isFrame || example.includes(script) ? example : script + example
      host.body = whole.replaceAll('http://127.0.0.1:3000', service.service.url)
      const context = await browser.newContext()
      const page = await context.newPage()
      await page.goto(host.url)
      const place = isFrame ? page.frameLocator('iframe') : page
      await place.locator('[data-option="A"]').click()
      const total = async () =>
        (await service.get<{ tallies: { total: number } }>(`polls/${poll.slug}/tallies`)).body.data.tallies.total
      await eventually(async () => (await total()) === i + 1)
      if (example.includes('<output>')) await page.getByText(`Your vote: A, one of ${i + 1}`).waitFor()
      await context.close()
    }
    await host.stop()
  })

  /** The height of a frame's content before and after a vote, at these widths. */
  async function heightsOf(path: string, widths: readonly number[]): Promise<number[]> {
    const heights: number[] = []
    for (const width of widths) {
      const context = await browser.newContext({ viewport: { width, height: 300 } })
      const page = await context.newPage()
      await page.goto(service.service.url + path)
      const height = () => page.evaluate<number>('document.documentElement.scrollHeight')
      heights.push(await height())
      await page.locator('[data-option="A"]').first().click()
      await page.locator('article[data-state~="results"]').waitFor()
      heights.push(await height())
      await context.close()
    }
    return heights
  }

  test('names heights in which frames without the script have room', async () => {
    const bytes = photo(600, 600)
    const picture = async (slot: 'optionA' | 'optionB' | 'combined') =>
      (await upload(service, brand, { slot, contentType: 'image/png', bytes })).publicUrl
    const pictures = await service.createPoll(brand, {
      optionA: { label: 'Tea', imageUrl: await picture('optionA') },
      optionB: { label: 'Coffee', imageUrl: await picture('optionB') },
    })
    const combined = await service.createPoll(brand)
    await patchPoll(service, brand, combined.slug, { images: { combined: await picture('combined') } })
    const { campaignId } = await createCampaign(service, brand, [pictures, poll])
    const paths = {
      texts: `poll/${poll.slug}`,
      pictures: `poll/${pictures.slug}`,
      combined: `poll/${combined.slug}`,
      campaign: `campaign/${campaignId}`,
    }
    expect([...FRAME_HEIGHTS.keys()]).toEqual(Object.keys(paths))
    for (const [holds, path] of Object.entries(paths)) {
      const most = FRAME_HEIGHTS.get(holds) ?? 0
      const heights = await heightsOf(`/embed/${path}`, [320, 400])
      expect({ holds, over: heights.filter((height) => height > most) }).toEqual({ holds, over: [] })
      // A frame with far too much room means that the figures of the guide are out of date.
      expect(Math.max(...heights)).toBeGreaterThan(most * 0.6)
      expect(guide).toContain(` ${most} `)
    }
  }, 120_000)
})
