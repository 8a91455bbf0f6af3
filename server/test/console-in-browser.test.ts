import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { HOUR } from '../src/base/clock.ts'
import { ConsoleBrowser } from './console-browser.ts'
import { freePort } from './free-port.ts'
import { addMember } from './people.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

describe.skipIf(!hasChromium)('the console in Chromium', () => {
  let service: TestService
  let brand: TestBrand
  let browser: Browser
  let visits: ConsoleBrowser
  beforeAll(async () => {
    // Uploads go to PUBLIC_URL, which names the port.
    service = await startTestService('sqlite', { settings: { PORT: String(freePort()) } })
    brand = await service.createBrand()
    browser = await openBrowser()
    visits = new ConsoleBrowser({ service, brand, browser })
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  test('an open poll is closed at once, also from a browser whose clock is ahead', async () => {
    const poll = await service.createPoll(brand, { title: 'Closed now?' })
    const context = await visits.signedIn('owner')
    await context.clock.setFixedTime(Date.now() + HOUR)
    const page = await visits.open(context, `${brand.slug}/polls/${poll.shortId}`)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Close now' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Close now' }).click()
    await page.getByText('Closed', { exact: true }).waitFor()
    expect((await service.get<PollData>(`polls/${poll.id}`)).body.data.status).toBe('closed')
    await context.close()
  }, 180_000)

  test('a taken address is said at its field, and what was typed is kept when the session ends', async () => {
    await service.createPoll(brand, { slug: 'taken-address' })
    const context = await visits.signedIn('owner')
    const page = await visits.open(context, `${brand.slug}/polls/new`)
    await page.getByLabel('Question').fill('Again?')
    await page.getByLabel('First answer: Answer').fill('Yes')
    await page.getByRole('button', { name: 'Publish' }).click()
    const second = page.getByLabel('Second answer: Answer')
    await page.getByText('Write something here.').waitFor()
    expect(await second.getAttribute('aria-invalid')).toBe('true')
    await second.fill('No')
    const address = page.getByLabel('Web address')
    await address.fill('taken-address')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.locator('[aria-invalid="true"]').waitFor()
    expect(await address.getAttribute('aria-invalid')).toBe('true')
    await address.fill('another-address')
    await service.db.deleteFrom('sessions').execute()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    const again = await addMember(service, brand, 'owner')
    // Simulate another tab that opens a sign-in link.
    const [name = '', value = ''] = again.page['Cookie']?.split('=') ?? []
    await context.addCookies([{ name, value, url: service.service.url }])
    await page.getByRole('button', { name: 'I have signed in' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.getByLabel('Question').inputValue()).toBe('Again?')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByTestId('total').waitFor()
    await context.close()
  }, 180_000)

  test('other words after the first vote are asked about, other spelling is not, and both are said', async () => {
    const poll = await service.createPoll(brand, { title: 'Tea or coffee?', optionA: { label: 'Black tea' } })
    await service.vote(poll.id, 'A')
    const context = await visits.signedIn('owner')
    const page = await visits.open(context, `${brand.slug}/polls/${poll.shortId}/edit`)
    const note = page.getByTestId('revision')
    await note.getByText('“edited after the first vote”').waitFor()
    const label = page.getByLabel('First answer: Answer')
    await label.fill('Green tea')
    await note.getByText('Black tea').waitFor()
    await page.getByRole('button', { name: 'Save changes' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change what people voted on?' })
    expect(await dialog.locator('bdi').allTextContents()).toEqual(['Black tea', 'Green tea'])
    await dialog.getByRole('button', { name: 'Keep editing' }).click()
    await dialog.waitFor({ state: 'detached' })
    const stored = async () => (await service.get<PollData>(`polls/${poll.id}`)).body.data
    expect(await stored()).toMatchObject({ optionA: { label: 'Black tea' }, revisedAt: null })
    await label.fill('black tea.')
    await note.getByText('Black tea').waitFor()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByTestId('total').waitFor()
    expect(await stored()).toMatchObject({ optionA: { label: 'black tea.' }, revisedAt: expect.any(String) })

    await page.goto(`${service.service.url}/console/${brand.slug}/polls/${poll.shortId}/edit`)
    await page.getByLabel('Question').fill('Tea or juice?')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await dialog.getByRole('button', { name: 'Save the new wording' }).click()
    await page.getByTestId('total').waitFor()
    expect((await stored()).title).toBe('Tea or juice?')
    await context.close()
  }, 180_000)

  test('an analyst sees the numbers, and no button that changes something', async () => {
    const poll = await service.createPoll(brand, { title: 'For analysts?' })
    await service.vote(poll.id, 'B')
    const context = await visits.signedIn('analyst')
    const page = await visits.open(context, `${brand.slug}/polls`)
    await page.getByText('For analysts?').click()
    await page.getByRole('heading', { name: 'For analysts?' }).waitFor()
    expect(await page.getByTestId('total').textContent()).toBe('1')
    for (const name of ['Edit', 'New poll']) expect(await page.getByRole('link', { name }).count()).toBe(0)
    const places = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allTextContents()
    // Beside the keys are the agents, of which everybody has their own.
    expect(places).toEqual(['Overview', 'Polls', 'Campaigns', 'API keys', 'People'])
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem').first().waitFor()
    expect(await page.getByRole('menuitem').allTextContents()).toEqual([
      'Open the page',
      'Compare with others',
      'As CSV, for spreadsheets',
      'As NDJSON, for programs',
    ])
    await page.goto(`${service.service.url}/console/${brand.slug}/polls/new`)
    await page.getByText('Your role cannot see this').waitFor()
    await context.close()
    expect(visits.problems).toEqual([])
  }, 180_000)
})
