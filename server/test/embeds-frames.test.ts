import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FrameLocator } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { CHOICE, type EmbedSite, untilTold } from './embed-site.ts'
import { eventually } from './eventually.ts'
import type { PollData } from './service.ts'
import { withEmbedSite } from './with-embed-site.ts'

describe.if(hasChromium)('a poll in a frame', () => {
  let site: EmbedSite
  let poll: PollData
  withEmbedSite({ isWholeBrowser: true }, async (opened) => {
    site = opened
    poll = await site.createPoll()
  })

  const setEmbedStorage = (embedStorage: 'ASK' | 'ALLOW') =>
    site.service.write('PATCH', 'brands/me/theme', { token: site.brand.token, json: { embedStorage } })
  const frameOf = (sandbox: string, width = 400) =>
    `<iframe sandbox="${sandbox}" width="${width}" height="640" src="${site.url}/embed/poll/${poll.shortId}"></iframe>`

  test('without storage says so and takes no vote: it opens the page of the poll, whose address can be read', async () => {
    const { page, complaints } = await site.openWith(
      frameOf('allow-scripts allow-popups allow-popups-to-escape-sandbox'),
    )
    // A frame with an opaque origin has no storage.
    const frame: FrameLocator = page.frameLocator('iframe')
    await frame.getByText('Votes can’t be remembered here.').waitFor()
    const link = frame.locator('.elsewhere a')
    expect(await link.textContent()).toEndWith(`/p/${poll.shortId}`)
    expect(await link.getAttribute('rel')).toBe('noopener')
    await frame.locator(CHOICE.A).waitFor()
    const opened = site.context.waitForEvent('page')
    await frame.locator(CHOICE.A).click()
    // The public address of a test service has no port that could be opened.
    await (await opened).close()
    expect(await link.getAttribute('href')).toEndWith(`/p/${poll.shortId}`)
    expect(await link.evaluate('document.activeElement.closest(".elsewhere") !== null')).toBe(true)
    expect(await site.tallies(poll)).toMatchObject({ total: 0 })
    expect(complaints).toEqual([])
  })

  test('without storage votes where the brand allows it, and shows no note where nothing takes a vote', async () => {
    await setEmbedStorage('ALLOW')
    const { page, complaints } = await site.openWith(frameOf('allow-scripts'))
    const frame = page.frameLocator('iframe')
    await frame.locator(CHOICE.A).click()
    await eventually(async () => (await site.tallies(poll)).total > 0)
    expect(await site.tallies(poll)).toMatchObject({ optionA: 1, total: 1 })
    expect(await frame.locator('.elsewhere').count()).toBe(0)
    expect(complaints).toEqual([])
    await setEmbedStorage('ASK')
    await site.closePoll(poll)
    const closed = await (await fetch(`${site.url}/embed/poll/${poll.shortId}`)).text()
    expect(closed).not.toContain('class="elsewhere"')
  })

  test('with storage shows no note, and lets the ground of its host through', async () => {
    await site.renew({ colorScheme: 'dark' })
    const { page } = await site.openWith(
      `<iframe width="400" height="640" src="${site.url}/embed/poll/${poll.shortId}"></iframe>`,
    )
    await untilTold(page, 'ready')
    expect(await page.frameLocator('iframe').locator('.elsewhere').isVisible()).toBe(false)
    expect(await page.evaluate<string>("getComputedStyle(document.querySelector('iframe')).colorScheme")).toBe(
      'light dark',
    )
  })

  test('of its own origin sends its events to the host, and is as tall as the poll', async () => {
    const { page } = await site.openWith(
      `<iframe width="400" height="150" src="${site.url}/embed/poll/${poll.shortId}"></iframe>`,
    )
    const frame = page.frameLocator('iframe')
    await frame.locator(CHOICE.A).click()
    await frame.locator('.share').first().waitFor()
    await untilTold(page, 'voted')
    // The message with the height may come later than the one with the vote.
    await eventually(async () => {
      const shown = await page.evaluate<number>("document.querySelector('iframe').clientHeight")
      const needed = await page.frames()[1]?.evaluate<number>('document.documentElement.scrollHeight')
      return shown > 150 && Math.abs(shown - (needed ?? 0)) <= 1
    })
  })

  test('obeys no message: its host cannot make it show a vote', async () => {
    const { page } = await site.openWith(`<tossup-poll poll="${poll.shortId}"></tossup-poll>`)
    await untilTold(page, 'ready')
    // A frame that is ready before the script of its host says so to nobody.
    const source = JSON.stringify(`${site.url}/embed/poll/${poll.shortId}`)
    await page.evaluate(`document.body.append(Object.assign(document.createElement('iframe'), { src: ${source} }))`)
    await untilTold(page, 'ready', 2)
    const frame = page.frameLocator('iframe')
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
    // Shown before the service has answered.
    await untilTold(page, 'voted', 2)
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
