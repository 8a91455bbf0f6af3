import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { seedDemo } from '../src/cli/demo/seed.ts'
import { CHOICE } from './embed-site.ts'
import { HostSite } from './host-site.ts'
import { startTestService, type TestService } from './service.ts'

describe.if(hasChromium)('a frame without the script that sets its height', () => {
  let service: TestService
  let browser: Browser
  beforeAll(async () => {
    service = await startTestService('sqlite', { settings: { DEMO: 'true' } })
    await seedDemo(service.service)
    browser = await openBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  // Around 422 pixels the options change from one below the other to side by side.
  test.each([300, 360, 400, 420, 421, 422, 480, 600])(
    'cuts nothing off, and leaves little empty, %i pixels wide',
    async (width) => {
      const { url } = service.service
      const { publicUrl } = service.deps.config
      const page = encodeURIComponent(`${publicUrl}/p/window-or-aisle`)
      const { text } = await service.get(`/oembed?url=${page}&maxwidth=${width}`)
      const { html, height } = JSON.parse(text) as { html: string; height: number }
      const site = new HostSite(`default-src 'none'; frame-src ${url}; style-src 'unsafe-inline'`)
      site.body = html.replace(publicUrl, url)
      const context = await browser.newContext({ viewport: { width: 800, height: 900 } })
      try {
        const host = await context.newPage()
        await host.goto(site.url)
        const frame = host.frameLocator('iframe')
        const needed = () => frame.locator('html').evaluate<number, unknown>('document.body.scrollHeight')
        await frame.locator(CHOICE.A).waitFor()
        const open = await needed()
        await frame.locator(CHOICE.A).click()
        await frame.locator('.share').first().waitFor()
        for (const tall of [open, await needed()]) {
          expect(tall).toBeLessThanOrEqual(height)
          expect(tall).toBeGreaterThan(height * 0.75)
        }
      } finally {
        await context.close()
        await site.stop()
      }
    },
    60_000,
  )
})
