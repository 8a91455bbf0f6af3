import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page, Route } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { CHOICE, EmbedSite, told, untilTold } from './embed-site.ts'
import { fromNow, HOUR, patchPoll } from './polls.ts'
import type { PollData } from './service.ts'

/** Answers as the limit of a device does: the first votes pass, the next are refused once, with the time to wait. */
function limitedTo(most: number): (route: Route) => Promise<void> {
  const refused = new Set<string>()
  let passed = 0
  return (route) => {
    const url = route.request().url()
    if (passed < most || refused.has(url)) {
      passed++
      return route.continue()
    }
    refused.add(url)
    const error = { code: 'RATE_LIMITED', message: 'Too many votes', details: { retryAfterSeconds: 5 }, requestId: 'r' }
    return route.fulfill({ status: 429, json: { error }, headers: { 'Retry-After': '5' } })
  }
}

/** Goes on, and stops the slide at its first moment: where the card is then, and how wide the page. */
const SLIDE = `(() => {
  const root = document.querySelector('tossup-campaign').shadowRoot
  root.querySelector('.go-on').click()
  for (const animation of root.getAnimations()) { animation.pause(); animation.currentTime = 0 }
  const { translate } = getComputedStyle(root.querySelector('.card'))
  const width = document.documentElement.scrollWidth
  for (const animation of root.getAnimations()) animation.finish()
  return { moved: parseFloat(translate), width }
})()`

describe.if(hasChromium)('no step of a campaign is a dead end', () => {
  let site: EmbedSite
  beforeAll(async () => {
    site = await EmbedSite.open()
  }, 60_000)
  afterAll(() => site.close())
  beforeEach(() => site.renew({ reducedMotion: 'reduce' }))

  const made = async (...titles: string[]): Promise<PollData[]> => {
    const polls: PollData[] = []
    for (const title of titles) polls.push(await site.createPoll({ title }))
    return polls
  }
  const next = (page: Page) => page.getByRole('button', { name: 'Next' }).click()
  const atStep = (page: Page, title: string) => page.getByRole('heading', { name: title, exact: true }).waitFor()
  const atEnd = (page: Page) => page.locator('.steps-place').getByText('All done. Thank you!').waitFor()

  test('a poll that was voted on before leads on, and is not asked again at the next visit', async () => {
    const polls = await made('One', 'Two', 'Three')
    const campaign = await site.createCampaign(polls)
    const alone = await site.open(`/p/${polls[1]?.shortId}`)
    await alone.page.locator(CHOICE.A).click()
    await untilTold(alone.page, 'voted')
    const { page, complaints } = await site.open(`/c/${campaign}?autoAdvance=false`)
    await atStep(page, 'One')
    await page.locator(CHOICE.A).click()
    await untilTold(page, 'voted')
    await next(page)
    await atStep(page, 'Two')
    await page.locator('[aria-pressed="true"]').waitFor()
    await page.reload()
    await atStep(page, 'Three')
    await page.locator(CHOICE.B).click()
    await untilTold(page, 'completed')
    await next(page)
    await atEnd(page)
    expect(complaints).toEqual([])
  })

  test('a campaign with a closed and a scheduled poll can be finished, and stays finished', async () => {
    const polls = await made('First', 'Over', 'Later')
    const campaign = await site.createCampaign(polls)
    const [, over, later] = polls
    if (over) await site.closePoll(over)
    await patchPoll(site.service, site.brand, later?.slug ?? '', { opensAt: fromNow(HOUR) })
    const { page } = await site.open(`/c/${campaign}?autoAdvance=false`)
    await atStep(page, 'First')
    await page.locator(CHOICE.A).click()
    await untilTold(page, 'completed')
    await next(page)
    await atStep(page, 'Over')
    await next(page)
    await atStep(page, 'Later')
    await page.getByText('Opens in').waitFor()
    await next(page)
    await atEnd(page)
    await page.reload()
    await untilTold(page, 'ready')
    await atEnd(page)
  })

  test('votes beyond the limit are kept, sent as it allows, and complete the campaign when they are in', async () => {
    const polls = await made('P1', 'P2', 'P3', 'P4', 'P5')
    const campaign = await site.createCampaign(polls)
    await site.context.route('**/votes', limitedTo(3))
    const { page } = await site.open(`/c/${campaign}?autoAdvance=false`)
    for (const { title } of polls) {
      await atStep(page, title)
      await page.locator(CHOICE.A).click()
      await next(page)
    }
    await page.locator('.steps-place').getByText('Your last votes are on their way.').waitFor()
    expect((await told(page)).some(({ type }) => type === 'completed')).toBe(false)
    await untilTold(page, 'completed')
    await atEnd(page)
    const told429 = (await told(page)).filter(({ detail }) => detail['code'] === 'RATE_LIMITED')
    expect(told429.length).toBe(2)
    for (const poll of polls) expect(await site.tallies(poll)).toMatchObject({ optionA: 1, total: 1 })
  })

  test('the button to the next step comes where room was kept for it, and what follows the campaign stays', async () => {
    const campaign = await site.createCampaign(await made('First', 'Second'))
    const mark = `<tossup-campaign campaign="${campaign}" autoadvance="false"></tossup-campaign><p id="after">After</p>`
    const { page } = await site.openWith(mark)
    await atStep(page, 'First')
    await untilTold(page, 'ready')
    const place = () => page.locator('#after').boundingBox()
    const before = await place()
    await page.locator(CHOICE.A).click()
    await page.locator('.go-on').waitFor()
    expect(await place()).toEqual(before)
  })

  test('a step slides in without making the page wider', async () => {
    await site.renew({ viewport: { width: 360, height: 700 }, reducedMotion: 'no-preference' })
    const { page } = await site.open(`/c/${await site.createCampaign(await made('Left', 'Right'))}?autoAdvance=false`)
    await atStep(page, 'Left')
    await page.locator(CHOICE.A).click()
    await page.locator('.go-on').waitFor()
    const slides = await page.evaluate<{ moved: number; width: number }>(SLIDE)
    expect(slides.moved).toBeGreaterThan(20)
    expect(slides.width).toBe(360)
    await atStep(page, 'Right')
  })
})
