import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { seedDemo } from '../src/cli/demo/seed.ts'
import { CHOICE, EmbedSite } from './embed-site.ts'
import type { PollData } from './service.ts'

/** `UPDATE_SCREENSHOTS=1 npm test -- server/test/states.proof.ts` takes new screenshots for the guide to states. */
const isTaken = process.env['UPDATE_SCREENSHOTS'] === '1'
const folder = new URL('../../docs/guides/images/states/', import.meta.url)

const WIDE = { viewport: { width: 640, height: 560 } }
const TALL = { viewport: { width: 640, height: 1900 } }
const NOTED = { viewport: { width: 640, height: 640 } }
const NARROW = { viewport: { width: 320, height: 480 } }
const LONG =
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft, or what it was called before'

/** A loaded picture may not be decoded yet. */
const DECODED = `Promise.all([...document.querySelectorAll('tossup-poll, tossup-campaign, tossup-feed')].flatMap((element) =>
  [...element.shadowRoot.querySelectorAll('img')].filter((image) => image.getBoundingClientRect().top < innerHeight).map((image) => image.decode())))`

interface Shot {
  readonly name: string
  /** On the third-party site if this is markup. */
  readonly at: (made: Made) => string
  readonly around?: BrowserContextOptions
  readonly act?: (page: Page, site: EmbedSite) => Promise<void>
  /** The element whose presence shows that the state is reached. */
  readonly until: string
}

interface Made {
  readonly campaign: string
  readonly long: PollData
  readonly scheduled: PollData
  readonly hidden: PollData
  readonly plain: PollData
  readonly emptyBrand: string
}

const vote = (page: Page) => page.locator(CHOICE.A).first().click()
/** With what follows a vote. */
async function voteAlone(page: Page): Promise<void> {
  await vote(page)
  await page.locator('nav.after').waitFor()
}
const results = 'article[data-state~="results"]'

async function voteOffline(page: Page, site: EmbedSite): Promise<void> {
  await page.locator(CHOICE.A).waitFor()
  await site.context.setOffline(true)
  await vote(page)
}

const SHOTS: readonly Shot[] = [
  { name: 'poll-light', at: () => '/p/tea-or-coffee', until: 'article[data-state="open"]' },
  { name: 'poll-dark', at: () => '/p/tea-or-coffee', around: { colorScheme: 'dark' }, until: 'article' },
  { name: 'poll-narrow', at: () => '/p/tea-or-coffee', around: NARROW, until: 'article' },
  { name: 'poll-arabic', at: () => '/p/tea-or-coffee?lang=ar', act: voteAlone, until: results },
  { name: 'results-light', at: () => '/p/mountains-or-sea', act: voteAlone, until: results },
  {
    name: 'results-dark',
    at: () => '/p/mountains-or-sea',
    around: { colorScheme: 'dark' },
    act: voteAlone,
    until: results,
  },
  { name: 'results-narrow', at: () => '/p/mountains-or-sea', around: NARROW, act: voteAlone, until: results },
  { name: 'without-pictures', at: ({ plain }) => `/p/${plain.shortId}`, act: voteAlone, until: results },
  { name: 'closed', at: () => '/p/croissant-or-cinnamon-roll', until: 'article[data-state="closed results"]' },
  { name: 'scheduled', at: ({ scheduled }) => `/p/${scheduled.shortId}`, until: 'article[data-state="scheduled"]' },
  { name: 'hidden', at: ({ hidden }) => `/p/${hidden.shortId}`, act: voteAlone, until: 'article[data-state="voted"]' },
  { name: 'long-labels', at: ({ long }) => `/p/${long.shortId}`, act: voteAlone, until: results },
  {
    name: 'long-labels-narrow',
    at: ({ long }) => `/p/${long.shortId}`,
    around: { viewport: { width: 320, height: 680 } },
    act: voteAlone,
    until: results,
  },
  {
    name: 'forced-colours',
    at: () => '/p/tea-or-coffee',
    around: { forcedColors: 'active' },
    act: voteAlone,
    until: results,
  },
  {
    name: 'focus',
    at: () => '/p/tea-or-coffee',
    act: (page) => page.locator(CHOICE.B).press('Shift'),
    until: '[data-option="B"]:focus-visible',
  },
  {
    name: 'offline',
    at: () => '/p/tea-or-coffee',
    around: NOTED,
    act: voteOffline,
    until: 'article[data-state="waiting"]',
  },
  {
    name: 'not-sent',
    around: NOTED,
    at: () => '/p/tea-or-coffee',
    act: async (page) => {
      await page.route('**/votes', (route) => route.abort())
      await vote(page)
    },
    until: '.retry',
  },
  {
    name: 'not-loaded',
    at: () => '<tossup-poll poll="tea-or-coffee"></tossup-poll>',
    act: (page) => page.route('**/rest/v1/polls/*', (route) => route.abort()).then(() => void page.reload()),
    until: '.retry',
  },
  { name: 'gone', at: () => '<tossup-poll poll="not-there"></tossup-poll>', until: '[role="alert"]' },
  { name: 'missing-page', at: () => '/p/not-there', until: 'main > .status' },
  { name: 'frame', at: () => '/embed/poll/tea-or-coffee?theme=dark', until: 'article' },
  { name: 'campaign', at: ({ campaign }) => `/c/${campaign}`, act: vote, until: '.go-on' },
  {
    name: 'campaign-end',
    around: TALL,
    at: ({ campaign }) => `/c/${campaign}?autoAdvance=false`,
    act: async (page) => {
      for (let step = 1; step <= 3; step++) {
        await page.getByText(`${step} / 3`, { exact: true }).waitFor()
        await vote(page)
        await page.locator('.go-on').click()
      }
    },
    until: 'article:nth-of-type(1)[data-state="voted results"]',
  },
  { name: 'brand', at: () => '/b/corner-cafe', around: TALL, act: vote, until: results },
  {
    name: 'brand-narrow-arabic-dark',
    at: () => '/b/corner-cafe?lang=ar',
    around: { ...NARROW, colorScheme: 'dark' },
    until: 'article',
  },
  { name: 'nothing', at: ({ emptyBrand }) => `/b/${emptyBrand}`, until: '.nothing' },
]

describe.if(hasChromium)('every page and state', () => {
  let site: EmbedSite
  let made: Made
  beforeAll(async () => {
    let campaign = ''
    site = await EmbedSite.open({
      // The pictures of the guides show what visitors' browsers show.
      isWholeBrowser: true,
      async prepare({ service }) {
        campaign = (await seedDemo(service))?.campaignId ?? ''
      },
    })
    const json = { name: 'Friday Club' }
    await site.service.write('PATCH', 'brands/me', { token: site.brand.token, json })
    const plain = await site.createPoll({
      title: 'Pizza or sushi on Friday?',
      optionA: { label: 'Pizza' },
      optionB: { label: 'Sushi' },
    })
    for (const option of ['A', 'A', 'B']) await site.service.vote(plain.slug, option)
    const empty = await site.service.createBrand()
    await site.service.write('PATCH', 'brands/me', { token: empty.token, json: { name: 'Saturday Club' } })
    const long = await site.createPoll({
      title: `${LONG}?`,
      optionA: { label: LONG.slice(0, 80) },
      optionB: { label: 'אחרי ארוחת הצהריים' },
    })
    const opensAt = '2099-06-01T09:00:00.000Z'
    made = {
      campaign,
      long,
      scheduled: await site.createPoll({
        title: 'Summer party: beach or barbecue?',
        optionA: { label: 'Beach' },
        optionB: { label: 'Barbecue' },
        opensAt,
      }),
      hidden: await site.createPoll({
        title: 'Who should win?',
        optionA: { label: 'Red' },
        optionB: { label: 'Blue' },
        resultsVisibility: 'after_close',
      }),
      plain,
      emptyBrand: empty.slug,
    }
    if (isTaken) mkdirSync(folder, { recursive: true })
  }, 60_000)
  afterAll(() => site.close())

  test.each(SHOTS.map((shot) => [shot.name, shot] as const))('is as it should be: %s', async (name, shot) => {
    await site.renew({ ...WIDE, reducedMotion: 'reduce', ...shot.around })
    // Pictures have the public URL of the service, which here differs from the address that it listens on.
    await site.context.route('**/files/**', async (route) => {
      const answer = await fetch(new URL(new URL(route.request().url()).pathname, site.url))
      await route.fulfill({ contentType: 'image/webp', body: Buffer.from(await answer.arrayBuffer()) })
    })
    const where = shot.at(made)
    const { page } = await (where.startsWith('/') ? site.open(where) : site.openWith(where))
    await shot.act?.(page, site)
    await page.locator(shot.until).first().waitFor()
    const isWider = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
    expect(isWider).toBe(false)
    if (!isTaken) return
    await page.evaluate(DECODED)
    const png = await page.screenshot()
    const { width } = (shot.around?.viewport ?? WIDE.viewport) as { width: number }
    const webp = await new Bun.Image(png).resize(Math.min(width, 480)).webp({ quality: 80 }).bytes()
    await Bun.write(fileURLToPath(new URL(`${name}.webp`, folder)), webp)
  })

  test.each([
    [360, 740],
    [390, 760],
  ])('the way to the next step of a campaign is in view on a phone of %i by %i', async (width, height) => {
    await site.renew({ viewport: { width, height }, reducedMotion: 'reduce' })
    const { page } = await site.open(`/c/${made.campaign}?autoAdvance=false`)
    await vote(page)
    await page.locator('.go-on').waitFor()
    const { y = 0, height: tall = 0 } = (await page.locator('.go-on').boundingBox()) ?? {}
    expect(tall).toBeGreaterThan(40)
    expect(y + tall).toBeLessThanOrEqual(height)
  })
})
