import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { CHOICE, EmbedSite, told, tryAgain, untilTold } from './embed-site.ts'
import type { PollData } from './service.ts'
import { TcpProxy } from './tcp-proxy.ts'

describe.if(hasChromium)('a vote that does not arrive', () => {
  let site: EmbedSite
  let poll: PollData
  beforeAll(async () => {
    site = await EmbedSite.open()
  }, 60_000)
  afterAll(() => site.close())
  beforeEach(async () => {
    await site.renew()
    poll = await site.createPoll()
  })

  const openPoll = () => site.openWith(`<tossup-poll poll="${poll.shortId}"></tossup-poll>`)
  const typesTold = async (page: Page) => (await told(page)).map(({ type }) => type)
  const deviceOf = (page: Page) => page.evaluate<string>("localStorage.getItem('tossup.device')")

  /** Until it is said that it is kept. */
  async function voteWithoutNetwork(page: Page): Promise<void> {
    await page.locator(CHOICE.A).waitFor()
    await site.context.setOffline(true)
    await page.locator(CHOICE.A).click()
    await page.getByText('You are offline. Your vote is kept').waitFor()
  }

  test('is shown as kept and not as counted, told as an error, and arrives when it is tried again', async () => {
    const { page } = await openPoll()
    await page.route('**/votes', (route) => route.abort())
    await page.locator(CHOICE.A).click()
    await page.getByRole('alert').getByText('has not arrived yet').waitFor()
    expect(await page.locator('article').getAttribute('data-state')).toBe('waiting')
    expect(await page.locator(CHOICE.A).getAttribute('aria-pressed')).toBe('true')
    expect(await page.locator('.share').count()).toBe(0)
    expect(await page.locator('.status').textContent()).toBe('Not sent yet')
    expect((await told(page)).at(-1)).toMatchObject({ type: 'error', detail: { code: 'NETWORK_ERROR' } })
    // A second thought changes nothing: the first vote is the one that is kept.
    await page.locator(CHOICE.B).click({ force: true })
    await page.unroute('**/votes')
    await tryAgain(page)
    expect((await untilTold(page, 'voted')).detail).toMatchObject({ poll: poll.shortId, option: 'A' })
    expect(await page.getByRole('alert').textContent()).toBe('')
    expect(await page.locator('.share').allTextContents()).toEqual(['100%', '0%'])
    expect(await site.tallies(poll)).toMatchObject({ optionA: 1, total: 1 })
  })

  test('without a network arrives as soon as there is one', async () => {
    const { page } = await openPoll()
    await voteWithoutNetwork(page)
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await Bun.sleep(300)
    expect(await typesTold(page)).toEqual(['ready', 'error'])
    await site.context.setOffline(false)
    await untilTold(page, 'voted')
    expect(await site.tallies(poll)).toMatchObject({ optionA: 1, total: 1 })
    expect(await page.getByRole('alert').textContent()).toBe('')
  })

  test('is sent by the next visit, whatever that looks at', async () => {
    const { page } = await openPoll()
    await voteWithoutNetwork(page)
    await page.close()
    await site.context.setOffline(false)
    const other = await site.createPoll()
    const next = await site.openWith(`<tossup-poll poll="${other.shortId}"></tossup-poll>`)
    await untilTold(next.page, 'ready')
    while ((await site.tallies(poll)).total === 0) await Bun.sleep(20)
    await next.page.close()
    const { page: last } = await openPoll()
    // The page before may have been closed before it heard of it.
    await last.locator('article[data-state="voted results"] [data-option="A"][aria-pressed="true"]').waitFor()
  })

  test('is shown as kept by the next visit, and as counted when it is', async () => {
    const { page } = await openPoll()
    await page.route('**/votes', (route) => route.abort())
    await page.locator(CHOICE.B).click()
    await page.getByRole('alert').getByText('has not arrived yet').waitFor()
    await page.reload()
    await page.locator('article[data-state="waiting"]').waitFor()
    await page.unroute('**/votes')
    await tryAgain(page)
    await untilTold(page, 'voted')
    expect(await site.tallies(poll)).toMatchObject({ optionB: 1, total: 1 })
  })

  test('and is sent by another page of the same origin, is shown by this one as what it is', async () => {
    const { page } = await openPoll()
    await page.route('**/votes', (route) => route.abort())
    await page.locator(CHOICE.A).click()
    await page.getByRole('alert').getByText('has not arrived yet').waitFor()
    const other = await openPoll()
    await untilTold(other.page, 'voted')
    await page.locator('article[data-state="voted results"]').waitFor()
    expect(await site.tallies(poll)).toMatchObject({ optionA: 1, total: 1 })
  })

  test('before the poll closes does not count, and that is said', async () => {
    const { page } = await openPoll()
    await voteWithoutNetwork(page)
    await site.closePoll(poll)
    await site.context.setOffline(false)
    await page.getByRole('alert').getByText('closed before your vote arrived. It does not count.').waitFor()
    expect(await page.locator('article').getAttribute('data-state')).toBe('closed results')
    expect(await page.locator('[aria-pressed]').count()).toBe(0)
    expect((await told(page)).at(-1)).toMatchObject({ type: 'error', detail: { code: 'POLST_CLOSED' } })
    expect(await typesTold(page)).not.toContain('voted')
    expect(await site.tallies(poll)).toMatchObject({ total: 0 })
  })

  test('after another one of this device shows the one that counts', async () => {
    const { page } = await openPoll()
    await voteWithoutNetwork(page)
    await site.service.vote(poll.slug, 'B', await deviceOf(page))
    await site.context.setOffline(false)
    await page.getByRole('alert').getByText('You had voted already').waitFor()
    expect(await page.locator(CHOICE.B).getAttribute('aria-pressed')).toBe('true')
    expect(await typesTold(page)).not.toContain('voted')
    expect((await told(page)).at(-1)).toMatchObject({ type: 'error', detail: { code: 'VOTE_ALREADY_CAST' } })
  })

  test('for a week is not sent any more, and can be cast again', async () => {
    const { page } = await openPoll()
    await page.route('**/votes', (route) => route.abort())
    await page.locator(CHOICE.A).click()
    await page.getByRole('alert').getByText('has not arrived yet').waitFor()
    const kept = `'tossup.votes ${site.url}'`
    const aged = `localStorage.getItem(${kept}).replace(/queuedAt":\\d+/, 'queuedAt":1')`
    // On a page that sends nothing meanwhile.
    await page.close()
    const { page: next } = await site.openWith('')
    await next.evaluate(`localStorage.setItem(${kept}, ${aged})`)
    const markup = `<tossup-poll poll="${poll.shortId}"></tossup-poll>`
    await next.evaluate(`document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(markup)})`)
    await next.getByRole('alert').getByText('waited too long').waitFor()
    expect(await site.tallies(poll)).toMatchObject({ total: 0 })
    await next.locator(CHOICE.B).click()
    await untilTold(next, 'voted')
    expect(await site.tallies(poll)).toMatchObject({ optionB: 1, total: 1 })
  })

  test('because there are too many is sent when the service said it may be, and not before', async () => {
    const { page } = await site.open(`/p/${poll.shortId}`)
    const error = { code: 'RATE_LIMITED', message: 'Slow down', details: {}, requestId: 'r' }
    let askedAt = 0
    await page.route('**/votes', (route) => {
      const isFirst = askedAt === 0
      askedAt ||= Date.now()
      return isFirst
        ? route.fulfill({ status: 429, json: { error }, headers: { 'Retry-After': '3' } })
        : route.continue()
    })
    await page.locator(CHOICE.A).click()
    await page.getByRole('alert').getByText('Too many votes at once. Yours is kept').waitFor()
    await tryAgain(page)
    await untilTold(page, 'voted')
    expect(Date.now() - askedAt).toBeGreaterThanOrEqual(3_000)
    expect(await page.getByRole('alert').textContent()).toBe('')
  })

  test('at a service that went away waits for it to come back', async () => {
    const proxy = new TcpProxy(site.url)
    await proxy.open()
    try {
      const { page } = await site.open(new URL(`/p/${poll.shortId}`, proxy.url).href)
      await untilTold(page, 'ready')
      await proxy.close()
      await page.locator(CHOICE.A).click()
      await page.getByRole('alert').getByText('has not arrived yet').waitFor()
      await proxy.open()
      await tryAgain(page)
      await untilTold(page, 'voted')
      expect(await site.tallies(poll)).toMatchObject({ optionA: 1, total: 1 })
    } finally {
      await proxy.close()
    }
  })

  test('where storage is denied is kept as long as the page is open', async () => {
    const frame = `<iframe sandbox="allow-scripts" width="400" height="400" src="${site.url}/embed/poll/${poll.shortId}"></iframe>`
    const { page } = await site.openWith(frame)
    const inside = page.frameLocator('iframe')
    await inside.locator(CHOICE.A).waitFor()
    await site.context.setOffline(true)
    await inside.locator(CHOICE.A).click()
    await inside.getByText('Your vote is kept').waitFor()
    await site.context.setOffline(false)
    while ((await site.tallies(poll)).total === 0) await Bun.sleep(20)
  })
})

describe.if(hasChromium)('an element that cannot load', () => {
  let site: EmbedSite
  beforeAll(async () => {
    site = await EmbedSite.open()
  }, 60_000)
  afterAll(() => site.close())
  beforeEach(() => site.renew())

  test('says so, and loads when it is tried again', async () => {
    const poll = await site.createPoll()
    const campaign = await site.createCampaign([poll])
    for (const [element, address] of [
      [`<tossup-poll poll="${poll.shortId}"></tossup-poll>`, '**/rest/v1/polls/*'],
      [`<tossup-campaign campaign="${campaign}"></tossup-campaign>`, '**/campaigns/*'],
      [`<tossup-feed brand="${site.brand.slug}"></tossup-feed>`, '**/polls'],
      [`<tossup-poll poll="${poll.shortId}"></tossup-poll>`, '**/embed/poll.css'],
    ] as const) {
      const { page } = await site.openWith('')
      await page.route(address, (route) => route.abort())
      await page.evaluate(`document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(element)})`)
      await page.getByRole('alert').getByText('This could not be loaded.').waitFor()
      expect(await told(page)).toMatchObject([{ type: 'error', detail: { code: 'NETWORK_ERROR' } }])
      await page.unroute(address)
      await page.getByRole('button', { name: 'Try again' }).click()
      await untilTold(page, 'ready')
      expect(await page.getByRole('button', { name: 'Tea' }).count()).toBe(1)
      await page.close()
    }
  })

  test('for want of a network loads as soon as there is one', async () => {
    const poll = await site.createPoll()
    const { page } = await site.openWith('')
    await site.context.setOffline(true)
    await page.evaluate(
      `document.body.insertAdjacentHTML('beforeend', '<tossup-poll poll="${poll.shortId}"></tossup-poll>')`,
    )
    await page.getByRole('alert').getByText('This could not be loaded.').waitFor()
    await site.context.setOffline(false)
    await untilTold(page, 'ready')
    expect(await page.getByRole('button', { name: 'Tea' }).count()).toBe(1)
  })

  test('because it is not told what waits for that, says so, and begins when it is', async () => {
    const poll = await site.createPoll()
    const campaign = await site.createCampaign([poll])
    for (const [name, attribute, value] of [
      ['tossup-poll', 'poll', poll.shortId],
      ['tossup-campaign', 'campaign', campaign],
      ['tossup-feed', 'brand', site.brand.slug],
    ] as const) {
      for (const given of ['', ` ${attribute}=""`]) {
        const { page, complaints } = await site.openWith(`<${name}${given}></${name}>`)
        await page.getByRole('alert').getByText('It is not said what to show here.').waitFor()
        expect(await page.getByRole('button').count()).toBe(0)
        expect(await told(page)).toMatchObject([{ type: 'error', detail: { code: 'VALIDATION_ERROR' } }])
        await page.evaluate(`document.querySelector('${name}').setAttribute('${attribute}', '${value}')`)
        await untilTold(page, 'ready')
        expect(await page.locator(CHOICE.A).count()).toBeGreaterThan(0)
        expect(complaints).toEqual([])
        await page.close()
      }
    }
  })

  test('because there is no such thing says so, and offers nothing that would not help', async () => {
    for (const [element, words] of [
      ['<tossup-poll poll="not-there"></tossup-poll>', 'This poll is not available.'],
      ['<tossup-campaign campaign="0d5f5a0e-1111-4222-8333-444455556666"></tossup-campaign>', 'There is nothing here.'],
      ['<tossup-campaign campaign="junk"></tossup-campaign>', 'There is nothing here.'],
      ['<tossup-feed brand="not-there"></tossup-feed>', 'There is nothing here.'],
    ] as const) {
      const { page } = await site.openWith(element)
      await page.getByRole('alert').getByText(words).waitFor()
      expect(await page.getByRole('button').count()).toBe(0)
      await page.close()
    }
  })
})
