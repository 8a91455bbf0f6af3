import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { complaintsOf, HOST_POLICY, HostSite } from './host-site.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

interface Told {
  readonly type: string
  readonly detail: Record<string, unknown>
}

const CHOICE = { A: '[data-option="A"]', B: '[data-option="B"]' } as const
/** Kept by the page itself, so that nothing of it is missed. */
const HEAR = `window.told = []; for (const type of ['ready', 'voted', 'error']) {
  document.addEventListener('tossup:' + type, (event) => window.told.push({ type, detail: event.detail }))
}`
const told = (page: Page): Promise<Told[]> => page.evaluate('window.told')

describe.if(hasChromium)('a poll in a page', () => {
  let service: TestService
  let brand: TestBrand
  let browser: Browser
  let context: BrowserContext
  let host: HostSite
  let poll: PollData
  beforeAll(async () => {
    service = await startTestService('sqlite', { settings: { NETWORK_VOTES_PER_MINUTE: '0' } })
    brand = await service.createBrand()
    browser = await openBrowser()
    host = new HostSite(HOST_POLICY(service.service.url))
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await host.stop()
    await service.stop()
  })
  beforeEach(async () => {
    await context?.close()
    context = await browser.newContext()
    poll = await service.createPoll(brand)
  })

  const tallies = async () =>
    (await service.get<{ tallies: { optionA: number; optionB: number; total: number } }>(`polls/${poll.slug}/tallies`))
      .body.data.tallies

  async function open(url: string): Promise<{ page: Page; complaints: string[] }> {
    const page = await context.newPage()
    await page.addInitScript(HEAR)
    const complaints = complaintsOf(page)
    await page.goto(url)
    return { page, complaints }
  }

  const script = () => `<script type="module" src="${service.service.url}/embed.js"></script>`

  test('by script tag, on another origin and under a strict policy: votes, shows the counts, and violates nothing', async () => {
    host.body = `${script()}<tossup-poll poll="${poll.shortId}"></tossup-poll>`
    const { page, complaints } = await open(host.url)
    await page.locator(CHOICE.B).click()
    await page.locator('.share').first().waitFor()
    expect(await page.locator('.share').allTextContents()).toEqual(['0%', '100%'])
    expect(await tallies()).toMatchObject({ optionA: 0, optionB: 1, total: 1 })
    expect(await page.locator(CHOICE.B).getAttribute('aria-pressed')).toBe('true')
    expect((await told(page)).map(({ type, detail }) => [type, detail['poll'], detail['option']])).toEqual([
      ['ready', poll.shortId, undefined],
      ['voted', poll.shortId, 'B'],
    ])
    expect(complaints).toEqual([])

    // Somebody else's vote comes by itself.
    await service.vote(poll.slug, 'A')
    await page.getByText('50%').first().waitFor()
    expect(await page.locator('.share').allTextContents()).toEqual(['50%', '50%'])
  })

  test('remembers the vote of this device, in each way that it is shown on the same origin', async () => {
    const { page } = await open(`${service.service.url}/p/${poll.shortId}`)
    await page.locator(CHOICE.A).click()
    await page.locator('.share').first().waitFor()
    await page.goto(`${service.service.url}/embed/poll/${poll.shortId}`)
    await page.locator('[data-option="A"][aria-pressed="true"]').waitFor()
    expect(await tallies()).toMatchObject({ optionA: 1, total: 1 })
  })

  test('in a frame whose storage is denied: votes all the same, and tells its host what happens and how tall it is', async () => {
    host.body = `${script()}<iframe sandbox="allow-scripts" width="400" height="150" src="${service.service.url}/embed/poll/${poll.shortId}"></iframe>`
    const { page, complaints } = await open(host.url)
    // A frame without an origin has no storage at all, and asks as nobody's page.
    const frame: FrameLocator = page.frameLocator('iframe')
    await frame.locator(CHOICE.A).click()
    await frame.locator('.share').first().waitFor()
    expect(await tallies()).toMatchObject({ optionA: 1, total: 1 })
    expect(complaints).toEqual([])
  })

  test('in a frame of its own origin: the host hears its events, and the frame is as tall as the poll', async () => {
    host.body = `${script()}<iframe width="400" height="150" src="${service.service.url}/embed/poll/${poll.shortId}"></iframe>`
    const { page } = await open(host.url)
    const frame = page.frameLocator('iframe')
    await frame.locator(CHOICE.A).click()
    await frame.locator('.share').first().waitFor()
    await page.waitForFunction("window.told.some(({ type }) => type === 'voted')")
    const [shown, needed] = [
      await page.evaluate<number>("document.querySelector('iframe').clientHeight"),
      await page.frames()[1]?.evaluate<number>('document.documentElement.scrollHeight'),
    ]
    expect(shown).toBeGreaterThan(150)
    expect(Math.abs(shown - (needed ?? 0))).toBeLessThanOrEqual(1)
  })

  test('a page of its own is readable and whole without a script, and asks nothing before it is voted on', async () => {
    const bare = await browser.newContext({ javaScriptEnabled: false })
    const page = await bare.newPage()
    await page.goto(`${service.service.url}/p/${poll.shortId}`)
    expect(await page.getByRole('button').allTextContents()).toEqual(['Tea', 'Coffee'])
    expect(await page.getByRole('heading').textContent()).toBe('Tea or coffee?')
    await bare.close()

    const asked: string[] = []
    const { page: scripted, complaints } = await (async () => {
      const next = await context.newPage()
      await next.addInitScript(HEAR)
      next.on('request', (request) => asked.push(new URL(request.url()).pathname))
      const said = complaintsOf(next)
      await next.goto(`${service.service.url}/p/${poll.shortId}`)
      return { page: next, complaints: said }
    })()
    await scripted.waitForFunction("window.told.some(({ type }) => type === 'ready')")
    expect(asked).toEqual([`/p/${poll.shortId}`, '/embed.js'])
    expect(complaints).toEqual([])
  })

  test('a vote that is not taken is taken back, said, and can be cast again', async () => {
    host.body = `${script()}<tossup-poll poll="${poll.shortId}"></tossup-poll>`
    const { page } = await open(host.url)
    await page.locator(CHOICE.A).waitFor()
    await page.route('**/votes', (route) => route.abort())
    await page.locator(CHOICE.A).click()
    await page.getByRole('alert').getByText('could not be sent').waitFor()
    expect(await page.locator('[aria-pressed]').count()).toBe(0)
    expect(
      await page.evaluate<string>("document.querySelector('tossup-poll').shadowRoot.activeElement?.dataset.option"),
    ).toBe('A')
    await page.unroute('**/votes')
    await page.locator(CHOICE.A).click()
    await page.locator('.share').first().waitFor()
    expect(await page.getByRole('alert').textContent()).toBe('')
    expect(await tallies()).toMatchObject({ optionA: 1, total: 1 })
  })

  test('a vote that was cast before, and a poll that closed meanwhile, are shown as they are', async () => {
    const device = randomUUID()
    await service.vote(poll.slug, 'B', device)
    host.body = `${script()}<tossup-poll poll="${poll.shortId}"></tossup-poll>`
    const { page } = await open(host.url)
    await page.locator(CHOICE.A).waitFor()
    // The device becomes known after the page has looked.
    await page.evaluate(`localStorage.setItem('tossup-device', ${JSON.stringify(device)})`)
    await page.locator(CHOICE.A).click()
    await page.locator('[data-option="B"][aria-pressed="true"]').waitFor()
    expect(await page.locator('.share').allTextContents()).toEqual(['0%', '100%'])

    const other = await service.createPoll(brand)
    host.body = `${script()}<tossup-poll poll="${other.shortId}"></tossup-poll>`
    await page.goto(host.url)
    await page.locator(CHOICE.A).waitFor()
    await service.write('PATCH', `brands/me/polls/${other.slug}`, {
      token: brand.token,
      json: { closesAt: new Date(Date.now() - 1000).toISOString() },
    })
    await page.locator(CHOICE.A).click()
    await page.getByText('Closed').waitFor()
    expect((await told(page)).at(-1)).toMatchObject({ type: 'error', detail: { code: 'POLST_CLOSED' } })
  })

  test('hidden results stay hidden, and under after_vote the voter alone sees them', async () => {
    const hidden = await service.createPoll(brand, { resultsVisibility: 'after_vote' })
    await service.vote(hidden.slug, 'B')
    const { page } = await open(`${service.service.url}/p/${hidden.shortId}`)
    expect(await page.getByText('Results are not shown').count()).toBe(1)
    await page.locator(CHOICE.A).click()
    await page.locator('.share').first().waitFor()
    expect(await page.locator('.share').allTextContents()).toEqual(['50%', '50%'])
    await page.reload()
    await page.locator('.share').first().waitFor()
    expect(await page.locator('.share').allTextContents()).toEqual(['50%', '50%'])
  })

  test('speaks the language it is told, or that of the page around it', async () => {
    host.body = `${script()}<div lang="uk"><tossup-poll poll="${poll.shortId}"></tossup-poll></div><tossup-poll poll="${poll.shortId}" lang="ar-EG"></tossup-poll>`
    const { page, complaints } = await open(host.url)
    await page.getByText('Ще немає голосів').waitFor()
    await page.getByText('لا أصوات بعد').waitFor()
    expect(await page.locator('article').last().getAttribute('dir')).toBe('rtl')
    expect(complaints).toEqual([])
    const answer = await fetch(`${service.service.url}/p/${poll.shortId}`, { headers: { 'Accept-Language': 'ja' } })
    expect(answer.headers.get('vary')).toContain('Accept-Language')
    expect(await answer.text()).toContain('<html lang="ja"')
  })

  test('looks as its attributes say, and follows them', async () => {
    host.body = `${script()}<tossup-poll poll="${poll.shortId}" theme="dark" accent="ff0000" hidetitle hidebrand></tossup-poll>`
    const { page } = await open(host.url)
    await page.locator(CHOICE.A).waitFor()
    const article = page.locator('article')
    expect(await article.getAttribute('data-scheme')).toBe('dark')
    expect(await page.locator('.brand').count()).toBe(0)
    expect(await page.locator('.title.out-of-sight').count()).toBe(1)
    await page.evaluate("document.querySelector('tossup-poll').setAttribute('theme', 'light')")
    await page.locator('article[data-scheme="light"]').waitFor()
  })

  test('a poll that is not there is said to be missing, in the page and in a frame', async () => {
    host.body = `${script()}<tossup-poll poll="AAAAAAAAAAAA"></tossup-poll>`
    const { page } = await open(host.url)
    await page.getByText('This poll is not available.').waitFor()
    expect(await told(page)).toMatchObject([{ type: 'error', detail: { code: 'NOT_FOUND' } }])
    const answer = await fetch(`${service.service.url}/embed/poll/AAAAAAAAAAAA?lang=de`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(await answer.text()).toContain('Diese Umfrage ist nicht verfügbar.')
  })
})
