import { randomBytes } from 'node:crypto'
import { CALLBACK } from './client-site.ts'
import { newNetwork } from './network.ts'
import type { TestMember } from './people.ts'
import type { Reply, TestBrand, TestService } from './service.ts'

/** Private addresses answer, and http is allowed, as for webhooks under development. Each form comes from a network of its own. */
export const AGENT_SETTINGS = { WEBHOOK_ALLOW_PRIVATE: 'true', TRUSTED_PROXIES: '127.0.0.1' }

export const newVerifier = (): string => randomBytes(32).toString('base64url')

const challengeOf = (verifier: string): string => new Bun.CryptoHasher('sha256').update(verifier).digest('base64url')

export function authorizeQuery(
  { deps }: TestService,
  values: Readonly<Record<string, string | null>> & { readonly client_id: string },
): string {
  const all = {
    redirect_uri: CALLBACK,
    response_type: 'code',
    code_challenge: challengeOf(newVerifier()),
    code_challenge_method: 'S256',
    state: 'the-state',
    resource: `${deps.config.publicUrl}/mcp`,
    ...values,
  }
  return new URLSearchParams(
    Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, value] as [string, string]])),
  ).toString()
}

interface Allowed {
  readonly clientId: string
  readonly permissions?: readonly string[]
}

export const allow = (
  service: TestService,
  { page }: Pick<TestMember, 'page'>,
  json: { query: string; brandSlug: string; permissions: readonly string[] },
): Promise<Reply<{ redirectTo: string }>> => service.post('auth/agents', { headers: page, json })

/** The one-time code, and what redeems it. */
export async function authorized(
  service: TestService,
  { slug }: Pick<TestBrand, 'slug'>,
  member: Pick<TestMember, 'page'>,
  { clientId, permissions = ['read', 'draft'] }: Allowed,
): Promise<{ code: string; verifier: string; redirect: URL }> {
  const verifier = newVerifier()
  const query = authorizeQuery(service, { client_id: clientId, code_challenge: challengeOf(verifier) })
  const { body } = await allow(service, member, { query, brandSlug: slug, permissions })
  const redirect = new URL(body.data.redirectTo)
  return { code: redirect.searchParams.get('code') ?? '', verifier, redirect }
}

export interface AgentTokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly expires_in: number
  readonly scope: string
  readonly token_type: string
}

/** The answer of `/oauth/token` or `/oauth/revoke`. */
export async function sendForm<Answer = AgentTokens & { error?: string }>(
  service: TestService,
  path: string,
  form: Readonly<Record<string, string>> | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; json: Answer; headers: Headers }> {
  const raw = typeof form === 'string' ? form : new URLSearchParams(form).toString()
  const reply = await service.post(path, {
    raw,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...newNetwork(), ...headers },
  })
  return { status: reply.status, json: reply.body as unknown as Answer, headers: reply.headers }
}

export const codeForm = (clientId: string, { code, verifier }: { code: string; verifier: string }) => ({
  grant_type: 'authorization_code',
  client_id: clientId,
  redirect_uri: CALLBACK,
  code,
  code_verifier: verifier,
})

/** The tokens of an agent that the member allowed to act for the brand. */
export async function agentTokens(
  service: TestService,
  brand: Pick<TestBrand, 'slug'>,
  member: Pick<TestMember, 'page'>,
  allowed: Allowed,
): Promise<AgentTokens> {
  const grant = await authorized(service, brand, member, allowed)
  const { status, json } = await sendForm(service, '/oauth/token', codeForm(allowed.clientId, grant))
  if (status !== 200) throw new Error(`no tokens: ${JSON.stringify(json)}`)
  return json
}

export const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

interface Message {
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

interface RpcBody {
  readonly result?: Record<string, unknown>
  readonly error?: { code: number; message: string; data?: Record<string, unknown> }
}

/** Sends one request of revision 2026-07-28 to `/mcp`. */
export async function sendMcp(
  service: TestService,
  token: string | null,
  { method, params = {} }: Message,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; headers: Headers; json: RpcBody }> {
  const name = typeof params['name'] === 'string' ? { 'Mcp-Name': params['name'] } : {}
  const reply = await service.post('/mcp', {
    ...(token === null ? {} : { token }),
    json: { jsonrpc: '2.0', id: 1, method, params: { _meta: ENVELOPE, ...params } },
    headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method, ...name, ...headers },
  })
  return { status: reply.status, headers: reply.headers, json: reply.body as unknown as RpcBody }
}

export const callTool = (
  service: TestService,
  token: string,
  name: string,
  given: Readonly<Record<string, unknown>> = {},
) => sendMcp(service, token, { method: 'tools/call', params: { name, arguments: given } })
