import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { hasChromium } from '../../embed/test/browser.ts'
import { EmbedSite } from './embed-site.ts'
import type { PollData } from './service.ts'

setDefaultTimeout(900_000)

const TRIES = 10_000
const AT_ONCE = 8
const VISITS = 4
/** How long a scanner keeps a page open. */
const VISIT_MS = 10_000

/** Requests of scanners, link previews and browsers that open a link without a person. */
const WAYS: readonly RequestInit[] = [
  {},
  { method: 'HEAD' },
  { headers: { Purpose: 'prefetch', 'Sec-Purpose': 'prefetch' } },
  { headers: { 'Sec-Purpose': 'prefetch;prerender' } },
  { headers: { 'User-Agent': 'Mozilla/5.0 (compatible; LinkScanner/1.0)', Accept: 'text/html' } },
  { headers: { 'X-Moz': 'prefetch', Accept: '*/*' } },
  { method: 'POST' },
  { method: 'OPTIONS' },
]

describe.if(hasChromium)('a mail scanner', () => {
  let site: EmbedSite
  let poll: PollData
  let links: readonly string[]
  beforeAll(async () => {
    site = await EmbedSite.open()
    poll = await site.createPoll()
    const mail = await site.service.get<{ html: string; text: string }>(
      `brands/me/polls/${poll.slug}/email?source=news`,
      site.brand,
    )
    const { html, text } = mail.body.data
    const found = `${html} ${text}`.matchAll(/https?:\/\/[^\s"<>]+/g)
    // The service of a test is at another address than its links say.
    const addresses = [...found].map(([link]) => new URL(link.replaceAll('&amp;', '&')))
    links = [...new Set(addresses.map(({ pathname, search }) => site.url + pathname + search))]
  })
  afterAll(() => site.close())

  const votes = async () => (await site.service.db.selectFrom('votes').select('position').execute()).length

  test(`that opens the links in ${TRIES} requests casts no vote`, async () => {
    expect(links).toHaveLength(2)
    let left = TRIES
    const statuses = new Map<number, number>()
    async function scan(): Promise<void> {
      while (left > 0) {
        const at = left--
        const reply = await fetch(links[at % 2] as string, WAYS[at % WAYS.length])
        await reply.arrayBuffer()
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, scan))
    expect([...statuses.values()].reduce((sum, each) => sum + each, 0)).toBe(TRIES)
    // Every way but POST and OPTIONS is answered with the page.
    expect(statuses.get(200)).toBe((TRIES * 6) / 8)
    expect(await votes()).toBe(0)
  })

  test('that runs the scripts of the page in a browser, and its own, casts no vote', async () => {
    const pressesEverything = `{
      const all = (root) => [...root.querySelectorAll('*')].flatMap((each) => [each, ...(each.shadowRoot ? all(each.shadowRoot) : [])])
      for (const each of all(document)) {
        each.focus?.()
        if (each.localName !== 'a') each.click?.()
        for (const type of ['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'click', 'submit'])
          each.dispatchEvent(new Event(type, { bubbles: true, composed: true }))
        each.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, composed: true }))
      }
    }`
    for (let visit = 0; visit < VISITS; visit++) {
      await site.renew()
      const page = await site.context.newPage()
      await page.goto(links[visit % 2] as string)
      await page.locator('.ask > .cast').waitFor()
      // Real time: the page is left alone for as long as a scanner looks at it.
      await page.waitForTimeout(VISIT_MS / 2)
      if (visit >= 2) await page.evaluate(pressesEverything)
      // Real time: as above.
      await page.waitForTimeout(VISIT_MS / 2)
      expect(await votes()).toBe(0)
    }
  })
})
