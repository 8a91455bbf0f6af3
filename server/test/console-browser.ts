import { expect } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Role } from '../src/base/roles.ts'
import { violationsOf } from './axe.ts'
import { eventually } from './eventually.ts'
import { addMember, newLinkToken, type TestMember } from './people.ts'
import type { TestBrand, TestService } from './service.ts'

interface Parts {
  readonly service: TestService
  readonly brand: TestBrand
  readonly browser: Browser
}

/** The last of the elements that reach beyond the window, if that makes the page wider. */
const WIDEST = `document.documentElement.scrollWidth <= innerWidth ? null : ([...document.querySelectorAll('*')]
  .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
  .at(-1)?.outerHTML.slice(0, 300) ?? 'unknown')`

const PHONE = { width: 360, height: 740 }

/** Goes to another page like a link of the console, and waits until it is rendered. False if no router has started. */
const FOLLOW = (href: string) => `typeof __TSR_ROUTER__ !== 'undefined' && new Promise((resolve) => {
  const stop = __TSR_ROUTER__.subscribe('onRendered', () => { stop(); resolve(true) })
  history.pushState({}, '', ${JSON.stringify(href)})
})`

/** The console in a real browser. */
export class ConsoleBrowser {
  /** Errors of scripts, and what the policy refused. */
  readonly problems: string[] = []
  readonly #parts: Parts
  #schemes: readonly ('light' | 'dark')[] = ['light', 'dark']

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** A browser in which a member has used a link, as that which `npm start` prints. */
  async signedIn(role: Role): Promise<BrowserContext> {
    const { service, brand } = this.#parts
    return this.signedInAs(await addMember(service, brand, role))
  }

  async signedInAs(member: TestMember, locale = 'en-US'): Promise<BrowserContext> {
    const { service, browser } = this.#parts
    const context = await browser.newContext({ locale, timezoneId: 'Europe/Paris' })
    context.setDefaultTimeout(60_000)
    const page = await context.newPage()
    await page.goto(`${service.service.url}/console/join#${await newLinkToken(service, member)}`)
    await page.getByRole('button').click()
    // The page of the link has a heading too, and Chromium does not close a page that is just leaving for another.
    await page.waitForURL(/\/console\/(?!join)[^/]+$/)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.close()
    return context
  }

  async open(context: BrowserContext, path: string): Promise<Page> {
    const page = await context.newPage()
    page.on('pageerror', (error) => this.problems.push(error.message))
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) this.problems.push(message.text())
    })
    await this.go(page, path)
    return page
  }

  go = (page: Page, path: string) => page.goto(`${this.#parts.service.service.url}/console/${path}`)

  /** Costs a third of loading the console again, which a page that would keep its state, or a browser at its first page, needs. */
  async follow(page: Page, path: string): Promise<void> {
    const target = new URL(`/console/${path}`, this.#parts.service.service.url)
    const isElsewhere = page.url().startsWith(target.origin) && new URL(page.url()).pathname !== target.pathname
    const follow = FOLLOW(target.href)
    if (!isElsewhere || !(await page.evaluate<boolean>(follow))) await this.go(page, path)
  }

  loaded = (page: Page) => eventually(async () => (await page.locator('[class*=Skeleton]').count()) === 0)

  /** Light and dark, on a phone: what axe finds, and whether the page is too wide. `before` brings the page into the state that is looked at. */
  async barriersOf(page: Page, path: string, before?: () => Promise<void>): Promise<string[]> {
    // Each call lays the page out again.
    if (page.viewportSize()?.width !== PHONE.width) await page.setViewportSize(PHONE)
    await this.follow(page, path)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await this.loaded(page)
    await before?.()
    await this.loaded(page)
    const found: string[] = []
    const [first] = this.#schemes
    for (const colorScheme of this.#schemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
      // The other scheme changes colours alone.
      const rules = colorScheme === first ? undefined : ['color-contrast']
      found.push(...(await violationsOf(page, rules)).map((violation) => `${path}, ${colorScheme}: ${violation}`))
    }
    // The next page begins with the scheme that this one ends with, because each change paints a page again.
    this.#schemes = this.#schemes.toReversed()
    const wide = await page.evaluate<string | null>(WIDEST)
    return wide === null ? found : [...found, `${path} is wider than a phone: ${wide}`]
  }

  async expectNoBarriers(page: Page, path: string, before?: () => Promise<void>): Promise<void> {
    expect(await this.barriersOf(page, path, before)).toEqual([])
  }
}
