import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { hasChromium, openWholeBrowser } from '../../embed/test/browser.ts'
import { CHOICE } from './embed-site.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { NpmStart } from './npm-start.ts'
import { addPasskeyReader } from './passkey-reader.ts'
import { photo } from './pictures.ts'
import { Receiver, verify } from './receiver.ts'

// The console is bundled at its first request, and npm starts slowly on a busy machine.
setDefaultTimeout(240_000)

/** Passkeys are bound to a name, which an address is not. */
const port = freePort()
const origin = `http://localhost:${port}`

describe.skipIf(!hasChromium)('the first day of a brand', () => {
  const receiver = new Receiver()
  const problems: string[] = []
  let service: NpmStart
  let browser: Browser
  let context: BrowserContext
  let page: Page
  beforeAll(async () => {
    service = await NpmStart.open({ PORT: String(port), PUBLIC_URL: origin, WEBHOOK_ALLOW_PRIVATE: 'true' })
    browser = await openWholeBrowser()
    context = await newContext()
    page = await newPage(context)
  })
  afterAll(async () => {
    await browser.close()
    await service.stop()
    await receiver.stop()
  })

  async function newContext(): Promise<BrowserContext> {
    const made = await browser.newContext({ locale: 'en-US', timezoneId: 'Europe/Paris' })
    made.setDefaultTimeout(60_000)
    return made
  }

  async function newPage(inContext: BrowserContext): Promise<Page> {
    const made = await inContext.newPage()
    made.on('pageerror', (error) => problems.push(error.message))
    made.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) problems.push(message.text())
    })
    return made
  }

  const heading = (name: string, on = page) => on.getByRole('heading', { level: 1, name, exact: true }).waitFor()

  const goTo = (place: string, on = page) =>
    on.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: place, exact: true }).click()

  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }

  /** Somebody else, in a browser of their own. */
  async function vote(url: string, option: 'A' | 'B'): Promise<void> {
    const visitor = await newContext()
    const hosted = await newPage(visitor)
    await hosted.goto(url)
    // The theme of the brand.
    await hosted.locator('.tossup[data-elevation=high]').waitFor()
    const counted = hosted.waitForResponse((answer) => answer.url().endsWith('/votes'))
    await hosted.locator(CHOICE[option]).click()
    // The page shows the result before that.
    expect((await counted).status()).toBe(201)
    await hosted.locator('article[data-state~="results"]').waitFor()
    await visitor.close()
  }

  /** The drawing of the chart, once the page shows `total` votes. */
  async function chartOf(total: number): Promise<string> {
    await page.locator(`section[data-total="${total}"]`).waitFor()
    await page.locator('.chart canvas').first().waitFor()
    return page.evaluate<string>("document.querySelector('.chart canvas').toDataURL()")
  }

  test('goes from the link of npm start to a poll that people vote on, a campaign, a webhook and a colleague', async () => {
    await page.goto(await service.link())
    await page.getByRole('button').click()
    await heading('Overview')

    await goTo('Polls')
    await page.getByRole('link', { name: 'New poll' }).first().click()
    await page.getByLabel('Question').fill('Cats or dogs?')
    await page.getByLabel('First answer: Answer').fill('Cats')
    await page.getByLabel('Second answer: Answer').fill('Dogs')
    for (const name of ['First answer: Picture', 'Second answer: Picture']) {
      const picture = { name: 'pet.png', mimeType: 'image/png', buffer: Buffer.from(photo(320, 240)) }
      await page.getByRole('group', { name, exact: true }).locator('input[type=file]').setInputFiles(picture)
    }
    await page.getByRole('region', { name: 'Preview' }).getByText('Cats or dogs?').waitFor()
    await page.getByRole('button', { name: 'Save as draft' }).click()
    await heading('Cats or dogs?')
    const ofPoll = page.url()

    await goTo('Theme')
    await page.getByRole('button', { name: 'Midnight' }).click()
    await page.getByRole('region', { name: 'Preview' }).locator('.tossup[data-elevation=high]').waitFor()
    await page.getByRole('button', { name: 'Save the theme' }).click()
    await page.getByText('The theme is saved.').waitFor()

    await page.goto(ofPoll)
    await heading('Cats or dogs?')
    await page.getByRole('button', { name: 'Copy a preview link' }).click()
    const preview = (await page.getByRole('region', { name: 'Preview link' }).textContent()) ?? ''
    expect(await (await fetch(preview)).text()).toContain('Cats or dogs?')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Open', { exact: true }).waitFor()
    const note = page.getByRole('status').filter({ hasText: 'It’s live' })
    await note.getByRole('button', { name: 'Share' }).click()
    const url = (await page.getByRole('dialog').getByRole('region', { name: 'Link' }).textContent()) ?? ''
    expect(url).toStartWith(`${origin}/p/`)
    const frame = await page.getByRole('dialog').getByRole('region', { name: 'Frame' }).textContent()
    expect(frame).toContain(' height="760" ')
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    expect(await page.getByTestId('total').textContent()).toBe('0')

    await vote(url, 'A')
    await page.locator('.side-share').getByText('100%', { exact: true }).waitFor()
    const first = await chartOf(1)
    await vote(url, 'B')
    await page.getByTestId('total').getByText('2', { exact: true }).waitFor()
    await page.locator('.side-share').getByText('50%').first().waitFor()
    await eventually(async () => (await chartOf(2)) !== first)

    const downloading = page.waitForEvent('download')
    await choose('As CSV')
    const votes = await readFile(await (await downloading).path(), 'utf8')
    expect(votes.trim().split('\n')).toHaveLength(3)

    await goTo('Campaigns')
    await page.getByRole('link', { name: 'New campaign' }).first().click()
    await page.getByLabel('Title').fill('Our first campaign')
    await page.getByRole('button', { name: 'Add: Cats or dogs?' }).click()
    await page.getByRole('button', { name: 'Add: Tea or coffee?' }).click()
    await page.getByRole('button', { name: 'Publish' }).click()
    await heading('Our first campaign')
    await page.getByRole('region', { name: 'How far devices get' }).getByText('Cats or dogs?').waitFor()

    await goTo('Webhooks')
    await page.getByRole('link', { name: 'New webhook' }).first().click()
    await page.getByLabel('URL').fill(receiver.url)
    await page.getByRole('checkbox', { name: 'A poll is created' }).check()
    await page.getByRole('button', { name: 'Add the webhook' }).click()
    const secret = (await page.getByRole('region', { name: 'Secret' }).textContent()) ?? ''
    await page.getByRole('link', { name: 'Go to the webhook' }).click()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByRole('button', { name: /^webhook\.test.*Delivered/ }).waitFor()
    const [received] = receiver.received
    expect(received && verify(received, secret)).toMatchObject({ type: 'webhook.test' })

    await goTo('People')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('Email').fill('colleague@people.test')
    await page.getByRole('radio', { name: 'Analyst' }).check()
    await page.getByRole('button', { name: 'Create the invitation' }).click()
    const link = (await page.getByRole('region', { name: 'Invite a person' }).textContent()) ?? ''
    await expectColleague(link, ofPoll)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.reload()
    await page.getByRole('listitem').getByText('colleague@people.test').waitFor()

    await page.goto(`${origin}/console/me`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Tossup' }).waitFor()
    await page.goto(ofPoll)
    await page.getByRole('heading', { name: 'Sign in to Tossup' }).waitFor()
    expect(await context.cookies(origin)).not.toContainEqual(expect.objectContaining({ name: 'tossup' }))
    expect(problems).toEqual([])
  })

  /** Joins, adds a passkey, signs in with it, and sees a poll that they cannot change. */
  async function expectColleague(link: string, ofPoll: string): Promise<void> {
    const theirs = await newContext()
    const their = await newPage(theirs)
    await addPasskeyReader(theirs, their)
    await their.goto(link)
    await their.getByRole('button').click()
    await heading('Overview', their)
    await their.goto(`${origin}/console/me`)
    await their.getByText('No passkeys yet.').waitFor()
    await their.getByRole('button', { name: 'Add a passkey' }).click()
    await their.getByText('Not used yet').waitFor()
    await their.getByRole('button', { name: 'Sign out' }).click()
    await their.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await heading('Overview', their)

    await goTo('Polls', their)
    await their.getByRole('link', { name: /Cats or dogs\?/ }).click()
    await heading('Cats or dogs?', their)
    await their.getByTestId('total').getByText('2', { exact: true }).waitFor()
    expect(await their.getByRole('link', { name: 'Edit' }).count()).toBe(0)
    await their.goto(`${ofPoll}/edit`)
    await their.getByText('Your role cannot see this').waitFor()
    await theirs.close()
  }
})
