import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { violationsOf } from './axe.ts'
import { ConsoleBrowser } from './console-browser.ts'
import { freePort } from './free-port.ts'
import { paint, photo } from './pictures.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { castMany } from './voters.ts'

/** Before the scripts of a page: the first export breaks off after its first bytes. */
const BREAK_FIRST_EXPORT = `{
  const real = window.fetch
  let isBroken = false
  window.fetch = async (...asked) => {
    const answer = await real(...asked)
    if (isBroken || !(asked[0].url ?? String(asked[0])).includes('/voters')) return answer
    isBroken = true
    const reader = answer.body.getReader()
    const start = async (controller) => {
      controller.enqueue((await reader.read()).value)
      controller.error(new TypeError('network error'))
    }
    return new Response(new ReadableStream({ start }), answer)
  }
}`

/** Width by height of the first picture in each preview of a dialog. */
const SHOWN_SHAPES = `[...document.querySelectorAll('.small-poll .preview-poll')].map(({ shadowRoot }) => {
  const { clientWidth, clientHeight } = shadowRoot.querySelector('img.picture')
  return clientWidth / clientHeight
})`

/** Enough for an export to come in many parts. */
const VOTES = 6_000

describe.skipIf(!hasChromium)('files in the console', () => {
  let service: TestService
  let brand: TestBrand
  let browser: Browser
  let visits: ConsoleBrowser
  let context: BrowserContext
  let voted: PollData
  beforeAll(async () => {
    // Uploads go to PUBLIC_URL, which names the port.
    service = await startTestService('sqlite', { settings: { PORT: String(freePort()) } })
    brand = await service.createBrand()
    voted = await service.createPoll(brand, { title: 'Downloaded?' })
    const { key } = await service.db
      .selectFrom('polls')
      .select('key')
      .where('id', '=', voted.id)
      .executeTakeFirstOrThrow()
    await castMany(service, key, VOTES)
    browser = await openBrowser()
    visits = new ConsoleBrowser({ service, brand, browser })
    context = await visits.signedIn('owner')
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  /** A function that sets how slow the line is, in bytes a second. */
  async function lineOf(page: Page) {
    const devTools = await context.newCDPSession(page)
    await devTools.send('Network.enable')
    return (bytes: number) => {
      const each = { offline: false, latency: 0, downloadThroughput: bytes, uploadThroughput: bytes }
      return devTools.send('Network.emulateNetworkConditions', each)
    }
  }

  /** The shares that a progress bar has shown. */
  const watchProgress = (page: Page) =>
    page.evaluate(`void new MutationObserver(() => {
      window.shares ??= []
      for (const { position } of document.querySelectorAll('progress')) if (position > 0) window.shares.push(position)
    }).observe(document.body, { subtree: true, childList: true, attributes: true })`)

  const between = (shares: readonly number[]) => shares.filter((share) => share > 0 && share < 1)

  test('a picture is dropped, placed by keyboard alone and by hand, and uploaded with its progress shown', async () => {
    const page = await visits.open(context, `${brand.slug}/polls/new`)
    await page.getByLabel('Question').fill('Cropped?')
    await page.getByLabel('First answer: Answer').fill('Left')
    await page.getByLabel('Second answer: Answer').fill('Right')
    const field = page.getByRole('group', { name: 'First answer: Picture' })
    // Red on the left, blue on the right: the colour shows which part was taken.
    const halves = paint({ width: 600, height: 300 }, (x) => (x < 300 ? [220, 30, 30] : [30, 30, 220]))
    await dispatchFile(page, { on: 'First answer: Picture', event: 'drop', bytes: halves })
    const adjust = field.getByRole('button', { name: 'Adjust: First answer: Picture' })
    await adjust.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Adjust the picture' })
    const point = dialog.getByRole('slider', { name: 'Point that stays in view' })
    const apply = dialog.getByRole('button', { name: 'Apply' })
    await dialog.getByRole('slider', { name: 'Zoom' }).press('End')
    await point.press('Shift+ArrowRight')
    await point.press('ArrowRight')
    await point.press('ArrowUp')
    expect(await point.getAttribute('aria-valuetext')).toBe('75% from the left, 45% from the top')
    // Phones have the answers one below the other, wider pages side by side.
    const shapes = await page.evaluate<number[]>(SHOWN_SHAPES)
    expect(shapes.map((shape) => Math.round(shape * 10) / 10)).toEqual([1.6, 1])
    await dialog.locator('img.picture[src^="blob:"]').first().waitFor()
    expect(await violationsOf(page)).toEqual([])
    await apply.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    expect(await middleOfFirst(page)).toEqual([120, 60, 30, 30, 220])
    await page.locator('button[aria-label="Adjust: First answer: Picture"]:focus').waitFor()
    // The dialog comes back as it was left; another part is taken from the whole picture, here by dragging and by a click.
    await adjust.click()
    expect(await point.getAttribute('aria-valuetext')).toBe('75% from the left, 45% from the top')
    const picture = await dialog.getByTestId('focus-picture').boundingBox()
    if (!picture) throw new Error('no picture to drag in')
    const { x, y, width, height } = picture
    await page.mouse.move(x + width * 0.75, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + width * 0.4, y + height / 2, { steps: 5 })
    await page.mouse.up()
    expect(await point.getAttribute('aria-valuetext')).toBe('40% from the left, 50% from the top')
    await page.mouse.click(x + width * 0.05, y + height / 2)
    await page.locator('[role=slider]:focus').waitFor()
    await apply.click()
    await dialog.waitFor({ state: 'detached' })
    expect(await middleOfFirst(page)).toEqual([120, 60, 220, 30, 30])

    // A photo does not compress: it takes a while on a slow line.
    await dispatchFile(page, { on: 'Second answer: Picture', event: 'paste', bytes: photo(300, 300) })
    await watchProgress(page)
    const network = await lineOf(page)
    await network(60_000)
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByTestId('total').waitFor()
    const shares = await page.evaluate<number[]>('window.shares')
    expect(between(shares).length).toBeGreaterThan(0)
    const [stored] = (await service.get<PollData[]>(`brands/${brand.slug}/polls`)).body.data
    expect(stored).toMatchObject({
      title: 'Cropped?',
      // Near the edge of the whole picture, the point is not in the middle of the part: 30 of 120 pixels.
      optionA: { imageUrl: expect.stringContaining('/files/'), fit: 'cover', focusX: 0.25, focusY: 0.5 },
      optionB: { imageUrl: expect.stringContaining('/files/'), fit: 'cover', focusX: 0.5, focusY: 0.5 },
    })
    await page.close()
    expect(visits.problems).toEqual([])
  }, 180_000)

  test('a stored picture is moved without an upload', async () => {
    const [poll] = (await service.get<PollData[]>(`brands/${brand.slug}/polls`)).body.data
    const page = await visits.open(context, `${brand.slug}/polls/${poll?.id}/edit`)
    const writes: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET') writes.push(`${request.method()} ${new URL(request.url()).pathname}`)
    })
    await page.getByRole('button', { name: 'Adjust: Second answer: Picture' }).click()
    const dialog = page.getByRole('dialog', { name: 'Adjust the picture' })
    const point = dialog.getByRole('slider', { name: 'Point that stays in view' })
    await point.press('ArrowDown')
    // A part could only be cut out of the file.
    expect(await dialog.getByRole('slider').count()).toBe(1)
    await point.press('Home')
    expect(await point.getAttribute('aria-valuetext')).toBe('50% from the left, 50% from the top')
    await point.press('ArrowLeft')
    await dialog.getByRole('radio', { name: 'Show all of it' }).check()
    // All of it is in view.
    expect(await point.count()).toBe(0)
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('switch', { name: 'Show results before voting' }).check()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByTestId('total').waitFor()
    const [stored] = (await service.get<PollData[]>(`brands/${brand.slug}/polls`)).body.data
    const placed = { ...(poll?.['optionB'] as object), fit: 'contain', focusX: 0.45, focusY: 0.5 }
    expect(stored).toMatchObject({ id: poll?.id, optionA: poll?.['optionA'], optionB: placed })
    expect((await service.get<PollData>(`polls/${poll?.id}`)).body.data).toMatchObject({ resultsBeforeVote: true })
    expect(writes.filter((write) => !/token/.test(write))).toEqual([`PATCH /api/rest/v1/brands/me/polls/${poll?.id}`])
    await page.close()
    expect(visits.problems).toEqual([])
  }, 180_000)

  test('a logo is pasted into the theme, and what is no picture cannot be placed', async () => {
    const page = await visits.open(context, `${brand.slug}/theme`)
    const logo = await page
      .getByRole('group')
      .filter({ has: page.locator('input[type=file]') })
      .first()
      .getAttribute('aria-label')
    await dispatchFile(page, { on: logo ?? '', event: 'paste', bytes: photo(120, 40) })
    await page.getByRole('region', { name: 'Preview' }).locator('img.logo[src^="blob:"]').waitFor()
    expect(await page.getByRole('button', { name: /^Adjust/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Save the theme' }).click()
    await page.getByText('The theme is saved.').waitFor()
    await page.close()

    const broken = await visits.open(context, `${brand.slug}/polls/new`)
    await dispatchFile(broken, { on: 'First answer: Picture', event: 'drop', bytes: Buffer.from('not a picture') })
    await broken.getByRole('button', { name: 'Adjust: First answer: Picture' }).click()
    await broken.getByRole('dialog').getByRole('alert').getByText('This picture cannot be read.').waitFor()
    expect(await broken.getByRole('dialog').getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true)
    await broken.close()
  }, 180_000)

  test('votes are downloaded as CSV and NDJSON, with their progress, and a download can be ended', async () => {
    const page = await visits.open(context, `${brand.slug}/polls/${voted.shortId}`)
    const start = async (format: string) => {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: format }).click()
    }
    await page.getByTestId('total').getByText('6,000').waitFor()
    const save = async (format: string) => {
      const downloading = page.waitForEvent('download')
      await start(format)
      const download = await downloading
      return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
    }
    const lines = await save('As NDJSON')
    expect(lines.name).toBe(`${voted.slug}.ndjson`)
    const votes = lines.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { option: string; position: number })
    expect([votes.length, votes.filter(({ option }) => option === 'B').length]).toEqual([VOTES, VOTES / 3])
    expect(votes.map(({ position }) => position)).toEqual(Array.from({ length: VOTES }, (_, i) => VOTES - i))

    const network = await lineOf(page)
    await network(100_000)
    await watchProgress(page)
    const table = await save('As CSV')
    expect(table.name).toBe(`${voted.slug}.csv`)
    expect(table.text.trim().split('\n')).toHaveLength(VOTES + 1)
    expect(between(await page.evaluate<number[]>('window.shares')).length).toBeGreaterThan(0)

    let downloads = 0
    page.on('download', () => downloads++)
    // It would take minutes.
    await network(2_000)
    await start('As CSV')
    await page.getByRole('region', { name: 'Downloading' }).getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('The download is stopped.').waitFor()
    await page.getByRole('region', { name: 'Downloading' }).waitFor({ state: 'detached' })
    expect(downloads).toBe(0)
    await page.close()
  }, 180_000)

  test('a download that is left, or loses its network, saves nothing, and the next one is whole', async () => {
    const page = await visits.open(context, `${brand.slug}/polls/${voted.shortId}`)
    const network = await lineOf(page)
    const note = page.getByRole('region', { name: 'Downloading' })
    const toasts = page.locator('.toasts')
    let downloads = 0
    page.on('download', () => downloads++)
    /** At this speed it would take minutes. */
    const start = async () => {
      await network(2_000)
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'As NDJSON' }).click()
      await note.waitFor()
    }

    await start()
    await page.getByRole('link', { name: 'Polls', exact: true }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Polls' }).waitFor()
    await note.waitFor({ state: 'detached' })
    await network(-1)
    await page.getByRole('link', { name: /Downloaded\?/ }).click()
    await page.getByTestId('total').waitFor()
    // No toast: a person who leaves the page expects the download to end.
    expect([downloads, await toasts.textContent()]).toEqual([0, ''])

    // The connection breaks after some of the file, and then not even the script of a toast's card can be loaded.
    await page.route(/toast-card/, (route) => route.abort())
    await page.addInitScript(BREAK_FIRST_EXPORT)
    await page.reload()
    await page.getByTestId('total').waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'As NDJSON' }).click()
    await toasts.getByText('The service cannot be reached. Check your connection.').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Downloaded?' }).waitFor()
    await note.waitFor({ state: 'detached' })
    expect(downloads).toBe(0)
    // The card follows when the network is back.
    await page.unroute(/toast-card/)
    await toasts.getByRole('button', { name: 'Close' }).click()

    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'As NDJSON' }).click()
    const lines = (await readFile(await (await downloading).path(), 'utf8')).trim().split('\n')
    expect(lines).toHaveLength(VOTES)
    await note.waitFor({ state: 'detached' })
    expect(downloads).toBe(1)
    await page.close()
    expect(visits.problems).toEqual([])
  }, 180_000)

  test('the voters, the zoom and the time zone of a poll are reached', async () => {
    const page = await visits.open(context, `${brand.slug}/polls/${voted.shortId}`)
    await page.getByRole('button', { name: 'Show the voters' }).click()
    await page.locator('#voters:focus').waitFor()
    const voters = page.getByRole('list', { name: 'Voters' })
    await voters.getByRole('listitem').first().waitFor()
    await voters.getByText('Tea').first().waitFor()

    const timeline = page.getByRole('region', { name: 'Votes over time' })
    await timeline.getByText('Times in Europe/Paris').waitFor()
    await timeline.getByLabel('Time zone').selectOption('UTC')
    await timeline.getByText('Times in UTC').waitFor()
    await timeline.getByLabel('Period').selectOption('Last 24 hours')
    expect(await timeline.getByLabel('Group by').inputValue()).toBe('hour')
    const chart = timeline.locator('.u-over').first()
    await chart.scrollIntoViewIfNeeded()
    const plot = await chart.boundingBox()
    if (!plot) throw new Error('no chart')
    await page.mouse.move(plot.x + plot.width / 2, plot.y + 50)
    await page.mouse.down()
    await page.mouse.move(plot.x + plot.width - 5, plot.y + 60, { steps: 5 })
    await page.mouse.up()
    const whole = timeline.getByRole('button', { name: 'Show all' })
    await whole.waitFor()
    // A vote that comes in does not take the zoom away.
    await service.vote(voted.id, 'A', randomUUID())
    await page.getByTestId('total').getByText('6,001').waitFor()
    await page.locator('section[data-total="6001"]').waitFor()
    expect(await whole.isVisible()).toBe(true)
    await whole.click()
    await whole.waitFor({ state: 'detached' })
    await page.close()
    expect(visits.problems).toEqual([])
  }, 180_000)
})

interface Dispatched {
  /** The name of the group that takes the file. */
  readonly on: string
  readonly event: 'drop' | 'paste'
  readonly bytes: Uint8Array
}

/** Drops or pastes a file, like a person. */
async function dispatchFile(page: Page, { on, event, bytes }: Dispatched): Promise<void> {
  await page.getByRole('group', { name: on, exact: true }).waitFor()
  await page.evaluate(`(async () => {
    const bytes = Uint8Array.from(atob('${Buffer.from(bytes).toString('base64')}'), (letter) => letter.charCodeAt(0))
    const data = new DataTransfer()
    data.items.add(new File([bytes], 'picture.png', { type: 'image/png' }))
    const init = { bubbles: true, cancelable: true }
    const event = '${event}' === 'drop'
      ? new DragEvent('drop', { ...init, dataTransfer: data })
      : new ClipboardEvent('paste', { ...init, clipboardData: data })
    document.querySelector('[role=group][aria-label="${on}"]').dispatchEvent(event)
  })()`)
}

/** The colour in the middle of the picture of the first answer. */
const middleOfFirst = (page: Page): Promise<unknown> =>
  page.evaluate(`(async () => {
    const image = document.querySelector('[aria-label="First answer: Picture"] img.drop-picture')
    await image.decode()
    const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight)
    const drawing = canvas.getContext('2d')
    drawing.drawImage(image, 0, 0)
    const { data } = drawing.getImageData(canvas.width / 2, canvas.height / 2, 1, 1)
    return [canvas.width, canvas.height, ...data.slice(0, 3)]
  })()`)
