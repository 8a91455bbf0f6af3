import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { startTestService, type TestBrand, type TestService } from '../../server/test/service.ts'
import { DEVICE_KEY, Tossup } from '../src/index.ts'

async function bundle(): Promise<string> {
  const entry = new URL('./page.ts', import.meta.url).pathname
  const define = { 'process.env.NODE_ENV': '"production"' }
  const built = await Bun.build({ entrypoints: [entry], target: 'browser', define })
  return (await built.outputs[0]?.text()) ?? ''
}

describe.skipIf(!hasChromium)('in a page of another origin', () => {
  let service: TestService
  let brand: TestBrand
  let browser: Browser
  let site: Bun.Server<undefined>
  const errors: string[] = []

  beforeAll(async () => {
    const script = await bundle()
    service = await startTestService('sqlite')
    brand = await service.createBrand()
    browser = await openBrowser()
    site = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) =>
        new URL(url).pathname === '/page.js'
          ? new Response(script, { headers: { 'Content-Type': 'text/javascript' } })
          : new Response(
              '<!doctype html><html lang="en"><title>A page</title><div id="root"></div><script type="module" src="/page.js"></script></html>',
              { headers: { 'Content-Type': 'text/html; charset=utf-8' } },
            ),
    })
  })

  afterAll(async () => {
    await browser.close()
    await site.stop(true)
    await service.stop()
  })

  async function open(query: Record<string, string>): Promise<Page> {
    const page = await browser.newPage()
    page.on('pageerror', (error) => errors.push(error.message))
    await page.goto(`http://127.0.0.1:${site.port}/?${new URLSearchParams({ service: service.service.url, ...query })}`)
    return page
  }

  afterEach(() => {
    expect(errors.splice(0)).toEqual([])
  })

  const deviceIn = (page: Page): Promise<string | null> => page.evaluate(`localStorage.getItem('${DEVICE_KEY}')`)

  test('a tap on a React poll is a vote, the counts follow, and the next visit knows it', async () => {
    const poll = await service.createPoll(brand)
    const page = await open({ poll: poll.shortId })
    const tea = page.locator('button[data-option="A"]')
    await tea.waitFor()
    expect(await deviceIn(page)).toBeNull()
    expect(await page.locator('.share').count()).toBe(0)
    const votes: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') votes.push(request.url())
    })
    // Two taps at once.
    await page.evaluate(`for (const tap of [1, 2]) document.querySelector('[data-option="A"]').click()`)
    await page.locator('.status', { hasText: '1 vote' }).waitFor()
    expect(votes).toHaveLength(1)
    expect(await page.locator('.share').allTextContents()).toEqual(['100%', '0%'])
    expect(await tea.getAttribute('aria-pressed')).toBe('true')
    await service.vote(poll.slug, 'B')
    await page.locator('.status', { hasText: '2 votes' }).waitFor()
    expect(await page.locator('.share').allTextContents()).toEqual(['50%', '50%'])
    const device = await deviceIn(page)
    expect(device).toMatch(/^[0-9a-f-]{36}$/)
    await page.reload()
    await page.locator('article[data-state="voted results"]').waitFor()
    // No real tap waits until a button is enabled.
    await page.locator('button[data-option="B"]').click({ force: true })
    expect(
      (await service.get<{ tallies: { total: number } }>(`polls/${poll.slug}/tallies`)).body.data.tallies.total,
    ).toBe(2)
    expect(await deviceIn(page)).toBe(device)
    await page.close()
  }, 30_000)

  test('a vote that fails is taken back and said, and the next tap counts', async () => {
    const poll = await service.createPoll(brand)
    const page = await open({ poll: poll.slug })
    await page.locator('button[data-option="B"]').waitFor()
    await page.route('**/votes', (route) => route.abort())
    await page.locator('button[data-option="B"]').click()
    await page.locator('.status', { hasText: 'try again' }).waitFor()
    expect(await page.locator('article').getAttribute('data-state')).toBe('open')
    await page.unroute('**/votes')
    await page.locator('button[data-option="B"]').click()
    await page.locator('.status', { hasText: '1 vote' }).waitFor()
    await page.close()
  }, 30_000)

  test('a campaign goes on by itself to its end', async () => {
    const polls = [
      await service.createPoll(brand, { title: 'First' }),
      await service.createPoll(brand, { title: 'Second' }),
    ]
    const auth = { apiKeyId: brand.apiKeyId, apiKeySecret: brand.apiKeySecret, externalDeviceId: 'me' }
    const owner = new Tossup({ url: service.service.url, auth })
    const { campaignId } = await owner.createCampaign({ title: 'Both', polstIds: polls.map(({ id }) => id) })
    const page = await open({ campaign: campaignId })
    await page.locator('h2', { hasText: 'First' }).waitFor()
    await page.locator('button[data-option="A"]').click()
    await page.locator('h2', { hasText: 'Second' }).waitFor()
    await page.locator('button[data-option="A"]').click()
    await page.locator('.step', { hasText: 'Completed' }).waitFor()
    expect(await page.evaluate('window.told')).toEqual(['voted', 'step', 'voted', 'step', 'completed'])
    await page.close()
  }, 30_000)
})
