import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { AGENT_SETTINGS, sendMcp } from './agents.ts'
import { CALLBACK, ClientSite } from './client-site.ts'
import { ConsoleBrowser } from './console-browser.ts'
import { freePort } from './free-port.ts'
import { addMember, newLinkToken, type TestMember } from './people.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'
import { dataOf } from './tool-data.ts'

setDefaultTimeout(240_000)

type Tokens = Parameters<OAuthClientProvider['saveTokens']>[0]

/** An agent with the official client. The person's browser opens the address that the client asks for. */
class AgentClient implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK
  readonly clientMetadata = { client_name: 'Poll writer', redirect_uris: [CALLBACK] }
  readonly #clientId: string
  #verifier = ''
  #tokens: Tokens | undefined
  asked: URL | null = null

  constructor(clientId: string) {
    this.#clientId = clientId
  }

  state = () => 'a-state-1e5'
  clientInformation = () => ({ client_id: this.#clientId })
  tokens = () => this.#tokens
  saveTokens(tokens: Tokens) {
    this.#tokens = tokens
  }
  redirectToAuthorization(url: URL) {
    this.asked = url
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier
  }
  codeVerifier = () => this.#verifier
}

describe.skipIf(!hasChromium)('an hour of an agent', () => {
  let service: TestService
  let brand: TestBrand
  let owner: TestMember
  let browser: Browser
  let site: ClientSite
  let console_: ConsoleBrowser
  let context: BrowserContext
  beforeAll(async () => {
    service = await startTestService('sqlite', { settings: { ...AGENT_SETTINGS, PORT: String(freePort()) } })
    brand = await service.createBrand()
    owner = await addMember(service, brand, 'owner')
    browser = await openBrowser()
    site = new ClientSite()
    console_ = new ConsoleBrowser({ service, brand, browser })
    context = await console_.signedInAs(owner)
    // Nothing listens at the address of the agent.
    await context.route(`${CALLBACK}**`, (route) => route.fulfill({ body: 'back at the agent' }))
  })
  afterAll(async () => {
    await browser.close()
    site.stop()
    await service.stop()
  })

  const transportOf = (provider: AgentClient) =>
    new StreamableHTTPClientTransport(new URL(`${service.service.url}/mcp`), { authProvider: provider })
  const newClient = () =>
    new Client({ name: 'Poll writer', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })

  async function openConsent(url: URL | null): Promise<Page> {
    const page = await console_.open(context, 'login')
    await page.goto(`${url}`)
    await page.getByRole('heading', { name: 'Poll writer' }).waitFor()
    return page
  }

  /** The address at which the browser arrived at the agent. */
  async function allowed(page: Page): Promise<URL> {
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.waitForURL(/127\.0\.0\.1:33418/)
    const url = new URL(page.url())
    await page.close()
    return url
  }

  test('authorizes, drafts, cannot publish, publishes with permission, reads, and is ended', async () => {
    const provider = new AgentClient(site.add())
    const first = transportOf(provider)
    await expect(newClient().connect(first)).rejects.toThrow()
    expect(provider.asked?.searchParams.get('resource')).toBe(`${service.deps.config.publicUrl}/mcp`)
    const page = await openConsent(provider.asked)
    expect(await page.getByText(site.host).count()).toBe(1)
    expect(await page.getByText('127.0.0.1:33418').count()).toBe(1)
    expect(await page.getByRole('checkbox', { name: 'Publish' }).isChecked()).toBe(false)
    const back = await allowed(page)
    expect([back.searchParams.get('state'), back.searchParams.get('iss')]).toEqual([
      'a-state-1e5',
      service.deps.config.publicUrl,
    ])
    await first.finishAuth(back.searchParams)

    const client = newClient()
    const transport = transportOf(provider)
    await client.connect(transport)
    const poll = { title: 'Window or aisle?', optionA: { label: 'Window' }, optionB: { label: 'Aisle' } }
    const made = dataOf(await client.callTool({ name: 'poll_draft', arguments: poll }))
    const { slug } = made.json.data as { slug: string }
    provider.asked = null
    // The client asks the person for more at once, as the revision says.
    await expect(client.callTool({ name: 'poll_publish', arguments: { slug } })).rejects.toThrow()
    expect((await service.get(`polls/${slug}`)).status).toBe(404)
    const more = new URL(`${provider.asked}`)
    expect(more.searchParams.get('scope')).toBe('read draft publish')

    const second = await openConsent(more)
    await second.getByRole('checkbox', { name: 'Publish' }).check()
    await transport.finishAuth((await allowed(second)).searchParams)
    const published = dataOf(await client.callTool({ name: 'poll_publish', arguments: { slug } }))
    expect(published.json).toMatchObject({ data: { isDraft: false, status: 'open' } })
    await service.vote(slug, 'A')
    const results = dataOf(await client.callTool({ name: 'poll_results', arguments: { slug } }))
    expect(results.json).toMatchObject({ data: { votes: 1, shareA: 1 } })

    const token = provider.tokens()?.access_token ?? ''
    expect((await sendMcp(service, token, { method: 'tools/list' })).status).toBe(200)
    const keys = await console_.open(context, `${brand.slug}/keys`)
    for (const left of [1, 0]) {
      await keys.getByRole('button', { name: 'End: Poll writer' }).first().click()
      await keys.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click()
      await keys.getByRole('dialog').waitFor({ state: 'detached' })
      await keys.waitForFunction(`document.querySelectorAll('section li.row').length === ${left}`)
    }
    await expect(client.callTool({ name: 'summary', arguments: {} })).rejects.toThrow()
    expect((await sendMcp(service, token, { method: 'tools/list' })).status).toBe(401)
    expect(console_.problems).toEqual([])
  })

  test('a refusal leads back, a false address leads nowhere, and no page frames the question', async () => {
    const query = (values: Record<string, string>) =>
      new URLSearchParams({
        client_id: site.add(),
        redirect_uri: CALLBACK,
        response_type: 'code',
        code_challenge: 'x'.repeat(43),
        code_challenge_method: 'S256',
        resource: `${service.deps.config.publicUrl}/mcp`,
        state: 's',
        ...values,
      })
    const at = (values: Record<string, string> = {}) =>
      new URL(`${service.service.url}/oauth/authorize?${query(values)}`)
    const page = await openConsent(at())
    await page.getByRole('link', { name: 'Refuse' }).click()
    await page.waitForURL(/error=access_denied/)
    await page.goto(`${at({ redirect_uri: 'https://evil.example/' })}`)
    await page.getByRole('heading', { name: 'This request cannot be answered' }).waitFor()
    expect(new URL(page.url()).host).toBe(new URL(service.service.url).host)
    await page.goto(`${at({ response_type: 'token' })}`)
    // Anybody can publish a client: its faulty request is no way to send people to its address by themselves.
    await page.getByRole('heading', { name: 'This request cannot be answered' }).waitFor()
    await page.getByRole('link', { name: 'Back' }).click()
    await page.waitForURL(/error=unsupported_response_type/)
    const framed = await context.newPage()
    const refused = framed.waitForEvent('console', (message) => message.text().includes('frame-ancestors'))
    await framed.setContent(`<iframe src="${at()}"></iframe>`)
    await refused
    await framed.close()
    await page.close()
  })

  test('what is wrong with a request is told in the language of the console', async () => {
    const lang = { name: 'tossup_console_lang', url: `${service.service.url}/console` }
    const own = await console_.signedInAs(owner)
    await own.addCookies([{ ...lang, value: 'de' }])
    const page = await console_.open(own, 'login')
    const query = `client_id=${encodeURIComponent(site.add())}&redirect_uri=${encodeURIComponent('https://evil.example/')}`
    for (const [asked, words] of [
      [query, 'Die Antwort ginge an eine Adresse, die nicht zum Agenten gehört.'],
      [`${query}&state=1&state=2`, 'Die Anfrage wiederholt einen ihrer Parameter.'],
      [query.replace('client_id=', 'client_id=no'), 'Der Agent war an der Adresse, die er angab, nicht zu erkennen.'],
    ] as const) {
      await page.goto(`${service.service.url}/oauth/authorize?${asked}`)
      await page.getByRole('alert').getByText(words, { exact: true }).waitFor()
    }
    await own.close()
  })

  test('a person who is not signed in signs in first', async () => {
    const fresh = await browser.newContext({ locale: 'en-US' })
    await fresh.route(`${CALLBACK}**`, (route) => route.fulfill({ body: 'back at the agent' }))
    const page = await fresh.newPage()
    const query = new URLSearchParams({
      client_id: site.add(),
      redirect_uri: CALLBACK,
      response_type: 'code',
      state: 's',
    })
    query.set('code_challenge', 'x'.repeat(43))
    query.set('code_challenge_method', 'S256')
    query.set('resource', `${service.deps.config.publicUrl}/mcp`)
    await page.goto(`${service.service.url}/oauth/authorize?${query}`)
    const again = page.getByRole('button', { name: 'I have signed in' })
    await again.waitFor()
    const other = await fresh.newPage()
    await other.goto(`${service.service.url}/console/join#${await newLinkToken(service, owner)}`)
    await other.getByRole('button').click()
    await other.waitForURL(/\/console\/(?!join)[^/]+$/)
    await again.click()
    await page.getByRole('heading', { name: 'Poll writer' }).waitFor()
    await fresh.close()
  })

  test('fits a phone, light and dark, for everybody', async () => {
    const page = await console_.open(context, 'login')
    const query = new URLSearchParams({
      client_id: site.add({ client_name: 'An agent with a rather long name, as long as one may be: eighty letters' }),
    })
    query.set('redirect_uri', CALLBACK)
    query.set('response_type', 'code')
    query.set('code_challenge', 'x'.repeat(43))
    query.set('code_challenge_method', 'S256')
    query.set('resource', `${service.deps.config.publicUrl}/mcp`)
    expect(await console_.barriersOf(page, `_agent#${query}`)).toEqual([])
    await page.close()
  })
})
