// features/people/oidc: signing in with an account of a provider of OpenID Connect.

import type { Configuration, CustomFetch, IDToken } from 'openid-client'
import { boundedFetch } from '../../../base/bounded-fetch.ts'
import { MINUTE, SECOND } from '../../../base/clock.ts'
import { nameOrNull } from '../../../base/fields.ts'
import { derivedKey, seal, unseal } from '../../../base/secrets.ts'
import { textProblem } from '../../../base/text.ts'
import { Semaphore } from '../../../base/work/semaphore.ts'
import { madeOnce } from '../../../base/work/single-flight.ts'
import type { Config } from '../../../config/config.ts'
import type { Db, Tx } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import type { Incoming } from '../../../http/incoming.ts'
import type { Deps } from '../../deps.ts'
import { emailKey, isEmail } from '../email.ts'
import { addMember, addPerson, proveAddress } from '../links.ts'
import { cookieName, cookieText, readCookie, startSession, worksForABrand } from '../sessions/sessions.ts'
import { lockBrand } from '../tokens/queries.ts'

/** The provider gets a part of the ten seconds in which every request is answered. */
const TIMEOUT_MS = 4 * SECOND
const MOST_ANSWER_BYTES = 1_024 * 1_024
const ASKED_AT_ONCE = 8

type OidcConfig = Pick<Config, 'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret' | 'publicUrl'>

/** Caches the provider's discovery document from the first sign-in on; a failure is not cached. */
export class Provider {
  readonly #config: OidcConfig
  readonly #checking = new Set<string>()
  readonly configuration: () => Promise<Configuration> | Configuration

  constructor(config: OidcConfig) {
    this.#config = config
    const share = new Semaphore(ASKED_AT_ONCE)
    this.configuration = madeOnce(() => discover(config, share))
  }

  get redirectUri(): string {
    return `${this.#config.publicUrl}/api/rest/v1/auth/oidc/callback`
  }

  /** One answer at a time for each cookie: repeats of a request that hangs ask the provider nothing. */
  async checkOnce<T>(state: string, check: () => Promise<T>): Promise<T> {
    if (this.#checking.has(state)) throw new OidcRefusal('an answer for this cookie is being checked')
    this.#checking.add(state)
    try {
      return await check()
    } finally {
      this.#checking.delete(state)
    }
  }
}

async function discover(
  { oidcIssuer, oidcClientId, oidcClientSecret }: OidcConfig,
  share: Semaphore,
): Promise<Configuration> {
  if (oidcIssuer === null || oidcClientId === null || oidcClientSecret === null) {
    throw new Error('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET are not set')
  }
  // Loaded at the first sign-in: most servers have no provider.
  const { allowInsecureRequests, ClientSecretBasic, customFetch, discovery, enableNonRepudiationChecks } = await import(
    'openid-client'
  )
  const isPlain = oidcIssuer.startsWith('http://')
  const limits = { silenceMs: TIMEOUT_MS, totalMs: TIMEOUT_MS, mostBytes: MOST_ANSWER_BYTES }
  const bounds = { name: 'the provider', share, ...limits }
  const ask: CustomFetch = (url, { body, ...init }) =>
    boundedFetch(url, { ...init, body: body ?? null } as RequestInit, bounds)
  return discovery(new URL(oidcIssuer), oidcClientId, oidcClientSecret, ClientSecretBasic(oidcClientSecret), {
    [customFetch]: ask,
    // Verifies the signature of the id token too, which is otherwise left to TLS.
    execute: [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])],
  })
}

/** With OIDC_DEFAULT_ROLE, newcomers join the brand of the service. Where there are several, an owner has to choose: none. */
export async function brandOfNewcomers(db: Db, { oidcDefaultRole: role }: Config) {
  if (role === null) return null
  const brands = db.selectFrom('brands').select(['key', 'slug']).where('deleted_at', 'is', null)
  const [brand, another] = await brands.limit(2).execute()
  return brand && !another ? { brandKey: brand.key, slug: brand.slug, role } : null
}

const LIFE = 10 * MINUTE

/** Why nobody is signed in; for the log. It holds no text of the provider or of the request. */
export class OidcRefusal extends Error {}

interface Secrets {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly end: number
}

const nameOf = (publicUrl: string): string => `${cookieName(publicUrl)}-oidc`

const keyOf = ({ keys }: Pick<Deps, 'keys'>) => derivedKey(keys.token, 'openid connect')

/** Where the browser is sent, and the cookie by which the answer is known to be for this browser. */
export async function beginOidc(deps: Deps, provider: Provider): Promise<{ location: string; cookie: string }> {
  const configuration = await provider.configuration()
  const oidc = await import('openid-client')
  const secrets: Secrets = {
    state: oidc.randomState(),
    nonce: oidc.randomNonce(),
    verifier: oidc.randomPKCECodeVerifier(),
    end: deps.clock.now() + LIFE,
  }
  const location = oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: provider.redirectUri,
    scope: 'openid email profile',
    state: secrets.state,
    nonce: secrets.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(secrets.verifier),
    code_challenge_method: 'S256',
  })
  const value = seal(keyOf(deps), JSON.stringify(secrets)).toString('base64url')
  const { publicUrl } = deps.config
  // Lax, because the provider's redirect comes from another site.
  const cookie = cookieText(nameOf(publicUrl), value, { publicUrl, sameSite: 'Lax', maxAge: LIFE / SECOND })
  return { location: location.href, cookie }
}

export const endedOidcCookie = (publicUrl: string): string =>
  cookieText(nameOf(publicUrl), '', { publicUrl, sameSite: 'Lax', maxAge: 0 })

/** Returns the secret of the new session's cookie. Throws on every failure: the caller shows one page for all. */
export async function finishOidc(
  deps: Deps,
  { provider, incoming }: { provider: Provider; incoming: Incoming },
): Promise<string> {
  const secrets = readSecrets(deps, incoming)
  if (!secrets) throw new OidcRefusal('the answer of the provider is for another browser, or late')
  const { email, name } = await provider.checkOnce(secrets.state, () => checkedProfile(provider, secrets, incoming))
  return transaction(deps.engine, async (tx) => {
    const personKey = await personFor(deps, tx, { email, name })
    return startSession(deps, tx, { personKey, userAgent: incoming.request.headers.get('user-agent') })
  })
}

async function checkedProfile(provider: Provider, secrets: Secrets, incoming: Incoming): Promise<Profile> {
  const configuration = await provider.configuration()
  const { authorizationCodeGrant } = await import('openid-client')
  const tokens = await authorizationCodeGrant(configuration, new URL(`${provider.redirectUri}${incoming.search}`), {
    pkceCodeVerifier: secrets.verifier,
    expectedState: secrets.state,
    expectedNonce: secrets.nonce,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (!claims) throw new OidcRefusal('the provider sent no id token')
  return profileOf(configuration, claims, tokens.access_token)
}

function readSecrets(deps: Deps, incoming: Incoming): Secrets | null {
  const value = readCookie(incoming, nameOf(deps.config.publicUrl))
  const plain = value && unseal(keyOf(deps), Buffer.from(value, 'base64url'))
  if (!plain) return null
  const secrets = JSON.parse(plain.toString('utf8')) as Secrets
  return secrets.end > deps.clock.now() ? secrets : null
}

interface Profile {
  readonly email: string
  readonly name: string | null
}

/** Some providers put the address into the id token, others only into the answer of their userinfo endpoint. */
async function profileOf(configuration: Configuration, claims: IDToken, accessToken: string): Promise<Profile> {
  const { fetchUserInfo } = await import('openid-client')
  const told = claims['email'] === undefined ? await fetchUserInfo(configuration, accessToken, claims.sub) : claims
  const { email, email_verified: isVerified, name } = told
  if (typeof email !== 'string' || !isEmail(email)) throw new OidcRefusal('the provider told no address')
  if (isVerified !== true) throw new OidcRefusal('the provider has not verified the address')
  return { email, name: nameIn(name) }
}

/** By the rules of our own names. A person whose name breaks them signs in without one. */
function nameIn(claim: unknown): string | null {
  return typeof claim === 'string' && textProblem(claim) === null ? nameOrNull(claim) : null
}

async function personFor(deps: Deps, tx: Tx, { email, name }: Profile): Promise<number> {
  const now = deps.clock.now()
  const key = emailKey(email)
  const known = await tx.selectFrom('people').select(['key', 'name']).where('email_key', '=', key).executeTakeFirst()
  if (known && (await worksForABrand(tx, known.key))) {
    await proveAddress(tx, known.key)
    if (known.name === null) await tx.updateTable('people').set({ name }).where('key', '=', known.key).execute()
    return known.key
  }
  const joined = await brandOfNewcomers(tx, deps.config)
  // The brand before the person, as everywhere.
  if (joined) await lockBrand(tx, joined.brandKey, () => new OidcRefusal('the only brand was just deleted'))
  const personKey = known?.key ?? (await addPerson(tx, { email, emailKey: key, isProven: true, now }))
  if (!joined || personKey === null) throw new OidcRefusal('nobody who works for a brand has this address')
  await tx.updateTable('people').set({ name }).where('key', '=', personKey).execute()
  if (known) await proveAddress(tx, personKey)
  await addMember(tx, { brandKey: joined.brandKey, role: joined.role, personKey, now })
  return personKey
}
