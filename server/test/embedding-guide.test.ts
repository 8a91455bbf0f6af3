import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { HostSite } from './host-site.ts'
import { type PollData, startTestService, type TestService } from './service.ts'

const guide = readFileSync(new URL('../../docs/guides/embedding.md', import.meta.url), 'utf8')
const examples = [...guide.matchAll(/```html\n([\s\S]*?)```/g)].map(([, code = '']) => code)

describe.if(hasChromium)('the guide to embedding', () => {
  let service: TestService
  let browser: Browser
  let poll: PollData
  beforeAll(async () => {
    service = await startTestService('sqlite')
    browser = await openBrowser()
    poll = await service.createPoll(await service.createBrand(), { slug: 'tea-or-coffee' })
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  test('has an element and a frame, and each works as pasted', async () => {
    expect(examples).toHaveLength(2)
    const host = new HostSite('')
    for (const [i, example] of examples.entries()) {
      host.body = example.replaceAll('http://127.0.0.1:3000', service.service.url)
      const context = await browser.newContext()
      const page = await context.newPage()
      await page.goto(host.url)
      const place = example.includes('<iframe') ? page.frameLocator('iframe') : page
      await place.locator('[data-option="A"]').click()
      const total = async () =>
        (await service.get<{ tallies: { total: number } }>(`polls/${poll.slug}/tallies`)).body.data.tallies.total
      while ((await total()) !== i + 1) await Bun.sleep(20)
      await context.close()
    }
    await host.stop()
  })
})
