import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { ConsoleBrowser } from './console-browser.ts'
import { freePort } from './free-port.ts'
import { CLIENT, RealProvider } from './oidc-providers.ts'
import { addMember, newLinkToken } from './people.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

/** Passkeys are bound to a name, which an address is not. */
const port = freePort()
const origin = `http://localhost:${port}`

describe.skipIf(!hasChromium)('people in the console', () => {
  const provider = new RealProvider(origin)
  let service: TestService
  let brand: TestBrand
  let browser: Browser
  let visits: ConsoleBrowser
  beforeAll(async () => {
    await provider.open()
    const settings = {
      PORT: String(port),
      PUBLIC_URL: origin,
      OIDC_ISSUER: provider.url,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
    }
    service = await startTestService('sqlite', { settings })
    brand = await service.createBrand()
    browser = await openBrowser()
    visits = new ConsoleBrowser({ service, brand, browser })
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
    await provider.close()
  })

  async function newBrowser(): Promise<{ context: BrowserContext; page: Page }> {
    const context = await browser.newContext({ locale: 'en-US', timezoneId: 'Europe/Paris' })
    context.setDefaultTimeout(60_000)
    return { context, page: await context.newPage() }
  }

  /** As of a laptop with a fingerprint reader. `fails`: nobody puts a finger on it. */
  async function addAuthenticator(context: BrowserContext, page: Page, { fails = false } = {}): Promise<void> {
    const devTools = await context.newCDPSession(page)
    await devTools.send('WebAuthn.enable')
    await devTools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: !fails,
        automaticPresenceSimulation: true,
      },
    })
  }

  test('an invited colleague joins, signs in with a passkey, sees the numbers and can change nothing', async () => {
    const poll = await service.createPoll(brand, { title: 'Seen by a colleague?' })
    await service.vote(poll.id, 'A')
    const owner = await visits.signedIn('owner')
    const people = await visits.open(owner, `${brand.slug}/people`)
    await people.getByRole('button', { name: 'Invite' }).click()
    await people.getByLabel('Email').fill('colleague@people.test')
    await people.getByRole('radio', { name: 'Analyst' }).check()
    await people.getByRole('button', { name: 'Make the invitation' }).click()
    const link = (await people.getByRole('region', { name: 'Invite a person' }).textContent()) ?? ''
    expect(link).toStartWith(`${origin}/console/join/`)

    const { context, page } = await newBrowser()
    await addAuthenticator(context, page)
    await page.goto(link)
    await page.getByRole('button').click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.goto(`${origin}/console/me`)
    await page.getByText('No passkeys yet.').waitFor()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('The passkey is added.').waitFor()
    await page.getByText('Not used yet').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Tossup' }).waitFor()
    expect(await context.cookies(origin)).not.toContainEqual(expect.objectContaining({ name: 'tossup' }))
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()

    await page.getByRole('link', { name: 'Polls', exact: true }).click()
    await page.getByRole('link', { name: /Seen by a colleague\?/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Seen by a colleague?' }).waitFor()
    expect(await page.getByTestId('total').textContent()).toBe('1')
    expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0)
    await page.goto(`${origin}/console/${brand.slug}/polls/${poll.shortId}/edit`)
    await page.getByText('Your role cannot see this').waitFor()
    await people.getByRole('button', { name: 'Done' }).click()
    await people.reload()
    await people.getByText('colleague@people.test').waitFor()
    await context.close()
    await owner.close()
    expect(visits.problems).toEqual([])
  }, 180_000)

  test('a passkey that is not confirmed is said so, and the page stays', async () => {
    const { context, page } = await newBrowser()
    await addAuthenticator(context, page, { fails: true })
    await page.goto(`${origin}/console/login`)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('The passkey did not sign you in.').waitFor()
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).isEnabled()).toBe(true)
    await context.close()
  }, 180_000)

  test('a member signs in with the provider of the operator, and nobody else does', async () => {
    const member = await addMember(service, brand, 'editor')
    const { context, page } = await newBrowser()
    provider.account = { email: 'stranger@people.test', isVerified: true }
    await page.goto(`${origin}/console/login`)
    await page.getByRole('link', { name: 'Sign in with your organisation' }).click()
    await page.waitForURL(/\/auth\/oidc\/callback/)
    expect(await context.cookies(origin)).not.toContainEqual(expect.objectContaining({ name: 'tossup' }))
    await context.clearCookies()

    provider.account = { email: member.email, isVerified: true, name: 'Ada of the provider' }
    await page.goto(`${origin}/console/login`)
    await page.getByRole('link', { name: 'Sign in with your organisation' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/console/${brand.slug}`)
    await page.goto(`${origin}/console/me`)
    await page.getByText(member.email).first().waitFor()
    await context.close()
  }, 180_000)

  test('a session that ends in the middle of a form is renewed with a passkey, and the form is saved', async () => {
    const member = await addMember(service, brand, 'owner')
    const { context, page } = await newBrowser()
    await addAuthenticator(context, page)
    await page.goto(`${origin}/console/join/${await newLinkToken(service, member)}`)
    await page.getByRole('button').click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.goto(`${origin}/console/me`)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('The passkey is added.').waitFor()

    await page.goto(`${origin}/console/${brand.slug}/theme`)
    const sheet = page.getByLabel('Stylesheet', { exact: true })
    await sheet.fill('.poll { border-style: dotted; }')
    await service.db.deleteFrom('sessions').where('person_key', '=', member.personKey).execute()
    await page.getByRole('button', { name: 'Save the theme' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await sheet.inputValue()).toBe('.poll { border-style: dotted; }')
    await page.getByRole('button', { name: 'Save the theme' }).click()
    await page.getByText('The theme is saved.').waitFor()
    const stored = await service.get<{ customCss: string }>('brands/me/theme', { token: brand.token })
    expect(stored.body.data.customCss).toContain('dotted')
    await context.close()
  }, 180_000)
})
