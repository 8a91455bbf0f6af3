import { randomUUID } from 'node:crypto'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { openBrowser, openWholeBrowser } from '../../embed/test/browser.ts'
import { keepFile } from '../src/features/uploads/files.ts'
import { eventually } from './eventually.ts'
import { forgetOrigins } from './forget-origins.ts'
import { complaintsOf, HOST_POLICY, HostSite } from './host-site.ts'
import { type PollData, startTestService, type TalliesData, type TestBrand, type TestService } from './service.ts'

export interface Told {
  readonly type: string
  readonly detail: Record<string, unknown>
}

export const CHOICE = { A: '[data-option="A"]', B: '[data-option="B"]' } as const

/** Installed in the page itself, so that no event is missed. */
export const HEAR = `window.told = []; window.toldAgain = []; for (const type of ['ready', 'voted', 'step', 'completed', 'error']) {
  document.addEventListener('tossup:' + type, (event) => window.told.push({ type, detail: event.detail }))
  document.addEventListener('tossup-' + type, (event) => window.toldAgain.push({ type, detail: event.detail }))
}`

export const told = (page: Page): Promise<Told[]> => page.evaluate('window.told')

/** The same events, heard under their names without a colon. */
export const toldAgain = (page: Page): Promise<Told[]> => page.evaluate('window.toldAgain')

/** Playwright's `waitForFunction` needs `eval`, which the page's policy forbids. */
export const untilTold = (page: Page, type: string, times = 1): Promise<Told> =>
  eventually(async () => (await told(page)).filter((each) => each.type === type)[times - 1])

/** Presses the button, unless the vote has arrived by itself in the meantime. */
export const tryAgain = (page: Page): Promise<void> =>
  page.evaluate("document.querySelector('tossup-poll').shadowRoot.querySelector('.retry')?.click()")

export interface Opening {
  /** Called with the empty service. */
  readonly prepare?: (service: TestService) => Promise<unknown>
  readonly settings?: Readonly<Record<string, string>>
  /** For what Chromium's shell does otherwise: see `openWholeBrowser`. */
  readonly isWholeBrowser?: boolean
}

/** A service, a third-party site that embeds it, and a browser that has visited neither. */
export class EmbedSite {
  readonly service: TestService
  readonly brand: TestBrand
  readonly browser: Browser
  readonly host: HostSite
  #context: BrowserContext | null = null

  private constructor(parts: Pick<EmbedSite, 'service' | 'brand' | 'browser' | 'host'>) {
    this.service = parts.service
    this.brand = parts.brand
    this.browser = parts.browser
    this.host = parts.host
  }

  static async open({ prepare, settings, isWholeBrowser = false }: Opening = {}): Promise<EmbedSite> {
    const service = await startTestService('sqlite', { settings: { NETWORK_VOTES_PER_MINUTE: '0', ...settings } })
    await prepare?.(service)
    const brand = await service.createBrand()
    return new EmbedSite({
      service,
      brand,
      browser: await (isWholeBrowser ? openWholeBrowser() : openBrowser()),
      host: new HostSite(HOST_POLICY(service.service.url)),
    })
  }

  async close(): Promise<void> {
    await this.browser.close()
    await this.host.stop()
    await this.service.stop()
  }

  /** Starts a new browser context: a visitor without any stored state, for whom numbers do not count up while a test reads them. */
  async renew(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    await this.#context?.close()
    this.#context = await this.browser.newContext({ reducedMotion: 'reduce', ...options })
    return this.#context
  }

  /**
   * Makes the context that of a new visitor, except for cached files, and returns its page for `open`: costs half of `renew`,
   * for tests of what is shown.
   */
  async forget(): Promise<Page> {
    const [page = await this.#newPage()] = this.context.pages()
    await page.unrouteAll()
    // A page that is left may store something.
    await page.goto('about:blank')
    await this.context.setOffline(false)
    await this.context.clearCookies()
    await forgetOrigins(page, [this.url, this.host.url])
    return page
  }

  /** Pictures have the public URL of the service, which here differs from the address that it listens on. */
  async servePictures(): Promise<void> {
    await this.context.route('**/files/**', async (route) => {
      const answer = await fetch(new URL(new URL(route.request().url()).pathname, this.url))
      const contentType = answer.headers.get('content-type') ?? ''
      await route.fulfill({ contentType, body: Buffer.from(await answer.arrayBuffer()) })
    })
  }

  /** An option with a PNG of this size. */
  async pictured(slot: 'optionA' | 'optionB', bytes: Uint8Array, size: { width: number; height: number }) {
    const { db, deps } = this.service
    const { brandKey } = this.brand
    const key = await keepFile(db, deps, { brandKey, slot, contentType: 'image/png', bytes, ...size })
    return { label: slot, imageUrl: `${deps.config.publicUrl}/files/${key}` }
  }

  get context(): BrowserContext {
    if (!this.#context) throw new Error('nobody is there to visit')
    return this.#context
  }

  get url(): string {
    return this.service.service.url
  }

  get script(): string {
    return `<script type="module" src="${this.url}/embed.js"></script>`
  }

  createPoll = (fields: Record<string, unknown> = {}): Promise<PollData> => this.service.createPoll(this.brand, fields)

  async createCampaign(polls: readonly PollData[]): Promise<string> {
    const json = { title: `Campaign ${randomUUID()}`, polstIds: polls.map(({ id }) => id) }
    const ask = { token: this.brand.token, json }
    const reply = await this.service.write<{ campaignId: string }>('POST', 'brands/me/campaigns', ask)
    return reply.body.data.campaignId
  }

  async closePoll({ slug }: PollData): Promise<void> {
    const json = { closesAt: new Date(Date.now() - 1000).toISOString() }
    await this.service.write('PATCH', `brands/me/polls/${slug}`, { token: this.brand.token, json })
  }

  tallies = async ({ slug }: PollData): Promise<TalliesData> =>
    (await this.service.get<{ tallies: TalliesData }>(`polls/${slug}/tallies`)).body.data.tallies

  async #newPage(): Promise<Page> {
    const page = await this.context.newPage()
    await page.addInitScript(HEAR)
    return page
  }

  /** In a page that `forget` left, or a new one. */
  async open(path: string, left?: Page): Promise<{ page: Page; complaints: string[] }> {
    const page = left ?? (await this.#newPage())
    const complaints = complaintsOf(page)
    await page.goto(new URL(path, this.url).href)
    return { page, complaints }
  }

  /** Opens a page of the third-party site with this markup, after the embed script. */
  async openWith(markup: string, left?: Page): Promise<{ page: Page; complaints: string[] }> {
    this.host.body = this.script + markup
    return this.open(this.host.url, left)
  }
}
