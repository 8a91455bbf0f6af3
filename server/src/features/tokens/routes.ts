// features/tokens: apps and their keys, tokens, and who makes a request.
// Imports features: none.
// Secrets and tokens are stored as keyed hashes alone.

import { invalidApiKey, invalidRefreshToken } from '../../base/errors.ts'
import type { AppRow } from '../../db/tables.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Incoming } from '../../http/incoming.ts'
import type { Claim } from '../../http/limiter.ts'
import { countFailure, takeLimits } from '../../http/rate-limit.ts'
import { type Route, route } from '../../http/route.ts'
import { exchangeKey } from './exchange-key.ts'
import { apiKey, optionalApiKey } from './guards.ts'
import { failureClaim, tokenClaim } from './limits.ts'
import { findFamily, findRefresh, isLiveFamily, revokeFamily, tokenHash } from './queries.ts'
import { rotateTokens } from './rotate-tokens.ts'
import { exchangeBody, refreshBody, revokeBody, revoked, tokenPair } from './schema.ts'

export const tokenRoutes = (deps: Deps): Route[] => [
  route({
    method: 'POST',
    path: '/auth/token',
    name: 'issueTokens',
    summary: 'Exchange an API key for a pair of tokens',
    guard: apiKey(deps),
    caching: 'none',
    body: exchangeBody,
    limits: ({ identity }) => claimsOf(deps, identity),
    answers: { 200: { description: 'The pair.', schema: tokenPair } },
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
    summary: 'Rotate a pair of tokens',
    guard: optionalApiKey(deps),
    caching: 'none',
    limits: ({ identity }) => claimsOf(deps, identity),
    body: refreshBody,
    answers: { 200: { description: 'The next pair.', schema: tokenPair } },
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
    summary: 'Revoke a token and its whole family',
    guard: optionalApiKey(deps),
    caching: 'none',
    limits: ({ identity }) => claimsOf(deps, identity),
    body: revokeBody,
    answers: { 200: { description: 'Done, also for a token that is not known.', schema: revoked } },
    async handle({ identity, incoming, body, now }) {
      const owner = await findFamily(deps.engine.db, tokenHash(deps.keys.token, body.token))
      await refuseForeignKey(deps, incoming, { holder: identity, owner })
      if (!identity && owner && isLiveFamily(owner, now))
        await takeLimits(deps.limiter, claimsOf(deps, owner), incoming)
      if (owner) await transaction(deps.engine, (tx) => revokeFamily(tx, owner.family_key, now))
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
