import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { median } from '../statistics.ts'
import { count, formatTable } from '../table.ts'

/** 4G, by Chromium's emulation: 9 Mbit/s, 85 ms. */
const FOUR_G = { offline: false, latency: 85, downloadThroughput: 9_000_000 / 8, uploadThroughput: 9_000_000 / 8 }

/** Notes the first paint, the time from the press to the frame with the result, and the shifts that are no answer to a press. */
const NOTES = `window.shift = 0
new PerformanceObserver((list) => { for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shift += value }).observe({ type: 'layout-shift', buffered: true })
window.result = new Promise((resolve) => addEventListener('click', (event) => {
  const { timeStamp } = event
  const poll = event.composedPath()[0].closest('article')
  const look = (now) => {
    if (poll.matches('[data-state~="results"]')) resolve(now - timeStamp)
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}, { capture: true, once: true }))`

interface Visit {
  readonly paintMs: number
  readonly resultMs: number
  readonly shift: number
}

/** Nothing is in the cache of a new visitor. */
async function visit(browser: Browser, url: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  try {
    const page = await context.newPage()
    await page.addInitScript(NOTES)
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', FOUR_G)
    await page.goto(url)
    await page.locator('[data-option="A"]').first().click()
    const resultMs = await page.evaluate<number>('window.result')
    // The share row and the other parts after the vote come later, and must not shift the layout either.
    await page.locator('.share').first().waitFor()
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 1500))')
    const paintMs = await page.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    return { paintMs, resultMs, shift: await page.evaluate<number>('window.shift') }
  } finally {
    await context.close()
  }
}

interface Visits {
  readonly origin: string
  readonly pages: Readonly<Record<string, string>>
  readonly visits: number
}

/** First paint, and from the tap to its result, of new visitors on 4G. */
export async function timeVisits(browser: Browser, { origin, pages, visits }: Visits): Promise<string> {
  const rows: string[][] = []
  for (const [page, path] of Object.entries(pages)) {
    const seen: Visit[] = []
    for (let i = 0; i < visits; i++) seen.push(await visit(browser, origin + path))
    const middle = (of: (one: Visit) => number) => median(seen.map(of))
    const times = [middle((one) => one.paintMs), middle((one) => one.resultMs)].map((ms) => `${count(ms)} ms`)
    rows.push([page, ...times, String(Math.max(...seen.map(({ shift }) => shift)))])
  }
  const head = ['page', 'first paint', 'tap to result', 'layout shift, also after the vote']
  return `On 4G (9 Mbit/s, 85 ms), a phone's window, nothing cached, median of ${visits}:\n\n${formatTable(head, rows)}`
}

/** Files that `/embed.js` and its pages load on demand. */
const PARTS = {
  'embed.css': '/embed/poll.css',
  campaign: '/embed/parts/campaign',
  brand: '/embed/parts/brand',
  after: '/embed/parts/after',
  dress: '/embed/parts/dress',
}

/** A table of transferred bytes by content coding. */
export async function sizesOf(origin: string, pages: Readonly<Record<string, string>>): Promise<string> {
  const files = { ...pages, 'embed.js': '/embed.js', ...PARTS }
  const rows: string[][] = []
  for (const [name, path] of Object.entries(files)) {
    const text = await (await fetch(origin + path)).text()
    rows.push([name, ...[text.length, gzipSync(text, { level: 9 }).length, brotliCompressSync(text).length].map(count)])
  }
  return `Bytes:\n\n${formatTable(['file', 'plain', 'gzip', 'Brotli'], rows)}`
}
