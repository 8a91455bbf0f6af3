import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { FrameLocator, Page } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { ReactSite } from '../../sdk/test/react-site.ts'
import { CHOICE, EmbedSite, untilTold } from './embed-site.ts'
import { eventually } from './eventually.ts'
import { HostSite } from './host-site.ts'
import type { PollData } from './service.ts'

type Option = keyof typeof CHOICE

interface Mode {
  readonly name: string
  /** Votes as a visitor, and returns the result that the visitor sees: percentages, or the counts themselves. */
  vote(poll: PollData, option: Option): Promise<{ shares: string[] } | { counts: [a: number, b: number] }>
}

/** The client library, as in a page that bundles it. */
async function libraryScript(): Promise<string> {
  const path = new URL('./only-in-memory.ts', import.meta.url).pathname
  const source = "import { Visitor } from '../../sdk/src/visitor.ts'; Object.assign(globalThis, { Visitor })"
  const built = await Bun.build({ entrypoints: [path], files: { [path]: source }, target: 'browser', minify: true })
  return `<script type="module">${await built.outputs[0]?.text()}</script>`
}

describe.if(hasChromium)('each way to embed a poll', () => {
  let site: EmbedSite
  let reactSite: ReactSite
  /** A site without a policy, so that its pages may contain scripts. */
  let lax: HostSite
  let library: string
  beforeAll(async () => {
    site = await EmbedSite.open({ settings: { VOTES_PER_MINUTE: '1000' }, isWholeBrowser: true })
    reactSite = await ReactSite.open(site.url)
    lax = new HostSite('')
    library = await libraryScript()
  }, 60_000)
  afterAll(async () => {
    await lax.stop()
    await reactSite.stop()
    await site.close()
  })
  beforeEach(() => site.renew())

  async function tapped(page: Page, place: Page | FrameLocator, option: Option): Promise<{ shares: string[] }> {
    await place.locator(CHOICE[option]).click()
    await untilTold(page, 'voted')
    return { shares: await place.locator('.share').allTextContents() }
  }

  const modes: Mode[] = [
    {
      name: 'by script tag, on another origin',
      async vote({ shortId }, option) {
        const { page } = await site.openWith(`<tossup-poll poll="${shortId}"></tossup-poll>`)
        return tapped(page, page, option)
      },
    },
    {
      name: 'in a frame of another origin, where the browser denies it storage',
      async vote({ shortId }, option) {
        const { page } = await site.openWith(`<iframe src="${site.url}/embed/poll/${shortId}"></iframe>`)
        const told = await tapped(page, page.frameLocator('iframe'), option)
        const storage = '(() => { try { return String(localStorage) } catch ({ name }) { return name } })()'
        expect(await page.frames()[1]?.evaluate<string>(storage)).toBe('SecurityError')
        return told
      },
    },
    {
      name: 'by the client library',
      async vote({ shortId }, option) {
        lax.body = library
        const { page } = await site.open(lax.url)
        const { tallies } = await page.evaluate<{ tallies: { optionA: number; optionB: number } }>(
          `new Visitor({ url: '${site.url}' }).castVote('${shortId}', '${option}')`,
        )
        return { counts: [tallies.optionA, tallies.optionB] }
      },
    },
    {
      name: 'with React',
      async vote({ shortId }, option) {
        const { page } = await site.open(reactSite.showing({ wanted: { polls: [{ poll: shortId }] } }))
        await page.locator(CHOICE[option]).click()
        await eventually(async () => JSON.stringify(await page.evaluate('window.told')).includes('"voted"'))
        return { shares: await page.locator('.share').allTextContents() }
      },
    },
    {
      name: 'on its own page',
      async vote({ shortId }, option) {
        const { page } = await site.open(`/p/${shortId}`)
        return tapped(page, page, option)
      },
    },
    {
      name: 'in the web view of an app',
      async vote({ shortId }, option) {
        const device = randomUUID()
        await site.context.addInitScript(`localStorage.setItem('tossup.device', '${device}')`)
        const { page } = await site.open(`/embed/poll/${shortId}`)
        const told = await tapped(page, page, option)
        const own = await site.service.get<{ option: Option }>(`polls/${shortId}/votes/me`, { device })
        expect(own.body.data.option).toBe(option)
        return told
      },
    },
    {
      name: 'by the interface itself',
      async vote({ slug }, option) {
        const { status, body } = await site.service.vote(slug, option)
        expect(status).toBe(201)
        return { counts: [body.data.tallies.optionA, body.data.tallies.optionB] }
      },
    },
  ]

  // spec: 1-6
  test('a vote counts once, and its visitor sees all counts', async () => {
    const poll = await site.createPoll()
    const votes = { A: 0, B: 0 }
    for (const [i, { name, vote }] of modes.entries()) {
      await site.renew()
      const option = i % 3 === 0 ? 'B' : 'A'
      votes[option]++
      const shown = await vote(poll, option)
      const a = Math.round((100 * votes.A) / (i + 1))
      const wanted =
        'shares' in shown ? { shares: [`${a}%`, `${100 - a}%`] } : { counts: [votes.A, votes.B] as [number, number] }
      expect([name, shown]).toEqual([name, wanted])
      expect(await site.tallies(poll)).toMatchObject({ optionA: votes.A, optionB: votes.B, total: i + 1 })
    }
  }, 60_000)

  // spec: 1-6
  test('on one origin the element, the client library and API calls with the same id are one device', async () => {
    const poll = await site.createPoll()
    lax.body = `${library}${site.script}<tossup-poll poll="${poll.shortId}"></tossup-poll>`
    const { page } = await site.open(lax.url)
    await tapped(page, page, 'A')
    const again = `new Visitor({ url: '${site.url}' }).castVote('${poll.slug}', 'B').catch(({ code, details }) => [code, details.existingVote.option])`
    expect(await page.evaluate<unknown>(again)).toEqual(['VOTE_ALREADY_CAST', 'A'])
    const device = await page.evaluate<string>(`localStorage.getItem('tossup.device')`)
    expect((await site.service.vote(poll.slug, 'B', device)).status).toBe(409)
    expect(await site.tallies(poll)).toMatchObject({ optionA: 1, optionB: 0, total: 1 })
  })

  test('on two sites, and without storage, the same visitor is another device', async () => {
    const poll = await site.createPoll()
    const own = await site.open(`/p/${poll.shortId}`)
    await tapped(own.page, own.page, 'A')
    const other = await site.openWith(`<tossup-poll poll="${poll.shortId}"></tossup-poll>`)
    await tapped(other.page, other.page, 'A')
    const framed = await site.openWith(`<iframe src="${site.url}/embed/poll/${poll.shortId}"></iframe>`)
    await tapped(framed.page, framed.page.frameLocator('iframe'), 'A')
    expect(await site.tallies(poll)).toMatchObject({ optionA: 3, total: 3 })
  })

  test('a page that frames a poll can neither set nor read the device id', async () => {
    const poll = await site.createPoll()
    const device = randomUUID()
    lax.body = `${site.script}<iframe sandbox="allow-scripts allow-same-origin" src="${site.url}/embed/poll/${poll.shortId}?device=${device}&deviceId=${device}&tossup.device=${device}#device=${device}"></iframe>
      <script>
        window.messages = []
        addEventListener('message', ({ data }) => window.messages.push(JSON.stringify(data)))
        const say = (message) => document.querySelector('iframe').contentWindow.postMessage(message, '*')
        addEventListener('load', () => {
          for (const type of ['device', 'init', 'ready', 'voted', 'setDevice']) {
            say({ source: 'tossup', type, device: '${device}', detail: { device: '${device}' } })
            say(JSON.stringify({ type, 'tossup.device': '${device}' }))
          }
        })
      </script>`
    const sent: string[] = []
    site.context.on('request', (request) => {
      const id = request.headers()['x-device-id']
      if (id) sent.push(id)
    })
    const { page } = await site.open(lax.url)
    await tapped(page, page.frameLocator('iframe'), 'B')
    // The vote, and seconds later its receipt.
    expect(new Set(sent).size).toBe(1)
    expect(sent).not.toContain(device)
    const messages = (await page.evaluate<string[]>('window.messages')).join()
    expect(messages).toContain('"voted"')
    expect(messages).not.toContain(sent[0] ?? '')
    expect((await site.service.get(`polls/${poll.slug}/votes/me`, { device })).status).toBe(404)
  })
})
