import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page, Route } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { CHOICE, EmbedSite, told, untilTold } from './embed-site.ts'
import { eventually } from './eventually.ts'
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

const FOCUSED = "document.querySelector('tossup-campaign').shadowRoot.activeElement?.className"

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
  const back = (page: Page) => page.getByRole('button', { name: 'Back' }).click()
  const atStep = (page: Page, title: string) => page.getByRole('heading', { name: title, exact: true }).waitFor()
  /** Cards come one after the other. */
  const untilShown = (page: Page, cards: number) =>
    eventually(async () => (await page.locator('article').count()) === cards)
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
    await atStep(page, 'Three')
    await page.getByText('3 / 3', { exact: true }).waitFor()
    await back(page)
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
    await atEnd(page)
    await untilShown(page, 3)
    await page.getByText('Opens in').waitFor()
    await page.reload()
    await untilTold(page, 'ready')
    await atEnd(page)
  })

  test('begins at the first poll that takes a vote: closed ones are not counted, and can be looked at', async () => {
    const polls = await made('Past', 'Gone by', 'Now', 'Soon', 'And now')
    const campaign = await site.createCampaign(polls)
    for (const poll of polls.slice(0, 2)) await site.closePoll(poll)
    await patchPoll(site.service, site.brand, polls[3]?.slug ?? '', { opensAt: fromNow(HOUR) })
    const served = await (await fetch(`${site.url}/c/${campaign}`)).text()
    expect(served).toContain('<span>1 / 2</span>')
    expect(served.split('</template>')[0]).toContain('<span class="text">Now</span>')
    const { page, complaints } = await site.open(`/c/${campaign}`)
    await atStep(page, 'Now')
    await page.getByText('1 / 2', { exact: true }).waitFor()
    await back(page)
    await atStep(page, 'Gone by')
    await page.locator('.steps-place').getByText('Closed', { exact: true }).waitFor()
    await back(page)
    await atStep(page, 'Past')
    expect(await page.getByRole('button', { name: 'Back' }).count()).toBe(0)
    await next(page)
    await atStep(page, 'Gone by')
    await next(page)
    await atStep(page, 'Now')
    await page.locator(CHOICE.A).click()
    await next(page)
    await atStep(page, 'And now')
    await page.getByText('2 / 2', { exact: true }).waitFor()
    await page.locator(CHOICE.A).click()
    await untilTold(page, 'completed')
    await next(page)
    await atEnd(page)
    await untilShown(page, 5)
    expect(complaints).toEqual([])
  }, 30_000)

  test('whose polls are all closed is served as its end, and thanks nobody for votes', async () => {
    const polls = await made('Was one', 'Was two')
    const campaign = await site.createCampaign(polls)
    for (const poll of polls) await site.closePoll(poll)
    const { page, complaints } = await site.open(`/c/${campaign}`)
    await untilTold(page, 'ready')
    await untilShown(page, 2)
    expect(await page.locator('.steps-place').textContent()).toBe('Closed')
    expect(await page.getByText('All done').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test('with keys alone goes back to an earlier result and forward again, and each step is announced', async () => {
    const { page } = await site.open(`/c/${await site.createCampaign(await made('K1', 'K2'))}`)
    await atStep(page, 'K1')
    await page.locator(CHOICE.A).press('Enter')
    await untilTold(page, 'voted')
    await page.getByRole('button', { name: 'Next' }).press('Enter')
    await page.getByRole('status').getByText('2 / 2: K2').waitFor()
    await page.getByRole('button', { name: 'Back' }).press('Enter')
    await page.getByRole('status').getByText('1 / 2: K1').waitFor()
    await page.locator('[data-option="A"][aria-pressed="true"]').waitFor()
    expect(await page.evaluate<string>(FOCUSED)).toBe('steps-title')
    await page.getByRole('button', { name: 'Next' }).press('Enter')
    await page.getByRole('status').getByText('2 / 2: K2').waitFor()
    expect(await page.locator('[aria-pressed="true"]').count()).toBe(0)
  })

  test('says at its end how often this device was with the majority, and what that leaves out', async () => {
    const polls = [...(await made('With', 'Against', 'With too', 'Tied', 'Alone'))]
    polls.push(await site.createPoll({ title: 'Secret', resultsVisibility: 'never' }))
    const others = { With: 'AA', Against: 'BBB', 'With too': 'A', Tied: 'B', Alone: '', Secret: 'A' }
    for (const { title, slug } of polls) {
      for (const option of others[title as keyof typeof others]) await site.service.vote(slug, option as 'A' | 'B')
    }
    const { page } = await site.open(`/c/${await site.createCampaign(polls)}`)
    for (const { title } of polls) {
      await atStep(page, title)
      await page.locator(CHOICE.A).click()
      await next(page)
    }
    await atEnd(page)
    const words = 'With the majority 2 of 3 times'
    await page.locator('.steps-majority').getByText(words).waitFor()
    await page.getByText('Not counted: ties, hidden results, and polls where only you voted.').waitFor()
    await page.getByRole('status').getByText(`All done. Thank you! ${words}`).waitFor()
    await page.reload()
    await page.locator('.steps-majority').getByText(words).waitFor()
  }, 30_000)

  test('goes on before its votes are answered, without asking for them', async () => {
    const polls = await made('Fast', 'Faster')
    const { page, complaints } = await site.open(`/c/${await site.createCampaign(polls)}?autoAdvance=false`)
    const late = Promise.withResolvers<void>()
    await page.route('**/votes', async (route) => {
      await late.promise
      await route.continue()
    })
    for (const { title } of polls) {
      await atStep(page, title)
      await page.locator(CHOICE.A).click()
      await next(page)
    }
    await atEnd(page)
    await untilShown(page, 2)
    late.resolve()
    await untilTold(page, 'completed')
    await eventually(async () => (await page.locator('[aria-pressed="true"]').count()) === 2)
    expect(complaints).toEqual([])
  })

  test('shows the vote that was there already when its answer comes after the step', async () => {
    const polls = await made('Before', 'After')
    const { page } = await site.open(`/c/${await site.createCampaign(polls)}?autoAdvance=false`)
    await atStep(page, 'Before')
    const late = Promise.withResolvers<void>()
    await page.route('**/votes', async (route) => {
      const { url, headers } = { url: route.request().url(), headers: route.request().headers() }
      // Another tab is faster.
      await fetch(url, { method: 'POST', headers, body: JSON.stringify({ option: 'B' }) })
      await late.promise
      await route.continue()
    })
    await page.locator(CHOICE.A).click()
    await next(page)
    await atStep(page, 'After')
    await back(page)
    await atStep(page, 'Before')
    await page.locator(CHOICE.A).waitFor()
    late.resolve()
    await page.locator('[data-option="B"][aria-pressed="true"]').waitFor()
  })

  test('another campaign in its place does not wait for answers about the first one', async () => {
    const [first, second] = [await site.createCampaign(await made('Old')), await site.createCampaign(await made('New'))]
    const { page } = await site.openWith(`<tossup-campaign campaign="${first}" autoadvance="false"></tossup-campaign>`)
    await atStep(page, 'Old')
    // Asked after the vote, and never answered.
    const asked = page.waitForRequest((request) => request.url().includes(`/${first}/progress`))
    await page.route(`**/${first}/progress*`, () => undefined)
    await page.locator(CHOICE.A).click()
    await asked
    await page.evaluate(`document.querySelector('tossup-campaign').setAttribute('campaign', '${second}')`)
    await atStep(page, 'New')
    await page.locator(CHOICE.A).click()
    await untilTold(page, 'step')
    await untilTold(page, 'completed')
  })

  /** Holds the first answer about the steps that comes after a vote: `before` the service counts them, or behind. */
  const holdSteps = async (page: Page, isBefore: boolean) => {
    const late = Promise.withResolvers<void>()
    let asked = 0
    await page.route('**/progress*', async (route) => {
      const isFirst = ++asked === 1
      if (isFirst && isBefore) await late.promise
      const answer = await route.fetch()
      if (isFirst) await late.promise
      await route.fulfill({ response: answer })
    })
    return { release: late.resolve, isAsked: () => asked > 0 }
  }

  test.each([
    ['also where the answer about an earlier one comes last', false, [1, 2]],
    ['also where the answer about an earlier one knows the last one', true, [2, 2]],
  ])('its steps are told in their order and before its end, %s', async (_, isBefore, expected) => {
    const polls = await made('Slow', 'Quick')
    const campaign = await site.createCampaign(polls)
    const { page } = await site.open(`/c/${campaign}?autoAdvance=false`)
    await untilTold(page, 'ready')
    const steps = async () =>
      (await told(page)).flatMap(({ type, detail }) => (type === 'step' ? [detail['completedSteps']] : []))
    const held = await holdSteps(page, isBefore)
    await page.locator(CHOICE.A).click()
    await eventually(held.isAsked)
    await next(page)
    await atStep(page, 'Quick')
    const answered = page.waitForResponse((response) => response.url().includes('/progress'))
    await page.locator(CHOICE.A).click()
    await answered
    expect(await steps()).toEqual([])
    held.release()
    await untilTold(page, 'completed')
    expect(await steps()).toEqual(expected)
    expect((await told(page)).at(-1)?.type).toBe('completed')
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

  /** Votes on the first poll. From then on the test moves the time of the page: on a slow machine seconds pass between two lines. */
  const voteMoving = async (...titles: string[]) => {
    await site.renew({ reducedMotion: 'no-preference' })
    await site.context.clock.install()
    const polls = await made(...titles)
    const { page } = await site.open(`/c/${await site.createCampaign(polls)}`)
    await atStep(page, titles[0] ?? '')
    // Where the time stands still, a tap before its script is not repeated.
    await untilTold(page, 'ready')
    await page.clock.pauseAt(Date.now() + 60_000)
    await page.locator(CHOICE.A).click()
    // The vote is sent after the next frame.
    await page.clock.runFor(100)
    await untilTold(page, 'voted')
    return { page, polls }
  }
  const votesOn = async (poll: PollData | undefined) => poll && (await site.tallies(poll)).total

  test('pressing Enter after a vote never casts the next one: a key ends what goes on by itself', async () => {
    const { page, polls } = await voteMoving('Here', 'There')
    await page.clock.runFor(2_600)
    await page.keyboard.press('Enter')
    await page.clock.runFor(10_000)
    await atStep(page, 'Here')
    expect(await votesOn(polls[1])).toBe(0)
    await next(page)
    await atStep(page, 'There')
  }, 30_000)

  test('goes on by itself after four seconds, and the focus is then on no answer', async () => {
    const { page, polls } = await voteMoving('Before', 'Behind')
    await page.clock.runFor(3_800)
    await atStep(page, 'Before')
    await page.clock.runFor(200)
    await atStep(page, 'Behind')
    expect(await page.evaluate<string>(FOCUSED)).toBe('steps-title')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Space')
    await page.clock.runFor(1_000)
    expect(await votesOn(polls[1])).toBe(0)
  }, 30_000)

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
