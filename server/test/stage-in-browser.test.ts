import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { violationsOf } from './axe.ts'
import { EmbedSite } from './embed-site.ts'
import { eventually } from './eventually.ts'
import { deletePoll } from './polls.ts'
import type { PollData } from './service.ts'

const LONG =
  'If you could only keep one of these two for the whole of the coming year, with no exceptions for weekends or holidays, which would you keep?'

describe.if(hasChromium)('a stage in a browser', () => {
  let site: EmbedSite
  let polls: PollData[]
  let campaign: string
  beforeAll(async () => {
    site = await EmbedSite.open()
  }, 60_000)
  afterAll(() => site.close())
  beforeEach(async () => {
    await site.renew({ viewport: { width: 1280, height: 720 } })
    polls = await Promise.all(['One?', 'Two?', 'Three?'].map((title) => site.createPoll({ title })))
    campaign = await site.createCampaign(polls)
  })

  const title = (page: Page, words: string) => page.getByRole('heading', { name: words, exact: true }).waitFor()
  const shares = (page: Page) => page.locator('.share').allTextContents()
  const until = (page: Page, wanted: readonly string[]) =>
    eventually(async () => JSON.stringify(await shares(page)) === JSON.stringify(wanted), { seen: () => shares(page) })
  const slugAt = (at: number) => polls[at]?.slug ?? ''
  const part = (page: Page) => page.locator('.bar rect').first().getAttribute('width')

  test('counts votes as they come, over one connection, and says when its poll closes or goes', async () => {
    const { page, complaints } = await site.open(`/p/${slugAt(0)}/stage`)
    expect(await shares(page)).toEqual(['', ''])
    await site.service.vote(slugAt(0), 'A')
    await until(page, ['100%', '0%'])
    await site.service.vote(slugAt(0), 'B')
    await until(page, ['50%', '50%'])
    expect(await part(page)).toBe('50')
    expect(site.service.service.streams.listeners).toBe(1)
    await site.closePoll(polls[0] as PollData)
    await page.getByText('Closed · A tie · 2 votes').waitFor()
    expect(await page.locator('.code').count()).toBe(0)
    await deletePoll(site.service, site.brand, slugAt(0))
    await page.getByText('This poll isn’t available.').waitFor()
    expect(complaints.filter((each) => !each.includes('404'))).toEqual([])
    expect(await site.context.cookies()).toEqual([])
  }, 60_000)

  test('obeys the keys of a presenter, and shows results that wait before it goes on', async () => {
    for (const slug of [slugAt(0), slugAt(1)]) await site.service.vote(slug, 'A')
    const { page, complaints } = await site.open(`/c/${campaign}/stage?results=hidden`)
    await title(page, 'One?')
    await page.getByText('1 vote', { exact: true }).waitFor()
    expect([await shares(page), await part(page)]).toEqual([['', ''], '0'])
    await page.keyboard.press('PageDown')
    await until(page, ['100%', '0%'])
    await page.keyboard.press('Space')
    await title(page, 'Two?')
    expect(await shares(page)).toEqual(['', ''])
    for (const key of ['r', '.', 'b']) await page.keyboard.press(key)
    await until(page, ['100%', '0%'])
    await page.keyboard.press('ArrowRight')
    await title(page, 'Three?')
    for (const key of ['ArrowRight', 'PageDown', 'Control+ArrowLeft']) await page.keyboard.press(key)
    await title(page, 'Three?')
    await page.keyboard.press('PageUp')
    await title(page, 'Two?')
    await page.reload()
    await title(page, 'Two?')
    await site.service.vote(slugAt(0), 'B')
    await page.keyboard.press('ArrowLeft')
    await title(page, 'One?')
    await page.keyboard.press('r')
    await until(page, ['50%', '50%'])
    expect(complaints).toEqual([])
  }, 60_000)

  test('has a button for each of it, which a key presses without another effect', async () => {
    await site.service.vote(slugAt(0), 'A')
    const { page } = await site.open(`/c/${campaign}/stage`)
    await until(page, ['100%', '0%'])
    await page.getByRole('button', { name: 'Hide results' }).press('Space')
    expect(await shares(page)).toEqual(['', ''])
    await title(page, 'One?')
    await page.getByRole('button', { name: 'Show results' }).press('Enter')
    await until(page, ['100%', '0%'])
    await page.getByRole('button', { name: 'Next' }).click()
    await title(page, 'Two?')
    expect(await page.getByRole('button', { name: 'Hide results' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Back' }).click()
    await title(page, 'One?')
    await page.getByRole('button', { name: 'Full screen' }).click()
    await eventually(() => page.evaluate<boolean>('document.fullscreenElement !== null'))
  })

  test.each([
    ['en', 1],
    ['ar', -1],
  ] as const)('goes on by a swipe and a tap on a phone in %s', async (lang, way) => {
    await site.renew({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
    const { page } = await site.open(`/c/${campaign}/stage?lang=${lang}`)
    await title(page, 'One?')
    const swipe = (by: number) =>
      page.evaluate(`{
        const board = document.querySelector('.board')
        const send = (type, clientX) => board.dispatchEvent(new PointerEvent(type, { clientX, clientY: 300, pointerType: 'touch', bubbles: true }))
        send('pointerdown', 200)
        send('pointerup', ${200 + by})
      }`)
    await page.locator('.title').tap()
    await title(page, 'Two?')
    await swipe(-90 * way)
    await title(page, 'Three?')
    await swipe(90 * way)
    await title(page, 'Two?')
    await swipe(20)
    await title(page, 'Two?')
  })

  test.each([
    [1280, 720],
    [1920, 1080],
    [390, 844],
    [844, 390],
  ])('fits long texts into %d × %d, in large type, and keeps them on the screen', async (width, height) => {
    const poll = await site.createPoll({
      title: LONG,
      optionA: { label: 'A very long label that describes the first option in some detail' },
      optionB: { label: 'Donaudampfschifffahrtsgesellschaftskapitänsmütze' },
    })
    await site.service.vote(poll.slug, 'A')
    await site.renew({ viewport: { width, height } })
    for (const query of ['', '?ground=none', '?lang=ar']) {
      const { page } = await site.open(`/p/${poll.slug}/stage${query}`)
      await until(page, query === '?lang=ar' ? await shares(page) : ['100%', '0%'])
      const seen = await page.evaluate<{ isWhole: boolean; type: number }>(`{
        const board = document.querySelector('.board')
        const inside = [...board.querySelectorAll('.title, .label, .share, .status, .code')].every((each) => {
          const { top, bottom, left, right } = each.getBoundingClientRect()
          return top >= 0 && left >= 0 && right <= innerWidth && bottom <= innerHeight && each.scrollWidth <= each.clientWidth + 1
        });
        ({ isWhole: inside && board.scrollHeight <= board.clientHeight + 1, type: parseFloat(getComputedStyle(document.querySelector('.label')).fontSize) })
      }`)
      expect([query, seen.isWhole]).toEqual([query, true])
      expect(seen.type).toBeGreaterThan(query === '?ground=none' ? 6 : 10)
      await page.close()
    }
  })

  test('has no ground of its own where another picture lies behind it', async () => {
    for (const scheme of ['light', 'dark']) {
      const { page } = await site.open(`/p/${slugAt(0)}/stage?ground=none&theme=${scheme}`)
      await title(page, 'One?')
      const clip = { x: 1200, y: 0, width: 8, height: 8 }
      const shot = (await page.screenshot({ omitBackground: true, clip })).toString('base64')
      const blank = await site.context.newPage()
      // The last channel of each pixel: 0 is nothing at all.
      const opaque = await blank.evaluate<number>(`(async () => {
        const picture = await createImageBitmap(await (await fetch('data:image/png;base64,${shot}')).blob())
        const canvas = new OffscreenCanvas(8, 8).getContext('2d')
        canvas.drawImage(picture, 0, 0)
        return Math.max(...canvas.getImageData(0, 0, 8, 8).data.filter((_, i) => i % 4 === 3))
      })()`)
      expect(opaque).toBe(0)
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgba(0, 0, 0, 0)')
      expect(await page.evaluate("getComputedStyle(document.querySelector('.controls')).opacity")).toBe('0')
      await page.close()
    }
  })

  test('moves nothing for those who want no motion, and is accessible in both schemes', async () => {
    await site.service.vote(slugAt(0), 'A')
    for (const scheme of ['light', 'dark']) {
      const { page } = await site.open(`/c/${campaign}/stage?theme=${scheme}`)
      await until(page, ['100%', '0%'])
      const moving = "getComputedStyle(document.querySelector('.bar rect')).transitionDuration"
      expect(await page.evaluate(moving)).toBe('0s')
      expect(await violationsOf(page)).toEqual([])
      await page.close()
    }
  })

  test('says that it has no connection, and goes on when it has one again', async () => {
    await site.context.route(/tallies.stream/, (route) => route.fulfill({ status: 503 }))
    const { page } = await site.open(`/p/${slugAt(0)}/stage`)
    await page.getByText('No connection. Trying again…').waitFor()
    await site.context.unroute(/tallies.stream/)
    await site.service.vote(slugAt(0), 'A')
    await until(page, ['100%', '0%'])
    expect(await page.locator('.lost').isHidden()).toBe(true)
  }, 60_000)
})
