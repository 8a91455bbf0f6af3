import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { type CampaignData, createCampaign } from './campaigns.ts'
import { ConsoleBrowser } from './console-browser.ts'
import { freePort } from './free-port.ts'
import { photo } from './pictures.ts'
import { Receiver } from './receiver.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { upload } from './uploads.ts'
import { createWebhook } from './webhooks.ts'

describe.skipIf(!hasChromium)('webhooks, campaigns and many polls in the console', () => {
  let service: TestService
  let brand: TestBrand
  let browser: Browser
  let visits: ConsoleBrowser
  const receiver = new Receiver()
  beforeAll(async () => {
    // Uploads go to PUBLIC_URL, which names the port.
    const settings = { PORT: String(freePort()), WEBHOOK_ALLOW_PRIVATE: 'true' }
    service = await startTestService('sqlite', { settings })
    brand = await service.createBrand()
    browser = await openBrowser()
    visits = new ConsoleBrowser({ service, brand, browser })
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
    await receiver.stop()
  })

  test('a webhook of a chat offers what a chat can tell, without the secret of signed requests', async () => {
    const context = await visits.signedIn('owner')
    const page = await visits.open(context, `${brand.slug}/webhooks/new`)
    await page.getByLabel('Format').selectOption('Slack')
    expect(await page.getByRole('button', { name: /^Example of/ }).count()).toBe(0)
    await page.getByLabel('URL').fill(receiver.url)
    await page.getByRole('checkbox', { name: 'A poll closes' }).check()
    await page.getByRole('button', { name: 'Add the webhook' }).click()
    await page.getByText('Nothing sent yet').first().waitFor()
    expect(await page.getByText('whsec_').count()).toBe(0)
    const webhook = new URL(page.url()).pathname.split('/').at(-1)
    await service.write('DELETE', `brands/me/webhooks/${webhook}`, { token: brand.token })
    await context.close()
    expect(visits.problems).toEqual([])
  }, 120_000)

  test('a webhook is added, its test arrives, its failure is explained, and it is deleted', async () => {
    const context = await visits.signedIn('owner')
    const page = await visits.open(context, `${brand.slug}/webhooks`)
    await page.getByRole('link', { name: 'New webhook' }).first().click()
    await page.getByRole('button', { name: 'Add the webhook' }).click()
    const url = page.getByLabel('URL')
    await page.getByText('Choose at least one event.').waitFor()
    expect(await url.getAttribute('aria-invalid')).toBe('true')
    await url.fill('not an address')
    await page.getByRole('checkbox', { name: 'A poll is created' }).check()
    await page.getByRole('button', { name: 'Add the webhook' }).click()
    // The service says what a URL is.
    await page.locator('input[type=url][aria-invalid=true]').waitFor()
    await page.getByRole('button', { name: 'Example of poll.created' }).click()
    await page.getByRole('region', { name: 'Example of poll.created' }).getByText('"type": "poll.created"').waitFor()
    await url.fill(receiver.url)
    await page.getByRole('button', { name: 'Add the webhook' }).click()
    const secret = await page.getByRole('region', { name: 'Secret' }).textContent()
    expect(secret).toStartWith('whsec_')

    await page.getByRole('link', { name: 'Go to the webhook' }).click()
    await page.getByText('Nothing sent yet').first().waitFor()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByRole('button', { name: /^webhook\.test.*Delivered/ }).click()
    await page.getByText('Answered 200').waitFor()
    expect(receiver.types).toEqual(['webhook.test'])

    receiver.answer = () => new Response('out of tea', { status: 500 })
    await page.getByRole('button', { name: /^Send again: webhook\.test/ }).click()
    await page.getByRole('alert').getByText('Last failure: Answered 500: the receiver refused it').waitFor()
    await page.getByText('Failing', { exact: true }).waitFor()
    await page.getByRole('button', { name: /^webhook\.test.*[1-9] attempt.*Waiting/ }).click()
    await page.getByText('out of tea').waitFor()

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'New secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click()
    const another = await page.getByRole('dialog').getByRole('region', { name: 'Secret' }).textContent()
    expect(another).toStartWith('whsec_')
    expect(another).not.toBe(secret)
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Pause' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Note').fill('The kitchen')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('heading', { level: 1, name: 'The kitchen' }).waitFor()
    const [stored] = (await service.get<object[]>('brands/me/webhooks', { token: brand.token })).body.data
    expect(stored).toMatchObject({ description: 'The kitchen', status: 'DISABLED', events: ['poll.created'] })

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete webhook' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click()
    await page.getByText('No webhooks yet').waitFor()
    expect((await service.get('brands/me/webhooks', { token: brand.token })).body.data).toEqual([])
    await context.close()
  }, 180_000)

  test('a campaign of two polls is made, ordered by keyboard and by dragging, and its funnel follows votes', async () => {
    const tea = await service.createPoll(brand, { title: 'Tea today?' })
    const cake = await service.createPoll(brand, { title: 'Cake today?' })
    await createCampaign(service, brand, [tea], { title: 'Taken title' })
    const context = await visits.signedIn('owner')
    const page = await visits.open(context, `${brand.slug}/campaigns/new`)
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Add at least one poll.').waitFor()
    const title = page.getByLabel('Title')
    expect(await title.getAttribute('aria-invalid')).toBe('true')
    await page.getByRole('button', { name: 'Add: Tea today?' }).click()
    await page.getByRole('button', { name: 'Add: Cake today?' }).click()
    await page.getByRole('button', { name: /^Move Cake today\?: place 2 of 2/ }).press('ArrowUp')
    await page.getByText('Cake today? is now at place 1 of 2.').waitFor()
    // It keeps the focus, so that the next key moves it on.
    expect(await page.evaluate<string>('document.activeElement.ariaLabel')).toStartWith('Move Cake today?: place 1')
    await title.fill('taken TITLE')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.locator('input[aria-invalid=true]').waitFor()
    expect(await title.getAttribute('aria-invalid')).toBe('true')
    await title.fill('Afternoon')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('heading', { level: 1, name: 'Afternoon' }).waitFor()

    const list = () => service.get<CampaignData[]>(`brands/${brand.slug}/campaigns`)
    const made = async () => (await list()).body.data.find((each) => each.title === 'Afternoon')
    const titles = async () => (await made())?.polsts.map((poll) => (poll as { title?: string }).title)
    expect(await titles()).toEqual(['Cake today?', 'Tea today?'])

    const visitor = crypto.randomUUID()
    const campaign = (await made())?.campaignId
    const voteHere = ({ id }: PollData, option: string, device: string = crypto.randomUUID()) =>
      service.post(`polls/${id}/votes`, { device, json: { option, campaign } })
    for (const poll of [tea, cake]) await voteHere(poll, 'A', visitor)
    await voteHere(cake, 'B')
    await service.vote(tea.id, 'B')
    // The numbers are kept for a minute.
    service.clock.advance(60_000)
    const funnel = page.getByRole('region', { name: 'How far devices get' })
    await funnel.getByText('2 (100%)').waitFor()
    await funnel.getByText('1 (50%)').waitFor()
    await funnel.getByText('1 elsewhere').waitFor()
    const responses = page.getByRole('list', { name: 'Responses' })
    await responses.getByText('Poll 2: none').waitFor()
    expect(await responses.getByRole('listitem').count()).toBe(3)
    await responses.getByText('Poll 2: A').waitFor()

    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'As CSV, one line per answer' }).click()
    const file = await readFile(await (await downloading).path(), 'utf8')
    expect(file.trim().split('\n')).toHaveLength(5)
    await page.getByRole('status').getByRole('button', { name: 'Share' }).click()
    await page
      .getByRole('region', { name: 'Link' })
      .getByText(`/c/${(await made())?.campaignId}`)
      .waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()

    await page.getByRole('link', { name: 'Edit' }).click()
    const order = page.getByRole('list', { name: 'Polls, in order' }).getByRole('listitem')
    await order.nth(1).dragTo(order.nth(0))
    await page.getByText('Tea today? is now at place 1 of 2.').waitFor()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('The campaign is saved.').waitFor()
    expect(await titles()).toEqual(['Tea today?', 'Cake today?'])
    await context.close()
  }, 180_000)

  test('chosen polls are archived and brought back, and a copy of a poll keeps its pictures', async () => {
    const picture = { slot: 'optionA', contentType: 'image/png', bytes: photo(32, 32) } as const
    const { publicUrl: imageUrl } = await upload(service, brand, picture)
    const first = await service.createPoll(brand, {
      title: 'To be copied?',
      tags: ['copied'],
      optionA: { label: 'Yes', imageUrl, imageAlt: 'A hand' },
    })
    const second = await service.createPoll(brand, { title: 'To be archived?' })
    const context = await visits.signedIn('editor')
    const page = await visits.open(context, `${brand.slug}/polls`)
    for (const { title } of [first, second]) await page.getByRole('checkbox', { name: `Select: ${title}` }).check()
    await page.getByText('2 selected').waitFor()
    await page.getByRole('region', { name: 'Actions' }).getByRole('button', { name: 'Archive' }).press('Enter')
    // It stays while the pointer is on it.
    await page.getByText('2 polls are archived.').hover()
    const ownPoll = async ({ id }: PollData) =>
      (await service.get<PollData & { archivedAt: string | null }>(`brands/me/polls/${id}`, { token: brand.token }))
        .body.data
    expect((await ownPoll(first)).archivedAt).not.toBeNull()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('2 polls are restored.').waitFor()
    for (const poll of [first, second]) expect((await ownPoll(poll)).archivedAt).toBeNull()

    await page.getByRole('link', { name: /To be copied\?/ }).click()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await page.getByRole('heading', { level: 1, name: 'New poll' }).waitFor()
    await page.getByLabel('Question').fill('A copy?')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('heading', { level: 1, name: 'A copy?' }).waitFor()
    const [copy] = (await service.get<PollData[]>(`brands/${brand.slug}/polls`)).body.data
    expect(copy).toMatchObject({ title: 'A copy?', optionA: { label: 'Yes', imageUrl, imageAlt: 'A hand' } })
    await context.close()
  }, 180_000)

  test('the profile of the brand is written with a picture that is made small, and its page shows it', async () => {
    const context = await visits.signedIn('editor')
    const page = await visits.open(context, `${brand.slug}/profile`)
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    await name.fill('')
    await page.getByRole('button', { name: 'Save the profile' }).click()
    await page.getByText('Write something here.').waitFor()
    await name.fill('Corner Café')
    await page.getByLabel('Display name').fill('The Corner')
    await page.getByLabel('About the brand').fill('Coffee since 1987.')
    await page.getByLabel('City').fill('Porto')
    const file = { name: 'me.png', mimeType: 'image/png', buffer: Buffer.from(photo(1_200, 900)) }
    await page.getByRole('group', { name: 'Picture' }).locator('input[type=file]').setInputFiles(file)
    await page.getByRole('region', { name: 'Preview' }).getByRole('heading', { name: 'The Corner' }).waitFor()
    await page.getByRole('button', { name: 'Save the profile' }).click()
    await page.getByText('The profile is saved.').waitFor()
    await page.getByText('Corner Café', { exact: true }).first().waitFor()
    const { avatarUrl } = (await service.get<{ avatarUrl: string }>(`brands/${brand.slug}`)).body.data
    const picture = new Bun.Image(await (await fetch(avatarUrl)).arrayBuffer())
    expect(await picture.metadata()).toMatchObject({ width: 512, height: 384 })
    const shown = await (await fetch(`${service.service.url}/b/${brand.slug}`)).text()
    for (const text of [avatarUrl, 'The Corner', 'Coffee since 1987.', 'Porto']) expect(shown).toContain(text)

    await service.write('PATCH', 'brands/me', { token: brand.token, json: { locationCity: 'Lisbon' } })
    await page.getByRole('button', { name: 'Save the profile' }).click()
    await page.getByText('Somebody else changed the profile.').waitFor()
    await context.close()
    expect(visits.problems).toEqual([])
  }, 180_000)

  test('many polls are tagged, filtered by tag, scheduled and closed, and one that stays as it was says why', async () => {
    const polls = [
      await service.createPoll(brand, { title: 'First of many?', tags: ['old'] }),
      await service.createPoll(brand, { title: 'Second of many?' }),
      await service.createPoll(brand, { title: 'Draft of many?', isDraft: true }),
    ]
    const stored = () =>
      Promise.all(
        polls.map(({ id }) =>
          service.get<PollData & { closesAt: string | null }>(`brands/me/polls/${id}`, { token: brand.token }),
        ),
      )
    const fieldOf = async (name: 'tags' | 'closesAt' | 'status') => (await stored()).map(({ body }) => body.data[name])
    const context = await visits.signedIn('editor')
    const page = await visits.open(context, `${brand.slug}/polls`)
    const dialog = page.getByRole('dialog')
    const start = async (action: string) => {
      for (const { title } of polls) await page.getByRole('checkbox', { name: `Select: ${title}` }).check()
      await page.getByRole('region', { name: 'Actions' }).getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: action }).click()
    }
    const undo = async (said: string) => {
      await page.getByRole('button', { name: 'Undo' }).last().click()
      await page.getByText(said).waitFor()
    }
    await start('Add a tag')
    await dialog.getByLabel('Tag').fill('#Autumn')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('3 polls have the tag.').waitFor()
    expect(await fieldOf('tags')).toEqual([['old', 'Autumn'], ['Autumn'], ['Autumn']])
    await page.getByLabel('Tag').fill('autumn')
    await page.waitForURL(/tag=autumn/)
    await page.locator('[aria-setsize="3"]').first().waitFor()

    await start('Remove a tag')
    await dialog.getByLabel('Tag').selectOption('old')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The tag is removed from 3 polls.').waitFor()
    expect(await fieldOf('tags')).toEqual([['Autumn'], ['Autumn'], ['Autumn']])
    await undo('3 polls are as before.')
    expect((await fieldOf('tags'))[0]).toEqual(['old', 'Autumn'])

    await start('Schedule')
    await dialog.getByLabel('Closes at').fill('2199-01-01T12:00')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('3 polls have new times.').waitFor()
    expect(new Set(await fieldOf('closesAt'))).toEqual(new Set(['2199-01-01T11:00:00.000Z']))

    await start('Close now')
    await dialog.getByRole('button', { name: 'Close now' }).click()
    await dialog.getByText('One poll did not change').waitFor()
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual(['Draft of many?It is not open.'])
    expect(await fieldOf('status')).toEqual(['closed', 'closed', 'open'])
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByText('1 selected').waitFor()
    // Somebody reopens one meanwhile: its change is not undone.
    await service.write('PATCH', `brands/me/polls/${polls[0]?.id}`, { token: brand.token, json: { closesAt: null } })
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await dialog.getByText('Somebody else has changed it.').waitFor()
    expect(await fieldOf('closesAt')).toEqual([null, '2199-01-01T11:00:00.000Z', '2199-01-01T11:00:00.000Z'])
    await context.close()
    expect(visits.problems).toEqual([])
  }, 180_000)

  test('a new poll starts from a template or a past poll, and asks before it replaces what was typed', async () => {
    const past = await service.createPoll(brand, { title: 'Asked last year?' })
    const context = await visits.signedIn('editor')
    const page = await visits.open(context, `${brand.slug}/polls/new`)
    const start = page.getByRole('button', { name: 'Use a template' })
    const question = page.getByRole('textbox', { name: 'Question' })
    await start.click()
    await page.getByRole('link', { name: /^After reading/ }).click()
    await page.getByRole('region', { name: 'Preview' }).getByText('Did this answer your question?').waitFor()
    expect(await question.inputValue()).toBe('Did this answer your question?')
    expect(await page.getByLabel('First answer: Answer').inputValue()).toBe('Yes')
    expect(await page.getByRole('radio', { name: 'Only your team' }).isChecked()).toBe(true)
    await question.fill('Mine?')
    await start.click()
    await page.getByLabel('Search your polls').fill('last year')
    await page.getByRole('link', { name: past.title }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('region', { name: 'Preview' }).getByText(past.title).waitFor()
    expect(await question.inputValue()).toBe(past.title)
    await context.close()
    expect(visits.problems).toEqual([])
  }, 120_000)

  test('copies of a poll with the longest question and a chosen address have addresses of their own', async () => {
    const title = `${'Long words '.repeat(18)}!?`
    expect(title).toHaveLength(200)
    const slug = 'a'.repeat(128)
    const original = await service.createPoll(brand, { title, slug })
    const context = await visits.signedIn('editor')
    const page = await visits.open(context, `${brand.slug}/polls/${original.shortId}`)
    const addresses = [slug]
    for (let copies = 1; copies <= 2; copies++) {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Duplicate' }).click()
      const address = page.getByLabel('Web address')
      await address.waitFor()
      expect(await address.inputValue()).toBe('')
      expect(await page.getByLabel('Question').inputValue()).toBe(title)
      // The address of the original is taken: the form stays, and says so at its field.
      await address.fill(slug)
      await page.getByRole('button', { name: 'Publish' }).click()
      await page.locator('[aria-invalid="true"]').waitFor()
      expect(await address.getAttribute('aria-invalid')).toBe('true')
      await address.fill('')
      await page.getByRole('button', { name: 'Publish' }).click()
      await page.getByTestId('total').waitFor()
      const [newest] = (await service.get<PollData[]>(`brands/${brand.slug}/polls`)).body.data
      expect(newest).toMatchObject({ title, status: 'open' })
      addresses.push(newest?.slug ?? '')
    }
    expect(new Set(addresses).size).toBe(3)
    await context.close()
    expect(visits.problems).toEqual([])
  }, 180_000)

  test('an analyst sees the funnel of a campaign, no webhook, and nothing to change', async () => {
    const poll = await service.createPoll(brand, { title: 'For the funnel?' })
    await createCampaign(service, brand, [poll], { title: 'Seen by analysts' })
    await service.vote(poll.id, 'A')
    const context = await visits.signedIn('analyst')
    const page = await visits.open(context, `${brand.slug}/campaigns`)
    await page.getByRole('link', { name: /Seen by analysts/ }).click()
    await page.getByText('1 elsewhere').waitFor()
    expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem').first().waitFor()
    expect(await page.getByRole('menuitem').allTextContents()).toEqual([
      'Open the page',
      'As CSV, one line per device',
      'As CSV, one line per answer',
      'As NDJSON, for programs',
    ])
    for (const path of ['webhooks', 'webhooks/new', 'campaigns/new']) {
      await visits.go(page, `${brand.slug}/${path}`)
      await page.getByText('Your role cannot see this').waitFor()
    }
    await visits.go(page, `${brand.slug}/polls`)
    await page.getByText('For the funnel?').waitFor()
    expect(await page.getByRole('checkbox').count()).toBe(0)
    await context.close()
  }, 180_000)

  test('polls, campaigns, webhooks and pages are found by the keyboard alone', async () => {
    const poll = await service.createPoll(brand, { title: 'Where is the sugar?' })
    await createCampaign(service, brand, [poll], { title: 'Sugar or none' })
    await createWebhook(service, brand, { url: receiver.url, description: 'The sugar bowl' })
    const context = await visits.signedIn('editor')
    const page = await visits.open(context, brand.slug)
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    const titles = ['Where is the sugar?', 'Sugar or none', 'The sugar bowl']
    for (const [at, title] of titles.entries()) {
      await page.keyboard.press('Control+K')
      await page.getByRole('dialog').getByRole('combobox').fill('sugar')
      // They come from several requests: the order is settled when all are there.
      for (const each of titles) await page.getByRole('option', { name: each }).waitFor()
      for (let i = 0; i < at; i++) await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      // One that is still closing would be opened again as it was left.
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await context.close()
    expect(visits.problems).toEqual([])
  }, 180_000)
})
