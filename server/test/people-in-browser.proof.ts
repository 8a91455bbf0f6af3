import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { LANGS } from '../../embed/src/words.ts'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { WORDS } from '../src/words/words.ts'
import { readDocument } from './documents.ts'
import { HostSite } from './host-site.ts'
import { addPasskeyReader } from './passkey-reader.ts'
import { addMember, newLinkToken, type TestMember } from './people.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

/** Passed as text: the page has no imports. What the console does with the browser's own functions. */
const REGISTER = `async () => {
  const post = async (path, body) => {
    const response = await fetch('/api/rest/v1/auth/passkeys' + path, {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: body && JSON.stringify(body),
    })
    return { status: response.status, ...(await response.json()) }
  }
  const { data } = await post('/options')
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(data)
  const credential = await navigator.credentials.create({ publicKey })
  return post('', { credential: credential.toJSON(), name: 'In a browser' })
}`
/** The example of the guide to people. */
const SIGN_IN = `async () => {${/```js\n([\s\S]*?)```/.exec(readDocument('docs/guides/people.md'))?.[1]}}`
const WHO = `async () => {
  const response = await fetch('/api/rest/v1/auth/session')
  return response.ok ? (await response.json()).data.member.email : response.status
}`

describe.skipIf(!hasChromium)('a person in Chromium', () => {
  let service: TestService
  let brand: TestBrand
  let site: HostSite
  let browser: Browser
  let origin: string
  beforeAll(async () => {
    service = await startTestService('sqlite')
    brand = await service.createBrand()
    site = new HostSite('')
    browser = await openBrowser()
    origin = service.service.url.replace('127.0.0.1', 'localhost')
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await site.stop()
    await service.stop()
  })

  const joinUrl = async (member: TestMember) => `${origin}/console/join#${await newLinkToken(service, member)}`

  async function inBrowser<T>(use: (page: Page, context: BrowserContext) => Promise<T>): Promise<T> {
    const context = await browser.newContext({ locale: 'en-US' })
    try {
      return await use(await context.newPage(), context)
    } finally {
      await context.close()
    }
  }

  test('signs in by the button of a link, which opening alone does not use up', async () => {
    const ada = await addMember(service, brand, 'owner')
    const url = await joinUrl(ada)
    await inBrowser(async (scanner) => {
      await scanner.goto(url)
      await scanner.goto(url)
      expect(await scanner.evaluate(`(${WHO})()`)).toBe(401)
    })
    await inBrowser(async (page, context) => {
      await page.goto(url)
      expect(await page.title()).toBe('Sign in to Tossup')
      await page.getByRole('button').click()
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      expect(new URL(page.url()).pathname).toBe(`/console/${brand.slug}`)
      expect(await page.evaluate(`(${WHO})()`)).toBe(ada.email)
      const [cookie] = await context.cookies()
      expect(cookie).toMatchObject({ name: 'tossup', httpOnly: true, sameSite: 'Strict', path: '/' })
      expect(await page.evaluate('document.cookie')).toBe('')
      await page.goto(url)
      await page.getByRole('button').click()
      await page.getByText(WORDS.en.people.refused).waitFor()
      expect(await page.evaluate(`(${WHO})()`)).toBe(ada.email)
    })
  }, 60_000)

  test('reads the page of a link in ten languages', async () => {
    for (const lang of LANGS) {
      const { text, headers } = await service.get('/console/join', { headers: { 'Accept-Language': lang } })
      const { joinTitle, joinButton, joinText } = WORDS[lang].people
      expect(text).toContain(`<html lang="${lang}" dir="${lang === 'ar' ? 'rtl' : 'ltr'}">`)
      for (const words of [joinTitle, joinButton, joinText]) expect(text).toContain(words)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    }
  }, 60_000)

  test('registers a passkey, and signs in with it', async () => {
    const ada = await addMember(service, brand, 'owner')
    const url = await joinUrl(ada)
    await inBrowser(async (page, context) => {
      await addPasskeyReader(context, page)
      await page.goto(url)
      await page.getByRole('button').click()
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      expect(await page.evaluate(`(${REGISTER})()`)).toMatchObject({ status: 201, data: { name: 'In a browser' } })
      await context.clearCookies()
      expect(await page.evaluate(`(${WHO})()`)).toBe(401)
      for (let i = 0; i < 2; i++) {
        await page.evaluate(`(${SIGN_IN})()`)
        expect(await page.evaluate(`(${WHO})()`)).toBe(ada.email)
        await context.clearCookies()
      }
    })
  }, 60_000)

  test('is not reached from a page of another origin', async () => {
    const ada = await addMember(service, brand, 'owner')
    const url = await joinUrl(ada)
    await inBrowser(async (page) => {
      await page.goto(url)
      await page.getByRole('button').click()
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      await page.goto(site.url)
      const reached = await page.evaluate(
        `Promise.allSettled([
          fetch('${origin}/api/rest/v1/auth/session', { credentials: 'include' }),
          fetch('${origin}/api/rest/v1/auth/session', { method: 'DELETE', credentials: 'include' }),
          fetch('${origin}/api/rest/v1/auth/session/token', { method: 'POST', credentials: 'include', body: '{}', headers: { 'Content-Type': 'application/json' } }),
        ]).then((results) => results.map(({ status }) => status))`,
      )
      expect(reached).toEqual(['rejected', 'rejected', 'rejected'])
      await page.goto(url)
      expect(await page.evaluate(`(${WHO})()`)).toBe(ada.email)
      await page.setContent(`<iframe src="${url}"></iframe>`)
      expect(page.frames().some((frame) => frame.url() === url && frame !== page.mainFrame())).toBeFalse()
    })
  }, 60_000)
})
