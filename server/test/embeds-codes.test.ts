import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { FrameLocator, Page, Request } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { violationsOf } from './axe.ts'
import { CHOICE, EmbedSite, told, untilTold } from './embed-site.ts'
import { eventually } from './eventually.ts'
import type { PollData } from './service.ts'

const FIELD = '.code-input'
const SAID = '.code-said'

/** Everything that a page keeps: its storage, its address, its history's state and its DOM, also in shadow roots. */
const KEPT = `(() => {
  const texts = (root) => [...root.querySelectorAll(':not(style, script)')].flatMap((element) => [
    ...[...element.attributes].map(({ value }) => value), element.value ?? '', element.shadowRoot ? texts(element.shadowRoot) : '',
    ...[...element.childNodes].map(({ nodeValue }) => nodeValue ?? ''),
  ]).join(' ')
  return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, history.state, texts(document)])
})()`

/** Whether the page is wider than its window, and the code than its field. */
const ROOM = `(() => {
  const field = document.querySelector('tossup-poll').shadowRoot.querySelector('.code-input')
  const isWider = document.documentElement.scrollWidth > innerWidth
  return { isWider, isCut: field.scrollWidth > field.clientWidth, direction: getComputedStyle(field).direction }
})()`

const focusedIn = (page: Page) =>
  page.evaluate<string>("document.activeElement?.shadowRoot?.activeElement?.className ?? ''")

describe.if(hasChromium)('a poll with codes', () => {
  let site: EmbedSite
  let list: string
  let poll: PollData
  beforeAll(async () => {
    site = await EmbedSite.open()
  }, 60_000)
  afterAll(() => site.close())
  beforeEach(async () => {
    await site.renew()
    const json = { name: `List ${randomUUID()}` }
    const made = await write<{ codeListId: string }>('brands/me/code-lists', json)
    list = made.codeListId
    poll = await site.createPoll({ codeListId: list })
  })

  async function write<Data>(path: string, json: object): Promise<Data> {
    const answer = await site.service.write<Data>('POST', path, { token: site.brand.token, json })
    return answer.body.data
  }
  const issue = async (count: number): Promise<string[]> =>
    (await write<{ codes: string[] }>(`brands/me/code-lists/${list}/codes`, { count })).codes
  const code = async (): Promise<string> => (await issue(1))[0] ?? ''

  const requests = (): Request[] => {
    const seen: Request[] = []
    site.context.on('request', (request) => seen.push(request))
    return seen
  }
  const votesIn = (seen: readonly Request[]) =>
    seen.filter((request) => request.method() === 'POST' && request.url().endsWith('/votes'))
  const codeIn = (request: Request | undefined) => request?.headers()['x-vote-code']
  const isFieldThere = (page: Page) => page.locator(FIELD).isVisible()
  const says = (page: Page | FrameLocator, text: string) => page.locator(SAID).getByText(text).waitFor()
  /** The service has counted the vote. */
  const result = (page: Page | FrameLocator) =>
    page.locator(':not([data-unsure]) > article[data-state~="results"]').first().waitFor()

  test('is voted on once by a link, which is taken out of the address before anything is requested', async () => {
    const seen = requests()
    const mine = await code()
    const { page, complaints } = await site.open(`/p/${poll.shortId}?lang=en#code=${mine}`)
    expect(page.url()).toBe(`${site.url}/p/${poll.shortId}?lang=en`)
    await page.locator(CHOICE.A).click()
    await result(page)
    expect(await isFieldThere(page)).toBe(false)
    expect(votesIn(seen).map(codeIn)).toEqual([mine.replaceAll('-', '')])
    expect(seen.filter((request) => request.url().includes(mine))).toEqual([])
    expect(await page.evaluate<string>('JSON.stringify(localStorage)')).not.toContain(mine)
    expect(await page.evaluate<number>('history.length')).toBe(2)

    // The tab keeps the code, so the vote is shown again.
    await page.reload()
    await page.locator('[data-option="A"][aria-pressed="true"]').waitFor()
    expect(await isFieldThere(page)).toBe(false)

    // Another tab of this browser knows no code.
    const { page: other } = await site.open(`/p/${poll.shortId}`)
    await other.locator(FIELD).waitFor()
    expect(await other.locator('[aria-pressed="true"]').count()).toBe(0)
    expect(await site.tallies(poll)).toMatchObject({ total: 1 })
    expect(complaints).toEqual([])
  })

  const receipts = (page: Page) => page.evaluate<string>("localStorage.getItem('tossup.receipts') ?? '[]'")

  test('keeps the receipt of the newest vote, also of another code in the same browser', async () => {
    const kept: string[] = []
    for (const option of ['A', 'B'] as const) {
      const { page } = await site.open(`/p/${poll.shortId}?lang=en#code=${await code()}`)
      await page.locator(CHOICE[option]).click()
      await result(page)
      await eventually(async () => (await receipts(page)).includes(`tossup-vote/1 ${option} `))
      kept.push(await receipts(page))
      await page.close()
    }
    expect(kept.map((text) => (JSON.parse(text) as string[][]).map(([id]) => id))).toEqual([[poll.id], [poll.id]])
  })

  test('takes the code that was typed between choosing and confirming', async () => {
    const seen = requests()
    const mine = await code()
    const { page } = await site.open(`/p/${poll.shortId}?lang=en&choose=B`)
    await page.getByRole('button', { name: 'Vote for Coffee' }).waitFor()
    await page.getByLabel('Your code').fill(mine)
    // Real time: a press soon after the choice would be the second one of a double tap.
    await Bun.sleep(600)
    await page.getByRole('button', { name: 'Vote for Coffee' }).click()
    await result(page)
    expect(votesIn(seen).map(codeIn)).toEqual([mine.replaceAll('-', '')])
    expect(await site.tallies(poll)).toMatchObject({ optionB: 1, total: 1 })
  })

  test('takes a tap that came before its script with the code of the link', async () => {
    const { page } = await site.open(`/p/${poll.shortId}#code=${await code()}`)
    await page.locator(CHOICE.B).click()
    await result(page)
    expect(await site.tallies(poll)).toMatchObject({ optionB: 1, total: 1 })
  })

  test('takes a press that came before its part, with the code of the element or by asking for one', async () => {
    const [first = '', second = ''] = await issue(2)
    const pressEarly = async (attribute: string): Promise<Page> => {
      const held = Promise.withResolvers<void>()
      const context = await site.renew()
      await context.route('**/embed/parts/code?*', async (route) => {
        await held.promise
        await route.continue()
      })
      const { page } = await site.openWith(`<tossup-poll poll="${poll.shortId}" lang="en" ${attribute}></tossup-poll>`)
      await page.locator(CHOICE.B).click()
      held.resolve()
      return page
    }
    await result(await pressEarly(`code="${first}"`))
    expect(await site.tallies(poll)).toMatchObject({ optionB: 1, total: 1 })

    const page = await pressEarly('')
    await says(page, 'Enter your code to vote.')
    expect(await focusedIn(page)).toBe('code-input')
    expect(await page.locator('[aria-pressed="true"]').count()).toBe(0)
    await page.getByLabel('Your code').fill(second)
    await page.locator(CHOICE.A).click()
    await result(page)
    expect(await site.tallies(poll)).toMatchObject({ optionA: 1, optionB: 1 })
  })

  test('asks for a code, and shows no result and sends nothing without one', async () => {
    const seen = requests()
    const { page, complaints } = await site.open(`/p/${poll.shortId}?lang=en`)
    const field = page.getByLabel('Your code')
    await field.waitFor()
    await page.locator(CHOICE.A).click()
    await says(page, 'Enter your code to vote.')
    expect(await focusedIn(page)).toBe('code-input')
    expect(await page.locator('[aria-pressed="true"]').count()).toBe(0)
    expect(votesIn(seen)).toEqual([])

    // Typed in small letters, in groups as it grows, with the caret where the finger was.
    await field.pressSequentially('k7qm2')
    expect(await field.inputValue()).toBe('K7QM-2')
    await field.press('ArrowLeft')
    await field.press('ArrowLeft')
    await field.press('Backspace')
    await field.pressSequentially('z')
    expect(await field.inputValue()).toBe('K7QZ-2')
    await field.pressSequentially('u')
    await says(page, 'No code has “U” in it.')
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await field.press('Backspace')
    await field.press('Enter')
    await says(page, 'A code has 12 characters. This one has 5.')
    await page.locator(CHOICE.A).click()
    expect(votesIn(seen)).toEqual([])

    // Pasted with spaces.
    const mine = await code()
    await field.fill(` ${mine.toLowerCase().replaceAll('-', ' ')} `)
    await says(page, 'Now choose your answer.')
    expect(await field.inputValue()).toBe(mine)
    await field.press('Enter')
    expect(await focusedIn(page)).toContain('option')
    await page.keyboard.press('Enter')
    await result(page)
    expect(await isFieldThere(page)).toBe(false)
    expect((await untilTold(page, 'voted')).detail).toMatchObject({ poll: poll.shortId, option: 'A' })
    expect(complaints).toEqual([])
  })

  test('says of a code that is no good no more than that, and takes another one', async () => {
    const { page } = await site.open(`/p/${poll.shortId}?lang=en`)
    const [revoked = '', used = '', mine = ''] = await issue(3)
    await write(`brands/me/code-lists/${list}/codes/revoke`, { codes: [revoked] })
    const elsewhere = { device: randomUUID(), headers: { 'X-Vote-Code': used }, json: { option: 'B' } }
    expect((await site.service.post(`polls/${poll.slug}/votes`, elsewhere)).status).toBe(201)
    const field = page.getByLabel('Your code')
    for (const bad of ['0000-0000-0000', revoked]) {
      await field.fill(bad)
      await page.locator(CHOICE.A).click()
      await says(page, 'This code doesn’t work here. Check it and try again.')
      expect(await field.inputValue()).toBe(bad)
      expect(await focusedIn(page)).toBe('code-input')
      expect(await page.locator('[aria-pressed="true"]').count()).toBe(0)
    }
    await field.fill(used)
    await page.locator(CHOICE.A).click()
    await says(page, 'This code has already been used to vote.')
    expect(await page.locator('.notice').isVisible()).toBe(false)
    await field.fill(mine)
    await page.locator(CHOICE.A).click()
    await result(page)
    expect(await site.tallies(poll)).toMatchObject({ optionA: 1, optionB: 1 })
    const codes = (await told(page)).filter(({ type }) => type === 'error').map(({ detail }) => detail['code'])
    expect(codes).toEqual(['INVALID_CODE', 'INVALID_CODE', 'VOTE_ALREADY_CAST'])
  })

  test('shows the first vote of this device where its code comes again, and says when there were too many attempts', async () => {
    const mine = await code()
    const { page } = await site.open(`/p/${poll.shortId}?lang=en#code=${mine}`)
    await page.locator(CHOICE.A).click()
    await result(page)
    const { page: other } = await site.open(`/p/${poll.shortId}?lang=en`)
    await other.getByLabel('Your code').fill(mine)
    await other.locator(CHOICE.B).click()
    await other.locator('[data-option="A"][aria-pressed="true"]').waitFor()
    expect(await isFieldThere(other)).toBe(false)

    const { page: hasty } = await site.open(`/p/${poll.shortId}?lang=en#code=${await code()}`)
    const error = { code: 'RATE_LIMITED', message: 'Too many', details: { retryAfterSeconds: 60 }, requestId: 'r' }
    await hasty.route('**/votes', (route) =>
      route.fulfill({ status: 429, json: { error }, headers: { 'Retry-After': '60' } }),
    )
    await hasty.locator(CHOICE.B).click()
    await says(hasty, 'Too many attempts. Wait a minute, then try again.')
    expect(await isFieldThere(hasty)).toBe(false)
    expect(await hasty.evaluate<string>('JSON.stringify(localStorage)')).not.toContain('tossup.votes')
  })

  test('keeps no vote by code: without a network it says so, and takes the answer again', async () => {
    const mine = await code()
    const part = site.context.waitForEvent('response', (answer) => answer.url().includes('/embed/parts/code?'))
    const { page } = await site.open(`/p/${poll.shortId}?lang=en#code=${mine}`)
    await (await part).finished()
    await untilTold(page, 'ready')
    await site.context.setOffline(true)
    await page.locator(CHOICE.A).click()
    await says(page, 'Your vote couldn’t be sent. Please try again.')
    expect(await page.locator('[aria-pressed="true"]').count()).toBe(0)
    expect(await page.evaluate<string>(KEPT)).not.toContain('"option"')
    await site.context.setOffline(false)
    await page.locator(CHOICE.B).click()
    await result(page)
    expect(await site.tallies(poll)).toMatchObject({ optionA: 0, optionB: 1 })
  })

  test('takes one code for a whole campaign, and goes on where this code has stopped', async () => {
    const polls = [poll, await site.createPoll({ codeListId: list }), await site.createPoll({ codeListId: list })]
    const campaign = await site.createCampaign(polls)
    const [first = '', second = ''] = await issue(2)
    const { page, complaints } = await site.open(`/c/${campaign}?lang=en&autoAdvance=false`)
    await page.getByLabel('Your code').fill(first)
    for (const step of [1, 2]) {
      await page.getByText(`${step} / 3`, { exact: true }).waitFor()
      await page.locator(CHOICE.A).click()
      await page.getByRole('button', { name: 'Next' }).click()
    }
    await page.getByText('3 / 3', { exact: true }).waitFor()
    expect(await isFieldThere(page)).toBe(false)
    await page.reload()
    await page.getByText('3 / 3', { exact: true }).waitFor()

    // The next person at this device begins at the first step.
    const { page: other } = await site.open(`/c/${campaign}?lang=en&autoAdvance=false#code=${second}`)
    await other.getByText('1 / 3', { exact: true }).waitFor()
    for (const step of [1, 2, 3]) {
      await other.getByText(`${step} / 3`, { exact: true }).waitFor()
      await other.locator(CHOICE.B).click()
      await other.getByRole('button', { name: 'Next' }).click()
    }
    expect((await untilTold(other, 'completed')).detail).toMatchObject({ campaign, totalSteps: 3 })
    expect(await Promise.all(polls.map(site.tallies))).toMatchObject([
      { optionA: 1, optionB: 1 },
      { optionA: 1, optionB: 1 },
      { optionA: 0, optionB: 1 },
    ])
    expect(complaints).toEqual([])
  })

  test('of a campaign goes on only once the code has been taken', async () => {
    const campaign = await site.createCampaign([poll, await site.createPoll({ codeListId: list })])
    const [code = ''] = await issue(1)
    const { page } = await site.open(`/c/${campaign}?lang=en&autoAdvance=false`)
    const [isAsked, mayArrive] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route('**/votes', async (route) => {
      isAsked.resolve()
      await mayArrive.promise
      await route.continue()
    })
    await page.getByLabel('Your code').fill(code)
    await page.locator(CHOICE.A).click()
    await isAsked.promise
    const next = page.getByRole('button', { name: 'Next' })
    expect(await next.count()).toBe(0)
    mayArrive.resolve()
    await next.click()
    await page.getByText('2 / 2', { exact: true }).waitFor()
    await page.locator(CHOICE.A).waitFor()
    expect(await isFieldThere(page)).toBe(false)
  })

  test('takes the code as an attribute, as a property and in the address of a frame', async () => {
    const [first = '', second = '', third = ''] = await issue(3)
    const { page: byAttribute } = await site.openWith(
      `<tossup-poll poll="${poll.shortId}" code="${first}"></tossup-poll>`,
    )
    await byAttribute.locator(CHOICE.A).click()
    await result(byAttribute)

    const other = await site.createPoll({ codeListId: list })
    const { page: byProperty } = await site.openWith(`<tossup-poll poll="${other.shortId}"></tossup-poll>`)
    await byProperty.evaluate(`document.querySelector('tossup-poll').code = ${JSON.stringify(second)}`)
    await byProperty.locator(CHOICE.A).click()
    await result(byProperty)
    expect(await byProperty.evaluate<string>('document.documentElement.outerHTML')).not.toContain(second)

    for (const sandbox of ['', 'sandbox="allow-scripts"']) {
      const framed = await site.createPoll({ codeListId: list })
      const markup = `<iframe ${sandbox} width="400" height="600" src="${site.url}/embed/poll/${framed.shortId}#code=${third}"></iframe>`
      const { page } = await site.openWith(markup)
      const frame = page.frameLocator('iframe')
      await frame.locator(CHOICE.B).click()
      await result(frame)
      expect(await site.tallies(framed)).toMatchObject({ optionB: 1, total: 1 })
    }
  })

  test('is entered in a feed when the service asks for it', async () => {
    const brand = await site.service.createBrand()
    const asked = { token: brand.token, json: { name: 'Club' } }
    const { body } = await site.service.write<{ codeListId: string }>('POST', 'brands/me/code-lists', asked)
    await site.service.createPoll(brand, { codeListId: body.data.codeListId })
    const { page } = await site.openWith(`<tossup-feed brand="${brand.slug}"></tossup-feed>`)
    await page.locator(FIELD).waitFor()
    await page.locator(CHOICE.A).click()
    await says(page, 'Enter your code to vote.')
  })

  describe('at a kiosk', () => {
    const secondsLater = (page: Page, seconds: number) => page.clock.fastForward(seconds * 1_000)

    async function openKiosk(path: string): Promise<Page> {
      const page = await site.context.newPage()
      await page.clock.install()
      await page.goto(new URL(path, site.url).href)
      await page.getByLabel('Your code').waitFor()
      return page
    }

    test('takes one person after the other, and keeps nothing of the last one', async () => {
      const seen = requests()
      const [first = '', second = ''] = await issue(2)
      const page = await openKiosk(`/p/${poll.shortId}?kiosk&lang=en`)
      const before = await page.evaluate<number>('history.length')
      expect(await focusedIn(page)).toBe('code-input')
      await page.keyboard.type(first)
      await page.locator(CHOICE.A).click()
      await result(page)
      await page.getByRole('button', { name: 'Next person' }).waitFor()
      expect(await page.locator('a[href]').count()).toBe(0)
      await secondsLater(page, 9)
      await page.getByLabel('Your code').waitFor()
      expect(await focusedIn(page)).toBe('code-input')
      expect(await page.getByLabel('Your code').inputValue()).toBe('')
      expect(await page.locator('[aria-pressed="true"], .is-next').count()).toBe(0)
      expect(await page.locator('.figure').allTextContents()).toEqual(['0%', '0%'])
      const device = votesIn(seen)[0]?.headers()['x-device-id'] ?? 'none'
      const kept = await page.evaluate<string>(KEPT)
      expect(kept).toStartWith('[{},{},')
      for (const text of [first, first.replaceAll('-', ''), device]) expect(kept.includes(text)).toBe(false)
      expect(await page.evaluate<number>('history.length')).toBe(before)

      await page.keyboard.type(second)
      await page.locator(CHOICE.B).click()
      await result(page)
      await page.getByRole('button', { name: 'Next person' }).click()
      await page.getByLabel('Your code').waitFor()
      expect(await site.tallies(poll)).toMatchObject({ optionA: 1, optionB: 1 })
      expect(new Set(votesIn(seen).map((request) => request.headers()['x-device-id'])).size).toBe(2)

      // The code of somebody who has voted here before shows no vote.
      await page.keyboard.type(first)
      await page.locator(CHOICE.B).click()
      await says(page, 'This code has already been used to vote.')
      expect(await page.locator('[aria-pressed="true"]').count()).toBe(0)
    })

    test('forgets a code that nobody votes with after a minute, and no link leads away', async () => {
      const page = await openKiosk(`/p/${poll.shortId}?kiosk&lang=en#code=${await code()}`)
      // The code of a link is nobody's.
      expect(await page.getByLabel('Your code').inputValue()).toBe('')
      await page.keyboard.type('K7QM')
      await secondsLater(page, 61)
      await eventually(async () => (await page.getByLabel('Your code').inputValue()) === '')
      expect(await page.locator('a[href]').count()).toBe(0)
    })

    test('does not tell the first voter to send the poll to a friend', async () => {
      const own = await site.createPoll({ codeListId: list })
      const page = await openKiosk(`/p/${own.shortId}?kiosk&lang=en`)
      await page.getByLabel('Your code').fill(await code())
      await page.locator(CHOICE.A).click()
      await result(page)
      await secondsLater(page, 1)
      await page.locator('.spoken[role="status"]').getByText('Your answer: Tea').waitFor({ state: 'attached' })
      expect(await page.getByText('friend').count()).toBe(0)
    })

    test('takes one person after the other through a campaign', async () => {
      const polls = [poll, await site.createPoll({ codeListId: list })]
      const campaign = await site.createCampaign(polls)
      const page = await openKiosk(`/c/${campaign}?kiosk&lang=en`)
      for (const mine of await issue(2)) {
        await page.getByText('1 / 2', { exact: true }).waitFor()
        await page.getByLabel('Your code').fill(mine)
        await page.locator(CHOICE.A).click()
        await page.getByRole('button', { name: 'Next', exact: true }).click()
        await page.getByText('2 / 2', { exact: true }).waitFor()
        expect(await isFieldThere(page)).toBe(false)
        await page.locator(CHOICE.B).click()
        await page.getByRole('button', { name: 'Next person' }).waitFor()
        await page.getByRole('button', { name: 'Next', exact: true }).click()
        await page.locator('.steps-place').getByText('All done. Thank you!').waitFor()
        await secondsLater(page, 13)
        await page.getByLabel('Your code').waitFor()
        expect((await page.evaluate<string>(KEPT)).includes(mine)).toBe(false)
      }
      expect(await Promise.all(polls.map(site.tallies))).toMatchObject([{ optionA: 2 }, { optionB: 2 }])
    })
  })

  test.each(['light', 'dark', 'forced colours', 'Arabic'])(
    'has a field without a fault of accessibility: %s',
    async (look) => {
      await site.renew({
        colorScheme: look === 'dark' ? 'dark' : 'light',
        forcedColors: look === 'forced colours' ? 'active' : 'none',
      })
      const { page } = await site.open(`/p/${poll.shortId}?lang=${look === 'Arabic' ? 'ar' : 'en'}`)
      await page.locator(FIELD).waitFor()
      expect(await violationsOf(page)).toEqual([])
      await page.locator(FIELD).fill('K7QM-2U')
      expect(await violationsOf(page)).toEqual([])
      await page.locator(FIELD).fill('0000-0000-0000')
      await page.locator(CHOICE.A).click()
      await page.locator('.is-wrong').waitFor()
      expect(await violationsOf(page)).toEqual([])
    },
  )

  test.each([160, 240, 360, 768, 1440])('fits into %i pixels', async (width) => {
    await site.renew({ viewport: { width, height: 740 } })
    for (const lang of ['de', 'ar']) {
      const { page } = await site.open(`/embed/poll/${poll.shortId}?lang=${lang}`)
      await page.locator(FIELD).fill('K7QM-2F8X-9RTA')
      expect(await page.evaluate<object>(ROOM)).toEqual({ isWider: false, isCut: false, direction: 'ltr' })
    }
  })
})
