import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
const HEAR = `window.told = []; for (const type of ['ready', 'voted', 'step', 'completed', 'error']) {
  document.addEventListener('tossup:' + type, (event) => window.told.push({ type, detail: event.detail }))
}`
const told = (page: Page): Promise<Told[]> => page.evaluate('window.told')

/** What waits inside of a page needs `eval`, which its policy forbids. */
async function untilTold(page: Page, type: string): Promise<void> {
  while (!(await told(page)).some((each) => each.type === type)) await Bun.sleep(20)
}

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
    await untilTold(page, 'voted')
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
    await untilTold(page, 'voted')
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
    while ((await tallies()).total === 0) await Bun.sleep(20)
    expect(await tallies()).toMatchObject({ optionA: 1, total: 1 })
    expect(complaints).toEqual([])
  })

  test('in a frame of its own origin: the host hears its events, and the frame is as tall as the poll', async () => {
    host.body = `${script()}<iframe width="400" height="150" src="${service.service.url}/embed/poll/${poll.shortId}"></iframe>`
    const { page } = await open(host.url)
    const frame = page.frameLocator('iframe')
    await frame.locator(CHOICE.A).click()
    await frame.locator('.share').first().waitFor()
    await untilTold(page, 'voted')
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
    expect(await page.getByRole('heading', { level: 2 }).textContent()).toBe('Tea or coffee?')
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
    await untilTold(scripted, 'ready')
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
    await untilTold(page, 'voted')
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
    await page.evaluate(`localStorage.setItem('tossup.device', ${JSON.stringify(device)})`)
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
    await untilTold(page, 'voted')
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
    expect(await answer.text()).toContain('Hier ist nichts.')
  })

  const made = async (count: number) => {
    const polls: PollData[] = []
    for (let i = 0; i < count; i++) polls.push(await service.createPoll(brand, { title: `Question ${i + 1}` }))
    return polls
  }

  async function createCampaign(polls: readonly PollData[]): Promise<string> {
    const json = { title: `Campaign ${randomUUID()}`, polstIds: polls.map(({ id }) => id) }
    const reply = await service.write<{ campaignId: string }>('POST', 'brands/me/campaigns', {
      token: brand.token,
      json,
    })
    return reply.body.data.campaignId
  }

  test('a campaign goes on by itself, tells each step, ends, and is gone on with by who comes back', async () => {
    const campaign = await createCampaign(await made(3))
    const { page, complaints } = await open(`${service.service.url}/c/${campaign}`)
    await page.getByText('1 / 3').waitFor()
    await page.getByRole('heading', { name: 'Question 1' }).waitFor()
    await page.locator(CHOICE.A).click()
    await page.getByRole('heading', { name: 'Question 2' }).waitFor()
    expect(await page.getByText('2 / 3').count()).toBe(1)
    // Who comes back is asked what was not answered yet.
    await page.goto(`${service.service.url}/embed/campaign/${campaign}?autoAdvance=false`)
    await page.getByRole('heading', { name: 'Question 2' }).waitFor()
    await page.locator(CHOICE.B).click()
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('heading', { name: 'Question 3' }).waitFor()
    await page.locator(CHOICE.B).click()
    await untilTold(page, 'completed')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('All done. Thank you!').waitFor()
    const steps = (await told(page)).filter(({ type }) => type === 'step' || type === 'completed')
    expect(steps.map(({ type, detail }) => [type, detail['completedSteps'], detail['totalSteps']])).toEqual([
      ['step', 2, 3],
      ['step', 3, 3],
      ['completed', undefined, 3],
    ])
    await page.reload()
    await page.getByText('All done. Thank you!').waitFor()
    expect(complaints).toEqual([])
  })

  test('a feed shows the polls of a brand, votes on each by itself, and brings more', async () => {
    const other = await service.createBrand()
    for (let i = 0; i < 23; i++) await service.createPoll(other, { title: `Of many ${i + 1}` })
    host.body = `${script()}<tossup-feed brand="${other.slug}"></tossup-feed>`
    const { page, complaints } = await open(host.url)
    await page.getByRole('heading', { name: 'Of many 23' }).waitFor()
    expect(await page.locator('article').count()).toBe(20)
    await page.locator('article').nth(1).locator(CHOICE.B).click()
    await page.locator('.share').first().waitFor()
    expect(await page.locator('.share').count()).toBe(2)
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByRole('heading', { name: 'Of many 1', exact: true }).waitFor()
    expect(await page.locator('article').count()).toBe(23)
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0)
    expect(complaints).toEqual([])

    const served = await open(`${service.service.url}/b/${other.slug}`)
    await untilTold(served.page, 'ready')
    expect(await served.page.locator('article').count()).toBe(20)
    await served.page.locator('article').first().locator(CHOICE.A).click()
    await served.page.locator('.share').first().waitFor()
    expect(served.complaints).toEqual([])
  })

  test('pages say what they are to whoever shares or frames them, and an origin that may not frame is kept out', async () => {
    const answer = await fetch(`${service.service.url}/p/${poll.shortId}`, { headers: { 'Accept-Encoding': 'gzip' } })
    const markup = await answer.text()
    expect(markup).toContain(`<link rel="canonical" href="${service.deps.config.publicUrl}/p/${poll.shortId}">`)
    expect(markup).toContain('<meta property="og:title" content="Tea or coffee?">')
    expect(markup).not.toContain('noindex')
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'self'")
    await service.write('PATCH', 'brands/me/theme', {
      token: brand.token,
      json: { embedOrigins: ['https://a.example'] },
    })
    const frame = await fetch(`${service.service.url}/embed/poll/${poll.shortId}`)
    expect(frame.headers.get('content-security-policy')).toContain("frame-ancestors 'self' https://a.example")
    host.body = `<iframe src="${service.service.url}/embed/poll/${poll.shortId}"></iframe>`
    const { page, complaints } = await open(host.url)
    await page.waitForLoadState('networkidle')
    expect(complaints.join()).toContain('frame-ancestors')
    expect(await page.frameLocator('iframe').getByRole('button').count()).toBe(0)
    await service.write('PATCH', 'brands/me/theme', { token: brand.token, json: { embedOrigins: null } })
  })

  test('a frame works on a page that was opened from a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tossup-page-'))
    try {
      const file = join(folder, 'page.html')
      await writeFile(file, `<iframe src="${service.service.url}/embed/poll/${poll.shortId}"></iframe>`)
      const { page, complaints } = await open(`file://${file}`)
      const frame = page.frameLocator('iframe')
      await frame.locator(CHOICE.A).click()
      await frame.locator('.share').first().waitFor()
      expect(complaints).toEqual([])
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('what a brand writes stays text, in the page and in what the script is given', async () => {
    const title = '</script><script>window.hit=1</script><img src=x onerror=window.hit=2>'
    const hostile = await service.createPoll(brand, {
      title,
      optionA: { label: '</template><b>A' },
      optionB: { label: '"><i>' },
    })
    const { page, complaints } = await open(
      `${service.service.url}/p/${hostile.shortId}?lang="><script>&accent="><script>&theme=%22x`,
    )
    await page.locator(CHOICE.A).click()
    await page.locator('.share').first().waitFor()
    expect(await page.getByRole('heading', { level: 2 }).textContent()).toBe(title)
    expect(await page.evaluate<unknown>('window.hit')).toBeUndefined()
    expect(complaints).toEqual([])
  })

  test('a page is small on the wire', async () => {
    const { promise, resolve } = Promise.withResolvers<number>()
    const sizes = new Map<string, number>()
    const page = await context.newPage()
    page.on('response', async (response) => {
      const { responseBodySize, responseHeadersSize } = await response.request().sizes()
      sizes.set(new URL(response.url()).pathname, responseBodySize + responseHeadersSize)
      if (sizes.size === 2) resolve([...sizes.values()].reduce((sum, size) => sum + size, 0))
    })
    await page.goto(`${service.service.url}/p/${poll.shortId}`)
    const bytes = await promise
    process.stdout.write(`a hosted poll: ${bytes} bytes in all\n`)
    expect(bytes).toBeLessThanOrEqual(30 * 1024)
  })
})
