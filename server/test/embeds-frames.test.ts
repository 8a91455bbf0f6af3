import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FrameLocator } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { CHOICE, EmbedSite, untilTold } from './embed-site.ts'
import { eventually } from './eventually.ts'
import type { PollData } from './service.ts'

describe.if(hasChromium)('a poll in a frame', () => {
  let site: EmbedSite
  let poll: PollData
  beforeAll(async () => {
    site = await EmbedSite.open({ isWholeBrowser: true })
  }, 60_000)
  afterAll(() => site.close())
  beforeEach(async () => {
    await site.renew()
    poll = await site.createPoll()
  })

  test('without storage votes, and sends its events and its height to the host', async () => {
    const { page, complaints } = await site.openWith(
      `<iframe sandbox="allow-scripts" width="400" height="150" src="${site.url}/embed/poll/${poll.shortId}"></iframe>`,
    )
    // A frame with an opaque origin has no storage, and sends `Origin: null`.
    const frame: FrameLocator = page.frameLocator('iframe')
    await frame.locator(CHOICE.A).click()
    await eventually(async () => (await site.tallies(poll)).total > 0)
    expect(await site.tallies(poll)).toMatchObject({ optionA: 1, total: 1 })
    expect(complaints).toEqual([])
  })

  test('of its own origin sends its events to the host, and is as tall as the poll', async () => {
    const { page } = await site.openWith(
      `<iframe width="400" height="150" src="${site.url}/embed/poll/${poll.shortId}"></iframe>`,
    )
    const frame = page.frameLocator('iframe')
    await frame.locator(CHOICE.A).click()
    await frame.locator('.share').first().waitFor()
    await untilTold(page, 'voted')
    const [shown, needed] = [
      await page.evaluate<number>("document.querySelector('iframe').clientHeight"),
      await page.frames()[1]?.evaluate<number>('document.documentElement.scrollHeight'),
    ]
    expect(shown).toBeGreaterThan(150)
    expect(Math.abs(shown - (needed ?? 0))).toBeLessThanOrEqual(1)
  })

  test('obeys no message: its host cannot make it show a vote', async () => {
    const { page } = await site.openWith(
      `<tossup-poll poll="${poll.shortId}"></tossup-poll><iframe src="${site.url}/embed/poll/${poll.shortId}"></iframe>`,
    )
    const frame = page.frameLocator('iframe')
    await frame.locator(CHOICE.A).waitFor()
    await untilTold(page, 'ready', 2)
    for (const type of ['vote', 'voted']) {
      const message = { source: 'tossup', type, poll: poll.id, option: 'B', detail: { poll: poll.id, option: 'B' } }
      await page.evaluate(`frames[0].postMessage(${JSON.stringify(message)}, '*')`)
    }
    // The vote of the element on this page is that of another device too.
    await page.locator('tossup-poll').locator(CHOICE.B).click()
    await untilTold(page, 'voted')
    expect(await frame.locator('[aria-pressed="true"]').count()).toBe(0)
    await frame.locator(CHOICE.A).click()
    await frame.locator('[data-option="A"][aria-pressed="true"]').waitFor()
    expect(await site.tallies(poll)).toMatchObject({ optionA: 1, optionB: 1, total: 2 })
  })

  test('that spoke before the script of the host was there is as tall as the poll after a vote', async () => {
    site.host.body = `<iframe width="400" height="150" src="${site.url}/embed/poll/${poll.shortId}"></iframe>`
    const page = await site.context.newPage()
    await page.addInitScript("addEventListener('message', ({ data }) => { window.said = data.type })")
    await page.goto(site.host.url)
    await page.waitForFunction("window.said === 'ready' || window.said === 'height'")
    const heightOfFrame = () => page.evaluate<number>("document.querySelector('iframe').clientHeight")
    expect(await heightOfFrame()).toBe(150)
    await page.addScriptTag({ type: 'module', url: `${site.url}/embed.js` })
    await page.frameLocator('iframe').locator(CHOICE.A).click()
    await eventually(async () => (await heightOfFrame()) > 150)
  })

  test('votes on a page that was opened from a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tossup-page-'))
    try {
      const file = join(folder, 'page.html')
      await writeFile(file, `<iframe src="${site.url}/embed/poll/${poll.shortId}"></iframe>`)
      const { page, complaints } = await site.open(`file://${file}`)
      const frame = page.frameLocator('iframe')
      await frame.locator(CHOICE.A).click()
      await frame.locator('.share').first().waitFor()
      expect(complaints).toEqual([])
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
