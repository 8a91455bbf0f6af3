// features/people/tokens: apps and their keys, tokens, and who makes a request.
// Secrets and tokens are stored as keyed hashes alone.

import { invalidApiKey, invalidRefreshToken } from '../../../base/errors.ts'
import type { AppRow } from '../../../db/tables.ts'
import { transaction } from '../../../db/transaction.ts'
import type { Incoming } from '../../../http/incoming.ts'
import type { Claim } from '../../../http/limits/limits.ts'
import { countFailure, takeLimits } from '../../../http/limits/rate-limit.ts'
import { type Route, route } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { exchangeKey } from './exchange-key.ts'
import { apiKey, optionalApiKey } from './guards.ts'
import { findFamily, findRefresh, isLiveFamily, revokeFamily, tokenHash } from './queries.ts'
import { rotateTokens } from './rotate-tokens.ts'
import { exchangeBody, refreshBody, revokeBody, revoked, tokenPair } from './schema.ts'
import { isSessionToken, revokeSessionToken } from './session-tokens.ts'
import { failureClaim, tokenClaim } from './token-limits.ts'

export const tokenRoutes = (deps: Deps): Route[] => [
  route({
    method: 'POST',
    path: '/auth/token',
    name: 'issueTokens',
    tag: 'Tokens',
    summary: 'Exchange an API key for a pair of tokens',
    description:
      'For servers only: browsers cannot call it. Send the API key in its two headers. The access token is valid for `expiresIn` seconds; the refresh token works once. After ten wrong keys in a minute from one network, further wrong keys are 429.',
    guard: apiKey(deps),
    caching: 'none',
    body: exchangeBody,
    limits: ({ identity }) => claimsOf(deps, identity),
    answers: { 200: { description: 'The pair of tokens.', schema: tokenPair } },
    errors: ['INVALID_SCOPE'],
    handle: async ({ identity, body }) => ({
      data: await exchangeKey(deps, {
        app: identity,
        externalDeviceId: body.externalDeviceId,
        scopes: body.scopes,
      }),
    }),
  }),

  route({
    method: 'POST',
    path: '/auth/token/refresh',
    name: 'refreshTokens',
    tag: 'Tokens',
    summary: 'Rotate a pair of tokens',
    description:
      'Uses up the refresh token and returns the next pair. A client that lost the answer can repeat the request within 30 seconds and gets the same pair. Any other reuse revokes the whole family, because it means that the token was stolen. The API key is optional; if it is sent, it must belong to the app of the token.',
    guard: optionalApiKey(deps),
    caching: 'none',
    limits: ({ identity }) => claimsOf(deps, identity),
    body: refreshBody,
    answers: { 200: { description: 'The next pair of tokens.', schema: tokenPair } },
    errors: ['INVALID_REFRESH_TOKEN'],
    async handle({ identity, incoming, body, now }) {
      const owner = await findRefresh(deps.engine.db, tokenHash(deps.keys.token, body.refreshToken))
      await refuseForeignKey(deps, incoming, { holder: identity, owner })
      if (!identity && owner && isLiveFamily(owner, now))
        await takeLimits(deps.limiter, claimsOf(deps, owner), incoming)
      const pair = owner && (await rotateTokens(deps, body.refreshToken))
      if (pair) return { data: pair }
      await countFailure(deps.limiter, failureClaim(deps, incoming))
      throw invalidRefreshToken()
    },
  }),

  route({
    method: 'POST',
    path: '/auth/token/revoke',
    name: 'revokeTokens',
    tag: 'Tokens',
    summary: 'Revoke a token and its whole family',
    description:
      'Revokes every access and refresh token from the same exchange at once, or the access token of a member. The answer is the same for an unknown token, so that nobody can probe for tokens.',
    guard: optionalApiKey(deps),
    caching: 'none',
    limits: ({ identity }) => claimsOf(deps, identity),
    body: revokeBody,
    answers: { 200: { description: 'Revoked, or unknown.', schema: revoked } },
    async handle({ identity, incoming, body, now }) {
      const hash = tokenHash(deps.keys.token, body.token)
      const owner = await findFamily(deps.engine.db, hash)
      await refuseForeignKey(deps, incoming, { holder: identity, owner })
      if (!identity && owner && isLiveFamily(owner, now))
        await takeLimits(deps.limiter, claimsOf(deps, owner), incoming)
      if (owner) await transaction(deps.engine, (tx) => revokeFamily(tx, owner.family_key, now))
      else if (isSessionToken(body.token)) await transaction(deps.engine, (tx) => revokeSessionToken(tx, hash))
      return { data: { revoked: true } }
    },
  }),
]

/**
 * The API key that a request counts against: from its headers, or the one that issued its token. A dead token
 * counts against no key, or a leaked old token could lock an app out.
 */
const claimsOf = (deps: Deps, app: { api_key_id: string } | null | undefined): Claim[] =>
  app ? [tokenClaim(deps, app.api_key_id)] : []

interface Ownership {
  readonly holder: AppRow | null
  readonly owner: { app_key: number } | undefined
}

/** If a key pair is sent, it must belong to the token's app. */
async function refuseForeignKey(deps: Deps, incoming: Incoming, { holder, owner }: Ownership): Promise<void> {
  if (!holder || !owner || holder.key === owner.app_key) return
  await countFailure(deps.limiter, failureClaim(deps, incoming))
  throw invalidApiKey()
}
