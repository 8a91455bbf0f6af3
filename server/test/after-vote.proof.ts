import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { LANGS, wordsOf } from '../../embed/src/words.ts'
import { hasChromium } from '../../embed/test/browser.ts'
import { CHOICE, EmbedSite, told, untilTold } from './embed-site.ts'
import { eventually } from './eventually.ts'
import { deletePoll } from './polls.ts'
import type { PollData } from './service.ts'

// A browser draws slowly on a busy machine.
setDefaultTimeout(90_000)

/** Stricter than the score, which leaves out what moves within 500 ms of a press. */
const SHIFTS =
  'window.shift = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.shift += entry.value }).observe({ type: "layout-shift", buffered: true })'
const SHARES = 'navigator.share = async (data) => { window.shared = data }'
const NO_SHARING =
  "for (const name of ['share', 'clipboard']) Object.defineProperty(navigator, name, { value: undefined }); document.execCommand = () => { window.copied = document.activeElement.value; return true }"

describe.if(hasChromium)('after a vote', () => {
  let site: EmbedSite
  beforeAll(async () => {
    site = await EmbedSite.open({ settings: { VOTES_PER_MINUTE: '1000' } })
  }, 60_000)
  afterAll(() => site.close())
  beforeEach(() => site.renew({ reducedMotion: 'reduce' }))

  const share = (page: Page, lang = 'en') => page.getByRole('button', { name: wordsOf(lang).shareAnswer })
  /** A brand of its own, because the next poll is one of its feed. */
  async function brandWith(...titles: string[]): Promise<PollData[]> {
    const brand = await site.service.createBrand()
    const polls: PollData[] = []
    for (const title of titles) polls.push(await site.service.createPoll(brand, { title }))
    return polls
  }

  test('on a page of ours the next open poll is a link, the answer is shared, and nothing moves', async () => {
    const [next, voted, poll] = (await brandWith('Next one?', 'Voted before?', 'This one?')) as PollData[]
    const before = await site.open(`/p/${voted?.shortId}`)
    await before.page.locator(CHOICE.B).click()
    await untilTold(before.page, 'voted')
    for (const [width, lang] of [
      [320, 'de'],
      [390, 'ar'],
      [1024, 'en'],
    ] as const) {
      const page = await site.context.newPage()
      await page.setViewportSize({ width, height: 700 })
      await page.addInitScript(`${SHIFTS}; ${SHARES}`)
      await page.goto(`${site.url}/p/${poll?.shortId}?lang=${lang}`)
      const card = await page.locator('.poll').boundingBox()
      if (width === 320) await page.locator(CHOICE.A).click()
      await share(page, lang).click()
      expect(await page.evaluate<unknown>('window.shared')).toEqual({
        title: 'This one?',
        text: `This one? ${wordsOf(lang).myAnswer.replace('#', 'Tea')}`,
        url: `${site.url}/p/${poll?.shortId}?side=A`,
      })
      const link = page.getByRole('link', { name: `${wordsOf(lang).next}: Next one?` })
      await link.waitFor()
      expect(await page.locator('.poll').boundingBox()).toEqual(card)
      // A label of one choice moves by a part of a pixel; nothing else does.
      expect(await page.evaluate<number>('window.shift')).toBeLessThan(0.001)
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      const { x = 0, width: wide = 0 } = (await link.boundingBox()) ?? {}
      expect(x >= (card?.x ?? 0) && x + wide <= (card?.x ?? 0) + (card?.width ?? 0)).toBe(true)
      await link.click()
      await page.waitForURL(`${site.url}/p/${next?.shortId}?lang=${lang}`)
      await page.close()
    }
  }, 90_000)

  test('in a page of others the next poll takes the place of this one, with the keyboard, and leads on until none is left', async () => {
    const [last, poll] = (await brandWith('The last?', 'The first?')) as PollData[]
    const { page, complaints } = await site.openWith(`<tossup-poll poll="${poll?.shortId}"></tossup-poll>`)
    await page.locator(CHOICE.A).press('Enter')
    await untilTold(page, 'voted')
    await page.getByRole('button', { name: 'Next: The last?' }).press('Enter')
    await page.getByRole('heading', { name: 'The last?' }).waitFor()
    await untilTold(page, 'ready', 2)
    expect(await page.locator('nav').count()).toBe(0)
    expect(await page.getAttribute('tossup-poll', 'poll')).toBe(last?.shortId ?? '')
    await eventually(async () => (await page.locator('[data-option="A"]:focus').count()) === 1)
    await page.keyboard.press('Enter')
    await untilTold(page, 'voted', 2)
    await share(page).waitFor()
    expect((await told(page)).filter(({ type }) => type === 'voted').map(({ detail }) => detail['poll'])).toEqual([
      poll?.shortId,
      last?.shortId,
    ])
    expect(await page.getByRole('button', { name: /^Next/ }).count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test('without sharing the answer is copied, and the button says so; an attribute switches all of it off', async () => {
    const [poll] = (await brandWith('Copied?')) as PollData[]
    const page = await site.context.newPage()
    await page.addInitScript(NO_SHARING)
    site.host.body = `${site.script}<tossup-poll poll="${poll?.shortId}"></tossup-poll>`
    await page.goto(site.host.url)
    await page.locator(CHOICE.A).click()
    await share(page).click()
    await page.locator('nav .say').getByText('Link copied').waitFor()
    expect(await page.evaluate<unknown>('window.copied')).toBe(
      `Copied? My answer: Tea\n${site.url}/p/${poll?.shortId}?side=A`,
    )
    expect(await page.locator('nav [role="status"]').textContent()).toBe('Link copied')
    await page.locator('nav .say').getByText('Share my answer').waitFor()
    await page.evaluate("document.querySelector('tossup-poll').setAttribute('hideafter', '')")
    await page.locator('nav').waitFor({ state: 'detached' })
  })

  test('the end of a campaign can be shared, and leads to other polls of the brand', async () => {
    const brand = await site.service.createBrand()
    const [other, one, gone, two] = await Promise.all(
      ['Another?', 'One?', 'Gone?', 'Two?'].map((title) => site.service.createPoll(brand, { title })),
    )
    const json = { title: 'A campaign', polstIds: [one, gone, two].map((poll) => poll?.id) }
    const made = await site.service.write<{ campaignId: string }>('POST', 'brands/me/campaigns', {
      token: brand.token,
      json,
    })
    const campaign = made.body.data.campaignId
    const page = await site.context.newPage()
    await page.addInitScript(SHARES)
    await page.goto(`${site.url}/c/${campaign}?autoAdvance=false`)
    const next = page.getByRole('button', { name: 'Next', exact: true })
    const atEnd = page.locator('.steps-place').getByText('All done. Thank you!')
    await page.locator(CHOICE.A).click()
    // The step in the middle is deleted while the campaign is open: it says so, and leads on; after a reload it is not there.
    await deletePoll(site.service, brand, gone?.slug ?? '')
    await next.click()
    await page.getByRole('heading', { name: 'Gone?' }).waitFor()
    await page.locator(CHOICE.A).click()
    await page.getByText('This poll isn’t available.').waitFor()
    await next.click()
    await page.getByRole('heading', { name: 'Two?' }).waitFor()
    await page.reload()
    await page.getByText('2 / 2', { exact: true }).waitFor()
    await page.getByRole('heading', { name: 'Two?' }).waitFor()
    await page.locator(CHOICE.B).click()
    await next.click()
    await atEnd.waitFor()
    await page.locator('.farewell').getByRole('button', { name: 'Share' }).click()
    expect(await page.evaluate<unknown>('window.shared')).toEqual({
      title: 'A campaign',
      text: 'A campaign',
      url: `${site.url}/c/${campaign}`,
    })
    const more = page.getByRole('link', { name: 'Another?', exact: true })
    expect(await more.getAttribute('href')).toBe(`${site.url}/p/${other?.slug}`)
    expect(await page.getByRole('link', { name: /^More from/ }).getAttribute('href')).toBe(
      `${site.url}/b/${brand.slug}`,
    )
    await page.reload()
    await atEnd.waitFor()
    await more.waitFor()
    await page.goto(`${site.url}/c/${campaign}?hideAfter`)
    await atEnd.waitFor()
    expect(await page.locator('.farewell').count()).toBe(0)
  }, 60_000)

  test('the end of a campaign leads to open campaigns of the brand first, and not to those that are done, over or hidden', async () => {
    const brand = await site.service.createBrand()
    const titles = ['Ours', 'Theirs', 'Theirs too', 'Done', 'Closed', 'Hidden', 'Alone']
    const polls = await Promise.all(titles.map((title) => site.service.createPoll(brand, { title })))
    const campaignOf = async (title: string, members: readonly string[], fields: object = {}) => {
      const polstIds = polls.filter((poll) => members.includes(poll.title)).map(({ id }) => id)
      const ask = { token: brand.token, json: { title, polstIds, ...fields } }
      const reply = await site.service.write<{ campaignId: string }>('POST', 'brands/me/campaigns', ask)
      expect(reply.status).toBe(201)
      return reply.body.data.campaignId
    }
    const ours = await campaignOf('Ours', ['Ours'])
    const theirs = await campaignOf('Another campaign', ['Theirs', 'Theirs too'])
    const done = await campaignOf('A done campaign', ['Done'])
    await campaignOf('A closed campaign', ['Closed'], { closesAt: new Date(Date.now() - 1000).toISOString() })
    await campaignOf('A hidden campaign', ['Hidden'], { isPublic: false })
    const { page, complaints } = await site.open(`/c/${done}`)
    await page.locator(CHOICE.A).click()
    await untilTold(page, 'completed')
    await page.goto(`${site.url}/c/${ours}?autoAdvance=false`)
    await page.locator(CHOICE.A).click()
    await untilTold(page, 'completed')
    await page.getByRole('button', { name: 'Next', exact: true }).click()
    await page.locator('nav.farewell').waitFor()
    const links = page.locator('nav.farewell .poll-link')
    const shown = await Promise.all(
      (await links.all()).map(async (link) => [await link.textContent(), await link.getAttribute('href')]),
    )
    const linkTo = (title: string) => [title, `${site.url}/p/${polls.find((poll) => poll.title === title)?.slug}`]
    expect(shown[0]).toEqual(['Another campaign', `${site.url}/c/${theirs}`])
    // A poll of a campaign that is offered is not offered once more.
    expect(shown.slice(1).sort()).toEqual([linkTo('Alone'), linkTo('Closed'), linkTo('Hidden')])
    expect(await links.first().locator('.segment').count()).toBe(2)
    expect(complaints).toEqual([])
  }, 60_000)

  test('its texts exist in each language', () => {
    for (const lang of LANGS) {
      const { myAnswer, moreFrom, download } = wordsOf(lang)
      for (const words of [myAnswer, moreFrom, download]) expect(words.split('#')).toHaveLength(2)
    }
  })
})
