import { invalidField } from '../../base/errors.ts'
import { type Client, type FindClient, isOwnRedirect } from './clients.ts'

export const mcpUrl = (publicUrl: string): string => `${publicUrl}/mcp`

/** The parameters of `/oauth/authorize`, checked. */
export interface AuthorizeRequest {
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
