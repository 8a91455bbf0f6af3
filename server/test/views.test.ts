import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page, Request } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { CHOICE, EmbedSite, untilTold } from './embed-site.ts'
import { eventually } from './eventually.ts'
import type { PollData } from './service.ts'

/** Real time: longer than half a second, and than the load of the part that counts. */
const LONG_MS = 1_500
const GLANCE_MS = 100
/** Less than half a second, with a margin for what comes between two watchers of one frame. */
const LONGEST_GLANCE_MS = 450
/** In attributes, because the policy of the page forbids inline styles. */
const ROOM = '<svg width="1" height="3000" display="block"></svg>'

interface Sent {
  readonly at: number
  readonly request: Request
}

describe.if(hasChromium)('a view', () => {
  let site: EmbedSite
  let poll: PollData
  let views: Sent[]
  let votes: unknown[]
  beforeAll(async () => {
    site = await EmbedSite.open({ isWholeBrowser: true })
  }, 60_000)
  afterAll(() => site.close())
  beforeEach(async () => {
    const context = await site.renew({ viewport: { width: 800, height: 700 } })
    poll = await site.createPoll()
    views = []
    votes = []
    context.on('request', (request) => {
      if (request.method() !== 'POST') return
      if (/\/views(\?|$)/.test(request.url())) views.push({ at: Date.now(), request })
      if (/\/votes$/.test(request.url())) votes.push(request.postDataJSON())
    })
  })

  const element = (attributes = '') => `<tossup-poll poll="${poll.shortId}"${attributes}></tossup-poll>`
  const queries = () => views.map(({ request }) => new URL(request.url()).search)
  const untilSeen = (times = 1) => eventually(async () => views.length >= times)

  /** Scrolls until this part of the poll is above the lower edge of the window. */
  const scrollTo = (part: number) => `{
    const { top, height } = document.querySelector('tossup-poll').shadowRoot.querySelector('.tossup').getBoundingClientRect()
    scrollBy({ top: top + height * ${part} - innerHeight, behavior: 'instant' })
  }`
  const show = (page: Page, part: number) => page.evaluate(scrollTo(part))

  /** Shows most of the poll for a moment, and returns for how long it was in view: on a busy machine a moment may be long. */
  const glance = (page: Page) =>
    page.evaluate<number>(`new Promise((resolve) => {
      let from
      const watcher = new IntersectionObserver((entries) => {
        if (entries.at(-1).intersectionRatio >= 0.5) {
          from = performance.now()
          // Real time: a glance is shorter than half a second.
          setTimeout(() => ${scrollTo(0.1)}, ${GLANCE_MS})
        } else if (from !== undefined) {
          watcher.disconnect()
          resolve(performance.now() - from)
        }
      }, { threshold: 0.5 })
      watcher.observe(document.querySelector('tossup-poll').shadowRoot.querySelector('.tossup'))
      ${scrollTo(0.9)}
    })`)

  test('is sent once, after half of the poll was in view for half a second, without a device, a cookie or a body', async () => {
    const { page, complaints } = await site.openWith(ROOM + element() + ROOM + element(' lang="de"'))
    await untilTold(page, 'ready', 2)
    await Bun.sleep(LONG_MS)
    await show(page, 0.45)
    await Bun.sleep(LONG_MS)
    expect(queries()).toEqual([])
    while ((await glance(page)) >= LONGEST_GLANCE_MS) {
      // This one may be counted. A page that is loaded again counts from the beginning.
      await page.reload()
      await untilTold(page, 'ready', 2)
      views = []
    }
    await Bun.sleep(LONG_MS)
    expect(queries()).toEqual([])
    const before = Date.now()
    await show(page, 0.6)
    await untilSeen()
    const [first] = views
    expect((first?.at ?? 0) - before).toBeGreaterThanOrEqual(495)
    expect(first?.request.url()).toBe(`${site.url}/api/rest/v1/polls/${poll.id}/views`)
    expect(first?.request.postData()).toBeNull()
    const headers = await first?.request.allHeaders()
    expect(Object.keys(headers ?? {})).not.toContain('cookie')
    expect(Object.keys(headers ?? {})).not.toContain('x-device-id')
    expect((await first?.request.response())?.status()).toBe(204)
    // The second element shows the same poll.
    await page.evaluate('scrollTo({ top: document.body.scrollHeight, behavior: "instant" })')
    await Bun.sleep(LONG_MS)
    expect(queries()).toHaveLength(1)
    expect(await page.evaluate<number>('localStorage.length')).toBe(0)
    await page.reload()
    await page.locator(CHOICE.A).first().scrollIntoViewIfNeeded()
    await untilSeen(2)
    expect(complaints).toEqual([])
  }, 60_000)

  test('and a vote carry the source of an element, a page and a frame, and the campaign that shows the poll', async () => {
    const { page } = await site.openWith(element(' source="newsletter"'))
    await page.locator(CHOICE.A).click()
    await untilTold(page, 'voted')
    await untilSeen()
    await page.close()
    const { page: own } = await site.open(`/p/${poll.shortId}?Source=poster-7`)
    await untilSeen(2)
    expect(await own.locator('tossup-poll').getAttribute('source')).toBe('poster-7')
    const frame = `<iframe sandbox="allow-scripts" width="500" height="500" src="${site.url}/embed/poll/${poll.shortId}?source=partner"></iframe>`
    await site.openWith(frame)
    await untilSeen(3)
    const campaign = await site.createCampaign([poll])
    await site.renew()
    const heard = site.context.waitForEvent('request', (request) => request.url().includes('/views'))
    const { page: steps } = await site.open(`/c/${campaign}?source=poster-7`)
    const voted = site.context.waitForEvent('request', (request) => /\/votes$/.test(request.url()))
    await steps.locator(CHOICE.B).click()
    expect(new URL((await heard).url()).search).toBe(`?source=poster-7&campaign=${campaign}`)
    expect((await voted).postDataJSON()).toEqual({ option: 'B', source: 'poster-7', campaign })
    expect(queries()).toEqual(['?source=newsletter', '?source=poster-7', '?source=partner'])
    expect(votes).toEqual([{ option: 'A', source: 'newsletter' }])
  }, 60_000)

  test('and a vote drop a malformed source', async () => {
    const { page } = await site.openWith(element(' source="News Letter"'))
    await page.locator(CHOICE.A).click()
    await untilTold(page, 'voted')
    await untilSeen()
    const { page: own } = await site.open(`/p/${poll.shortId}?source=${'x'.repeat(41)}`)
    await untilSeen(2)
    expect(await own.locator('tossup-poll').getAttribute('source')).toBeNull()
    expect(queries()).toEqual(['', ''])
    expect(votes).toEqual([{ option: 'A' }])
  })

  test('is not sent for a draft', async () => {
    const draft = await site.createPoll({ isDraft: true })
    const link = await site.service.get<{ url: string }>(`brands/me/polls/${draft.slug}/preview`, {
      token: site.brand.token,
    })
    const { pathname, search } = new URL(link.body.data.url)
    const { page } = await site.open(pathname + search)
    await untilTold(page, 'ready')
    await Bun.sleep(LONG_MS)
    expect(queries()).toEqual([])
  })

  test('that fails costs nothing: the poll takes its vote', async () => {
    await site.context.route('**/views*', (route) => route.abort())
    const { page } = await site.openWith(element())
    await untilSeen()
    await page.locator(CHOICE.A).click()
    expect((await untilTold(page, 'voted')).detail).toMatchObject({ option: 'A' })
    await page.close()
    await site.context.route('**/embed/parts/later*', (route) => route.abort())
    const other = await site.createPoll()
    const { page: next } = await site.openWith(`<tossup-poll poll="${other.shortId}"></tossup-poll>`)
    await next.locator(CHOICE.A).click()
    await untilTold(next, 'voted')
  })

  test('is followed by a vote without a network, which keeps what belongs to it', async () => {
    poll = await site.createPoll({ optionOrder: 'random' })
    await site.context.addInitScript('Math.random = () => 0.9')
    const { page } = await site.openWith(element(' source="newsletter"'))
    await page.locator(CHOICE.A).waitFor()
    await site.context.setOffline(true)
    await page.locator(CHOICE.A).click()
    await page.getByText('You’re offline. Your vote is saved').waitFor()
    await page.close()
    votes = []
    await site.context.setOffline(false)
    const next = await site.openWith(element())
    await untilTold(next.page, 'voted')
    expect(votes).toEqual([{ option: 'A', source: 'newsletter', shown: 'BA' }])
  })
})
