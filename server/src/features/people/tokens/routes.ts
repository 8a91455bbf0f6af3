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
import { apiKey, failureClaim, optionalApiKey, tokenClaim } from './guards.ts'
import {
  findFamily,
  findRefresh,
  isLiveFamily,
  isSessionToken,
  revokeFamily,
  revokeSessionToken,
  tokenHash,
} from './queries.ts'
import { exchangeBody, exchangeKey, refreshBody, revokeBody, revoked, rotateTokens, tokenPair } from './token-pairs.ts'

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
    handle: async ({ identity, body }) => ({ data: await exchangeKey(deps, { app: identity, ...body }) }),
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
      await checkOwner(deps, incoming, { holder: identity, owner, now })
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
      await checkOwner(deps, incoming, { holder: identity, owner, now })
      if (owner) await transaction(deps.engine, (tx) => revokeFamily(tx, owner.family_key, now))
      else if (isSessionToken(body.token)) await transaction(deps.engine, (tx) => revokeSessionToken(tx, hash))
      return { data: { revoked: true } }
    },
  }),
]

/** The API key that a request counts against. A dead token counts against none, or a leaked old one could lock an app out. */
const claimsOf = (deps: Deps, app: { api_key_id: string } | null | undefined): Claim[] =>
  app ? [tokenClaim(deps, app.api_key_id)] : []

/** If a key pair is sent, it must belong to the token's app; without one, the request counts against the app's own. */
async function checkOwner(
  deps: Deps,
  incoming: Incoming,
  { holder, owner, now }: { holder: AppRow | null; owner: Awaited<ReturnType<typeof findFamily>>; now: number },
): Promise<void> {
  if (!owner || holder?.key === owner.app_key) return
  if (holder) {
    await countFailure(deps.limiter, failureClaim(deps, incoming))
    throw invalidApiKey()
  }
  if (isLiveFamily(owner, now)) await takeLimits(deps.limiter, claimsOf(deps, owner), incoming)
}
