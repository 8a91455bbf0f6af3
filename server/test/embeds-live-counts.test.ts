import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { CHOICE, EmbedSite, untilTold } from './embed-site.ts'
import { eventually } from './eventually.ts'
import { deletePoll } from './polls.ts'
import type { PollData } from './service.ts'

describe.if(hasChromium)('the live counts of a page', () => {
  let site: EmbedSite
  let polls: PollData[]
  beforeAll(async () => {
    site = await EmbedSite.open()
  }, 60_000)
  afterAll(() => site.close())
  beforeEach(async () => {
    await site.renew()
    polls = await Promise.all([1, 2, 3, 4].map(() => site.createPoll()))
  })

  const elementsOf = (list: readonly PollData[]) =>
    list.map(({ shortId }) => `<tossup-poll poll="${shortId}"></tossup-poll>`).join('')
  const ofPoll = (page: Page, poll: PollData) => page.locator(`tossup-poll[poll="${poll.shortId}"]`).first()
  const untilCounted = (page: Page, poll: PollData, share: string) =>
    ofPoll(page, poll).locator('.share').first().getByText(share, { exact: true }).waitFor()

  async function voteOn(page: Page, list: readonly PollData[]): Promise<void> {
    for (const [i, poll] of list.entries()) {
      await ofPoll(page, poll).locator(CHOICE.A).click()
      await untilTold(page, 'voted', i + 1)
    }
  }

  /** The list of each stream that the page has opened. */
  function streamsOf(page: Page): string[][] {
    const lists: string[][] = []
    page.on('request', (request) => {
      const list = new URL(request.url()).searchParams.get('polls')
      if (request.url().includes('/tallies/stream')) lists.push(list?.split(',') ?? [])
    })
    return lists
  }

  test('come over one connection for all polls, of which each counts', async () => {
    const { page, complaints } = await site.openWith(elementsOf(polls))
    const lists = streamsOf(page)
    await voteOn(page, polls)
    await eventually(() => lists.at(-1)?.length === polls.length)
    expect(lists.at(-1)?.toSorted()).toEqual(polls.map(({ slug }) => slug).toSorted())
    await eventually(() => site.service.service.streams.listeners === 1)
    for (const poll of polls) await site.service.vote(poll.slug, 'B')
    for (const poll of polls) await untilCounted(page, poll, '50%')
    expect(site.service.service.streams.listeners).toBe(1)
    expect(complaints).toEqual([])
  })

  test('of a returning visitor begin with one connection, which stays until the last element has gone', async () => {
    const [first, second] = polls.slice(0, 2) as [PollData, PollData]
    const { page } = await site.openWith(elementsOf(polls))
    await voteOn(page, polls)
    const lists = streamsOf(page)
    await page.reload()
    for (const poll of polls) await untilCounted(page, poll, '100%')
    await eventually(() => lists.at(-1)?.length === polls.length)
    const opened = lists.length
    expect(opened).toBeLessThanOrEqual(polls.length)
    await page.evaluate(`document.querySelector('tossup-poll[poll="${first.shortId}"]').remove()`)
    await deletePoll(site.service, site.brand, first.slug)
    await site.service.vote(second.slug, 'B')
    await untilCounted(page, second, '50%')
    expect(lists).toHaveLength(opened)
    await page.evaluate("document.querySelectorAll('tossup-poll').forEach((each) => each.remove())")
    await eventually(() => site.service.service.streams.listeners === 0)
    expect(site.service.service.streams.listeners).toBe(0)
  })

  test('of two elements with the same poll are the same, and stop in a tab that is not seen', async () => {
    const [poll] = polls as [PollData]
    const { page } = await site.openWith(elementsOf([poll, poll]))
    const lists = streamsOf(page)
    await voteOn(page, [poll])
    await eventually(() => lists.length > 0)
    await site.service.vote(poll.slug, 'B')
    for (const at of [0, 1]) await page.locator('tossup-poll').nth(at).getByText('50%').first().waitFor()
    expect(lists).toEqual([[poll.slug]])
    const turn = (isHidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} }); document.dispatchEvent(new Event('visibilitychange'))`,
      )
    await turn(true)
    await eventually(() => site.service.service.streams.listeners === 0)
    await turn(false)
    await site.service.vote(poll.slug, 'B')
    await untilCounted(page, poll, '33%')
  })
})
