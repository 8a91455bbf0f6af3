import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { hasChromium, openWholeBrowser } from '../../embed/test/browser.ts'
import { eventually } from './eventually.ts'
import { inertSvgs } from './hostile-pictures.ts'
import { svg } from './pictures.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'
import { pathOf, upload } from './uploads.ts'

setDefaultTimeout(120_000)

const ROOT_HANDLER = svg('<rect width="9" height="9"/>', 'viewBox="0 0 9 9" onload="alert(1)"')
/** Real time: what an SVG would run or load, it begins within some milliseconds. */
const LOOK_MS = 60

describe.if(hasChromium)('an SVG that would run or load something, in Chromium,', () => {
  const reached: string[] = []
  let service: TestService
  let brand: TestBrand
  let browser: Browser
  let canary: ReturnType<typeof listen>

  /** Chromium connects for a frame before it asks the policy, which then forbids the request. */
  function listen() {
    return Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        open: () => void reached.push('connection'),
        data(socket) {
          reached.push('request')
          socket.end()
        },
        error() {},
      },
    })
  }

  beforeAll(async () => {
    service = await startTestService('sqlite')
    brand = await service.createBrand()
    canary = listen()
    browser = await openWholeBrowser()
  })
  afterAll(async () => {
    await browser.close()
    canary.stop(true)
    await service.stop()
  })

  async function openPage(): Promise<Awaited<ReturnType<Browser['newPage']>>> {
    const page = await browser.newPage()
    page.on('dialog', (dialog) => {
      reached.push(`dialog ${dialog.message()}`)
      void dialog.dismiss()
    })
    return page
  }

  test('is noticed by this test where nothing protects the visitor', async () => {
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) =>
        new Response(
          url.endsWith('/load')
            ? svg(`<image href="http://127.0.0.1:${canary.port}/x" width="9" height="9"/>`)
            : ROOT_HANDLER,
          { headers: { 'Content-Type': 'image/svg+xml' } },
        ),
    })
    const page = await openPage()
    for (const path of ['run', 'load']) {
      await page.goto(`http://127.0.0.1:${server.port}/${path}`)
      await Bun.sleep(LOOK_MS)
    }
    await eventually(() => new Set(reached).size === 3)
    await page.close()
    server.stop(true)
    expect(new Set(reached.splice(0))).toEqual(new Set(['dialog 1', 'connection', 'request']))
  })

  test('is stored as it is, and runs and loads nothing, on a page and opened alone', async () => {
    const external = `http://127.0.0.1:${canary.port}/x`
    const files = [
      ...inertSvgs(external).map(([name, inside]) => [name, svg(inside)] as const),
      ['a handler at its root', ROOT_HANDLER] as const,
    ]
    const page = await openPage()
    for (const [name, bytes] of files) {
      const { publicUrl } = await upload(service, brand, { slot: 'logo_light', contentType: 'image/svg+xml', bytes })
      const path = pathOf(publicUrl)
      const stored = await service.get(path)
      expect(`${name}: ${stored.text}`).toBe(`${name}: ${Buffer.from(bytes)}`)
      const address = `${service.service.url}${path}`
      await page.goto(address)
      await Bun.sleep(LOOK_MS)
      const met = reached.splice(0).filter((what) => what !== 'connection')
      expect(`${name}: ${page.url()} ${met}`).toBe(`${name}: ${address} `)
      await page.goto('about:blank')
      await page.setContent(`<img src="${address}" width="99" height="99">`)
      await page.waitForFunction('document.images[0].complete')
      await Bun.sleep(LOOK_MS)
      expect(`${name}: ${reached}`).toBe(`${name}: `)
    }
    await page.close()
  })
})
