import { DAY, SECOND } from '../../../base/clock.ts'
import { newToken } from '../../../base/ids.ts'
import type { Scope } from '../../../base/roles.ts'
import type { Tx } from '../../../db/store.ts'
import type { Deps } from '../../deps.ts'
import { tokenHash } from './queries.ts'
import type { TokenPair } from './schema.ts'

const IDLE = 30 * DAY
export const FAMILY_LIFE = 90 * DAY

export interface Family {
  readonly key: number
  readonly scopes: Scope[]
  readonly expiresAt: number
}

/** Issues a token pair of a family. Neither token outlives the family. */
export async function issueTokens(deps: Deps, tx: Tx, family: Family): Promise<TokenPair> {
  const now = deps.clock.now()
  const accessToken = newToken('tsa_')
  const refreshToken = newToken('tsr_')
  const accessExpiresAt = Math.min(now + deps.config.accessTokenSeconds * SECOND, family.expiresAt)
  await tx
    .insertInto('access_tokens')
    .values({ hash: tokenHash(deps.keys.token, accessToken), family_key: family.key, expires_at: accessExpiresAt })
    .execute()
  await tx
    .insertInto('refresh_tokens')
    .values({
      hash: tokenHash(deps.keys.token, refreshToken),
      family_key: family.key,
      expires_at: Math.min(now + IDLE, family.expiresAt),
      used_at: null,
      successor_hash: null,
      successor_pair: null,
    })
    .execute()
  return {
    accessToken,
    refreshToken,
    expiresIn: Math.floor((accessExpiresAt - now) / SECOND),
    tokenType: 'Bearer',
    scopes: family.scopes,
  }
}
