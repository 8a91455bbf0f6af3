import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { CHOICE, EmbedSite, told, untilTold } from './embed-site.ts'
import { eventually } from './eventually.ts'
import { HOST_POLICY, HostSite } from './host-site.ts'
import type { PollData } from './service.ts'

describe.if(hasChromium)('an element in the page of a host', () => {
  let site: EmbedSite
  let poll: PollData
  const hosts: HostSite[] = []
  beforeAll(async () => {
    site = await EmbedSite.open()
  }, 60_000)
  afterAll(async () => {
    for (const host of hosts) await host.stop()
    await site.close()
  })
  beforeEach(async () => {
    await site.renew()
    poll = await site.createPoll()
  })

  async function openUnder(policy: string, markup: string): Promise<{ page: Page; complaints: string[] }> {
    const host = new HostSite(policy)
    hosts.push(host)
    host.body = site.script + markup
    return site.open(host.url)
  }
  const element = (attributes = '') =>
    `<tossup-poll poll="${poll.shortId}"${attributes}><a href="/vote">Vote here</a></tossup-poll>`
  const stored = (page: Page) => page.evaluate<string>('Object.keys(localStorage).sort().join()')
  const deviceIn = (page: Page) => page.evaluate<string | null>("localStorage.getItem('tossup.device')")

  test('that enforces Trusted Types votes, leads on and shows a campaign by the policy `tossup`, without a violation', async () => {
    const next = await site.createPoll()
    const campaign = await site.createCampaign([poll])
    const policy = `${HOST_POLICY(site.url)}; require-trusted-types-for 'script'; trusted-types tossup`
    const list = `<tossup-campaign campaign="${campaign}"></tossup-campaign><tossup-feed brand="${site.brand.slug}"></tossup-feed>`
    const { page, complaints } = await openUnder(policy, `<tossup-poll poll="${next.shortId}"></tossup-poll>${list}`)
    await page.locator('tossup-feed article').first().waitFor()
    await page.locator('tossup-campaign').locator(CHOICE.A).click()
    await page.locator('tossup-campaign .go-on').click()
    await page.locator('tossup-campaign .farewell button').first().waitFor()
    await page.locator('tossup-poll').locator(CHOICE.A).click()
    await page.locator('tossup-poll .after').waitFor()
    // Shown before the service has answered.
    await eventually(async () => (await site.tallies(next)).total > 0)
    expect(await site.tallies(next)).toMatchObject({ optionA: 1, total: 1 })
    expect(complaints).toEqual([])
  })

  test('that allows no policy shows its link, and tells one error', async () => {
    const policy = `${HOST_POLICY(site.url)}; require-trusted-types-for 'script'; trusted-types 'none'`
    const { page } = await openUnder(policy, element())
    expect(await untilTold(page, 'error')).toEqual({ type: 'error', detail: { code: 'RENDER_FAILED' } })
    expect(await page.getByRole('link', { name: 'Vote here' }).isVisible()).toBe(true)
    expect((await told(page)).map(({ type }) => type)).toEqual(['error'])
  })

  test('that cannot be drawn later shows its link too', async () => {
    const { page } = await openUnder('', element())
    await untilTold(page, 'ready')
    await page.evaluate("Intl.PluralRules.prototype.select = () => { throw new Error('broken') }")
    await site.service.vote(poll.slug, 'A')
    await page.locator(CHOICE.B).click()
    expect(await untilTold(page, 'error')).toEqual({ type: 'error', detail: { code: 'RENDER_FAILED' } })
    expect(await page.getByRole('link', { name: 'Vote here' }).isVisible()).toBe(true)
  })

  test('takes no vote of a script', async () => {
    const { page } = await openUnder('', element())
    await untilTold(page, 'ready')
    await page.evaluate(`{
      const option = document.querySelector('tossup-poll').shadowRoot.querySelector('[data-option="A"]')
      option.click()
      option.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true }))
    }`)
    await page.locator(CHOICE.B).focus()
    await page.keyboard.press('Enter')
    expect(await untilTold(page, 'voted')).toMatchObject({ detail: { option: 'B' } })
    expect(await site.tallies(poll)).toMatchObject({ optionA: 0, optionB: 1, total: 1 })
  })

  // Names that libraries give to every object, and names that browsers read as options of requests and listeners.
  test.each([...['extend', 'get', 'body', 'signal', 'method', 'mode', 'cache', 'redirect', 'credentials', 'toJSON']])(
    'votes where `Object.prototype.%s` is a function',
    async (name) => {
      const extension = `<script>Object.prototype['${name}'] = function () { return 1 }</script>`
      const { page } = await openUnder('', extension + element())
      await page.locator(CHOICE.A).click()
      await untilTold(page, 'voted')
      expect(await site.tallies(poll)).toMatchObject({ optionA: 1, total: 1 })
    },
  )

  test('is moved without a request and without a second `ready`', async () => {
    const places = '<section></section><div hidden></div><main lang="en"></main>'
    const steps = [await site.createPoll(), await site.createPoll()]
    const campaign = await site.createCampaign(steps)
    const markup = `${element()}<tossup-campaign campaign="${campaign}"></tossup-campaign>${places}`
    const before: string[] = []
    site.context.on('request', (request) => before.push(request.url()))
    const { page, complaints } = await openUnder('', markup)
    await untilTold(page, 'ready', 2)
    const receipt = page.waitForResponse(/\/receipt$/)
    await page.locator('tossup-poll').locator(CHOICE.A).click()
    await untilTold(page, 'voted')
    await page.locator('.after').waitFor()
    await receipt
    // Views are counted when the page is idle: a slow page is late.
    const views = () => before.filter((url) => new URL(url).pathname.endsWith('/views'))
    await eventually(() => views().length === 2, { seen: () => before })
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    for (const place of ['section', 'main']) {
      await page.evaluate(
        `document.querySelector('${place}').append(...document.querySelectorAll('tossup-poll, tossup-campaign'))`,
      )
    }
    await page.evaluate("document.querySelector('section').moveBefore?.(document.querySelector('tossup-poll'), null)")
    await site.service.vote(poll.slug, 'B')
    await page.locator('tossup-poll').getByText('50%').first().waitFor()
    await page.locator('tossup-campaign').locator(CHOICE.B).click()
    await untilTold(page, 'step')
    expect((await told(page)).filter(({ type }) => type === 'ready')).toHaveLength(2)
    const ofVotes = new RegExp(`/(votes|${steps[0]?.id}/votes/me/receipt|progress|stream\\?polls=[\\w,-]+)$`)
    expect(requests.filter((url) => !ofVotes.test(url))).toEqual([])
    expect(complaints).toEqual([])
    // An element that is taken out and put back later starts from the beginning.
    await page.evaluate("globalThis.taken = document.querySelector('tossup-poll'); taken.remove()")
    // Real time: a turn of the page's event loop.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve))')
    await page.evaluate('document.body.append(taken)')
    await untilTold(page, 'ready', 3)
    await page.locator('tossup-poll [data-option="A"][aria-pressed="true"]').waitFor()
  })

  test('with `storage="none"` stores and reads nothing until the page has consent, and then keeps what was voted', async () => {
    const other = await site.createPoll()
    const silent = ' storage="none"'
    const { page } = await openUnder(
      '',
      `<script>localStorage.setItem('own', '1'); globalThis.read = []
      Storage.prototype.getItem = new Proxy(Storage.prototype.getItem, { apply: (get, self, [key]) => { read.push(key); return get.call(self, key) } })</script>
      ${element(silent)}<tossup-poll id="other" poll="${other.shortId}"${silent}></tossup-poll>`,
    )
    await page.locator('tossup-poll').first().locator(CHOICE.A).click()
    await untilTold(page, 'voted')
    expect([await stored(page), await page.evaluate<string[]>('read')]).toEqual(['own', []])

    // The consent holds for the page: each element must say so.
    await page.evaluate("document.querySelector('tossup-poll').removeAttribute('storage')")
    await page.locator('#other').locator(CHOICE.B).click()
    await untilTold(page, 'voted', 2)
    expect(await stored(page)).toBe('own')
    await page.evaluate("document.querySelector('#other').removeAttribute('storage')")
    await eventually(async () => (await stored(page)) === 'own,tossup.device,tossup.receipts,tossup.voted')
    await page.evaluate("document.querySelectorAll('tossup-poll').forEach((each) => each.removeAttribute('storage'))")
    const device = await deviceIn(page)
    for (const { slug } of [poll, other]) {
      const own = await site.service.get<{ option: string }>(`polls/${slug}/votes/me`, { device: device ?? '' })
      expect(own.status).toBe(200)
    }
    expect(await site.tallies(other)).toMatchObject({ optionB: 1, total: 1 })
  })

  test('with `storage="none"` keeps the device and the waiting votes of an earlier visit, and adds its own', async () => {
    const { id } = await site.createPoll()
    const before = { id: 'before', poll: id, option: 'A', deviceId: crypto.randomUUID(), queuedAt: Date.now() }
    const key = `tossup.votes ${site.url}`
    const earlier = { 'tossup.device': crypto.randomUUID(), 'tossup.voted': 'x', [key]: JSON.stringify([before]) }
    const { page } = await openUnder('', element(' storage="none"'))
    await untilTold(page, 'ready')
    await page.evaluate(`Object.assign(localStorage, ${JSON.stringify(earlier)})`)
    const part = page.waitForResponse(/parts\/after/)
    await page.locator(CHOICE.A).hover()
    await (await part).finished()
    await page.context().setOffline(true)
    await page.locator(CHOICE.A).click()
    await untilTold(page, 'error')
    await page.evaluate("document.querySelector('tossup-poll').removeAttribute('storage')")
    const votes = () => page.evaluate<{ id: string }[]>(`JSON.parse(localStorage.getItem(${JSON.stringify(key)}))`)
    const both = await eventually(async () => ((await votes()).length === 2 ? votes() : null))
    expect(both[0]?.id).toBe('before')
    expect(await deviceIn(page)).toBe(earlier['tossup.device'])
    await page.context().setOffline(false)
  })

  test('has borders around its choices in forced colours, before and after the vote', async () => {
    await site.renew({ forcedColors: 'active' })
    const { page } = await openUnder('', element())
    const borders = `[...document.querySelector('tossup-poll').shadowRoot.querySelectorAll('.option')].map((option) => getComputedStyle(option).borderWidth)`
    await untilTold(page, 'ready')
    expect(await page.evaluate<string[]>(borders)).toEqual(['2px', '2px'])
    await page.locator(CHOICE.A).click()
    await untilTold(page, 'voted')
    expect(await page.evaluate<string[]>(borders)).toEqual(['2px', '2px'])
  })

  test('with `?storage=none` a frame and a page store nothing', async () => {
    for (const path of ['p', 'embed/poll']) {
      const { page, complaints } = await site.open(`/${path}/${poll.shortId}?storage=none`)
      await page.locator(CHOICE.A).click()
      await untilTold(page, 'voted')
      expect(await stored(page)).toBe('')
      expect(complaints).toEqual([])
    }
    expect(await site.tallies(poll)).toMatchObject({ optionA: 2 })
  })
})
