import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { ConsoleBrowser } from './console-browser.ts'
import { freePort } from './free-port.ts'
import { photo } from './pictures.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

const MEBIBYTE = 1024 * 1024
const WRITES_PER_MINUTE = 30

const file = (name: string, mimeType: string, buffer: Buffer) => ({ name, mimeType, buffer })

describe.skipIf(!hasChromium)('what is refused, and what fails on the way, in the console', () => {
  let service: TestService
  let brand: TestBrand
  let browser: Browser
  let visits: ConsoleBrowser
  let context: BrowserContext
  beforeAll(async () => {
    // Uploads go to PUBLIC_URL, which names the port.
    const settings = { PORT: String(freePort()), BRAND_WRITES_PER_MINUTE: String(WRITES_PER_MINUTE) }
    service = await startTestService('sqlite', { settings })
    brand = await service.createBrand()
    browser = await openBrowser()
    visits = new ConsoleBrowser({ service, brand, browser })
    context = await visits.signedIn('owner')
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  async function filledForm(title: string, inContext = context): Promise<Page> {
    const page = await visits.open(inContext, `${brand.slug}/polls/new`)
    await page.getByLabel('Question').fill(title)
    await page.getByLabel('First answer: Answer').fill('Yes')
    await page.getByLabel('Second answer: Answer').fill('No')
    return page
  }

  const publish = (page: Page) => page.getByRole('button', { name: 'Publish' }).click()

  const storedWith = async (title: string): Promise<PollData[]> =>
    (await service.get<PollData[]>('brands/me/polls?limit=100', { token: brand.token })).body.data.filter(
      (poll) => poll.title === title,
    )

  test('a picture that is too large, of another type, or broken is refused at its field, and the rest is kept', async () => {
    const page = await filledForm('With a picture?')
    const [first] = await page.locator('input[type=file]').all()
    const field = page.getByRole('group', { name: 'First answer: Picture' })
    await first?.setInputFiles(file('large.png', 'image/png', Buffer.alloc(6 * MEBIBYTE)))
    await field.getByRole('alert').getByText('The picture has 6 MB; at most 5 MB are allowed.').waitFor()
    await first?.setInputFiles(file('drawing.gif', 'image/gif', Buffer.from('GIF89a')))
    await field.getByRole('alert').getByText('Only PNG, JPEG and WebP pictures can be shown.').waitFor()
    await first?.setInputFiles(file('broken.png', 'image/png', Buffer.from('no picture at all')))
    await field.getByRole('alert').waitFor({ state: 'detached' })
    await publish(page)
    await page.getByText(/The poll is saved as a draft, but a picture did not upload/).waitFor()
    expect(await page.getByLabel('Question').inputValue()).toBe('With a picture?')
    await first?.setInputFiles(file('good.png', 'image/png', Buffer.from(photo(320, 240))))
    await publish(page)
    await page.getByTestId('total').waitFor()
    // The second attempt changed the draft of the first.
    const stored = await storedWith('With a picture?')
    expect(stored).toMatchObject([{ isDraft: false, optionA: { imageUrl: expect.stringContaining('/files/') } }])
    await page.close()

    const theme = await visits.open(context, `${brand.slug}/theme`)
    const logo = theme.getByRole('group', { name: 'Logo', exact: false }).first()
    await theme
      .locator('input[type=file]')
      .first()
      .setInputFiles(file('logo.png', 'image/png', Buffer.alloc(3 * MEBIBYTE)))
    await logo.getByRole('alert').waitFor()
    expect(await theme.getByRole('button', { name: 'Save the theme' }).isEnabled()).toBe(true)
    await theme.close()
  }, 180_000)

  test('a limit is said in the form, which keeps what was typed', async () => {
    const another = await visits.signedIn('owner')
    const page = await filledForm('One too many?', another)
    expect(await page.evaluate(`(${WRITE_UP_TO_THE_LIMIT})('${brand.slug}')`)).toBe(429)
    await publish(page)
    const alert = page.getByRole('main').getByRole('alert')
    await alert.waitFor()
    expect(await alert.textContent()).toMatch(/Too many|limit/i)
    expect(await storedWith('One too many?')).toEqual([])
    expect(await page.getByLabel('Question').inputValue()).toBe('One too many?')
    // Others go on: the limit counts by person.
    const poll = await filledForm('By somebody else?')
    await publish(poll)
    await poll.getByTestId('total').waitFor()
    await poll.close()
    await another.close()
  }, 180_000)

  test('without a network the page says so and loses nothing, and goes on when it is back', async () => {
    const page = await filledForm('Offline?')
    await context.setOffline(true)
    await page.getByText('You are offline.', { exact: false }).waitFor()
    await publish(page)
    await page.getByRole('alert').getByText('The service cannot be reached. Check your connection.').waitFor()
    for (const [label, typed] of [
      ['Question', 'Offline?'],
      ['First answer: Answer', 'Yes'],
    ] as const)
      expect(await page.getByLabel(label).inputValue()).toBe(typed)
    await context.setOffline(false)
    await page.getByText('You are offline.', { exact: false }).waitFor({ state: 'detached' })
    await publish(page)
    await page.getByTestId('total').waitFor()
    expect(await storedWith('Offline?')).toHaveLength(1)
    await page.close()
  }, 180_000)

  test('a later answer about the session that fails takes no form away', async () => {
    const page = await context.newPage()
    await page.clock.install()
    await visits.go(page, `${brand.slug}/polls/new`)
    await page.getByLabel('Question').fill('Still here?')
    let asked = 0
    await page.route('**/auth/session', (route) => {
      asked++
      return route.fulfill({ status: 400, json: { error: { code: 'VALIDATION_FAILED', message: 'Not now.' } } })
    })
    await page.clock.fastForward('00:10:00')
    const answered = page.waitForResponse('**/auth/session')
    // Simulate a person who comes back from another tab.
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))")
    await answered
    // The page renders after the answer is read.
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Write something here.').first().waitFor()
    expect(await page.getByLabel('Question').inputValue()).toBe('Still here?')
    expect(asked).toBe(1)
    await page.close()
  }, 180_000)

  test('an answer that is lost on the way makes no second poll, and an upload that breaks off is made up for', async () => {
    const page = await filledForm('Lost on the way?')
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles(file('good.png', 'image/png', Buffer.from(photo(320, 240))))
    let lost = 0
    await page.route('**/api/rest/v1/brands/me/polls', async (route) => {
      if (route.request().method() !== 'POST' || lost > 0) return route.continue()
      lost++
      // The service creates the poll, and the answer is lost.
      await route.fetch()
      await route.abort('connectionreset')
    })
    let broken = 0
    await page.route('**/uploads/**', (route) => {
      if (route.request().method() === 'PUT' && broken++ === 0) return route.abort('connectionreset')
      return route.continue()
    })
    await publish(page)
    await page.getByText(/The poll is saved as a draft, but a picture did not upload/).waitFor()
    await publish(page)
    await page.getByTestId('total').waitFor()
    expect([lost, broken]).toEqual([1, 2])
    expect(await storedWith('Lost on the way?')).toMatchObject([
      { isDraft: false, optionA: { imageUrl: expect.stringContaining('/files/') } },
    ])
    await page.close()
  }, 180_000)

  test('a colleague who saved meanwhile is not overwritten', async () => {
    const poll = await service.createPoll(brand, { title: 'Whose version?' })
    const page = await visits.open(context, `${brand.slug}/polls/${poll.shortId}/edit`)
    await page.getByLabel('Question').fill('My version?')
    const change = { token: brand.token, json: { title: 'Their version?' } }
    expect((await service.write('PATCH', `brands/me/polls/${poll.id}`, change)).status).toBe(200)
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Somebody else changed this poll.', { exact: false }).waitFor()
    expect(await page.getByLabel('Question').inputValue()).toBe('My version?')
    expect(await storedWith('Their version?')).toHaveLength(1)
    await page.close()
    expect(visits.problems).toEqual([])
  }, 180_000)
})

/** Passed as text: writes of the person who is signed in, all at once, and the status of the last. */
const WRITE_UP_TO_THE_LIMIT = `async (brandSlug) => {
  const post = (path, body, headers) => fetch('/api/rest/v1/' + path, {
    method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body),
  })
  const { data } = await (await post('auth/session/token', { brandSlug })).json()
  const write = async () =>
    (await post('brands/me/polls', {}, { Authorization: 'Bearer ' + data.accessToken, 'X-Service-Idempotency-Key': crypto.randomUUID() })).status
  await Promise.all(Array.from({ length: ${WRITES_PER_MINUTE} }, write))
  return write()
}`
