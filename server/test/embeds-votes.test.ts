import { describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { hasChromium } from '../../embed/test/browser.ts'
import { CHOICE, type EmbedSite, told, toldAgain, untilTold } from './embed-site.ts'
import type { PollData } from './service.ts'
import { withEmbedSite } from './with-embed-site.ts'

describe.if(hasChromium)('a vote that is not taken', () => {
  let site: EmbedSite
  let poll: PollData
  withEmbedSite({}, async (opened) => {
    site = opened
    poll = await site.createPoll()
  })

  test('a refused vote is taken back with a message, and can be cast again', async () => {
    const { page } = await site.openWith(`<tossup-poll poll="${poll.shortId}"></tossup-poll>`)
    await page.locator(CHOICE.A).waitFor()
    const error = { code: 'PAYLOAD_TOO_LARGE', message: 'No', details: {}, requestId: 'r' }
    const headers = { 'Access-Control-Allow-Origin': '*' }
    await page.route('**/votes', (route) => route.fulfill({ status: 413, json: { error }, headers }))
    await page.locator(CHOICE.A).click()
    await page.getByRole('alert').getByText('couldn’t be sent').waitFor()
    expect(await page.locator('[aria-pressed]').count()).toBe(0)
    expect(
      await page.evaluate<string>("document.querySelector('tossup-poll').shadowRoot.activeElement?.dataset.option"),
    ).toBe('A')
    await page.unroute('**/votes')
    await page.locator(CHOICE.A).click()
    await untilTold(page, 'voted')
    expect(await page.getByRole('alert').textContent()).toBe('')
    expect(await site.tallies(poll)).toMatchObject({ optionA: 1, total: 1 })
  })

  test('an earlier vote, and a poll that closed meanwhile, are shown as they are', async () => {
    const device = randomUUID()
    await site.service.vote(poll.slug, 'B', device)
    const { page } = await site.openWith(`<tossup-poll poll="${poll.shortId}"></tossup-poll>`)
    await page.locator(CHOICE.A).waitFor()
    // The device id is stored only after the page has looked for it.
    await page.evaluate(`localStorage.setItem('tossup.device', ${JSON.stringify(device)})`)
    await page.locator(CHOICE.A).click()
    await page.locator('[data-option="B"][aria-pressed="true"]').waitFor()
    expect(await page.locator('.share').allTextContents()).toEqual(['0%', '100%'])
    await page.getByRole('alert').getByText('You’ve already voted').waitFor()
    expect((await told(page)).map(({ type }) => type)).toEqual(['ready', 'error'])
    expect(await toldAgain(page)).toEqual(await told(page))

    const other = await site.createPoll()
    site.host.body = `${site.script}<tossup-poll poll="${other.shortId}"></tossup-poll>`
    await page.goto(site.host.url)
    await page.locator(CHOICE.A).waitFor()
    await site.closePoll(other)
    await page.locator(CHOICE.A).click()
    await page.getByText('Closed', { exact: false }).first().waitFor()
    await page.getByRole('alert').getByText('closed before your vote arrived').waitFor()
    expect((await told(page)).at(-1)).toMatchObject({ type: 'error', detail: { code: 'POLST_CLOSED' } })
  })

  test('one that is counted while its page is left is shown at the next visit', async () => {
    const { page } = await site.openWith(`<tossup-poll poll="${poll.shortId}"></tossup-poll>`)
    await page.locator(CHOICE.A).waitFor()
    const counted = Promise.withResolvers<void>()
    // The answer never comes.
    await page.route('**/votes', (route) => route.fetch().then(() => counted.resolve(), counted.reject))
    await page.locator(CHOICE.A).click()
    await counted.promise
    await page.close()
    expect(await site.tallies(poll)).toMatchObject({ optionA: 1, total: 1 })
    const { page: next } = await site.openWith(`<tossup-poll poll="${poll.shortId}"></tossup-poll>`)
    await next.locator('article[data-state="voted results"] [data-option="A"][aria-pressed="true"]').waitFor()
  })

  test('a poll that was deleted meanwhile is shown as not available', async () => {
    const { page } = await site.openWith(`<tossup-poll poll="${poll.shortId}"></tossup-poll>`)
    await page.locator(CHOICE.A).waitFor()
    await site.service.write('DELETE', `brands/me/polls/${poll.slug}`, { token: site.brand.token })
    await page.locator(CHOICE.A).click()
    await page.getByRole('alert').getByText('This poll isn’t available.').waitFor()
    expect(await page.getByRole('button').count()).toBe(0)
    expect((await told(page)).at(-1)).toMatchObject({ type: 'error', detail: { code: 'NOT_FOUND' } })
  })
})
