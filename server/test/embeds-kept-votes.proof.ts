import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { CHOICE, type EmbedSite, told, tryAgain, untilTold } from './embed-site.ts'
import { eventually } from './eventually.ts'
import type { PollData } from './service.ts'
import { TcpProxy } from './tcp-proxy.ts'
import { withEmbedSite } from './with-embed-site.ts'

describe.if(hasChromium)('a vote that does not arrive', () => {
  let site: EmbedSite
  let poll: PollData
  withEmbedSite({}, async (opened) => {
    site = opened
    poll = await site.createPoll()
  })

  const openPoll = () => site.openWith(`<tossup-poll poll="${poll.shortId}"></tossup-poll>`)
  const typesTold = async (page: Page) => (await told(page)).map(({ type }) => type)
  const deviceOf = (page: Page) => page.evaluate<string>("localStorage.getItem('tossup.device')")

  /** Returns when the page shows that the vote is kept. */
  async function voteWithoutNetwork(page: Page): Promise<void> {
    await page.locator(CHOICE.A).waitFor()
    await site.context.setOffline(true)
    await page.locator(CHOICE.A).click()
    await page.getByText('You’re offline. Your vote is saved').waitFor()
  }

  test('is shown as kept and not as counted, raises an error event, and arrives at the next try', async () => {
    const { page } = await openPoll()
    await page.route('**/votes', (route) => route.abort())
    await page.locator(CHOICE.A).click()
    await page.getByRole('alert').getByText('not sent yet').waitFor()
    expect(await page.locator('article').getAttribute('data-state')).toBe('waiting')
    expect(await page.locator(CHOICE.A).getAttribute('aria-pressed')).toBe('true')
    expect(await page.locator('.share').count()).toBe(0)
    expect(await page.locator('.status').textContent()).toBe('Not sent yet')
    expect((await told(page)).at(-1)).toMatchObject({ type: 'error', detail: { code: 'NETWORK_ERROR' } })
    // Choosing again changes nothing: the first vote is kept.
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
    // Real time: long enough to show that no event comes.
    await Bun.sleep(300)
    expect(await typesTold(page)).toEqual(['ready', 'error'])
    await site.context.setOffline(false)
    await untilTold(page, 'voted')
    expect(await site.tallies(poll)).toMatchObject({ optionA: 1, total: 1 })
    expect(await page.getByRole('alert').textContent()).toBe('')
  })

  test('is sent by the next visit to any poll', async () => {
    const { page } = await openPoll()
    await voteWithoutNetwork(page)
    await page.close()
    await site.context.setOffline(false)
    const other = await site.createPoll()
    const next = await site.openWith(`<tossup-poll poll="${other.shortId}"></tossup-poll>`)
    await untilTold(next.page, 'ready')
    await eventually(async () => (await site.tallies(poll)).total > 0)
    await next.page.close()
    const { page: last } = await openPoll()
    // The previous page may have been closed before it received the answer.
    await last.locator('article[data-state="voted results"] [data-option="A"][aria-pressed="true"]').waitFor()
  })

  test('is shown as kept at the next visit, and as counted once it is', async () => {
    const { page } = await openPoll()
    await page.route('**/votes', (route) => route.abort())
    await page.locator(CHOICE.B).click()
    await page.getByRole('alert').getByText('not sent yet').waitFor()
    await page.reload()
    await page.locator('article[data-state="waiting"]').waitFor()
    await page.unroute('**/votes')
    await tryAgain(page)
    await untilTold(page, 'voted')
    expect(await site.tallies(poll)).toMatchObject({ optionB: 1, total: 1 })
  })

  test('and is sent by another page of the origin is shown with its outcome here too', async () => {
    const { page } = await openPoll()
    await page.route('**/votes', (route) => route.abort())
    await page.locator(CHOICE.A).click()
    await page.getByRole('alert').getByText('not sent yet').waitFor()
    const other = await openPoll()
    await untilTold(other.page, 'voted')
    await page.locator('article[data-state="voted results"]').waitFor()
    expect(await site.tallies(poll)).toMatchObject({ optionA: 1, total: 1 })
  })

  test('before the poll closes does not count, and the visitor is told', async () => {
    const { page } = await openPoll()
    await voteWithoutNetwork(page)
    await site.closePoll(poll)
    await site.context.setOffline(false)
    await page.getByRole('alert').getByText('closed before your vote arrived, so it wasn’t counted.').waitFor()
    expect(await page.locator('article').getAttribute('data-state')).toBe('closed results')
    expect(await page.locator('[aria-pressed]').count()).toBe(0)
    expect((await told(page)).at(-1)).toMatchObject({ type: 'error', detail: { code: 'POLST_CLOSED' } })
    expect(await typesTold(page)).not.toContain('voted')
    expect(await site.tallies(poll)).toMatchObject({ total: 0 })
  })

  test('after another vote of this device shows the vote that counts', async () => {
    const { page } = await openPoll()
    await voteWithoutNetwork(page)
    await site.service.vote(poll.slug, 'B', await deviceOf(page))
    await site.context.setOffline(false)
    await page.getByRole('alert').getByText('You’ve already voted').waitFor()
    expect(await page.locator(CHOICE.B).getAttribute('aria-pressed')).toBe('true')
    expect(await typesTold(page)).not.toContain('voted')
    expect((await told(page)).at(-1)).toMatchObject({ type: 'error', detail: { code: 'VOTE_ALREADY_CAST' } })
  })

  test('for a week is dropped, and can be cast again', async () => {
    // Closed while the vote is tried: a request that the browser still sends for a page that was left cannot arrive either.
    const proxy = new TcpProxy(site.url)
    await proxy.open()
    try {
      const address = new URL(`/p/${poll.shortId}`, proxy.url).href
      const { page } = await site.open(address)
      await untilTold(page, 'ready')
      await proxy.close()
      await page.locator(CHOICE.A).click()
      await page.getByRole('alert').getByText('not sent yet').waitFor()
      await page.close()
      await proxy.open()
      // A page of the same origin without an embed, which therefore sends nothing.
      const { page: next } = await site.open(new URL('/embed.js', proxy.url).href)
      const kept = `'tossup.votes ${proxy.url.replace(/\/$/, '')}'`
      const aged = `localStorage.getItem(${kept}).replace(/queuedAt":\\d+/, 'queuedAt":1')`
      await next.evaluate(`localStorage.setItem(${kept}, ${aged})`)
      await next.goto(address)
      await next.getByRole('alert').getByText('waited too long').waitFor()
      expect(await site.tallies(poll)).toMatchObject({ total: 0 })
      await next.locator(CHOICE.B).click()
      await untilTold(next, 'voted')
      expect(await site.tallies(poll)).toMatchObject({ optionB: 1, total: 1 })
    } finally {
      await proxy.close()
    }
  })

  test('because of a limit is sent after Retry-After, and not before', async () => {
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
    await page.getByRole('alert').getByText('Too many votes at once. Yours is saved').waitFor()
    await tryAgain(page)
    await untilTold(page, 'voted')
    expect(Date.now() - askedAt).toBeGreaterThanOrEqual(3_000)
    expect(await page.getByRole('alert').textContent()).toBe('')
  })

  test('while the service is down is sent when it is back', async () => {
    const proxy = new TcpProxy(site.url)
    await proxy.open()
    try {
      const { page } = await site.open(new URL(`/p/${poll.shortId}`, proxy.url).href)
      await untilTold(page, 'ready')
      await proxy.close()
      await page.locator(CHOICE.A).click()
      await page.getByRole('alert').getByText('not sent yet').waitFor()
      await proxy.open()
      await tryAgain(page)
      await untilTold(page, 'voted')
      expect(await site.tallies(poll)).toMatchObject({ optionA: 1, total: 1 })
    } finally {
      await proxy.close()
    }
  })

  test('without storage is kept as long as the page is open', async () => {
    const allowed = { token: site.brand.token, json: { embedStorage: 'ALLOW' } }
    await site.service.write('PATCH', 'brands/me/theme', allowed)
    const frame = `<iframe sandbox="allow-scripts" width="400" height="400" src="${site.url}/embed/poll/${poll.shortId}"></iframe>`
    const { page } = await site.openWith(frame)
    const inside = page.frameLocator('iframe')
    await inside.locator(CHOICE.A).waitFor()
    await site.context.setOffline(true)
    await inside.locator(CHOICE.A).click()
    await inside.getByText('Your vote is saved').waitFor()
    await site.context.setOffline(false)
    await eventually(async () => (await site.tallies(poll)).total > 0)
  })
})

describe.if(hasChromium)('an element that cannot load', () => {
  let site: EmbedSite
  withEmbedSite({}, (opened) => {
    site = opened
  })

  test('says so, and loads at the next try', async () => {
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
      await page.getByRole('alert').getByText('Loading failed.').waitFor()
      expect(await told(page)).toMatchObject([{ type: 'error', detail: { code: 'NETWORK_ERROR' } }])
      await page.unroute(address)
      await page.getByRole('button', { name: 'Try again' }).click()
      await untilTold(page, 'ready')
      expect(await page.getByRole('button', { name: 'Tea' }).count()).toBe(1)
      await page.close()
    }
  })

  test('without a network loads as soon as there is one', async () => {
    const poll = await site.createPoll()
    const { page } = await site.openWith('')
    await site.context.setOffline(true)
    await page.evaluate(
      `document.body.insertAdjacentHTML('beforeend', '<tossup-poll poll="${poll.shortId}"></tossup-poll>')`,
    )
    await page.getByRole('alert').getByText('Loading failed.').waitFor()
    await site.context.setOffline(false)
    await untilTold(page, 'ready')
    expect(await page.getByRole('button', { name: 'Tea' }).count()).toBe(1)
  })

  test('because no poll is named says so, and loads when one is', async () => {
    const poll = await site.createPoll()
    const campaign = await site.createCampaign([poll])
    for (const [name, attribute, value] of [
      ['tossup-poll', 'poll', poll.shortId],
      ['tossup-campaign', 'campaign', campaign],
      ['tossup-feed', 'brand', site.brand.slug],
    ] as const) {
      for (const given of ['', ` ${attribute}=""`]) {
        const { page, complaints } = await site.openWith(`<${name}${given}></${name}>`)
        await page.getByRole('alert').getByText('Set poll, campaign or brand.').waitFor()
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

  test('because the poll does not exist says so, and offers no retry', async () => {
    for (const [element, words] of [
      ['<tossup-poll poll="not-there"></tossup-poll>', 'This poll isn’t available.'],
      ['<tossup-campaign campaign="0d5f5a0e-1111-4222-8333-444455556666"></tossup-campaign>', 'Not found'],
      ['<tossup-campaign campaign="junk"></tossup-campaign>', 'Not found'],
      ['<tossup-feed brand="not-there"></tossup-feed>', 'Not found'],
    ] as const) {
      const { page } = await site.openWith(element)
      await page.getByRole('alert').getByText(words).waitFor()
      expect(await page.getByRole('button').count()).toBe(0)
      await page.close()
    }
  })
})
