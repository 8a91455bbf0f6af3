import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { createCampaign } from './campaigns.ts'
import { ConsoleBrowser } from './console-browser.ts'
import { freePort } from './free-port.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

// Runs in a process of its own: beside other files in it, the browser has opened no page for a minute and longer.

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47])

describe.skipIf(!hasChromium)('results in the console', () => {
  let service: TestService
  let brand: TestBrand
  let browser: Browser
  let visits: ConsoleBrowser
  beforeAll(async () => {
    service = await startTestService('sqlite', { jobs: 'by hand', settings: { PORT: String(freePort()) } })
    brand = await service.createBrand()
    browser = await openBrowser()
    visits = new ConsoleBrowser({ service, brand, browser })
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  async function votesOn({ id }: PollData, votes: { readonly A: number; readonly B: number }): Promise<void> {
    for (const option of ['A', 'B'] as const)
      for (let i = 0; i < votes[option]; i++) expect((await service.vote(id, option)).status).toBe(201)
  }

  async function downloaded(page: Page, press: () => Promise<void>): Promise<Buffer> {
    const downloading = page.waitForEvent('download')
    await press()
    return readFile(await (await downloading).path())
  }

  const pollPage = ({ shortId }: PollData) => `${brand.slug}/polls/${shortId}`

  test('a winner is named only after the close of a poll whose lead is more than chance', async () => {
    const clear = await service.createPoll(brand, { title: 'Clear?' })
    const close = await service.createPoll(brand, { title: 'Close?' })
    await votesOn(clear, { A: 12, B: 1 })
    await votesOn(close, { A: 3, B: 2 })
    const context = await visits.signedIn('owner')
    const page = await visits.open(context, pollPage(clear))
    const split = page.getByRole('region', { name: 'Split' })
    await split.getByText('Tea is leading').waitFor()
    expect(await split.getByText('Winner').count()).toBe(0)
    await split.getByText('12 votes').waitFor()
    await split.getByText('95% interval for Tea: 66% to 99%', { exact: true }).waitFor()
    await split.getByText('this is not a survey of a population').waitFor()
    await split.getByRole('button', { name: 'What is counted' }).click()
    await page.getByText('Tossup counts devices, not people.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Show the voters' }).click()
    await page
      .getByRole('list', { name: 'Voters' })
      .getByText(/^Device /)
      .first()
      .waitFor()
    expect(await page.getByText('Person').count()).toBe(0)

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Close now' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Close now' }).click()
    await split.getByText('Winner: Tea').waitFor()
    await page.getByRole('list', { name: 'What happened' }).getByText('Closed').waitFor()

    await visits.go(page, pollPage(close))
    await split.getByText('Too close to call').waitFor()
    await split.getByText('It holds for one look at a number of votes that was fixed beforehand.').waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Close now' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Close now' }).click()
    await page.getByText('Closed', { exact: true }).first().waitFor()
    expect(await split.getByText('Winner').count()).toBe(0)

    const picture = await downloaded(page, () => page.getByRole('button', { name: 'Save as a picture' }).click())
    expect(picture.subarray(0, 4)).toEqual(PNG)
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([1920, 1080])
    await page.getByRole('button', { name: 'Show the report' }).click()
    await page.getByText('0 of 100').waitFor()
    await context.close()
    expect(visits.problems).toEqual([])
  }, 180_000)

  test('a published poll says that it is live, and its share dialog carries the source that was named', async () => {
    const context = await visits.signedIn('editor')
    const page = await visits.open(context, `${brand.slug}/polls/new`)
    await page.getByLabel('Question').fill('From where?')
    await page.getByLabel('First answer: Answer').fill('Here')
    await page.getByLabel('Second answer: Answer').fill('There')
    await page.getByRole('button', { name: 'Publish' }).click()
    const note = page.getByRole('status').filter({ hasText: 'It’s live' })
    await note.getByRole('button', { name: 'Share' }).click()
    const dialog = page.getByRole('dialog', { name: 'Share this poll' })
    await dialog.getByRole('link', { name: 'Present' }).waitFor()
    const field = dialog.getByLabel('Where will you put it?')
    await field.fill('Poster?')
    await dialog.getByText('Use 1 to 40 of the characters').waitFor()
    expect(await dialog.getByRole('button', { name: 'Use' }).isEnabled()).toBe(false)
    await field.fill('The newsletter')
    await dialog.getByRole('button', { name: 'Use' }).click()
    await dialog.getByRole('region', { name: 'Link' }).getByText('?source=the-newsletter').waitFor()
    await dialog.getByRole('region', { name: 'Script tag' }).getByText('source="the-newsletter"').waitFor()
    const code = (await dialog.locator('img.qr').getAttribute('src')) ?? ''
    expect(code).toContain('source=the-newsletter')
    expect((await service.get(code)).status).toBe(200)
    const names = await service.get<{ name: string }[]>('brands/me/source-names', { token: brand.token })
    expect(names.body.data.map(({ name }) => name)).toEqual(['the-newsletter'])
    await dialog.getByRole('button', { name: 'Without a source' }).click()
    expect(await dialog.getByRole('region', { name: 'Link' }).textContent()).not.toContain('source')
    await context.close()
    expect(visits.problems).toEqual([])
  }, 180_000)

  test('a link to the results is made, shown once, and ended', async () => {
    const poll = await service.createPoll(brand, { title: 'Shared?', resultsVisibility: 'never' })
    const context = await visits.signedIn('editor')
    const page = await visits.open(context, pollPage(poll))
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Share the results' }).click()
    const dialog = page.getByRole('dialog', { name: 'Share the results' })
    await dialog.getByText('also results that are hidden from the public').waitFor()
    await dialog.getByText('No link works now.').waitFor()
    await dialog.getByLabel('The link ends').selectOption('In 7 days')
    await dialog.getByRole('button', { name: 'Create a link' }).click()
    const url = (await dialog.getByRole('region', { name: 'Link to the results' }).textContent()) ?? ''
    expect(url).toStartWith(`${service.service.url}/r/`)
    await dialog.getByText('Ends in 7 days').or(dialog.getByText('Ends in 6 days')).waitFor()
    await dialog.getByRole('button', { name: /^End the link/ }).click()
    await dialog.getByText('No link works now.').waitFor()
    expect((await fetch(url)).status).toBe(404)
    await context.close()
    expect(visits.problems).toEqual([])
  }, 180_000)

  test('polls are compared, two periods of a poll too, and an analyst reads the same', async () => {
    const first = await service.createPoll(brand, { title: 'First compared?' })
    const second = await service.createPoll(brand, { title: 'Second compared?' })
    await votesOn(first, { A: 2, B: 14 })
    await votesOn(second, { A: 14, B: 2 })
    const context = await visits.signedIn('editor')
    const page = await visits.open(context, `${brand.slug}/polls`)
    for (const { title } of [first, second]) await page.getByRole('checkbox', { name: `Select: ${title}` }).check()
    await page.getByRole('region', { name: 'Actions' }).getByRole('link', { name: 'Compare' }).click()
    await page.getByRole('heading', { level: 1, name: 'Compare' }).waitFor()
    await page.getByText('The others are compared with this one.').waitFor()
    await page.getByText(/75 percentage points for the first answer.*more than chance\.$/).waitFor()
    const { pathname, search } = new URL(page.url())
    await context.close()

    const theirs = await visits.signedIn('analyst')
    const their = await visits.open(theirs, pathname.replace('/console/', '') + search)
    await their.getByText(/75 percentage points for the first answer.*more than chance\.$/).waitFor()
    await their.getByLabel('Compare', { exact: true }).selectOption('Two periods of one poll')
    await their.getByRole('group', { name: 'Period 2' }).waitFor()
    await their.getByText('No votes to compare.').waitFor()
    const page2 = await downloaded(their, async () => {
      await visits.go(their, `${brand.slug}/polls`)
      await their.getByRole('button', { name: 'Results as CSV' }).click()
    })
    expect(page2.toString()).toContain('Second compared?')
    await theirs.close()
    expect(visits.problems).toEqual([])
  }, 180_000)

  test('a campaign tells who chose what, for any two of its polls', async () => {
    const drink = await service.createPoll(brand, { title: 'Drink?' })
    const labels = { optionA: { label: 'Window' }, optionB: { label: 'Aisle' } }
    const seat = await service.createPoll(brand, { title: 'Seat?', ...labels })
    const third = await service.createPoll(brand, { title: 'Third?' })
    const { campaignId } = await createCampaign(service, brand, [drink, seat, third], { title: 'Journey' })
    for (let i = 0; i < 8; i++) {
      const device = crypto.randomUUID()
      await service.vote(drink.id, i < 4 ? 'A' : 'B', device)
      await service.vote(seat.id, i % 4 === 0 ? 'B' : 'A', device)
    }
    const context = await visits.signedIn('analyst')
    const page = await visits.open(context, `${brand.slug}/campaigns/${campaignId}`)
    const results = page.getByRole('region', { name: 'Results by poll' })
    await results.getByText('Too close to call').nth(1).waitFor()
    const table = page.getByRole('region', { name: 'Who chose what' }).first()
    await table.getByText('Of those who chose Tea, 75% chose Window; 75% of the others.').waitFor()
    await table.getByText('8 devices answered both.').waitFor()
    await table.getByLabel('and their answer to').selectOption('Third?')
    await table.getByText('No device has answered both polls.').waitFor()
    await page.getByRole('button', { name: 'Share' }).click()
    const stage = await page.getByRole('dialog').getByRole('link', { name: 'Present' }).getAttribute('href')
    expect((await service.get(stage ?? '')).status).toBe(200)

    await visits.go(page, brand.slug)
    await page.getByRole('region', { name: 'Where votes come from' }).getByText('Last 30 days').waitFor()
    await context.close()
    expect(visits.problems).toEqual([])
  }, 180_000)

  test('an invitation says that this server sends no email, and so do the emails of the profile', async () => {
    const context = await visits.signedIn('owner')
    const page = await visits.open(context, `${brand.slug}/people`)
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('Email').fill('new@people.test')
    await page.getByRole('button', { name: 'Create the invitation' }).click()
    await page.getByText('This server sends no email: send this link to new@people.test yourself.').waitFor()
    await visits.go(page, 'me')
    await page.getByRole('heading', { name: /^Emails about / }).waitFor()
    await page.getByText('This server sends no email.').waitFor()
    expect(await page.getByRole('switch', { name: 'When a poll closes, with its result' }).isEnabled()).toBe(false)
    await context.close()
    expect(visits.problems).toEqual([])
  }, 180_000)
})
