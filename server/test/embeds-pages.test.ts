import { describe, expect, test } from 'bun:test'
import { hasChromium } from '../../embed/test/browser.ts'
import { CHOICE, type EmbedSite, untilTold } from './embed-site.ts'
import { eventually } from './eventually.ts'
import type { PollData } from './service.ts'
import { withEmbedSite } from './with-embed-site.ts'

describe.if(hasChromium)('a page of its own', () => {
  let site: EmbedSite
  let poll: PollData
  withEmbedSite({}, async (opened) => {
    site = opened
    poll = await site.createPoll()
  })

  test('a page is complete without a script, and asks for nothing that it shows', async () => {
    const bare = await site.browser.newContext({ javaScriptEnabled: false })
    const page = await bare.newPage()
    await page.goto(`${site.url}/p/${poll.shortId}`)
    expect(await page.getByRole('button').allTextContents()).toEqual(['Tea', 'Coffee'])
    expect(await page.getByRole('heading', { level: 2 }).textContent()).toBe('Tea or coffee?')
    await bare.close()

    const asked: string[] = []
    site.context.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const { page: scripted, complaints } = await site.open(`/p/${poll.shortId}`)
    await untilTold(scripted, 'ready')
    // A part for later is loaded when the page is idle, and counts the view.
    expect(asked.filter((path) => !/\/(later|views)$/.test(path))).toEqual([`/p/${poll.shortId}`, '/embed.js'])
    expect(complaints).toEqual([])
  })

  test('pages carry metadata for sharing and embedding, and refuse origins that may not frame them', async () => {
    const answer = await fetch(`${site.url}/p/${poll.shortId}`, { headers: { 'Accept-Encoding': 'gzip' } })
    const markup = await answer.text()
    expect(markup).toContain(`<link rel="canonical" href="${site.service.deps.config.publicUrl}/p/${poll.shortId}">`)
    expect(markup).toContain('<meta property="og:title" content="Tea or coffee?">')
    expect(markup).not.toContain('noindex')
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'self'")
    await site.service.write('PATCH', 'brands/me/theme', {
      token: site.brand.token,
      json: { embedOrigins: ['https://a.example'] },
    })
    const frame = await fetch(`${site.url}/embed/poll/${poll.shortId}`)
    expect(frame.headers.get('content-security-policy')).toContain("frame-ancestors 'self' https://a.example")
    site.host.body = `<iframe src="${site.url}/embed/poll/${poll.shortId}"></iframe>`
    const { page, complaints } = await site.open(site.host.url)
    await page.waitForLoadState('networkidle')
    expect(complaints.join()).toContain('frame-ancestors')
    expect(await page.frameLocator('iframe').getByRole('button').count()).toBe(0)
    await site.service.write('PATCH', 'brands/me/theme', { token: site.brand.token, json: { embedOrigins: null } })
  })

  test('a tap before the script has arrived is a vote, once, on each kind of page', async () => {
    const campaignId = await site.createCampaign([poll])
    const addresses = [`/p/${poll.shortId}`, `/embed/poll/${poll.shortId}`, `/c/${campaignId}`, `/b/${site.brand.slug}`]
    for (const [i, address] of addresses.entries()) {
      const context = await site.browser.newContext()
      const page = await context.newPage()
      const arrival = Promise.withResolvers<void>()
      await page.route('**/embed.js', async (route) => {
        await arrival.promise
        await route.continue()
      })
      const votes: string[] = []
      page.on('request', (request) => {
        if (request.url().endsWith('/votes')) votes.push(request.url())
      })
      await page.goto(site.url + address, { waitUntil: 'commit' })
      await page.locator('[data-option="A"]').first().click()
      expect(votes).toEqual([])
      arrival.resolve()
      await page.locator('[data-option="A"][aria-pressed="true"]').first().waitFor()
      const seen = { address, votes }
      await eventually(async () => (await site.tallies(poll)).total === i + 1, { seen: () => seen })
      expect([address, votes.length]).toEqual([address, 1])
      await context.close()
    }
  })

  test("a brand's texts stay text, in the page and in the data for the script", async () => {
    const title = '</script><script>window.hit=1</script><img src=x onerror=window.hit=2>'
    const hostile = await site.createPoll({
      title,
      optionA: { label: '</template><b>A' },
      optionB: { label: '"><i>' },
    })
    const { page, complaints } = await site.open(
      `${site.url}/p/${hostile.shortId}?lang="><script>&accent="><script>&theme=%22x`,
    )
    await page.locator(CHOICE.A).click()
    await page.locator('[data-state~="results"] .share').first().waitFor()
    expect(await page.locator('main').getByRole('heading', { level: 2 }).textContent()).toBe(title)
    expect(await page.evaluate<unknown>('window.hit')).toBeUndefined()
    expect(complaints).toEqual([])
  })

  test('a page transfers few bytes', async () => {
    const { promise, resolve } = Promise.withResolvers<number>()
    const sizes = new Map<string, number>()
    const page = await site.context.newPage()
    page.on('response', async (response) => {
      const { responseBodySize, responseHeadersSize } = await response.request().sizes()
      sizes.set(new URL(response.url()).pathname, responseBodySize + responseHeadersSize)
      // The page, the script, its part for later, and the view.
      if (sizes.size === 4) resolve([...sizes.values()].reduce((sum, size) => sum + size, 0))
    })
    await page.goto(`${site.url}/p/${poll.shortId}`)
    const bytes = await promise
    process.stdout.write(`a hosted poll: ${bytes} bytes in all\n`)
    expect(bytes).toBeLessThanOrEqual(30 * 1024)
  })
})
