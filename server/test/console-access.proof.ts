import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, Page, Request } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { ConsoleBrowser } from './console-browser.ts'
import { type ConsoleScene, fillConsole } from './console-scene.ts'
import { docsBuilt } from './docs-built.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import type { TestMember } from './people.ts'
import { startTestService, type TestService } from './service.ts'

/** `UPDATE_SCREENSHOTS=1 npm test -- server/test/console-access.proof.ts` takes new pictures for the guide to the console. */
const isTaken = process.env['UPDATE_SCREENSHOTS'] === '1'
const folder = new URL('../../docs/guides/images/', import.meta.url)
const ROUTER = new URL('../../console/src/router.tsx', import.meta.url)

interface Place {
  /** The path as in `router.tsx`. */
  readonly route: string
  readonly at: (scene: ConsoleScene) => string
  /** Brings the page into the state that is looked at. */
  readonly act?: (page: Page) => Promise<void>
}

const ofBrand =
  (path: string) =>
  ({ brand }: ConsoleScene): string =>
    brand.slug + path

const openDialog = async (page: Page) => {
  await page.getByRole('main').getByRole('button').first().click()
  await page.getByRole('dialog').waitFor()
}

const openBulk = async (page: Page) => {
  await page.getByRole('checkbox').first().check()
  await page.locator('section [aria-haspopup=menu]').click()
  await page.getByRole('menuitem').last().click()
  await page.getByRole('dialog').waitFor()
}

const PLACES: readonly Place[] = [
  { route: '/me', at: () => 'me' },
  { route: '/_service', at: () => '_service' },
  { route: '/$brand/', at: ofBrand('') },
  { route: '/$brand/', at: ({ empty }) => empty.slug },
  { route: '/$brand/polls', at: ofBrand('/polls') },
  { route: '/$brand/polls', at: ofBrand('/polls?q=nothing') },
  { route: '/$brand/polls', at: ({ empty }) => `${empty.slug}/polls` },
  { route: '/$brand/polls', at: ofBrand('/polls'), act: (page) => page.getByRole('checkbox').first().check() },
  { route: '/$brand/polls', at: ofBrand('/polls?tag=drinks'), act: openBulk },
  { route: '/$brand/polls/new', at: ofBrand('/polls/new?template=design') },
  { route: '/$brand/polls/new', at: ofBrand('/polls/new'), act: openDialog },
  { route: '/$brand/polls/$poll', at: ({ brand, poll }) => `${brand.slug}/polls/${poll.shortId}` },
  {
    route: '/$brand/polls/$poll',
    at: ({ brand, draft }) => `${brand.slug}/polls/${draft.shortId}`,
    async act(page) {
      await page.getByRole('main').locator('section').first().getByRole('button').click()
      await page.locator('section.copy-value').waitFor()
    },
  },
  { route: '/$brand/polls/$poll', at: ofBrand('/polls/not-there') },
  { route: '/$brand/polls/$poll', at: ({ brand, poll }) => `${brand.slug}/polls/${poll.shortId}`, act: openDialog },
  { route: '/$brand/polls/$poll/edit', at: ({ brand, poll }) => `${brand.slug}/polls/${poll.shortId}/edit` },
  { route: '/$brand/compare', at: ofBrand('/compare') },
  { route: '/$brand/compare', at: ({ brand, poll }) => `${brand.slug}/compare?mode=periods&polls=${poll.id}` },
  { route: '/$brand/campaigns', at: ofBrand('/campaigns') },
  { route: '/$brand/campaigns/new', at: ofBrand('/campaigns/new') },
  { route: '/$brand/campaigns/$campaign', at: ({ brand, campaignId }) => `${brand.slug}/campaigns/${campaignId}` },
  {
    route: '/$brand/campaigns/$campaign/edit',
    at: ({ brand, campaignId }) => `${brand.slug}/campaigns/${campaignId}/edit`,
  },
  { route: '/$brand/codes', at: ofBrand('/codes') },
  { route: '/$brand/codes', at: ({ empty }) => `${empty.slug}/codes` },
  { route: '/$brand/codes', at: ofBrand('/codes'), act: openDialog },
  { route: '/$brand/codes/$list', at: ({ brand, codeListId }) => `${brand.slug}/codes/${codeListId}` },
  { route: '/$brand/webhooks', at: ofBrand('/webhooks') },
  { route: '/$brand/webhooks', at: ({ empty }) => `${empty.slug}/webhooks` },
  {
    route: '/$brand/webhooks/new',
    at: ofBrand('/webhooks/new'),
    async act(page) {
      await page.locator('button[aria-expanded=false]').last().click()
      await page.locator('section.copy-value').waitFor()
    },
  },
  {
    route: '/$brand/webhooks/$webhook',
    at: ({ brand, failing }) => `${brand.slug}/webhooks/${failing.id}`,
    async act(page) {
      await page.locator('main button[aria-expanded=false]').last().click()
      await page.locator('.copy-value').first().waitFor()
    },
  },
  { route: '/$brand/webhooks/$webhook/edit', at: ({ brand, failing }) => `${brand.slug}/webhooks/${failing.id}/edit` },
  { route: '/$brand/profile', at: ofBrand('/profile') },
  { route: '/$brand/theme', at: ofBrand('/theme') },
  // Without a request: `agents-hour.proof.ts` looks at one.
  { route: '/_agent', at: () => '_agent' },
  { route: '/$brand/keys', at: ofBrand('/keys') },
  { route: '/$brand/keys', at: ofBrand('/keys'), act: openDialog },
  { route: '/$brand/people', at: ofBrand('/people') },
  { route: '/$brand/people', at: ofBrand('/people'), act: openDialog },
  { route: '/$brand/activity', at: ofBrand('/activity') },
]

/** Each role may see what these pages ask the service for. */
const SHOWN_TO_EVERY_ROLE: readonly string[] = [
  '/$brand/',
  '/$brand/polls',
  '/$brand/polls/$poll',
  '/$brand/compare',
  '/$brand/campaigns',
  '/$brand/campaigns/$campaign',
  '/$brand/keys',
  '/$brand/people',
]

const MOST_BYTES = 60_000

/** Scales to the width of the guide's column, with the best quality that fits into `MOST_BYTES`. */
async function smallJpeg(png: Uint8Array): Promise<Uint8Array> {
  for (let quality = 85; ; quality -= 5) {
    const jpeg = await new Bun.Image(png).resize(1_040).jpeg({ quality }).bytes()
    if (jpeg.length < MOST_BYTES) return jpeg
  }
}

/** The routes of `router.tsx`, without redirects and the login page. */
function routesOfConsole(): string[] {
  const text = readFileSync(ROUTER, 'utf8')
  const parents = [...text.matchAll(/getParentRoute: \(\) => (\w+),\s+path: '([^']+)'/g)]
  const routes = parents.map(([, parent = '', path = '']) => (parent === 'brand' ? `/$brand${path}` : path))
  return routes.filter((route) => !['/', '/login', '/$brand'].includes(route))
}

test('every page of the console is visited', () => {
  const visited = [...new Set(PLACES.map(({ route }) => route))].sort()
  expect(visited).toEqual(routesOfConsole().sort())
})

describe.skipIf(!hasChromium)('the console is accessible', () => {
  let service: TestService
  let scene: ConsoleScene
  let browser: Browser
  let visits: ConsoleBrowser
  beforeAll(async () => {
    // Uploads go to PUBLIC_URL, which names the port.
    const settings = { PORT: String(freePort()), WEBHOOK_ALLOW_PRIVATE: 'true' }
    service = await startTestService('sqlite', { jobs: 'by hand', settings })
    await docsBuilt()
    scene = await fillConsole(service)
    browser = await openBrowser()
    visits = new ConsoleBrowser({ service, brand: scene.brand, browser })
  }, 180_000)
  afterAll(async () => {
    await browser.close()
    await scene.stop()
    await service.stop()
  })

  async function withOwner(owner: TestMember, locale: string, look: (page: Page) => Promise<void>) {
    const context = await visits.signedInAs(owner, locale)
    await look(await visits.open(context, 'me'))
    await context.close()
    expect(visits.problems).toEqual([])
  }

  test.each(['en-US', 'ar'])(
    'axe finds nothing on any page, light and dark, and none is wider than a phone: %s',
    async (locale) => {
      const found: string[] = []
      await withOwner(await scene.anotherOwner(), locale, async (page) => {
        for (const { at, act } of PLACES)
          found.push(...(await visits.barriersOf(page, at(scene), act && (() => act(page)))))
      })
      expect(found).toEqual([])
      const context = await browser.newContext({ locale })
      await visits.expectNoBarriers(await visits.open(context, 'login'), 'login')
      await context.close()
    },
    900_000,
  )

  test.each(['editor', 'analyst'] as const)(
    'no page asks for what its visitor is refused: %s',
    async (role) => {
      const context = await visits.signedIn(role)
      const page = await context.newPage()
      const asked = new Set<Request>()
      const refused: string[] = []
      const guides = new Set<string>()
      // The routes whose pages asked the service for something about the brand or its polls.
      const asking = new Set<string>()
      let shownRoute = ''
      page.on('request', (request) => asked.add(request))
      page.on('requestfailed', (request) => asked.delete(request))
      page.on('requestfinished', (request) => asked.delete(request))
      page.on('response', (response) => {
        // A stream of events has no end.
        if (response.headers()['content-type']?.startsWith('text/event-stream')) asked.delete(response.request())
        if (/\/api\/rest\/v1\/(brands|polls|campaigns)\//.test(response.url())) asking.add(shownRoute)
        if (response.status() === 403)
          refused.push(`${response.request().method()} ${response.url()}, asked on ${page.url()}`)
      })
      for (const { route, at } of PLACES.filter(({ act }) => !act)) {
        shownRoute = route
        // `Shell` shows no page of a brand before it knows the role, so that a link asks for the same as loading it does.
        await (route.startsWith('/$brand') ? visits.follow(page, at(scene)) : visits.go(page, at(scene)))
        // The preview of the brand's page, once it is there, has a heading of its own.
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        await visits.loaded(page)
        await eventually(() => asked.size === 0)
        // The consent page leads nowhere else.
        if (route !== '/_agent') guides.add((await page.locator('a.guide').getAttribute('href')) ?? '')
      }
      for (const guide of guides) {
        const shown = await service.get(guide)
        const [, part = ''] = guide.split('#')
        expect([guide, shown.status, shown.text.includes(`id="${part}"`) || part === '']).toEqual([guide, 200, true])
      }
      expect(guides.size).toBeGreaterThan(10)
      expect(refused).toEqual([])
      // A page that asks for nothing would be refused nothing.
      expect([...asking]).toEqual(expect.arrayContaining(SHOWN_TO_EVERY_ROLE))
      await context.close()
    },
    300_000,
  )

  test('the dialogs of the keyboard are reached by their keys, and a new poll too', async () => {
    await withOwner(await scene.anotherOwner(), 'en-US', async (page) => {
      const pressed = async (key: string, name: string) => {
        await visits.go(page, scene.brand.slug)
        await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
        await page.keyboard.press(key)
        await page.getByRole('dialog', { name }).waitFor()
      }
      await pressed('Control+k', 'Find anything')
      await pressed('Shift+?', 'Keyboard shortcuts')
      const rows = page.getByRole('dialog').getByRole('row')
      expect(await rows.allTextContents()).toEqual(['Find anythingCtrlK', 'New pollN', 'Show these shortcuts?'])
      // A dialog is open.
      await page.keyboard.press('n')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Overview')
      await page.keyboard.press('n')
      await page.getByRole('heading', { level: 1, name: 'New poll' }).waitFor()
      await page.getByLabel('Question').fill('')
      await page.getByLabel('Question').press('n')
      expect(await page.getByLabel('Question').inputValue()).toBe('n')
    })
  }, 180_000)

  describe('is shown in the guide', () => {
    let context: BrowserContext
    let page: Page
    beforeAll(async () => {
      context = await visits.signedInAs(scene.owner)
      page = await visits.open(context, 'me')
      await page.setViewportSize({ width: 1280, height: 800 })
    }, 60_000)
    afterAll(() => context.close())

    test.each([
      ['console-overview-light', 'light', ofBrand('')],
      ['console-poll-light', 'light', ({ brand, poll }: ConsoleScene) => `${brand.slug}/polls/${poll.shortId}`],
      ['console-polls-light', 'light', ofBrand('/polls?order=popular')],
      ['console-theme-dark', 'dark', ofBrand('/theme')],
    ] as const)(
      '%s',
      async (name, colorScheme, at) => {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await visits.go(page, at(scene))
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        await visits.loaded(page)
        await page.locator('canvas, .bars, .poll-row, .preview article').first().waitFor()
        const path = fileURLToPath(new URL(`${name}.jpg`, folder))
        if (isTaken) await Bun.write(path, await smallJpeg(await page.screenshot()))
        expect(Bun.file(path).size).toBeGreaterThan(0)
        expect(visits.problems).toEqual([])
      },
      180_000,
    )
  })
})
