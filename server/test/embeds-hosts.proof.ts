import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { CHOICE, EmbedSite, told, untilTold } from './embed-site.ts'
import { eventually } from './eventually.ts'
import { HostSite } from './host-site.ts'
import { OBSERVE_SHIFTS, slowDown } from './slow-network.ts'

const WIDTHS = [320, 390, 768, 1440]
const TEXT = `<p>${'Which of the two would you take at breakfast, and why not the other one? '.repeat(8)}</p>`

type Markup = (element: string) => string

const inBox =
  (style: string): Markup =>
  (element) =>
    `<div style="${style}">${element}</div>`
const besideText =
  (style: string): Markup =>
  (element) =>
    `<div style="gap: 16px; align-items: start; ${style}">${TEXT}${element}</div>`
const twice =
  (style: string): Markup =>
  (element) =>
    `<div style="gap: 16px; ${style}">${element}${element}</div>`

/** Boxes of a page that hold an element alone. */
const ALONE: Readonly<Record<string, Markup>> = {
  'plain block': inBox(''),
  'flex row': inBox('display: flex'),
  'flex column': inBox('display: flex; flex-direction: column'),
  'flex column, start': inBox('display: flex; flex-direction: column; align-items: start'),
  'flex column, center': inBox('display: flex; flex-direction: column; align-items: center'),
  'flex column, right to left': inBox('display: flex; flex-direction: column; direction: rtl'),
  stack: inBox('display: flex; flex-flow: column wrap; align-items: stretch; gap: 24px'),
  'wrapping flex row beside text': besideText('display: flex; flex-wrap: wrap'),
  'centering grid': inBox('display: grid; place-items: center'),
  dialog: (element) => `<dialog open>${element}</dialog>`,
  float: inBox('float: left'),
  'absolute box': inBox('position: absolute'),
  'inline-block': inBox('display: inline-block'),
  'fit-content': inBox('width: fit-content'),
  'table cell': (element) => `<table><tr><td>${element}</td></tr></table>`,
}

/** Boxes in which an element and a neighbor share a row. */
const SHARED: Readonly<Record<string, Markup>> = {
  'flex row beside text': besideText('display: flex'),
  'flex row beside a heading': (element) =>
    `<div style="display: flex; gap: 16px; align-items: start"><div><h1>Your breakfast?</h1>${TEXT}</div>${element}</div>`,
  'flex row of two': twice('display: flex'),
  'grid of auto columns': besideText('display: grid; grid-template-columns: auto auto'),
  'grid of two columns': twice('display: grid; grid-template-columns: 1fr 1fr'),
  'grid of two columns, right to left': twice('display: grid; grid-template-columns: 1fr 1fr; direction: rtl'),
  'table cell beside text': (element) => `<table><tr><td>${TEXT}</td><td>${element}</td></tr></table>`,
}

const CARD_GRID = twice('display: grid; grid-template-columns: repeat(auto-fill, minmax(240px, 1fr))')
const HOSTS = { ...ALONE, ...SHARED, 'card grid': CARD_GRID }

interface Seen {
  readonly host: string
  readonly room: number
  readonly width: number
  readonly height: number
  /** How high the element is in a plain block of this width. */
  readonly plainHeight: number
  /** How far the element, or the row it is in, reaches out of its host. */
  readonly outside: number
}

/** The last section is for the plain block, which takes the width of each element in turn. */
const MEASURE = `(() => {
  const sections = [...document.querySelectorAll('section')]
  const plain = sections.pop().firstElementChild
  const measured = sections.flatMap((section) => [...section.querySelectorAll(window.kind)].map((element) => {
    const [host, box] = [section, element].map((each) => each.getBoundingClientRect())
    const outside = Math.max(section.scrollWidth - section.clientWidth, box.right - host.right, host.left - box.left)
    return { host: section.id, room: host.width, width: box.width, height: box.height, outside }
  }))
  return measured.map((each) => {
    plain.style.width = each.width + 'px'
    return { ...each, plainHeight: plain.firstElementChild.getBoundingClientRect().height }
  })
})()`

/** A dialog has a padding of 1em and a border, and a table its spacing. */
const MOST_BORDER = 40

/** The least width of an element: all of its room or 45rem if it is alone, and else 15rem or its share. */
function leastWidth({ host, room }: Seen): number {
  if (host in ALONE) return Math.min(720, room - MOST_BORDER)
  return host === 'card grid' ? Math.min(240, room) : Math.min(240, 0.4 * room)
}

function faultsOf(seen: readonly Seen[]): Seen[] {
  return seen.filter(
    (each) =>
      each.width < leastWidth(each) ||
      each.outside > 0.5 ||
      each.height === 0 ||
      each.height > 1.5 * each.plainHeight ||
      each.plainHeight > 1.5 * each.height,
  )
}

describe.if(hasChromium)('an element in a box of its page', () => {
  let site: EmbedSite
  /** A site without a policy, whose pages may have styles. */
  let lax: HostSite
  const elements: Record<string, string> = {}
  beforeAll(async () => {
    site = await EmbedSite.open()
    lax = new HostSite('')
    const polls = [await site.createPoll({ title: 'Which one at breakfast?' }), await site.createPoll()]
    const campaign = await site.createCampaign(polls)
    elements['tossup-poll'] = `<tossup-poll poll="${polls[0]?.shortId}"></tossup-poll>`
    elements['tossup-campaign'] = `<tossup-campaign campaign="${campaign}"></tossup-campaign>`
    elements['tossup-feed'] = `<tossup-feed brand="${site.brand.slug}"></tossup-feed>`
  }, 60_000)
  afterAll(async () => {
    await lax.stop()
    await site.close()
  })

  async function openLax(body: string): Promise<Page> {
    lax.body = site.script + body
    return (await site.open(lax.url)).page
  }

  async function openHosts(kind: string): Promise<Page> {
    const element = elements[kind] ?? ''
    const sections = Object.entries(HOSTS).map(([name, markup]) => `<section id="${name}">${markup(element)}</section>`)
    const style = '<style>section { position: relative; display: flow-root; min-height: 1px }</style>'
    const page = await openLax(`${style}${sections.join('')}<section><div>${element}</div></section>`)
    await page.evaluate(`window.kind = '${kind}'`)
    return page
  }

  async function measureAt(page: Page, width: number): Promise<Seen[]> {
    await page.setViewportSize({ width, height: 900 })
    return page.evaluate<Seen[]>(MEASURE)
  }

  test.each(['tossup-poll', 'tossup-campaign', 'tossup-feed'])(
    'has the room there is, no more, and its usual height: %s',
    async (kind) => {
      await site.renew({ reducedMotion: 'reduce' })
      const page = await openHosts(kind)
      const count = await page.locator(kind).count()
      await eventually(async () => (await told(page)).filter(({ type }) => type === 'ready').length === count)
      for (const width of WIDTHS) {
        const seen = await measureAt(page, width)
        expect(seen).toHaveLength(count - 1)
        expect([width, faultsOf(seen)]).toEqual([width, []])
      }
      await page.close()
    },
    60_000,
  )

  test('has the same width while it waits for its data, and where it has failed', async () => {
    await site.renew({ reducedMotion: 'reduce' })
    await site.context.route('**/embed/words/**', () => undefined)
    const waiting = await openHosts('tossup-poll')
    await waiting.locator('.waiting').last().waitFor()
    for (const width of WIDTHS) expect([width, faultsOf(await measureAt(waiting, width))]).toEqual([width, []])
    await site.context.unrouteAll()
    await site.context.route('**/api/rest/v1/polls/**', (route) => route.fulfill({ status: 404, json: {} }))
    const failed = await openHosts('tossup-poll')
    const count = await failed.locator('tossup-poll').count()
    await eventually(async () => (await failed.locator('.notice:visible').count()) === count)
    for (const width of WIDTHS) expect([width, faultsOf(await measureAt(failed, width))]).toEqual([width, []])
  }, 60_000)

  test.each([
    ['max-width: 30rem', 'display: flex; flex-direction: column', [200, 480]],
    ['max-width: none; width: 100%', 'display: flex', [0, 880]],
    ['max-width: none', '', [0, 880]],
    ['margin: 0', 'display: flex; flex-direction: column', [0, 720]],
    ['margin: 0 2rem', '', [32, 720]],
    ['margin: 0 2rem', 'width: 500px', [32, 436]],
    ['width: 25rem; margin: 0', 'display: grid', [0, 400]],
    ['', 'width: 200px; display: grid; overflow: auto', [0, 200]],
    ['', 'width: 200px; display: flex; overflow: auto', [0, 200]],
    ['width: 6rem; min-width: 0; margin: 0', 'display: flex', [0, 96]],
  ])('follows the page around it: %s', async (rule, box, place) => {
    await site.renew({ viewport: { width: 880, height: 800 } })
    const style = `<style>body { margin: 0 } tossup-poll { ${rule} }</style>`
    const page = await openLax(`${style}<div style="${box}">${elements['tossup-poll']}</div>`)
    await untilTold(page, 'ready')
    const { x, width } = (await page.locator('tossup-poll').boundingBox()) ?? {}
    expect([x, width]).toEqual(place)
    expect(
      await page.evaluate<boolean>(
        `(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector('div'))`,
      ),
    ).toBe(false)
  })

  test('takes no room while it is hidden', async () => {
    await site.renew()
    const hidden = elements['tossup-poll']?.replace('>', ' hidden>') ?? ''
    const page = await openLax(`<div style="display: inline-flex">${hidden}</div>${elements['tossup-poll']}`)
    await untilTold(page, 'ready', 2)
    expect(await page.locator('div').first().boundingBox()).toMatchObject({ width: 0, height: 0 })
  })

  test('moves nothing beside it on a slow network, where the page gives it a width as the guide says', async () => {
    await site.renew({ viewport: { width: 1200, height: 800 } })
    const page = await site.context.newPage()
    await page.addInitScript(OBSERVE_SHIFTS)
    await slowDown(page)
    const style = '<style>tossup-poll { display: block; min-height: 22rem; width: 50%; flex: none }</style>'
    lax.body = `${site.script}${style}${besideText('display: flex')(elements['tossup-poll'] ?? '')}<p>After</p>`
    await page.goto(lax.url)
    await page.locator(CHOICE.A).waitFor()
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    expect(await page.evaluate<number>('window.shift')).toBe(0)
  }, 60_000)
})
