import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FrameLocator } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { CHOICE, EmbedSite, untilTold } from './embed-site.ts'
import type { PollData } from './service.ts'

describe.if(hasChromium)('a poll in a frame', () => {
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

  test('in a frame whose storage is denied: votes all the same, and tells its host what happens and how tall it is', async () => {
    const { page, complaints } = await site.openWith(
      `<iframe sandbox="allow-scripts" width="400" height="150" src="${site.url}/embed/poll/${poll.shortId}"></iframe>`,
    )
    // A frame without an origin has no storage at all, and asks as nobody's page.
    const frame: FrameLocator = page.frameLocator('iframe')
    await frame.locator(CHOICE.A).click()
    while ((await site.tallies(poll)).total === 0) await Bun.sleep(20)
    expect(await site.tallies(poll)).toMatchObject({ optionA: 1, total: 1 })
    expect(complaints).toEqual([])
  })

  test('in a frame of its own origin: the host hears its events, and the frame is as tall as the poll', async () => {
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

  test('a frame works on a page that was opened from a file', async () => {
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
