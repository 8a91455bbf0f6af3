import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import readCode from 'jsqr'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { type Pixels, readPixels } from '../src/files/pictures/png.ts'
import { violationsOf } from './axe.ts'
import { ConsoleBrowser } from './console-browser.ts'
import { forgetOrigins } from './forget-origins.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

setDefaultTimeout(300_000)

const CODE = /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/
/** Pixels of a picture for each of the page: a printer has more. */
const SCALE = 2

interface CodeListData {
  readonly codeListId: string
  readonly name: string
  readonly issued: number
  readonly used: number
  readonly revoked: number
  readonly polls: number
}

interface OwnPoll {
  readonly id: string
  readonly shortId: string
  readonly shareUrl: string
  readonly codeListId: string | null
}

async function boxOf(element: Locator) {
  const box = await element.boundingBox()
  if (!box) throw new Error('not in the page')
  return box
}

/** Reads one code of a picture that has `SCALE` pixels for each of the page. */
function readIn({ width, rgba }: Pixels, place: { x: number; y: number; side: number }): string | undefined {
  const [left, top, side] = [place.x, place.y, place.side].map((length) => Math.round(length * SCALE)) as Three
  const pixels = new Uint8ClampedArray(4 * side * side)
  for (let y = 0; y < side; y++) {
    const from = 4 * ((top + y) * width + left)
    pixels.set(rgba.subarray(from, from + 4 * side), 4 * side * y)
  }
  return readCode(pixels, side, side)?.data
}

type Three = [number, number, number]

describe.skipIf(!hasChromium)('votes by code in the console', () => {
  let service: TestService
  let brand: TestBrand
  let browser: Browser
  let visits: ConsoleBrowser
  let context: BrowserContext
  let page: Page
  let visitor: Page
  beforeAll(async () => {
    service = await startTestService('sqlite')
    brand = await service.createBrand()
    browser = await openBrowser()
    visits = new ConsoleBrowser({ service, brand, browser })
    context = await visits.signedIn('owner')
    page = await visits.open(context, `${brand.slug}/codes`)
    // The toss of a coin after each vote would be drawn for nobody.
    const visiting = { locale: 'en-US', reducedMotion: 'reduce', viewport: { width: 360, height: 640 } } as const
    visitor = await (await browser.newContext(visiting)).newPage()
  })
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  const lists = async () =>
    (await service.get<CodeListData[]>('brands/me/code-lists', { token: brand.token })).body.data
  const polls = async () => (await service.get<OwnPoll[]>('brands/me/polls', { token: brand.token })).body.data
  const count = (name: string) => page.getByTestId(name).textContent()
  const menu = async (item: string) => {
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }

  const vote = (poll: string, code: string | null) =>
    service.post(`polls/${poll}/votes`, {
      device: randomUUID(),
      json: { option: 'A' },
      ...(code === null ? {} : { headers: { 'X-Vote-Code': code } }),
    })

  /** Votes as a new visitor on the page that a scanned code opens. */
  async function voteByPage(address: string): Promise<'counted' | 'used'> {
    const { pathname, hash } = new URL(address)
    // Keeps the files that are cached, and nothing by which a page knows its visitor: a second vote would be refused.
    await visitor.context().clearCookies()
    await forgetOrigins(visitor, [service.service.url])
    // An address that differs only in its fragment would not load the page again.
    await visitor.goto(`${service.service.url}${pathname}?lang=en&visit=${randomUUID()}${hash}`)
    await visitor.locator('[data-option="A"]').click()
    const counted = visitor.locator(':not([data-unsure]) > article[data-state~="results"]').first()
    const used = visitor.getByText('This code has already been used to vote.')
    await counted.or(used).first().waitFor()
    return (await used.isVisible()) ? 'used' : 'counted'
  }

  /** The pages as they are printed: the printing itself shows no page to a test. */
  async function printed(): Promise<void> {
    await page.evaluate<void>("dispatchEvent(new Event('beforeprint'))")
    await page.emulateMedia({ media: 'print' })
    await page.locator('.printed > .sheet').first().waitFor()
  }
  async function unprinted(): Promise<void> {
    await page.emulateMedia({ media: 'screen' })
    await page.evaluate<void>("dispatchEvent(new Event('afterprint'))")
    await page.locator('.printed > .sheet').first().waitFor({ state: 'detached' })
  }

  /** The addresses of the QR codes of all pages, as a camera finds them in a picture. */
  async function scanned() {
    const found: (string | undefined)[] = []
    const devtools = await page.context().newCDPSession(page)
    for (const sheet of await page.locator('.printed > .sheet').all()) {
      const around = await boxOf(sheet)
      const codes = await sheet.locator('.slip-qr').all()
      const boxes = await Promise.all(codes.map(boxOf))
      // Playwright's own screenshots compress for three times as long, and need a context of this scale.
      const { data } = await devtools.send('Page.captureScreenshot', {
        format: 'png',
        optimizeForSpeed: true,
        captureBeyondViewport: true,
        clip: { ...around, scale: SCALE },
      })
      const png = await new Bun.Image(Buffer.from(data, 'base64')).png({ compressionLevel: 0 }).bytes()
      const picture = readPixels(png)
      found.push(...boxes.map(({ x, y, width }) => readIn(picture, { x: x - around.x, y: y - around.y, side: width })))
    }
    return found
  }

  test('a club of thirty votes by code, from the empty page to the counts', async () => {
    await page.getByRole('button', { name: 'New code list' }).first().click()
    await page.getByLabel('Name of the list').fill('Members 2026')
    await page.getByRole('button', { name: 'Create list' }).click()
    await page.getByRole('heading', { level: 1, name: 'Members 2026' }).waitFor()
    // Without a poll there are no links.
    await page.getByText('No poll uses this list yet, so new codes have no links').waitFor()

    await page.getByRole('alert').getByRole('link', { name: 'New poll' }).click()
    await page.getByLabel('Question').fill('Shall we build the boathouse?')
    await page.getByLabel('First answer: Answer').fill('Yes')
    await page.getByLabel('Second answer: Answer').fill('Not now')
    await page.getByRole('radio', { name: 'People with a code' }).check()
    expect(await page.getByLabel('Code list', { exact: true }).inputValue()).toBe((await lists())[0]?.codeListId ?? '-')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByTestId('total').waitFor()
    const [poll] = await polls()
    if (!poll) throw new Error('no poll')
    expect(poll.codeListId).toBe((await lists())[0]?.codeListId ?? '-')

    // From the poll to its list.
    await page.getByRole('link', { name: 'People with a code' }).click()
    await page.getByLabel('How many').fill('0')
    await page.getByRole('button', { name: 'Issue codes' }).click()
    await page.getByText('Enter a whole number from 1 to 200,000.').waitFor()
    await page.getByLabel('How many').fill('30')
    await page.getByRole('button', { name: 'Issue codes' }).click()
    await page.getByText('Save these 30 codes now').waitFor()
    await page.getByTestId('issued').getByText('30', { exact: true }).waitFor()

    // They are not left by accident.
    await page.getByRole('link', { name: 'Codes', exact: true }).first().click()
    await page.getByRole('dialog', { name: 'Leave without the codes?' }).getByRole('button', { name: 'Stay' }).click()

    const coming = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV' }).click()
    const file = await coming
    expect(file.suggestedFilename()).toBe('Members 2026.csv')
    const [head, ...lines] = (await readFile(await file.path(), 'utf8')).trim().split('\r\n')
    expect(head).toBe('code,link')
    const codes = lines.map((line) => line.split(',')[0] ?? '')
    expect(codes.filter((code) => CODE.test(code))).toHaveLength(30)
    expect(lines).toEqual(codes.map((code) => `${code},${poll.shareUrl}#code=${code}`))
    await page.getByText('Check that the file opens').waitFor()

    await page.getByText('Show the codes').click()
    expect(await page.locator('.shown-codes code').allTextContents()).toEqual(codes)
    await page.getByRole('button', { name: 'Print 2 pages' }).waitFor()

    const [lost = '', first = '', second = ''] = codes
    expect((await vote(poll.id, first)).status).toBe(201)
    expect((await vote(poll.id, first)).status).toBe(409)
    expect((await vote(poll.id, null)).status).toBe(403)
    expect((await vote(poll.id, second.toLowerCase().replaceAll('-', ' '))).status).toBe(201)

    await page.getByRole('button', { name: 'Finish' }).click()
    await page.getByLabel('Codes to revoke').fill('nothing of use')
    await page.getByText('No code found.').waitFor()
    await page.getByLabel('Codes to revoke').fill(`${lines[0]}\n0000-0000-0000`)
    await page.getByRole('button', { name: 'Revoke 2 codes' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke 2 codes' }).click()
    await page.getByText('1 revoked. 1 unknown: not on this list.').waitFor()
    expect((await vote(poll.id, lost)).body.error.code).toBe('INVALID_CODE')
    await page.reload()
    await page.getByTestId('used').getByText('2').waitFor()
    expect([await count('issued'), await count('used'), await count('revoked')]).toEqual(['30', '2', '1'])
    // A page that is loaded again has no codes.
    expect(await page.getByText(second).count()).toBe(0)

    // Who can vote is fixed now, and the list stays while a poll uses it.
    await menu('Delete list')
    await page.getByRole('dialog', { name: 'Polls use this list' }).getByRole('button').last().click()
    await page.getByRole('main').getByRole('link', { name: 'Shall we build the boathouse?' }).click()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByText('This cannot be changed any more, because people have voted.').waitFor()
    expect(await page.getByRole('radio', { name: 'Everybody', exact: true }).first().isDisabled()).toBe(true)
    await page.getByLabel('Second answer: Answer').fill('Not now!')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByTestId('total').waitFor()
    expect(visits.problems).toEqual([])
  })

  test.each([
    ['a4', '24', 'en', 30],
    ['letter', '24', 'ar', 25],
    ['a4', '8', 'ja', 9],
    ['letter', '8', 'de', 8],
  ] as const)(
    'each QR code of a printed sheet is the link of one code, and votes once: %s, %s on a page, in %s',
    async (paper, slips, lang, many) => {
      const { codeListId } = (
        await service.write<CodeListData>('POST', 'brands/me/code-lists', {
          token: brand.token,
          json: { name: `${paper} ${slips}` },
        })
      ).body.data
      const title = `${'Shall the association buy the meadow by the river, and plant trees there? '.repeat(2)}${many}`
      const poll = await service.createPoll(brand, { title, codeListId })
      const shareUrl = String(poll['shareUrl'])
      page = await visits.open(context, `${brand.slug}/codes/${codeListId}`)
      await page.getByLabel('How many').fill(String(many))
      await page.getByRole('button', { name: 'Issue codes' }).click()
      const shown = page.getByText('Show the codes')
      await shown.waitFor()
      // Where the codes are still to be saved, which is shown nowhere else; the four differ only in their number.
      if (paper === 'a4' && slips === '24') expect(await violationsOf(page)).toEqual([])
      await shown.click()
      const codes = await page.locator('.shown-codes code').allTextContents()
      await page.getByLabel('Paper').selectOption(paper)
      await page.getByLabel('Slips on a page').selectOption(slips)
      await page.getByLabel('Language of the slips').selectOption(lang)
      await printed()
      expect(await page.locator('.printed > .sheet').count()).toBe(Math.ceil(many / Number(slips)))
      expect(await page.locator('.printed > .sheet').first().getAttribute('dir')).toBe(lang === 'ar' ? 'rtl' : 'ltr')
      // The console is not on the paper.
      expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(false)
      const addresses = await scanned()
      const written = await page.locator('.printed .slip-code').allTextContents()
      await unprinted()
      expect(written.toSorted()).toEqual(codes.toSorted())
      expect(addresses).toEqual(written.map((code) => `${shareUrl}#code=${code}`))
      for (const [i, address = ''] of addresses.entries()) {
        expect(new URL(address).origin).toBe(new URL(shareUrl).origin)
        expect(await voteByPage(address)).toBe('counted')
        // Each browser that opens a used code says so; one of a sheet is enough to look at.
        if (i === 0) expect(await voteByPage(address)).toBe('used')
        expect((await vote(poll.id, new URL(address).hash.replace('#code=', ''))).status).toBe(409)
      }
      expect(service.logLines).toEqual([])
      await page.getByTestId('used').getByText(String(many)).waitFor()
      await page.close()
      expect(visits.problems).toEqual([])
    },
  )

  test('an answer that was lost is asked for again, and no code is issued twice', async () => {
    page = await visits.open(context, `${brand.slug}/codes`)
    await page.getByRole('button', { name: 'New code list' }).click()
    await page.getByLabel('Name of the list').fill('Large')
    await page.getByRole('button', { name: 'Create list' }).click()
    await page.getByRole('heading', { level: 1, name: 'Large' }).waitFor()
    let asked = 0
    await context.route('**/codes', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      const isLost = ++asked >= 2 && asked <= 3
      if (!isLost) return route.continue()
      await route.fetch()
      return route.abort()
    })
    await page.getByLabel('How many').fill('2500')
    await page.getByRole('button', { name: 'Issue codes' }).click()
    await page.getByText('1,000 of 2,500 codes are issued.').waitFor()
    await page.getByRole('button', { name: 'Issue the other 1,500' }).click()
    await page.getByText('Save these 2,500 codes now').waitFor()
    expect((await lists()).find(({ name }) => name === 'Large')?.issued).toBe(2_500)
    await context.unroute('**/codes')
    await page.getByRole('button', { name: 'Finish' }).click()
    await page.getByRole('button', { name: 'Yes, finish' }).click()

    await menu('Rename')
    await page.getByLabel('Name of the list').fill('members 2026')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('input[aria-invalid=true]').waitFor()
    await page.getByLabel('Name of the list').fill('Larger')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Larger' }).waitFor()
    await menu('Delete list')
    await page.getByRole('dialog').getByLabel('Larger').fill('Larger')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete list' }).click()
    await page.getByRole('heading', { level: 1, name: 'Codes' }).waitFor()
    expect((await lists()).map(({ name }) => name)).not.toContain('Larger')
  })

  test('a campaign writes who can vote to its polls, until one of them has votes', async () => {
    const [boats, tea] = [
      await service.createPoll(brand, { title: 'New boats?' }),
      await service.createPoll(brand, { title: 'More tea?' }),
    ]
    page = await visits.open(context, `${brand.slug}/campaigns/new`)
    await page.getByLabel('Title').fill('The assembly')
    await page.getByRole('button', { name: 'Add: New boats?' }).click()
    await page.getByRole('button', { name: 'Add: More tea?' }).click()
    await page.getByRole('radio', { name: 'People with a code' }).check()
    const list = (await lists()).find(({ name }) => name === 'Members 2026')
    await page.getByLabel('Code list', { exact: true }).selectOption(list?.codeListId ?? '-')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('heading', { level: 1, name: 'The assembly' }).waitFor()
    const ofPolls = async () => (await polls()).filter(({ id }) => [boats.id, tea.id].includes(id))
    expect((await ofPolls()).map(({ codeListId }) => codeListId)).toEqual([list?.codeListId, list?.codeListId] as never)

    // Back to everybody: both change, though a campaign never has polls of two kinds.
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('radio', { name: 'Everybody', exact: true }).check()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('heading', { level: 1, name: 'The assembly' }).waitFor()
    expect((await ofPolls()).map(({ codeListId }) => codeListId)).toEqual([null, null])
    const [campaign] = (
      await service.get<{ polsts: { title: string }[] }[]>('brands/me/campaigns', { token: brand.token })
    ).body.data
    expect(campaign?.polsts.map(({ title }) => title)).toEqual(['New boats?', 'More tea?'])

    expect((await vote(tea.id, null)).status).toBe(201)
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByText('People have voted on More tea?').waitFor()
    expect(await page.getByRole('radio', { name: 'People with a code' }).isDisabled()).toBe(true)
    expect(visits.problems).toEqual([])
  })
})
