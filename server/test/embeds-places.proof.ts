import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { MINUTE } from '../src/base/clock.ts'
import { CHOICE, EmbedSite, untilTold } from './embed-site.ts'
import { eventually } from './eventually.ts'
import { HostSite } from './host-site.ts'
import { fromNow, HOUR } from './polls.ts'
import { OBSERVE_SHIFTS, slowDown } from './slow-network.ts'

const CARD = "document.querySelector('tossup-poll').shadowRoot.querySelector('.poll')"

describe.if(hasChromium)('a poll in its place', () => {
  let site: EmbedSite
  /** A site without a policy, whose pages may have styles. */
  let lax: HostSite
  beforeAll(async () => {
    site = await EmbedSite.open({ settings: { VOTES_PER_MINUTE: '1000' } })
    lax = new HostSite('')
  }, 60_000)
  afterAll(async () => {
    await lax.stop()
    await site.close()
  })
  beforeEach(() => site.renew({ reducedMotion: 'reduce' }))

  async function openLax(body: string): Promise<Page> {
    lax.body = site.script + body
    return (await site.open(lax.url)).page
  }
  const widthOf = (page: Page, selector: string) =>
    page
      .locator(selector)
      .first()
      .boundingBox()
      .then((box) => box?.width ?? 0)

  test('follows the vote of the same poll elsewhere on the page, also in a frame, and is one vote', async () => {
    const poll = await site.createPoll()
    const element = `<tossup-poll poll="${poll.shortId}"></tossup-poll>`
    const { page } = await site.openWith(element + element)
    await untilTold(page, 'ready', 2)
    await page.locator(CHOICE.A).first().click()
    await eventually(async () => (await page.locator('.share').allTextContents()).join() === '100%,0%,100%,0%')
    expect(await site.tallies(poll)).toMatchObject({ optionA: 1, total: 1 })

    const other = await site.createPoll()
    const second = await site.openWith(
      `<tossup-poll poll="${other.shortId}"></tossup-poll><iframe src="${site.url}/embed/poll/${other.shortId}"></iframe>`,
    )
    await second.page.locator(CHOICE.A).waitFor()
    await second.page.frameLocator('iframe').locator(CHOICE.B).click()
    await second.page.locator('tossup-poll [data-option="B"][aria-pressed="true"]').waitFor()
    expect(await site.tallies(other)).toMatchObject({ optionB: 1, total: 1 })
  })

  test('tells times in the zone and the language of its visitor, and opens and closes while it is shown', async () => {
    await site.renew({ reducedMotion: 'reduce', timezoneId: 'Asia/Tokyo' })
    const far = await site.createPoll({ opensAt: '2099-06-01T09:00:00.000Z' })
    const { page } = await site.open(`/p/${far.shortId}?lang=de`)
    await page.getByText('Startet: 01.06.2099, 18:00').waitFor()
    // Minutes on the clocks of the service and of the page: on a slow machine, seconds pass before the page is there.
    await page.clock.install()
    const [opensAt, closesAt] = [fromNow(2 * MINUTE), fromNow(4 * MINUTE)]
    const brief = await site.createPoll({ opensAt, closesAt })
    await page.goto(`${site.url}/p/${brief.shortId}`)
    await page.locator('article[data-state="scheduled"]').waitFor()
    site.service.clock.advance(2 * MINUTE)
    await page.clock.pauseAt(Date.parse(opensAt))
    await page.clock.runFor(1_000)
    await page.locator('article[data-state="open"]').waitFor()
    await page.clock.pauseAt(Date.parse(closesAt) - 5_000)
    await page.getByText('Closes in 5 seconds').waitFor()
    site.service.clock.advance(2 * MINUTE)
    await page.clock.runFor(6_000)
    await page.locator('article[data-state^="closed"]').waitFor()
    site.service.clock.advance(-4 * MINUTE)
    await page.clock.resume()
    const soon = await site.createPoll({ closesAt: fromNow(50 * HOUR) })
    await page.goto(`${site.url}/p/${soon.shortId}`)
    await page.getByText('Closes in 3 days').waitFor()
  }, 60_000)

  test.each([
    ['', 'rgb(255, 255, 255)'],
    ['<style>:root { color-scheme: light dark }</style>', 'rgb(25, 27, 37)'],
    ['<style>:root { color-scheme: dark }</style>', 'rgb(25, 27, 37)'],
  ])('has the scheme of the page around it, where the system is dark: %s', async (style, colour) => {
    await site.renew({ colorScheme: 'dark' })
    const poll = await site.createPoll()
    const page = await openLax(`${style}<tossup-poll poll="${poll.shortId}"></tossup-poll>`)
    await untilTold(page, 'ready')
    expect(await page.evaluate<string>(`getComputedStyle(${CARD}).backgroundColor`)).toBe(colour)
    const chosen = await openLax(`${style}<tossup-poll poll="${poll.shortId}" theme="light"></tossup-poll>`)
    await untilTold(chosen, 'ready')
    expect(await chosen.evaluate<string>(`getComputedStyle(${CARD}).backgroundColor`)).toBe('rgb(255, 255, 255)')
  })

  test('stacks its choices where there is little room, and no bar is short', async () => {
    const poll = await site.createPoll({ optionA: { label: 'Donaudampfschifffahrtsgesellschaft' } })
    for (const [width, isStacked] of [
      [320, true],
      [360, true],
      [390, true],
      [480, false],
      [768, false],
    ] as const) {
      await site.renew({ viewport: { width, height: 800 }, reducedMotion: 'reduce' })
      const { page } = await site.open(`/p/${poll.shortId}`)
      await untilTold(page, 'ready')
      await page.locator(CHOICE.A).click()
      await page.locator('.bar').first().waitFor()
      expect(await widthOf(page, '.bar')).toBeGreaterThanOrEqual(120)
      const [a, b] = await Promise.all([page.locator(CHOICE.A).boundingBox(), page.locator(CHOICE.B).boundingBox()])
      expect([width, (b?.y ?? 0) > (a?.y ?? 0)]).toEqual([width, isStacked])
      expect(await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')).toBe(false)
    }
  }, 60_000)

  test('is in line with the text around it, grows to 720 pixels, and to the full width where its page says so', async () => {
    await site.renew({ viewport: { width: 1200, height: 800 } })
    const poll = await site.createPoll()
    const element = `<tossup-poll poll="${poll.shortId}"></tossup-poll>`
    const page = await openLax(`<div id="text" style="width: 600px; margin: 0 200px">Text${element}</div>`)
    await untilTold(page, 'ready')
    expect(await widthOf(page, '.poll')).toBe(600)
    expect((await page.locator('.poll').boundingBox())?.x).toBe((await page.locator('#text').boundingBox())?.x)
    const wide = await openLax(element)
    await untilTold(wide, 'ready')
    expect(await widthOf(wide, '.poll')).toBe(720)
    const full = await openLax(`<style>body { margin: 0 } tossup-poll { max-width: none }</style>${element}`)
    await untilTold(full, 'ready')
    expect(await widthOf(full, '.poll')).toBe(1200)
  })

  test('moves nothing: the vote changes no height, and the line of the guide reserves its room on a slow network', async () => {
    for (const fields of [{}, { resultsVisibility: 'after_vote' }]) {
      const poll = await site.createPoll(fields)
      const { page } = await site.open(`/p/${poll.shortId}`)
      await untilTold(page, 'ready')
      const before = await page.locator('.poll').boundingBox()
      await page.locator(CHOICE.A).click()
      await page.locator('.share').first().waitFor()
      expect(await page.locator('.poll').boundingBox()).toEqual(before)
    }
    const poll = await site.createPoll()
    for (const path of [`/p/${poll.shortId}`, `/embed/poll/${poll.shortId}`, null]) {
      const page = await site.context.newPage()
      await page.addInitScript(OBSERVE_SHIFTS)
      await slowDown(page)
      const style = '<style>tossup-poll:not(:defined) { display: block } tossup-poll { min-height: 22rem }</style>'
      lax.body = `${style}${site.script}<p>Before</p><tossup-poll poll="${poll.shortId}"></tossup-poll><p>After</p>`
      await page.goto(path === null ? lax.url : site.url + path)
      await page.locator(CHOICE.A).waitFor()
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
      expect([path, await page.evaluate<number>('window.shift')]).toEqual([path, 0])
      await page.close()
    }
  }, 90_000)

  test('where its script does not come, what stands inside of it stays: a link', async () => {
    const poll = await site.createPoll()
    const inside = `<a href="${site.url}/p/${poll.slug}">Tea or coffee? Vote</a>`
    const markup = `<tossup-poll poll="${poll.shortId}">${inside}</tossup-poll>`
    await site.context.route('**/embed.js', (route) => route.abort())
    const { page } = await site.openWith(markup)
    await page.getByRole('link', { name: 'Tea or coffee? Vote' }).click()
    await page.waitForURL(`${site.url}/p/${poll.slug}`)
    await site.renew()
    const usual = await site.openWith(markup)
    await untilTold(usual.page, 'ready')
    expect(await usual.page.getByRole('link', { name: 'Tea or coffee? Vote' }).isVisible()).toBe(false)
  })

  test('is shown without JavaScript, and says that voting needs it', async () => {
    const poll = await site.createPoll()
    await site.renew({ javaScriptEnabled: false })
    const page = await site.context.newPage()
    await page.goto(`${site.url}/p/${poll.shortId}?lang=de`)
    expect(await page.locator(CHOICE.A).textContent()).toContain('Tea')
    const notice = await page.locator('noscript').boundingBox()
    expect(await page.locator('noscript').textContent()).toContain('Zum Abstimmen ist JavaScript nötig.')
    expect(notice?.height).toBeGreaterThan(0)
    await site.renew()
    const usual = await site.open(`/p/${poll.shortId}?lang=de`)
    expect(await usual.page.locator('noscript').isVisible()).toBe(false)
  })

  test('loads the parts of its script with it, and says so where they do not come', async () => {
    const campaign = await site.createCampaign([await site.createPoll()])
    await site.context.route('**/embed/parts/**', (route) => route.abort())
    const { page } = await site.openWith(`<tossup-campaign campaign="${campaign}"></tossup-campaign>`)
    await page.getByText('Loading failed.').waitFor()
    await site.context.unroute('**/embed/parts/**')
    await page.getByRole('button', { name: 'Try again' }).click()
    await untilTold(page, 'ready')
    const build = /parts\/.*build=([\w-]{12})/.exec(await (await fetch(`${site.url}/c/${campaign}`)).text())
    expect(
      (await fetch(`${site.url}/embed/parts/campaign?build=${build?.[1]}`)).headers.get('cache-control'),
    ).toContain('immutable')
    expect((await fetch(`${site.url}/embed/parts/campaign?build=000000000000`)).status).toBe(404)
  })
})
