import type { Browser, BrowserContext, Page } from 'playwright-core'
import { median } from './statistics.ts'

/** Notes the last frame in which something was still a placeholder, and every task that held the page up. */
const NOTES = `window.longTasks = []
new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) longTasks.push(duration) }).observe({ type: 'longtask', buffered: true })
const look = () => {
  if (!document.querySelector('h1') || document.querySelector('[class*=Skeleton]')) window.busyAt = performance.now()
  requestAnimationFrame(look)
}
look()`

/** Nothing came after the last placeholder for this long. */
const SETTLED_MS = 500

/** Frame after frame, as somebody does who holds the key down. Resolves with the longest task of this time. */
const SCROLL = `async ([pixels, ms]) => {
  await new Promise((resolve) => setTimeout(resolve, 300))
  longTasks.length = 0
  const from = performance.now()
  await new Promise((resolve) => {
    const step = (now) => {
      scrollBy(0, pixels)
      if (now - from < ms) requestAnimationFrame(step)
      else resolve()
    }
    requestAnimationFrame(step)
  })
  await new Promise((resolve) => setTimeout(resolve, 300))
  return Math.max(0, ...longTasks)
}`

/** Until the list has no more pages to read. */
const TO_THE_END = `() => new Promise((resolve) => {
  const step = () => {
    scrollTo(0, document.documentElement.scrollHeight)
    const row = document.querySelector('[role=listitem]')
    if (row && row.getAttribute('aria-setsize') !== '-1') resolve(Number(row.getAttribute('aria-setsize')))
    else requestAnimationFrame(step)
  }
  step()
})`

const SCROLL_PIXELS = 60
const SCROLL_MS = 4_000

export const watchTasks = (context: BrowserContext) => context.addInitScript(NOTES)

const USABLE = `new Promise((resolve) => {
  const look = () => {
    if (window.busyAt !== undefined && performance.now() - busyAt > ${SETTLED_MS}) resolve(busyAt)
    else requestAnimationFrame(look)
  }
  look()
})`

/** The time from the start of the navigation to the last frame with a placeholder, in milliseconds. */
export const whenUsable = (page: Page): Promise<number> => page.evaluate<number>(USABLE)

const longestTask = (page: Page): Promise<number> => page.evaluate<number>('Math.max(0, ...longTasks)')

export const scrollOn = (page: Page, ms: number = SCROLL_MS): Promise<number> =>
  page.evaluate<number>(`(${SCROLL})([${SCROLL_PIXELS}, ${ms}])`)

/** Resolves with the number of rows. */
export const scrollToTheEnd = (page: Page): Promise<number> => page.evaluate<number>(`(${TO_THE_END})()`)

export interface ConsoleVisit {
  readonly page: string
  readonly usableMs: number
  /** Of its first load, and while it is scrolled; 0 for none over 50 ms. */
  readonly loadTaskMs: number
  readonly scrollTaskMs: number
  readonly elements: number
  readonly requests: number
}

export type Prepare = (page: Page) => Promise<unknown>

interface Asked {
  readonly browser: Browser
  readonly cookie: { readonly name: string; readonly value: string; readonly url: string }
  readonly name: string
  readonly url: string
  readonly visits: number
  /** Done before it is scrolled. */
  readonly prepare?: Prepare
}

/** Each visit has a browser of its own, in which nothing is cached. */
export async function visitConsole({ browser, cookie, name, url, visits, prepare }: Asked): Promise<ConsoleVisit> {
  const seen: ConsoleVisit[] = []
  for (let i = 0; i < visits; i++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    try {
      await context.addCookies([cookie])
      await watchTasks(context)
      const page = await context.newPage()
      let requests = 0
      page.on('request', () => requests++)
      await page.goto(url)
      const usableMs = await whenUsable(page)
      const loadTaskMs = await longestTask(page)
      const atLoad = requests
      await prepare?.(page)
      const scrollTaskMs = await scrollOn(page)
      const elements = await page.evaluate<number>("document.getElementsByTagName('*').length")
      seen.push({ page: name, usableMs, loadTaskMs, scrollTaskMs, elements, requests: atLoad })
    } finally {
      await context.close()
    }
  }
  const middle = (of: (one: ConsoleVisit) => number) => median(seen.map(of))
  return {
    page: name,
    usableMs: middle((one) => one.usableMs),
    loadTaskMs: middle((one) => one.loadTaskMs),
    scrollTaskMs: Math.max(...seen.map((one) => one.scrollTaskMs)),
    elements: middle((one) => one.elements),
    requests: middle((one) => one.requests),
  }
}
