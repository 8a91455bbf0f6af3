import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { eventually } from './eventually.ts'
import { followGuide, hasCurl } from './guides.ts'
import { complaintsOf, HostSite } from './host-site.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

const guide = readFileSync(new URL('../../docs/guides/native.md', import.meta.url), 'utf8')

function only(language: string): string {
  const [block, ...more] = [...guide.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))]
  if (!block?.[1] || more.length > 0) throw new Error(`the guide has not one block in ${language}`)
  return block[1]
}

/** A stand-in for the app's bridge, as strict as the real one: accepts one string, called on its own object. */
const standIn = (path: string): string => `(() => {
  window.heard = []
  const app = Object.freeze({
    postMessage(data) {
      if (this !== app || arguments.length !== 1 || typeof data !== 'string') throw new TypeError('Illegal invocation')
      window.heard.push(JSON.parse(data))
    },
  })
  ${path} = app
})()`

const APPS = [
  {
    name: 'Android',
    userAgent:
      'Mozilla/5.0 (Linux; Android 15; Pixel 9 Build/AP4A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/140.0.0.0 Mobile Safari/537.36',
    standIn: standIn('window.tossup'),
  },
  {
    name: 'iOS',
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/22G86',
    standIn: `window.webkit = { messageHandlers: {} }; ${standIn('window.webkit.messageHandlers.tossup')}`,
  },
] as const

interface Heard {
  readonly type: string
  readonly height?: number
  readonly detail?: Record<string, unknown>
}

const TEA = '[data-option="A"]'
const COFFEE = '[data-option="B"]'

// spec: 1-6
test.if(hasCurl)(
  'the requests of the guide to apps work as pasted',
  async () => {
    const [poll = '', none = '', vote = '', again = '', own = '', wait = '', ...more] = await followGuide('native.md')
    expect(JSON.parse(poll).data.slug).toBe('tea-or-coffee')
    expect(JSON.parse(none).error.code).toBe('NOT_FOUND')
    const { option, votedAt, tallies } = JSON.parse(vote).data
    expect([option, tallies.total]).toEqual(['A', JSON.parse(poll).data.tallies.total + 1])
    expect(JSON.parse(again).error).toMatchObject({
      code: 'VOTE_ALREADY_CAST',
      details: { existingVote: { option, votedAt } },
    })
    expect(JSON.parse(own).data).toEqual({ option, votedAt, tallies })
    expect(wait).toMatch(/^retry-after: \d+\r?$/i)
    const [last = '', forgotten] = more
    expect([JSON.parse(last).data, forgotten]).toEqual([{ option, votedAt, tallies }, '204'])
  },
  60_000,
)

describe.if(hasChromium).each([...APPS])('in a web view of $name', ({ userAgent, standIn: app }) => {
  let service: TestService
  let brand: TestBrand
  let browser: Browser
  let context: BrowserContext
  let poll: PollData
  let origin: string
  let device: string

  beforeAll(async () => {
    service = await startTestService('sqlite')
    origin = service.service.url
    brand = await service.createBrand()
    browser = await openBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })
  beforeEach(async () => {
    await context?.close()
    context = await browser.newContext({ userAgent, viewport: { width: 390, height: 120 } })
    poll = await service.createPoll(brand)
    device = randomUUID()
  })

  /** Installs the bridge like the app: before any code of the page runs. */
  async function open(url: string, before = ''): Promise<{ page: Page; complaints: string[] }> {
    const page = await context.newPage()
    const complaints = complaintsOf(page)
    if (before) await page.addInitScript(before)
    await page.addInitScript(app)
    await page.addInitScript(`${only('js')}('${origin}', '${device}')`)
    await page.goto(url)
    return { page, complaints }
  }

  const heard = (page: Page): Promise<Heard[]> => page.evaluate('window.heard')

  const untilHeard = (page: Page, type: string): Promise<Heard> =>
    eventually(async () => (await heard(page)).findLast((each) => each.type === type))

  const total = async () =>
    (await service.get<{ tallies: { total: number } }>(`polls/${poll.slug}/tallies`)).body.data.tallies.total

  test("the page votes as the app's device, and sends its events and its height to the app", async () => {
    const { page, complaints } = await open(`${origin}/embed/poll/${poll.slug}`)
    await untilHeard(page, 'ready')
    await page.locator(COFFEE).click()
    expect(await untilHeard(page, 'voted')).toMatchObject({
      detail: { poll: poll.shortId, option: 'B', tallies: { optionA: 0, optionB: 1, total: 1 } },
    })
    const height = await page.evaluate<number>('document.documentElement.offsetHeight')
    expect((await untilHeard(page, 'height')).height).toBe(height)
    expect(height).toBeGreaterThan(120)
    expect(complaints).toEqual([])
    const own = await service.get<{ option: string }>(`polls/${poll.slug}/votes/me`, { device: device.toUpperCase() })
    expect(own.body.data.option).toBe('B')
    expect((await service.vote(poll.slug, 'A', device)).body.error.code).toBe('VOTE_ALREADY_CAST')
    expect(await total()).toBe(1)
  })

  test('the page shows a vote that the app has cast by itself', async () => {
    await service.vote(poll.slug, 'A', device)
    const { page } = await open(`${origin}/embed/poll/${poll.slug}`)
    await page.locator(COFFEE).click()
    await page.locator(`${TEA}[aria-pressed="true"]`).waitFor()
    expect(await untilHeard(page, 'error')).toMatchObject({ detail: { code: 'VOTE_ALREADY_CAST' } })
    expect(await total()).toBe(1)
  })

  test('a page bundled with the app has the same device', async () => {
    const title = `Today ${randomUUID()}`
    const { slug } = await service.createPoll(brand, { title })
    const html = only('html').replace('tea-or-coffee', slug).replace('corner-cafe', brand.slug)
    await context.route(`${origin}/`, (route) => route.fulfill({ body: html, contentType: 'text/html' }))
    const { page, complaints } = await open(`${origin}/`)
    await page.locator('tossup-poll').locator(TEA).click()
    expect(await untilHeard(page, 'voted')).toMatchObject({ detail: { option: 'A' } })
    await page.locator('tossup-feed article').first().waitFor()
    expect((await service.get<{ option: string }>(`polls/${slug}/votes/me`, { device })).body.data.option).toBe('A')
    expect(complaints).toEqual([])
  })

  test('without storage the page votes, and the app receives the event', async () => {
    const denied = `Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError') } })`
    const { page, complaints } = await open(`${origin}/embed/poll/${poll.slug}`, denied)
    await page.locator(TEA).click()
    await untilHeard(page, 'voted')
    expect(await total()).toBe(1)
    expect(complaints).toEqual([])
  })

  test('a page or frame of another origin gets no device, and its messages are ignored', async () => {
    const host = new HostSite('')
    host.body = `<iframe src="${origin}/embed/poll/${poll.slug}"></iframe>`
    const { page } = await open(host.url)
    await page.frameLocator('iframe').locator(TEA).click()
    await eventually(async () => (await total()) > 0)
    for (const frame of page.frames()) {
      expect(await frame.evaluate<unknown[]>('window.heard')).toEqual([])
      const kept = `(() => { try { return localStorage.getItem('tossup.device') } catch { return 'denied' } })()`
      expect(await frame.evaluate<string | null>(kept)).not.toBe(device)
    }
    expect((await service.get(`polls/${poll.slug}/votes/me`, { device })).status).toBe(404)
    await host.stop()
  })
})
