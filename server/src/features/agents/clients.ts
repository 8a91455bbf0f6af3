import { z } from 'zod'
import { type AppError, invalidField } from '../../base/errors.ts'
import { nameText } from '../../base/fields.ts'
import type { Config } from '../../config/config.ts'
import { createPost } from '../webhooks/sending/target/post.ts'

interface Client {
  /** The address of its metadata document. */
  readonly id: string
  readonly name: string
  readonly redirectUris: readonly string[]
}

type FindClient = (clientId: string, personKey: number) => Promise<Client>

const TIMEOUT_MS = 5_000
const MOST_BYTES = 16 * 1_024
const LONGEST_ID = 1_024
const MOST_REDIRECTS = 50

const refused = (message: string): AppError => invalidField('client_id', 'invalid_client', message)

/** https with a path, as the draft of Client ID Metadata Documents says: the host answers for the name that people see. */
function idProblem(clientId: string): boolean {
  if (clientId.length > LONGEST_ID || !URL.canParse(clientId)) return true
  const url = new URL(clientId)
  const isPlain = url.href === clientId && url.username === '' && url.password === '' && !clientId.includes('#')
  return !isPlain || url.pathname === '/' || !/^https?:$/.test(url.protocol)
}

const document = z.looseObject({
  client_id: z.string(),
  client_name: nameText(1, 80),
  redirect_uris: z.array(z.string().max(LONGEST_ID)).min(1).max(MOST_REDIRECTS),
  token_endpoint_auth_method: z.literal('none').optional(),
})

/** Fetched for each request of a person, through the guard of webhooks: never from an address inside the operator's network. */
export function clientFinder(config: Config): FindClient {
  const fetchGuarded = createPost({ rules: config, timeoutMs: TIMEOUT_MS })
  return async (clientId, personKey) => {
    if (idProblem(clientId)) throw refused('Must be the https address of the metadata document of a client.')
    const answer = await fetchGuarded({
      method: 'GET',
      keptBytes: MOST_BYTES + 1,
      // The share of look-ups that one caller has; brands have positive keys.
      brandKey: -personKey,
      url: clientId,
      headers: { Accept: 'application/json' },
      body: '',
      signal: new AbortController().signal,
    }).catch(() => null)
    if (answer?.status !== 200) throw refused('The metadata document of the client cannot be fetched.')
    const read = document.safeParse(parsed(answer.text))
    if (!read.success || read.data.client_id !== clientId)
      throw refused('The metadata document of the client is not valid, or names another client_id.')
    return { id: clientId, name: read.data.client_name, redirectUris: read.data.redirect_uris }
  }
}

function parsed(text: string): unknown {
  if (text.length > MOST_BYTES) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost'])
/** Schemes that browsers run or show themselves: none belongs to an app. */
const NEVER = /^(?:javascript|data|blob|file|vbscript|about|view-source|filesystem|ws|wss|ftp|mailto|tel|intent):$/

/** True if the client may send people there: exactly as its document says, but for the port of a loopback address. */
function isOwnRedirect({ redirectUris }: Client, given: string): boolean {
  if (given.length > LONGEST_ID || !URL.canParse(given) || given.includes('#')) return false
  const url = new URL(given)
  if (url.username !== '' || url.password !== '' || NEVER.test(url.protocol)) return false
  const isLoopback = url.protocol === 'http:' && LOOPBACK.has(url.hostname)
  if (url.protocol === 'http:' && !isLoopback) return false
  return (
    redirectUris.includes(given) ||
    (isLoopback && redirectUris.some((known) => withoutPort(known) === withoutPort(given)))
  )
}

/** Null for anything but a loopback address over http. */
function withoutPort(text: string): string | null {
  const url = URL.parse(text)
  if (url?.protocol !== 'http:' || !LOOPBACK.has(url.hostname) || text.includes('#') || url.username !== '') return null
  url.port = ''
  return url.href
}

export const mcpUrl = (publicUrl: string): string => `${publicUrl}/mcp`

/** The parameters of `/oauth/authorize`, checked. */
interface AuthorizeRequest {
  readonly client: Client
  readonly redirectUri: string
  readonly state: string | null
  readonly challenge: string
}

/** An address of the client with an error: set only once the client and its address are known. */
interface RefusedTo {
  readonly refusedTo: string
}

const NAMES = ['client_id', 'redirect_uri', 'response_type', 'code_challenge', 'code_challenge_method'] as const
const MORE = ['state', 'resource', 'scope'] as const
/** Unpadded base64url of a SHA-256. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

/**
 * Reads the query that a client sent a person with. A wrong client or address is an error on our page: from an address that is
 * not the client's own, we would send people wherever an attacker likes.
 */
export async function readAuthorizeRequest(
  query: string,
  { publicUrl, personKey, findClient }: { publicUrl: string; personKey: number; findClient: FindClient },
): Promise<AuthorizeRequest | RefusedTo> {
  const given = new URLSearchParams(query)
  for (const name of [...NAMES, ...MORE])
    if (given.getAll(name).length > 1) throw invalidField(name, 'duplicate_parameter', 'Must not be repeated.')
  const of = (name: (typeof NAMES)[number] | (typeof MORE)[number]) => given.get(name)
  const client = await findClient(of('client_id') ?? '', personKey)
  const redirectUri = of('redirect_uri') ?? ''
  if (!isOwnRedirect(client, redirectUri))
    throw invalidField('redirect_uri', 'invalid_redirect', 'Must be an address of the metadata document of the client.')
  const state = of('state')
  const refuse = (error: string, description: string): RefusedTo => ({
    refusedTo: redirectTo({ redirectUri, state, publicUrl }, { error, error_description: description }),
  })
  if (of('response_type') !== 'code') return refuse('unsupported_response_type', 'response_type must be code.')
  const challenge = of('code_challenge') ?? ''
  if (of('code_challenge_method') !== 'S256' || !CHALLENGE.test(challenge))
    return refuse('invalid_request', 'PKCE with code_challenge_method S256 is required.')
  if (of('resource') !== mcpUrl(publicUrl)) return refuse('invalid_target', `resource must be ${mcpUrl(publicUrl)}.`)
  return { client, redirectUri, state, challenge }
}

/** RFC 9207: `iss` tells a client of several servers which one answered. */
export function redirectTo(
  { redirectUri, state, publicUrl }: { redirectUri: string; state: string | null; publicUrl: string },
  values: Readonly<Record<string, string>>,
): string {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries({ ...values, ...(state === null ? {} : { state }), iss: publicUrl }))
    url.searchParams.set(name, value)
  return url.href
}
