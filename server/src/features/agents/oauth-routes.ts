import { z } from 'zod'
import type { AppError } from '../../base/errors.ts'
import { etagOf } from '../../http/answers/caching.ts'
import type { Reply } from '../../http/answers/reply.ts'
import type { Incoming } from '../../http/incoming.ts'
import { readNeedlessText } from '../../http/json.ts'
import { countFailure } from '../../http/limits/rate-limit.ts'
import { anyone, outside, type Route, route } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { failureClaim } from '../people/tokens/guards.ts'
import { mcpUrl } from './clients.ts'
import { redeemCode, revokeGrantToken, rotateGrantTokens } from './grants.ts'
import { LEAVES } from './tools.ts'

const FORM = 'application/x-www-form-urlencoded'
const anything = z.looseObject({})

export const resourceMetadataUrl = (publicUrl: string): string =>
  `${publicUrl}/.well-known/oauth-protected-resource/mcp`

const json = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  body: JSON.stringify(body),
  // Tokens are never compressed.
  isSecret: true,
  headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
})

const refused = (error: string, description: string, status = 400): Reply =>
  json(status, { error, error_description: description })

function errorOf(status: number): string {
  if (status === 429) return 'temporarily_unavailable'
  return status >= 500 ? 'server_error' : 'invalid_request'
}

/** RFC 6749, 5.2, in place of the interface's errors. */
function refusal({ status, message, headers }: AppError): Reply {
  return json(status, { error: errorOf(status), error_description: message }, headers)
}

type Form = (name: string) => string

/** The fields of a form, each at most once. */
async function readForm(incoming: Incoming): Promise<Form | Reply> {
  const text = (await readNeedlessText(incoming.request)) ?? ''
  incoming.endReceiving()
  const type = incoming.request.headers.get('content-type') ?? ''
  if (type.split(';')[0]?.trim().toLowerCase() !== FORM) return refused('invalid_request', `Send ${FORM}.`, 415)
  const given = new URLSearchParams(text)
  const repeated = [...new Set(given.keys())].find((name) => given.getAll(name).length > 1)
  if (repeated !== undefined) return refused('invalid_request', 'A field is repeated.')
  return (name) => given.get(name) ?? ''
}

/** The authorization server of `/mcp`: for clients without a secret, which prove by PKCE that a code is theirs. */
export function oauthRoutes(deps: Deps): Route[] {
  const { publicUrl } = deps.config
  const document = (path: string, name: string, facts: object) => {
    const body = JSON.stringify(facts)
    return route({
      ...outside,
      path,
      name,
      answers: {
        200: {
          description: 'The document.',
          contentType: 'application/json',
          schema: anything,
          headers: { always: ['ETag'] },
        },
      },
      handle: () => ({
        status: 200,
        body,
        headers: { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=300', ETag: etagOf(body) },
      }),
    })
  }
  const resource = {
    resource: mcpUrl(publicUrl),
    resource_name: 'Tossup',
    authorization_servers: [publicUrl],
    scopes_supported: LEAVES,
    bearer_methods_supported: ['header'],
    resource_documentation: `${publicUrl}/docs/agents`,
  }
  const endpoint = (path: string, name: string, answer: (form: Form, incoming: Incoming) => Promise<Reply>) =>
    route({
      method: 'POST',
      isOutside: true,
      path,
      name,
      guard: anyone,
      caching: 'none',
      takes: [FORM],
      refusal,
      answers: {
        200: { description: 'The tokens, or nothing.', contentType: 'application/json', schema: anything },
      },
      async handle({ incoming }) {
        const form = await readForm(incoming)
        return typeof form === 'function' ? answer(form, incoming) : form
      },
    })

  async function tokens(form: Form, incoming: Incoming): Promise<Reply> {
    const target = form('resource')
    if (target !== '' && target !== mcpUrl(publicUrl)) return refused('invalid_target', 'Unknown resource.')
    const type = form('grant_type')
    const issued = await issue(type, form)
    if (issued === undefined) return refused('unsupported_grant_type', 'Send authorization_code or refresh_token.')
    if (issued) return json(200, issued)
    await countFailure(deps.limiter, failureClaim(deps, incoming))
    return refused(
      'invalid_grant',
      'The code or token is unknown, was used, has expired, or belongs to another client.',
    )
  }

  async function issue(type: string, form: Form) {
    const clientId = form('client_id')
    if (type === 'refresh_token') return rotateGrantTokens(deps, form('refresh_token'), clientId)
    if (type !== 'authorization_code') return undefined
    const verifier = form('code_verifier')
    if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return null
    const challenge = new Bun.CryptoHasher('sha256').update(verifier).digest('base64url')
    return redeemCode(deps, { code: form('code'), clientId, redirectUri: form('redirect_uri'), challenge })
  }

  return [
    document('/.well-known/oauth-protected-resource/mcp', 'getProtectedResource', resource),
    document('/.well-known/oauth-protected-resource', 'getProtectedResourceAtRoot', resource),
    document('/.well-known/oauth-authorization-server', 'getAuthorizationServer', {
      issuer: publicUrl,
      authorization_endpoint: `${publicUrl}/oauth/authorize`,
      token_endpoint: `${publicUrl}/oauth/token`,
      revocation_endpoint: `${publicUrl}/oauth/revoke`,
      scopes_supported: LEAVES,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    }),
    route({
      ...outside,
      path: '/oauth/authorize',
      name: 'authorizeAgent',
      caching: 'none',
      answers: {
        302: { description: 'Leads to the consent page.', headers: { always: ['Location', 'Referrer-Policy'] } },
      },
      // The page asks the service what the query means once the person is signed in. Behind a hash it stays as the agent wrote it.
      handle: ({ incoming: { search } }) => ({
        status: 302,
        body: null,
        headers: {
          Location: `/console/_agent#${search.slice(1)}`,
          'Cache-Control': 'no-store',
          'Referrer-Policy': 'no-referrer',
        },
      }),
    }),
    endpoint('/oauth/token', 'issueAgentTokens', tokens),
    endpoint('/oauth/revoke', 'revokeAgentToken', async (form) => {
      if (form('token') === '') return refused('invalid_request', 'The field token is missing.')
      await revokeGrantToken(deps, form('token'))
      return json(200, {})
    }),
  ]
}
