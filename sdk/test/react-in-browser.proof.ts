import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { tryAgain } from '../../server/test/embed-site.ts'
import { eventually } from '../../server/test/eventually.ts'
import { freePort } from '../../server/test/free-port.ts'
import { complaintsOf } from '../../server/test/host-site.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from '../../server/test/service.ts'
import { DEVICE_KEY, Visitor } from '../src/index.ts'
import { ReactSite } from './react-site.ts'

type Told = [name: string, detail: Record<string, unknown>][]

const TEA = '[data-option="A"]'
const COFFEE = '[data-option="B"]'

describe.skipIf(!hasChromium)('React in a page of another origin, under a strict policy', () => {
  let service: TestService
  let brand: TestBrand
  let browser: Browser
  let context: BrowserContext
  let site: ReactSite
  let poll: PollData
  let complaints: string[]

  beforeAll(async () => {
    // Stylesheet URLs contain the configured port.
    const settings = { NETWORK_VOTES_PER_MINUTE: '0', PORT: String(freePort()) }
    service = await startTestService('sqlite', { settings })
    brand = await service.createBrand()
    browser = await openBrowser()
    site = await ReactSite.open(service.service.url)
  }, 60_000)

  afterAll(async () => {
    await browser.close()
    await site.stop()
    await service.stop()
  })

  beforeEach(async () => {
    context = await browser.newContext({ reducedMotion: 'reduce' })
    poll = await service.createPoll(brand)
    complaints = []
  })

  afterEach(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })

  async function open(shown: Parameters<ReactSite['showing']>[0]): Promise<Page> {
    const page = await context.newPage()
    complaints = complaintsOf(page)
    await page.goto(site.showing(shown))
    return page
  }

  const told = (page: Page): Promise<Told> => page.evaluate('window.told')

  const untilTold = (page: Page, name: string): Promise<Record<string, unknown>> =>
    eventually(async () => (await told(page)).find((each) => each[0] === name)?.[1])

  const tallies = async (slug = poll.slug) =>
    (await service.get<{ tallies: { optionA: number; optionB: number; total: number } }>(`polls/${slug}/tallies`)).body
      .data.tallies

  const deviceIn = (page: Page): Promise<string | null> => page.evaluate(`localStorage.getItem('${DEVICE_KEY}')`)

  test('a tap on a poll casts one vote, calls onVoted, updates the counts, and is shown at the next visit', async () => {
    const page = await open({ wanted: { polls: [{ poll: poll.shortId }] } })
    await page.locator(TEA).waitFor()
    expect(await deviceIn(page)).toBeNull()
    const votes: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/votes')) votes.push(request.url())
    })
    await page.locator(TEA).dblclick()
    expect(await untilTold(page, 'voted')).toMatchObject({
      poll: poll.shortId,
      option: 'A',
      tallies: { optionA: 1, optionB: 0, total: 1 },
    })
    expect(votes).toHaveLength(1)
    expect(await page.locator('.share').allTextContents()).toEqual(['100%', '0%'])
    await service.vote(poll.slug, 'B')
    await page.getByText('50%').first().waitFor()
    expect((await told(page)).map(([name]) => name)).toEqual(['ready', 'voted'])
    const device = await deviceIn(page)
    expect(device).toMatch(/^[0-9a-f-]{36}$/)
    await page.reload()
    await page.locator(`${TEA}[aria-pressed="true"]`).waitFor()
    expect(await deviceIn(page)).toBe(device)
    expect(await tallies()).toMatchObject({ total: 2 })
  })

  test('renders exactly what the element renders on the same page without React', async () => {
    const css = '.poll { border: 7px dotted }'
    await service.write('PATCH', 'brands/me/theme', { token: brand.token, json: { customCss: css, radius: 'FULL' } })
    const before = `<tossup-poll id="plain" poll="${poll.shortId}" theme="dark" accent="ff0000" lang="ar" hidebrand></tossup-poll>`
    const look = { theme: 'dark', accent: 'ff0000', lang: 'ar', hideBrand: true, hideTitle: false } as const
    const page = await open({ before, wanted: { polls: [{ poll: poll.shortId, ...look }] } })
    await untilTold(page, 'ready')
    await page.locator(`#plain ${TEA}`).waitFor()
    const shownBy = (element: string): Promise<unknown[]> =>
      page.evaluate(`(() => {
        const { shadowRoot } = document.querySelector(${JSON.stringify(element)})
        const { borderTopStyle, borderTopWidth, backgroundColor } = getComputedStyle(shadowRoot.querySelector('.poll'))
        return [shadowRoot.innerHTML, borderTopStyle, borderTopWidth, backgroundColor]
      })()`)
    // The sheet of the brand comes after the poll.
    for (const each of ['#plain', '#root tossup-poll'])
      await eventually(async () => (await shownBy(each))[1] === 'dotted')
    const plain = await shownBy('#plain')
    expect(plain).toMatchObject([expect.stringContaining('dir="rtl"'), 'dotted', '7px', expect.any(String)])
    expect(await shownBy('#root tossup-poll')).toEqual(plain)
    await service.write('PATCH', 'brands/me/theme', { token: brand.token, json: { customCss: null, radius: null } })
  })

  test('follows changed props, and shows another poll in another element', async () => {
    const other = await service.createPoll(brand, { title: 'Rain or snow?' })
    const page = await open({ wanted: { polls: [{ poll: poll.slug, initialPoll: undefined }] } })
    await untilTold(page, 'ready')
    const show = (props: object) => page.evaluate(`window.show(${JSON.stringify({ polls: [props] })})`)
    await show({ poll: poll.slug, lang: 'uk', theme: 'light', hideTitle: true })
    await page.getByText('Будьте першими').waitFor()
    expect(await page.locator('article[data-scheme="light"] .title.out-of-sight').count()).toBe(1)
    await show({ poll: poll.shortId })
    await page.getByText('Be the first').waitFor()
    expect(await page.locator('.title.out-of-sight').count()).toBe(0)
    await show({ poll: other.slug, className: 'wide' })
    await page.getByRole('heading', { name: 'Rain or snow?' }).waitFor()
    expect(await page.locator('tossup-poll.wide').count()).toBe(1)
    await page.locator(TEA).click()
    await untilTold(page, 'voted')
    expect(await tallies(other.slug)).toMatchObject({ total: 1 })
    expect(await tallies()).toMatchObject({ total: 0 })
    await page.evaluate('window.show({})')
    await eventually(async () => (await page.locator('tossup-poll').count()) === 0)
    await show({ poll: other.slug })
    await page.locator(`${TEA}[aria-pressed="true"]`).waitFor()
    expect(await page.locator('script[src$="/embed.js"]').count()).toBe(1)
  })

  test('data that the server has read is used without another request or a hydration warning', async () => {
    const title = '</script><script>window.hit = 1</script>Tea & "coffee"?'
    const made = await service.createPoll(brand, { title })
    const initialPoll = await new Visitor({ url: service.service.url }).getPoll(made.slug)
    const wanted = { polls: [{ poll: made.slug, initialPoll, className: 'wide' }] }
    const asked: string[] = []
    context.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const page = await open({ wanted, isServed: true })
    expect(await untilTold(page, 'ready')).toEqual({ poll: made.shortId })
    expect(await page.getByRole('heading', { level: 2 }).textContent()).toBe(title)
    expect(asked.filter((path) => path.startsWith('/api/'))).toEqual([])
    expect(await page.evaluate<unknown>('window.hit')).toBeUndefined()
    await page.locator(COFFEE).click()
    await untilTold(page, 'voted')
    expect(await tallies(made.slug)).toMatchObject({ optionB: 1, total: 1 })
  })

  test('server-rendered HTML reserves its room before any script, and holds a link for readers without one', async () => {
    const bare = await browser.newContext({ javaScriptEnabled: false })
    const page = await bare.newPage()
    const initialPoll = await new Visitor({ url: service.service.url }).getPoll(poll.slug)
    await page.goto(site.showing({ wanted: { polls: [{ poll: poll.slug, initialPoll }] }, isServed: true }))
    expect((await page.locator('tossup-poll svg').boundingBox())?.height).toBe(208)
    await page.getByRole('link', { name: 'Tea or coffee?' }).click()
    expect(page.url()).toBe(`${service.service.url}/p/${poll.slug}`)
    await bare.close()
  })

  test('nothing shifts when the script loads', async () => {
    const page = await context.newPage()
    complaints = complaintsOf(page)
    const { promise: measured, resolve: goOn } = Promise.withResolvers<void>()
    await page.route('**/embed.js', async (route) => {
      await measured
      await route.continue()
    })
    await page.route('**/api/**', () => undefined)
    const url = site.showing({ wanted: { polls: [{ poll: poll.slug }] }, isServed: true })
    await page.goto(url, { waitUntil: 'domcontentloaded' })
    const top = async () => (await page.locator('#after').boundingBox())?.y
    const before = await top()
    expect(await page.locator('.waiting').count()).toBe(0)
    goOn()
    await page.locator('.waiting').waitFor()
    expect(await top()).toBe(before)
  })

  test('an unreachable service leaves a link and raises an error, and the next poll tries again', async () => {
    await context.route('**/embed.js', (route) => route.abort())
    const page = await open({ wanted: { polls: [{ poll: poll.slug }] } })
    await page.getByRole('link', { name: `${service.service.url}/p/${poll.slug}` }).waitFor()
    await untilTold(page, 'error')
    expect(await told(page)).toEqual([['error', { code: 'NETWORK_ERROR' }]])
    expect(complaints.splice(0).join()).toContain('ERR_FAILED')
    await context.unroute('**/embed.js')
    await page.evaluate('window.show({})')
    await page.evaluate(`window.show(${JSON.stringify({ polls: [{ poll: poll.shortId }] })})`)
    await page.locator(TEA).click()
    await untilTold(page, 'voted')
  })

  test('a refused vote raises an error and is taken back', async () => {
    const page = await open({ wanted: { polls: [{ poll: poll.slug }] } })
    await page.locator(COFFEE).waitFor()
    const json = { closesAt: new Date(Date.now() - 1000).toISOString() }
    await service.write('PATCH', `brands/me/polls/${poll.slug}`, { token: brand.token, json })
    await page.locator(COFFEE).click()
    expect(await untilTold(page, 'error')).toEqual({ code: 'POLST_CLOSED', poll: poll.shortId })
    await page.getByText('Closed · No votes').waitFor()
    expect(await page.locator('[aria-pressed]').count()).toBe(0)
    expect(complaints.splice(0).join()).toContain('409')
    expect(await tallies()).toMatchObject({ total: 0 })
  })

  test('a vote that does not arrive raises an error, is kept, and counts at the next try', async () => {
    const page = await open({ wanted: { polls: [{ poll: poll.slug }] } })
    await page.locator(COFFEE).waitFor()
    await page.route('**/votes', (route) => route.abort())
    await page.locator(COFFEE).click()
    await page.getByRole('alert').getByText('not sent yet').waitFor()
    expect(await untilTold(page, 'error')).toMatchObject({ code: 'NETWORK_ERROR', poll: poll.shortId })
    await page.unroute('**/votes')
    await tryAgain(page)
    await untilTold(page, 'voted')
    expect(complaints.splice(0).join()).toContain('ERR_FAILED')
    expect(await tallies()).toMatchObject({ optionB: 1, total: 1 })
  })

  async function createCampaign(): Promise<string> {
    const polls = [
      await service.createPoll(brand, { title: 'First' }),
      await service.createPoll(brand, { title: 'Second' }),
    ]
    const json = { title: `Both ${randomUUID()}`, polstIds: polls.map(({ id }) => id) }
    const { body } = await service.write<{ campaignId: string }>('POST', 'brands/me/campaigns', { ...brand, json })
    return body.data.campaignId
  }

  test('a campaign leads to its end, and raises an event for each step', async () => {
    const campaign = await createCampaign()
    const initialCampaign = await new Visitor({ url: service.service.url }).getCampaign(campaign)
    const page = await open({ wanted: { campaign: { campaign, initialCampaign } }, isServed: true })
    await page.getByText('1 / 2').waitFor()
    await page.locator(TEA).click()
    await untilTold(page, 'step')
    // The browser asks for reduced motion: nothing advances by itself.
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('heading', { name: 'Second' }).waitFor()
    await page.locator(TEA).click()
    expect(await untilTold(page, 'completed')).toEqual({ campaign, totalSteps: 2 })
    expect((await told(page)).map(([name]) => name)).toEqual(['ready', 'voted', 'step', 'voted', 'step', 'completed'])
  })

  test('a visitor with another device id is refused by the elements, and can vote by the hooks', async () => {
    const visitor = { deviceId: randomUUID() }
    const refused = await open({ visitor, wanted: { polls: [{ poll: poll.slug }] } })
    await eventually(() => complaints.join().includes('vote as the device of the page'))
    expect(await refused.locator('tossup-poll').count()).toBe(0)
    const page = await open({ visitor, wanted: { ownPoll: poll.slug } })
    await page.getByRole('button', { name: 'Coffee' }).click()
    await page.locator('output', { hasText: 'B 0:1' }).waitFor()
    const own = await service.get<{ option: string }>(`polls/${poll.slug}/votes/me`, { device: visitor.deviceId })
    expect(own.body.data.option).toBe('B')
    // It requested the visitor's earlier vote.
    expect(complaints.splice(0).join()).toContain('404')
  })

  test('a poll that the page draws itself votes by the hooks, as the same device', async () => {
    const campaign = await createCampaign()
    const wanted = { ownPoll: poll.slug, ownCampaign: campaign, polls: [{ poll: poll.slug }] }
    const page = await open({ wanted })
    const total = page.locator('output').first()
    await page.getByRole('heading', { name: 'First' }).first().waitFor()
    await page.route(`**/polls/${poll.slug}/votes`, (route) => route.abort())
    await page.evaluate(`document.querySelector('#root > button').click()`)
    await total.filter({ hasText: 'NETWORK_ERROR 0:0' }).waitFor()
    expect(complaints.splice(0).join()).toContain('ERR_FAILED')
    await page.unroute(`**/polls/${poll.slug}/votes`)
    // Two taps at once.
    await page.evaluate(`for (const tap of [1, 2]) document.querySelector('#root > button').click()`)
    await total.filter({ hasText: 'A 1:0' }).waitFor()
    await service.vote(poll.slug, 'B')
    await total.filter({ hasText: 'A 1:1' }).waitFor()
    expect((await told(page)).filter(([name]) => name === 'voted')).toEqual([['voted', 'A' as never]])
    // The element beside it finds the vote of its own device.
    await page.locator('#root > tossup-poll').first().locator(COFFEE).click()
    await page.locator('#root > tossup-poll').first().locator(`${TEA}[aria-pressed="true"]`).waitFor()
    expect(complaints.splice(0).join()).toContain('409')
    expect(await tallies()).toMatchObject({ optionA: 1, optionB: 1, total: 2 })
    await page.locator('#root > h2 + tossup-poll').locator(TEA).click()
    await page.getByText('1 of 2').waitFor()
    await page.getByRole('button', { name: 'Next', exact: true }).click()
    await page.locator('#root > h2').filter({ hasText: 'Second' }).waitFor()
    await page.locator('#root > h2 + tossup-poll').locator(TEA).click()
    await page.getByText('2 of 2').waitFor()
  })
})
