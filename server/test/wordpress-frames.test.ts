import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { CHOICE, type EmbedSite } from './embed-site.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import type { PollData } from './service.ts'
import { withEmbedSite } from './with-embed-site.ts'

/** WordPress opens only links to the host of the frame, so the public URL must be the address that the service listens on. */
const port = freePort()

/**
 * A strict stand-in for the script that WordPress loads beside an embed (`wp-embed.js`): it gives each frame without one a
 * secret, says `ready`, and obeys two messages of a frame that knows its secret.
 */
const RECEIVE = `(() => {
  window.links = []
  window.heights = []
  const frames = [...document.querySelectorAll('iframe.wp-embedded-content')]
  addEventListener('message', ({ data, source }) => {
    if (typeof data?.secret !== 'string' || !/^[a-zA-Z0-9]+$/.test(data.secret)) return
    for (const frame of frames) {
      if (frame.dataset.secret !== data.secret || frame.contentWindow !== source) continue
      if (data.message === 'height') {
        window.heights.push(data.value)
        frame.height = Math.min(1000, Math.max(200, Number.parseInt(data.value, 10)))
      }
      if (data.message === 'link') {
        const [from, to] = [new URL(frame.getAttribute('src')), new URL(data.value)]
        const isAllowed = /^https?:$/.test(to.protocol) && to.host === from.host && document.activeElement === frame
        window.links.push([data.value, isAllowed])
      }
    }
  })
  for (const frame of frames) {
    if (!frame.dataset.secret) {
      frame.dataset.secret = 'a1B2c3D4e5'
      frame.src += '#?secret=' + frame.dataset.secret
    }
    frame.contentWindow.postMessage({ message: 'ready', secret: frame.dataset.secret }, '*')
  }
})()`

describe.if(hasChromium)('a frame in WordPress', () => {
  let site: EmbedSite
  let poll: PollData
  const settings = { PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` }
  withEmbedSite({ isWholeBrowser: true, settings }, async (opened) => {
    site = opened
    poll = await site.createPoll()
  })

  const frameWith = (attributes = '', hash = '') =>
    `<iframe class="wp-embedded-content" sandbox="allow-scripts" width="400" height="200" ${attributes} src="${site.url}/embed/poll/${poll.shortId}${hash}"></iframe>`

  async function openPost(frame: string): Promise<Page> {
    const { page } = await site.openWith(frame)
    await page.frameLocator('iframe').locator(CHOICE.A).waitFor()
    return page
  }

  const heightOf = (page: Page) => page.evaluate<number>("document.querySelector('iframe').clientHeight")
  const neededBy = (page: Page) => page.frames()[1]?.evaluate<number>('document.documentElement.offsetHeight')

  test.each([
    ['with a secret in its address', 'data-secret="Zy9Xw8Vu7T"', '#?secret=Zy9Xw8Vu7T'],
    ['that gets its secret when it has loaded', '', ''],
  ])('%s gets the height of its content, also if the script of the page comes later', async (_, attributes, hash) => {
    const page = await openPost(frameWith(attributes, hash))
    expect(await heightOf(page)).toBe(200)
    await page.evaluate(RECEIVE)
    await eventually(async () => {
      const height = await heightOf(page)
      return height > 200 && height === (await neededBy(page))
    })
  })

  test('tells its height only to its parent, and for its own secret', async () => {
    const page = await openPost(frameWith('data-secret="Zy9Xw8Vu7T"', '#?secret=Zy9Xw8Vu7T'))
    const answers = `new Promise((resolve) => {
      const heard = []
      addEventListener('message', ({ data }) => {
        heard.push(data.message + ' ' + data.secret)
        // Real time: messages arrive in their order, so this answer is the last one, unless it is given twice.
        if (data.secret === 'Zy9Xw8Vu7T') setTimeout(() => resolve(heard), 100)
      })
      const frame = window.frames[0]
      for (const data of [{ message: 'ready', secret: 'other' }, { message: 'ready' }, null, 'ready', { message: 'height', secret: 'Zy9Xw8Vu7T', value: 1 }])
        frame.postMessage(data, '*')
      frame.postMessage({ message: 'ready', secret: 'Zy9Xw8Vu7T' }, '*')
    })`
    expect(await page.evaluate<string[]>(answers)).toEqual(['height Zy9Xw8Vu7T'])
  })

  test('leads to the page of the poll by a link that WordPress opens: of the host of the frame, which has the focus', async () => {
    const page = await openPost(frameWith())
    await page.evaluate(RECEIVE)
    await page.frameLocator('iframe').locator(CHOICE.A).click()
    const [link] = await eventually(async () => {
      const links = await page.evaluate<[string, boolean][]>('window.links')
      return links.length > 0 && links
    })
    expect(link).toEqual([`${site.url}/p/${poll.shortId}`, true])
    expect((await fetch(link?.[0] ?? '')).status).toBe(200)
    expect(await site.tallies(poll)).toMatchObject({ total: 0 })
  })
})
