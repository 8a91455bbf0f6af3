import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { CHOICE, type EmbedSite, told, untilTold } from './embed-site.ts'
import { eventually } from './eventually.ts'
import type { PollData } from './service.ts'
import { withEmbedSite } from './with-embed-site.ts'

/** The share in a visible result, not in one that is only prepared. */
const SHARE = '[data-state~="results"] .share'

describe.if(hasChromium)('several polls', () => {
  let site: EmbedSite
  withEmbedSite({}, (opened) => {
    site = opened
  })

  /** Cards come one after the other. */
  const untilShown = (page: Page, cards: number) =>
    eventually(async () => (await page.locator('article').count()) === cards)

  const made = async (count: number) => {
    const polls: PollData[] = []
    for (let i = 0; i < count; i++) polls.push(await site.createPoll({ title: `Question ${i + 1}` }))
    return polls
  }

  test('a campaign advances by itself, raises an event for each step, ends, and resumes at the next visit', async () => {
    const campaign = await site.createCampaign(await made(3))
    await site.renew({ reducedMotion: 'no-preference' })
    const { page, complaints } = await site.open(`/c/${campaign}`)
    await page.getByText('1 / 3', { exact: true }).waitFor()
    await page.getByRole('heading', { name: 'Question 1' }).waitFor()
    await page.locator(CHOICE.A).click()
    await page.getByRole('heading', { name: 'Question 2' }).waitFor()
    expect(await page.getByText('2 / 3', { exact: true }).count()).toBe(1)
    // A returning visitor continues at the first unanswered poll.
    await page.goto(`${site.url}/embed/campaign/${campaign}?autoAdvance=false`)
    await page.getByRole('heading', { name: 'Question 2' }).waitFor()
    await page.locator(CHOICE.B).click()
    await untilTold(page, 'step')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('heading', { name: 'Question 3' }).waitFor()
    await page.locator(CHOICE.B).click()
    await untilTold(page, 'completed')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.locator('.steps-place').getByText('All done. Thank you!').waitFor()
    const steps = (await told(page)).filter(({ type }) => type === 'step' || type === 'completed')
    expect(steps.map(({ type, detail }) => [type, detail['completedSteps'], detail['totalSteps']])).toEqual([
      ['step', 2, 3],
      ['step', 3, 3],
      ['completed', undefined, 3],
    ])
    await page.reload()
    await page.locator('.steps-place').getByText('All done. Thank you!').waitFor()
    expect(complaints).toEqual([])
  })

  test('a feed shows the polls of a brand, takes a vote on each, and loads more', async () => {
    const other = await site.service.createBrand()
    for (let i = 0; i < 23; i++) await site.service.createPoll(other, { title: `Of many ${i + 1}` })
    const { page, complaints } = await site.openWith(`<tossup-feed brand="${other.slug}"></tossup-feed>`)
    await page.getByRole('heading', { name: 'Of many 23' }).waitFor()
    await untilShown(page, 20)
    await page.locator('article').nth(1).locator(CHOICE.B).click()
    await page.locator(SHARE).first().waitFor()
    expect(await page.locator(SHARE).count()).toBe(2)
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByRole('heading', { name: 'Of many 1', exact: true }).waitFor()
    await untilShown(page, 23)
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0)
    expect(complaints).toEqual([])

    const served = await site.open(`/b/${other.slug}`)
    await untilTold(served.page, 'ready')
    await untilShown(served.page, 20)
    await served.page.locator('article').first().locator(CHOICE.A).click()
    await served.page.locator(SHARE).first().waitFor()
    expect(served.complaints).toEqual([])
  })

  test('votes arrive although many polls are streamed and a browser has few connections to a host', async () => {
    const other = await site.service.createBrand()
    for (let i = 0; i < 9; i++) await site.service.createPoll(other, { title: `Of many ${i + 1}` })
    const { page } = await site.openWith(`<tossup-feed brand="${other.slug}"></tossup-feed>`)
    for (let i = 0; i < 9; i++) {
      await page.locator('article').nth(i).locator(CHOICE.A).click()
      await untilTold(page, 'voted', i + 1)
    }
    // A returning visitor has no more streams than before, and can vote as well.
    const late = await site.service.createPoll(other, { title: 'One more' })
    await page.reload()
    await page.locator('[aria-pressed="true"]').nth(8).waitFor()
    await page.locator('article').first().locator(CHOICE.B).click()
    await untilTold(page, 'voted')
    expect(await site.tallies(late)).toMatchObject({ optionB: 1, total: 1 })
  })

  test('a campaign ends with the visible results of its polls, also at the next visit', async () => {
    const polls = [
      await site.createPoll({ title: 'Seen by all' }),
      await site.createPoll({ title: 'Seen by voters', resultsVisibility: 'after_vote' }),
      await site.createPoll({ title: 'Seen by nobody', resultsVisibility: 'never' }),
    ]
    for (const { slug } of polls) await site.service.vote(slug, 'B')
    const campaign = await site.createCampaign(polls)
    const { page, complaints } = await site.open(`/c/${campaign}?autoAdvance=false`)
    const progress = page.getByRole('progressbar')
    for (const [i, { title }] of polls.entries()) {
      await page.getByRole('heading', { name: title }).waitFor()
      expect(await progress.getAttribute('aria-valuetext')).toBe(`${i + 1} / 3`)
      expect(await progress.getAttribute('value')).toBe(String(i))
      await page.locator(CHOICE.A).press('Enter')
      await untilTold(page, 'step', i + 1)
      await page.getByRole('button', { name: 'Next' }).press('Enter')
      // With the keyboard, the focus moves to the new step, and its title is announced.
      const focused = "document.querySelector('tossup-campaign').shadowRoot.activeElement?.className"
      expect(await page.evaluate<string>(focused)).toBe('steps-title')
      const said = i < 2 ? `${i + 2} / 3: ${polls[i + 1]?.title}` : 'All done. Thank you!'
      await page.getByRole('status').getByText(said).waitFor()
    }
    const isWhole = async () => {
      await page.locator('article').nth(2).waitFor()
      await page.locator('[aria-pressed="true"]').nth(2).waitFor()
      expect(await page.locator('tossup-campaign').getByRole('heading', { level: 2 }).allTextContents()).toEqual([
        expect.stringContaining('Campaign'),
        ...polls.map(({ title }) => title),
      ])
      expect(await page.locator(SHARE).allTextContents()).toEqual(['50%', '50%', '50%', '50%'])
      expect(await page.locator('article').last().textContent()).toContain('Thanks for voting')
      expect(await progress.getAttribute('value')).toBe('3')
      await page.getByRole('status').getByText('All done. Thank you!').waitFor()
    }
    await isWhole()
    await page.reload()
    await isWhole()
    expect(complaints).toEqual([])
  })

  test.each([
    ['en', 'No polls yet'],
    ['de', 'Noch keine Umfragen'],
    ['ar', 'لا توجد استطلاعات بعد'],
  ])('an empty list is announced by the server and by the elements, in %s', async (lang, words) => {
    const brand = await site.service.createBrand()
    const poll = await site.service.createPoll(brand)
    const json = { title: 'Soon', polstIds: [poll.id] }
    const asked = await site.service.write<{ campaignId: string }>('POST', 'brands/me/campaigns', {
      token: brand.token,
      json,
    })
    await site.service.write('PATCH', `brands/me/polls/${poll.slug}`, { token: brand.token, json: { archived: true } })
    const { campaignId } = asked.body.data
    for (const path of [`/b/${brand.slug}`, `/c/${campaignId}`, `/embed/brand/${brand.slug}`]) {
      const { page, complaints } = await site.open(`${path}?lang=${lang}`)
      expect(await (await fetch(`${site.url}${path}?lang=${lang}`)).text()).toContain(`>${words}</p>`)
      await untilTold(page, 'ready')
      expect(await page.locator('.nothing').allTextContents()).toEqual([words])
      expect(complaints).toEqual([])
      await page.close()
    }
    const { page } = await site.openWith(
      `<tossup-feed brand="${brand.slug}" lang="${lang}"></tossup-feed><tossup-campaign campaign="${campaignId}" lang="${lang}"></tossup-campaign>`,
    )
    await untilTold(page, 'ready', 2)
    expect(await page.locator('.nothing').allTextContents()).toEqual([words, words])
  })
})
