import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { eventually } from './eventually.ts'
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

  test('has an element, one with a link inside, and a frame, and each votes as pasted', async () => {
    expect(examples).toHaveLength(3)
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
      await context.close()
    }
    await host.stop()
  })
})
