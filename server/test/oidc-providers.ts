import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import OidcProvider from 'oidc-provider'

export const CLIENT = { id: 'tossup', secret: 'a secret of the client that is long enough' }
export const PUBLIC_URL = 'https://polls.test'

export interface Account {
  readonly email: string
  readonly isVerified: boolean
  readonly name?: string
}

/** A certified provider, at which `account` is who signs in. */
export class RealProvider {
  account: Account = { email: 'nobody@people.test', isVerified: true }
  readonly #server: Server
  readonly #callback: string
  #url = ''

  constructor(publicUrl: string = PUBLIC_URL) {
    this.#server = createServer()
    this.#callback = `${publicUrl}/api/rest/v1/auth/oidc/callback`
  }

  get url(): string {
    return this.#url
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const address = this.#server.address()
    this.#url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const provider = this.#provider()
    const answer = provider.callback()
    this.#server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (!request.url?.startsWith('/interaction/')) return void answer(request, response)
      // Who would type a password here is the account of the test.
      void provider.interactionFinished(request, response, { login: { accountId: randomUUID() } })
    })
  }

  #provider() {
    const told = () => this.account
    return new OidcProvider(this.#url, {
      clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [this.#callback] }],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      cookies: { keys: ['a key for the tests'] },
      pkce: { required: () => true },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      findAccount: (_ctx, sub) => ({
        accountId: sub,
        claims: () => ({ sub, email: told().email, email_verified: told().isVerified, name: told().name }),
      }),
      async loadExistingGrant({ oidc }) {
        const grant = new oidc.provider.Grant({ clientId: CLIENT.id, accountId: oidc.session?.accountId ?? '' })
        grant.addOIDCScope('openid email profile')
        await grant.save()
        return grant
      },
    })
  }

  close = (): Promise<void> =>
    new Promise((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
}

/** Follows a browser's way through the provider, and returns the address at which it comes back to the service. */
export async function passThrough(location: string): Promise<string> {
  const cookies = new Map<string, string>()
  let at = location
  for (let hops = 0; hops < 10; hops++) {
    if (at.startsWith(PUBLIC_URL)) return at
    const sent = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(at, { redirect: 'manual', headers: { Cookie: sent } })
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      const equals = pair.indexOf('=')
      cookies.set(pair.slice(0, equals), pair.slice(equals + 1))
    }
    const next = response.headers.get('location')
    if (next === null) throw new Error(`the provider answered ${response.status}: ${await response.text()}`)
    at = new URL(next, at).href
  }
  throw new Error('the provider redirects without an end')
}

interface Lie {
  /** Replaces claims of the id token. */
  readonly claims?: Record<string, unknown>
  readonly hasForeignKey?: boolean
}

/** A provider of which a test controls what no real one would say. */
export class LyingProvider {
  lie: Lie = {}
  nonce = ''
  /** Set by a test: no request for tokens is answered before it resolves. */
  held: Promise<void> = Promise.resolve()
  /** Requests for tokens that are open, and the most of them at once. */
  open = 0
  mostOpen = 0
  /** Added to the discovery document. */
  padding = ''
  readonly #key = newKey()
  readonly #foreign = newKey()
  readonly #server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => this.#answer(request) })

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  close = () => this.#server.stop(true)

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname === '/.well-known/openid-configuration') return Response.json(this.#metadata())
    if (pathname === '/token') await this.#hold()
    if (pathname === '/keys') return Response.json({ keys: [this.#key.jwk] })
    return Response.json({ access_token: 'any', token_type: 'Bearer', id_token: this.#idToken() })
  }

  async #hold(): Promise<void> {
    this.mostOpen = Math.max(this.mostOpen, ++this.open)
    await this.held
    this.open--
  }

  #metadata = () => ({
    padding: this.padding,
    issuer: this.url,
    authorization_endpoint: `${this.url}/authorize`,
    token_endpoint: `${this.url}/token`,
    jwks_uri: `${this.url}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  })

  #idToken(): string {
    const now = Math.floor(Date.now() / 1_000)
    const claims = { iss: this.url, aud: CLIENT.id, sub: 'ada', iat: now, exp: now + 60, nonce: this.nonce }
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const signed = `${part({ alg: 'RS256', kid: 'key' })}.${part({ ...claims, email_verified: true, ...this.lie.claims })}`
    const { privateKey } = this.lie.hasForeignKey ? this.#foreign : this.#key
    return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
  }
}

function newKey(): { privateKey: KeyObject; jwk: object } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  return { privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid: 'key', alg: 'RS256', use: 'sig' } }
}
