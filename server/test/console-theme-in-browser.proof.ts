import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { violationsOf } from './axe.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { addMember } from './people.ts'
import { photo } from './pictures.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

describe.skipIf(!hasChromium)('the theme editor and the languages of the console', () => {
  let service: TestService
  let brand: TestBrand
  let browser: Browser
  const problems: string[] = []
  beforeAll(async () => {
    // Uploads go to PUBLIC_URL, which names the port.
    service = await startTestService('sqlite', { settings: { PORT: String(freePort()) } })
    brand = await service.createBrand()
    browser = await openBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  async function signedIn(locale = 'en-US'): Promise<BrowserContext> {
    const member = await addMember(service, brand, 'owner')
    const context = await browser.newContext({ locale, timezoneId: 'Europe/Paris' })
    context.setDefaultTimeout(60_000)
    const [name = '', value = ''] = member.page['Cookie']?.split('=') ?? []
    await context.addCookies([{ name, value, url: service.service.url }])
    return context
  }

  async function open(context: BrowserContext, path: string): Promise<Page> {
    const page = await context.newPage()
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) problems.push(message.text())
    })
    await page.goto(`${service.service.url}/console/${path}`)
    return page
  }

  test('a look, a logo and a colour are previewed, saved, and seen on the page of a poll', async () => {
    const poll = await service.createPoll(brand, { title: 'Tea or coffee?' })
    const context = await signedIn()
    const page = await open(context, `${brand.slug}/theme`)
    await page.getByRole('button', { name: 'Midnight' }).click()
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.locator('.tossup[data-elevation=high]').waitFor()
    // Between two answers stands a word, which is that of polls in the language of the console.
    expect(await preview.locator('.or').textContent()).toBe('or')
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from(photo(120, 40)) })
    await preview.locator('img.logo[src^="blob:"]').waitFor()
    await page.getByLabel('Text', { exact: true }).fill('#223044')
    const warning = page.locator('[data-contrast=foreground]')
    await warning.getByText(/contrast 1\.\d:1, needed 4\.5:1/).waitFor()
    await warning.getByRole('button', { name: /^Use #/ }).click()
    await warning.waitFor({ state: 'detached' })
    await page.getByLabel('Accent', { exact: true }).fill('#zz')
    await page.getByRole('button', { name: 'Save the theme' }).click()
    await page.getByText('Write a colour as #rrggbb, such as #2455e6.').waitFor()
    await page.getByLabel('Accent', { exact: true }).fill('#5EEAD4')
    // A dark accent on the dark ground of the preset stays, with an outline.
    await page.getByLabel('Accent', { exact: true }).fill('#101a30')
    await page
      .locator('[data-contrast=accent]')
      .getByText(/This accent is dark .* outline in/)
      .waitFor()
    await page.getByLabel('Accent', { exact: true }).fill('#5EEAD4')
    await page.locator('[data-contrast=accent]').waitFor({ state: 'detached' })
    for (const [group, choice] of [
      ['After a vote', 'Without motion'],
      ['Share pictures of open polls', 'With the result'],
      ['Where a site lets browsers remember nothing', 'Vote there'],
      ['Light or dark', 'Always light'],
    ] as const)
      await page.getByRole('radiogroup', { name: group }).getByRole('radio', { name: choice }).check()
    // The preview is on a dark ground, as the preset is, and light all the same.
    await preview.locator('.preview-ground.dark .tossup[data-scheme=light]').waitFor()
    await page
      .getByRole('radiogroup', { name: 'Light or dark' })
      .getByRole('radio', { name: 'As the page around' })
      .check()
    await preview.locator('.preview-ground.dark .tossup[data-scheme=dark]').waitFor()
    await page.getByLabel('Font', { exact: true }).selectOption('INHERIT')
    for (const view of ['Results', 'Campaign end', 'Page']) {
      await preview.getByText(view, { exact: true }).click()
      await preview.getByRole('group', { name: view }).waitFor()
    }
    await preview.locator('.brand-head').waitFor()
    await page.getByRole('button', { name: 'Save the theme' }).click()
    await page.getByText('The theme is saved.').waitFor()

    expect((await service.get(`brands/${brand.slug}/theme`)).body.data).toMatchObject({
      motion: 'NONE',
      shareResults: 'SHOWN',
      embedStorage: 'ALLOW',
      colorScheme: 'HOST',
      fontStack: 'INHERIT',
    })

    const hosted = await context.newPage()
    await hosted.goto(`${service.service.url}/p/${poll.shortId}`)
    await hosted.locator('.tossup[data-elevation=high][data-radius=md]').waitFor()
    await hosted.locator('.masthead img').waitFor()
    const card = () =>
      hosted.evaluate<string>(
        "getComputedStyle(document.querySelector('tossup-poll').shadowRoot.querySelector('.poll')).backgroundColor",
      )
    expect(await card()).toBe('rgb(255, 255, 255)')
    await hosted.emulateMedia({ colorScheme: 'dark' })
    await eventually(async () => (await card()) === 'rgb(13, 19, 36)')

    await page.getByRole('button', { name: 'Reset to defaults' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reset to defaults' }).click()
    await page.getByText('The theme is back to its defaults.').waitFor()
    expect(await page.getByLabel('Accent', { exact: true }).inputValue()).toBe('')
    expect((await service.get(`brands/${brand.slug}/theme`)).body.data).toMatchObject({
      elevation: 'LOW',
      motion: 'FULL',
      colorScheme: 'AUTO',
      shareResults: 'HIDDEN',
      embedStorage: 'ASK',
      fontStack: 'SYSTEM',
      accent: null,
      logoLightUrl: null,
    })
    await context.close()
  }, 180_000)

  test('a refused stylesheet leads to its line, an address to its field, and what was typed is guarded', async () => {
    const context = await signedIn()
    const page = await open(context, `${brand.slug}/theme`)
    const sheet = page.getByLabel('Stylesheet', { exact: true })
    await sheet.fill(
      '.poll {\n  border-style: dashed;\n}\n.title {\n  background: url(https://elsewhere.test/x.png);\n}\n',
    )
    await page.getByRole('button', { name: 'Save the theme' }).click()
    const refusal = page.getByRole('button', { name: /^Line 5, column \d+:/ })
    await refusal.click()
    expect(await sheet.getAttribute('aria-invalid')).toBe('true')
    const line = "document.activeElement.value.slice(0, document.activeElement.selectionStart).split('\\n').length"
    expect(await page.evaluate(line)).toBe(5)
    expect(await page.locator('.css-lines .refused').allTextContents()).toEqual(['5'])

    await page.getByRole('link', { name: 'Polls' }).click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }).click()
    await sheet.fill('.poll { border-style: dashed; }')
    const origins = page.getByLabel('Where polls may be shown')
    await origins.fill('https://www.example.com/path')
    await page.getByRole('button', { name: 'Save the theme' }).click()
    await page.getByText('Must be an origin in lower case without a path').waitFor()
    await origins.fill('https://www.example.com')
    await page.getByRole('button', { name: 'Save the theme' }).click()
    await page.getByText('The theme is saved.').waitFor()
    const stored = (await service.get<{ embedOrigins: string[] }>(`brands/${brand.slug}/theme`)).body.data
    expect(stored.embedOrigins).toEqual(['https://www.example.com'])
    await context.close()
  }, 180_000)

  test('in Arabic the console runs from right to left, is no wider than a phone, and axe finds nothing', async () => {
    const poll = await service.createPoll(brand, { title: 'Without barriers?' })
    await service.vote(poll.id, 'A')
    const context = await signedIn('ar')
    const page = await open(context, 'me')
    await page.setViewportSize({ width: 360, height: 740 })
    const pages = [
      '',
      '/polls',
      `/polls/${poll.shortId}`,
      `/polls/${poll.shortId}/edit`,
      '/theme',
      '/keys',
      '/people',
      '/activity',
    ]
    for (const path of ['me', ...pages.map((each) => brand.slug + each)]) {
      await page.goto(`${service.service.url}/console/${path}`)
      await page.locator('html[lang=ar][dir=rtl] h1').waitFor()
      await eventually(async () => (await page.locator('[class*=Skeleton]').count()) === 0)
      expect([path, await page.evaluate('document.documentElement.scrollWidth > innerWidth')]).toEqual([path, false])
      expect([path, await violationsOf(page)]).toEqual([path, []])
    }
    await page.goto(`${service.service.url}/console/me`)
    await page.getByLabel('اللغة').selectOption('uk')
    await page.getByRole('heading', { name: 'Ваш профіль' }).waitFor()
    expect(await page.evaluate('document.documentElement.dir')).toBe('ltr')
    const loaded = await page.evaluate<string[]>("performance.getEntriesByType('resource').map(({ name }) => name)")
    expect(loaded.filter((name) => name.includes('/texts.')).map((name) => /texts\.(\w+)-/.exec(name)?.[1])).toEqual([
      'uk',
    ])
    await context.close()
    expect(problems).toEqual([])
  }, 180_000)
})
