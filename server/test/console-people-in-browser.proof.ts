import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { freePort } from './free-port.ts'
import { CLIENT, RealProvider } from './oidc-providers.ts'
import { addPasskeyReader } from './passkey-reader.ts'
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

  test('a passkey that is not confirmed is said so, and the page stays', async () => {
    const { context, page } = await newBrowser()
    await addPasskeyReader(context, page, { fails: true })
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
    await addPasskeyReader(context, page)
    await page.goto(`${origin}/console/join#${await newLinkToken(service, member)}`)
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
