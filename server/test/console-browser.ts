import { expect } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Role } from '../src/base/roles.ts'
import { violationsOf } from './axe.ts'
import { eventually } from './eventually.ts'
import { addMember, newLinkToken } from './people.ts'
import type { TestBrand, TestService } from './service.ts'

interface Parts {
  readonly service: TestService
  readonly brand: TestBrand
  readonly browser: Browser
}

/** The console in a real browser. */
export class ConsoleBrowser {
  /** Errors of scripts, and what the policy refused. */
  readonly problems: string[] = []
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** A browser in which a member has used a link, as that which `npm start` prints. */
  async signedIn(role: Role): Promise<BrowserContext> {
    const { service, brand, browser } = this.#parts
    const member = await addMember(service, brand, role)
    const context = await browser.newContext({ locale: 'en-US', timezoneId: 'Europe/Paris' })
    context.setDefaultTimeout(60_000)
    const page = await context.newPage()
    await page.goto(`${service.service.url}/console/join/${await newLinkToken(service, member)}`)
    await page.getByRole('button').click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
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

  /** Light and dark, on a phone. `before` brings the page into the state that is looked at. */
  async expectNoBarriers(page: Page, path: string, before?: () => Promise<void>): Promise<void> {
    await page.setViewportSize({ width: 360, height: 740 })
    await this.go(page, path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await before?.()
    await eventually(async () => (await page.locator('[class*=Skeleton]').count()) === 0)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
      expect([path, colorScheme, await violationsOf(page)]).toEqual([path, colorScheme, []])
    }
    expect([path, await page.evaluate('document.documentElement.scrollWidth > innerWidth')]).toEqual([path, false])
  }
}
