import { describe, expect, test } from 'bun:test'
import { hasChromium } from '../../embed/test/browser.ts'
import { CHOICE, type EmbedSite, untilTold } from './embed-site.ts'
import { eventually } from './eventually.ts'
import type { PollData } from './service.ts'
import { withEmbedSite } from './with-embed-site.ts'

const HOUR = 3_600_000
const CARD = "document.querySelector('tossup-poll').shadowRoot.querySelector('.poll')"
const styleOf = (property: string): string => `getComputedStyle(${CARD}).${property}`

describe.if(hasChromium)('a card', () => {
  let site: EmbedSite
  withEmbedSite({}, (opened) => {
    site = opened
  })

  const element = (poll: PollData) => `<tossup-poll poll="${poll.shortId}"></tossup-poll>`
  const setTheme = (json: Record<string, unknown>) =>
    site.service.write('PATCH', 'brands/me/theme', { token: site.brand.token, json })

  test('shows public results before a vote where the brand allows it, moves nothing, and can still be voted on', async () => {
    const poll = await site.createPoll({ resultsBeforeVote: true })
    await site.service.vote(poll.slug, 'A')
    const { page, complaints } = await site.open(`/p/${poll.shortId}`)
    const button = page.getByRole('button', { name: 'Show results' })
    await button.waitFor()
    expect(await page.locator('.figure:visible').count()).toBe(0)
    const before = await page.locator('.poll').boundingBox()
    await button.press('Enter')
    await page.locator('.figure').getByText('100%').waitFor()
    expect(await button.getAttribute('aria-pressed')).toBe('true')
    await page.locator('nav [role="status"]').getByText('Tea 100%, Coffee 0%').waitFor()
    expect(await page.locator('.poll').boundingBox()).toEqual(before)
    expect(await page.locator('[aria-pressed="true"][data-option]').count()).toBe(0)
    expect((await site.tallies(poll)).total).toBe(1)
    await button.press('Enter')
    await eventually(async () => (await page.locator('.figure:visible').count()) === 0)
    await page.locator(CHOICE.B).click()
    await untilTold(page, 'voted')
    expect(await site.tallies(poll)).toMatchObject({ optionA: 1, optionB: 1 })
    expect(await button.count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test('offers no results before a vote where the brand does not, where they are hidden, and where there are none', async () => {
    const polls = [
      await site.createPoll(),
      await site.createPoll({ resultsBeforeVote: true, resultsVisibility: 'after_vote' }),
    ]
    for (const { slug } of polls) await site.service.vote(slug, 'A')
    for (const poll of [...polls, await site.createPoll({ resultsBeforeVote: true })]) {
      const { page } = await site.open(`/p/${poll.shortId}`)
      await page.locator('.is-prepared, .option').first().waitFor()
      expect(await page.getByRole('button', { name: 'Show results' }).count()).toBe(0)
      await page.close()
    }
  })

  test('that is not open yet says when it opens, also to a tap, and leads to a calendar', async () => {
    const poll = await site.createPoll({ opensAt: new Date(Date.now() + 3 * HOUR).toISOString() })
    const { page, complaints } = await site.open(`/p/${poll.shortId}`)
    const calendar = page.locator('tossup-poll a[href$="/calendar.ics"]')
    await calendar.waitFor()
    await page.locator(CHOICE.A).click({ force: true })
    await page.locator('nav [role="status"]').getByText('Opens in 3 hours').waitFor()
    const answer = await fetch((await calendar.getAttribute('href')) ?? '')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/calendar; charset=utf-8'])
    expect((await site.tallies(poll)).total).toBe(0)
    expect(complaints).toEqual([])
  })

  test('says that nobody has voted, and that a closed poll ended in a tie, without a winner', async () => {
    const [open, tied, empty] = [await site.createPoll(), await site.createPoll(), await site.createPoll()]
    for (const option of ['A', 'B'] as const) await site.service.vote(tied.slug, option)
    for (const poll of [tied, empty]) await site.closePoll(poll)
    for (const [poll, words] of [
      [open, 'Be the first'],
      [tied, 'A tie · 2 votes'],
      [empty, 'No votes'],
    ] as const) {
      const { page } = await site.open(`/p/${poll.shortId}`)
      await page.locator('.status').getByText(words).waitFor()
      expect(await page.locator('.winner').count()).toBe(0)
      await page.close()
    }
  })

  test('follows the ground and the font of the page around it where the theme says so', async () => {
    await setTheme({ colorScheme: 'HOST', fontStack: 'INHERIT' })
    try {
      const { page, complaints } = await site.openWith(element(await site.createPoll()))
      await untilTold(page, 'ready')
      const light = await page.evaluate<string>(styleOf('backgroundColor'))
      await page.evaluate(
        "document.body.style.backgroundColor = '#101014'; document.body.style.fontFamily = 'Courier New, monospace'",
      )
      await eventually(async () => (await page.evaluate<string>(styleOf('backgroundColor'))) !== light)
      await page.evaluate("document.body.style.backgroundColor = '#ffffff'")
      await eventually(async () => (await page.evaluate<string>(styleOf('backgroundColor'))) === light)
      expect(complaints).toEqual([])
    } finally {
      await setTheme({ colorScheme: null, fontStack: null })
    }
  })

  test('has the scheme of its theme against the preference of the visitor, and an attribute wins', async () => {
    await setTheme({ colorScheme: 'DARK' })
    try {
      const poll = await site.createPoll()
      const { page } = await site.openWith(element(poll))
      await untilTold(page, 'ready')
      const dark = await page.evaluate<string>(styleOf('backgroundColor'))
      await page.evaluate("document.querySelector('tossup-poll').setAttribute('theme', 'light')")
      await eventually(async () => (await page.evaluate<string>(styleOf('backgroundColor'))) !== dark)
    } finally {
      await setTheme({ colorScheme: null })
    }
  })
})
