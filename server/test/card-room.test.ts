import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { readPixels } from '../src/files/pictures/png.ts'
import { CHOICE, type EmbedSite, untilTold } from './embed-site.ts'
import { eventually } from './eventually.ts'
import { paint } from './pictures.ts'
import type { PollData } from './service.ts'
import { withEmbedSite } from './with-embed-site.ts'

const HOUR = 3_600_000
const WIDE = { width: 400, height: 100 }

/** Red at its left half, blue at its right one. */
const halves = paint(WIDE, (x) => (x < WIDE.width / 2 ? [255, 0, 0] : [0, 0, 255]))
/** Black and white strokes on nothing. */
const strokes = paint(WIDE, (x) => {
  if (x % 100 < 60) return [0, 0, 0, 0]
  return x % 100 < 80 ? [0, 0, 0] : [255, 255, 255]
})

/** Parts of the card that reach out of it, or whose words do not fit into them. */
const CUT = `(() => {
  const root = document.querySelector('tossup-poll').shadowRoot
  const card = root.querySelector('.poll').getBoundingClientRect()
  const seen = [...root.querySelectorAll('.title, .words, .figure, .status, .way, .say, .mark, .remark em, .winner')].filter(
    (part) => part.checkVisibility({ visibilityProperty: true }) && part.getBoundingClientRect().width > 1)
  return seen.filter((part) => {
    const { left, right, top, bottom } = part.getBoundingClientRect()
    const isOut = left < card.left || right > card.right || top < card.top || bottom > card.bottom
    const clips = getComputedStyle(part).overflow !== 'visible'
    return isOut || (clips && (part.scrollWidth > part.clientWidth + 1 || part.scrollHeight > part.clientHeight + 1))
  }).map((part) => part.className + ': ' + part.textContent)
})()`

describe.if(hasChromium)('the room of a card', () => {
  let site: EmbedSite
  withEmbedSite({}, async (opened) => {
    site = opened
    await site.servePictures()
  })

  const picturedPoll = async (placing: Record<string, unknown> = {}, bytes = halves): Promise<PollData> =>
    site.createPoll({
      optionA: { ...(await site.pictured('optionA', bytes, WIDE)), ...placing },
      optionB: await site.pictured('optionB', bytes, WIDE),
    })

  test.each([
    [740, 360],
    [667, 375],
  ])(
    'a phone of %i by %i shows both answers whole, with and without pictures, before and after a vote',
    async (width, height) => {
      const isInView = async (page: Page) => {
        for (const part of ['.option', '.words', '.figure']) {
          for (const each of await page.locator(`${part}:visible`).all()) {
            const box = await each.boundingBox()
            expect([part, (box?.y ?? -1) >= 0, (box?.y ?? height) + (box?.height ?? 0) <= height]).toEqual([
              part,
              true,
              true,
            ])
          }
        }
      }
      for (const poll of [await site.createPoll(), await picturedPoll()]) {
        await site.renew({ viewport: { width, height } })
        await site.servePictures()
        const { page } = await site.open(`/p/${poll.shortId}`)
        await page.locator('.option').nth(1).waitFor()
        expect(await page.locator('.option:visible').count()).toBe(2)
        await isInView(page)
        await page.locator(CHOICE.A).click()
        await page.locator('nav.after').waitFor()
        expect(await page.evaluate<number>('scrollY')).toBe(0)
        expect(await page.locator('.figure:visible').count()).toBe(2)
        await isInView(page)
      }
    },
    30_000,
  )

  test.each([160, 200, 240])(
    '%i pixels cut nothing, in any state',
    async (width) => {
      const closed = await site.createPoll()
      const [open, seen, scheduled] = [
        await site.createPoll({ closesAt: new Date(Date.now() + 3 * HOUR).toISOString() }),
        await site.createPoll({ resultsBeforeVote: true }),
        await site.createPoll({ opensAt: new Date(Date.now() + 3 * HOUR).toISOString() }),
      ]
      for (const { slug } of [seen, closed]) await site.service.vote(slug, 'A')
      await site.closePoll(closed)
      for (const [poll, until] of [
        [open, '.is-prepared'],
        [seen, 'nav.before button'],
        [scheduled, 'nav.before a'],
        [closed, '.winner'],
      ] as const) {
        const { page } = await site.openWith(`<main><tossup-poll poll="${poll.shortId}"></tossup-poll></main>`)
        await page.evaluate(`document.querySelector('main').style.width = '${width}px'`)
        await page.locator(until).first().waitFor({ state: 'attached' })
        expect([until, await page.evaluate<string[]>(CUT)]).toEqual([until, []])
        if (poll === seen || poll === open) {
          await page.locator(CHOICE.B).click()
          await page.locator('nav.after .share-answer').waitFor()
          expect(await page.evaluate<string[]>(CUT)).toEqual([])
          await page.locator('.share-answer').click()
          await page.locator('.is-told').waitFor()
          expect(await page.evaluate<string[]>(CUT)).toEqual([])
        }
        await page.close()
      }
    },
    60_000,
  )

  /** The colour of the picture of option A at a place of its frame, both from 0 to 1. */
  async function colourAt(page: Page, x: number, y: number): Promise<number[]> {
    const { width, height, rgba } = readPixels(
      await new Bun.Image(await page.locator('.frame').first().screenshot()).png({ compressionLevel: 0 }).bytes(),
    )
    const at = (Math.floor(y * height) * width + Math.floor(x * width)) * 4
    return [...rgba.subarray(at, at + 3)]
  }

  async function openPictured(poll: PollData): Promise<Page> {
    const { page } = await site.open(`/p/${poll.shortId}`)
    await untilTold(page, 'ready')
    await eventually(() =>
      page.evaluate<boolean>("document.querySelector('tossup-poll').shadowRoot.querySelector('img').complete"),
    )
    return page
  }

  test('keeps the focal point of a picture in sight, and shows all of it with `contain`', async () => {
    // A scaled and compressed picture has its colours to a few levels.
    const nameAt = async (page: Page, x: number) => {
      const [red = 0, green = 0, blue = 0] = await colourAt(page, x, 0.5)
      if (red > 247 && green < 8 && blue < 8) return 'red'
      return red < 8 && green < 8 && blue > 247 ? 'blue' : [red, green, blue].join()
    }
    expect(await nameAt(await openPictured(await picturedPoll({ focusX: 0 })), 0.9)).toBe('red')
    expect(await nameAt(await openPictured(await picturedPoll({ focusX: 1 })), 0.1)).toBe('blue')
    const contained = await openPictured(await picturedPoll({ fit: 'contain', focusX: 1 }))
    expect([await nameAt(contained, 0.05), await nameAt(contained, 0.95)]).toEqual(['red', 'blue'])
    const [r = 0, g = 0, b = 0] = await colourAt(contained, 0.5, 0.05)
    expect(Math.max(r, g, b) - Math.min(r, g, b)).toBeLessThan(60)
  }, 30_000)

  test.each(['light', 'dark'] as const)(
    'has a %s ground on which black and white strokes can be told',
    async (colorScheme) => {
      await site.renew({ colorScheme })
      await site.servePictures()
      const page = await openPictured(await picturedPoll({ fit: 'contain' }, strokes))
      const channels = await colourAt(page, 0.5, 0.05)
      const luminance = channels
        .map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4))
        .reduce((sum, value, i) => sum + value * ([0.2126, 0.7152, 0.0722][i] ?? 0), 0)
      expect(1.05 / (luminance + 0.05)).toBeGreaterThan(3)
      expect((luminance + 0.05) / 0.05).toBeGreaterThan(3)
    },
    30_000,
  )
})
