import { keyedHash } from '../../base/secrets.ts'
import type { Deps } from '../../deps.ts'
import type { Incoming } from '../../http/incoming.ts'
import type { Claim } from '../../http/limiter.ts'
import { quotaOf } from '../../http/limits.ts'

export const tokenClaim = (deps: Deps, apiKeyId: string): Claim => ({
  quota: quotaOf('tokens', deps.config),
  key: apiKeyId,
})

export const failureClaim = (deps: Deps, { network }: Incoming): Claim => ({
  quota: quotaOf('authFailures', deps.config),
  key: networkName(deps, network),
})

/** Addresses are hashed before they are kept, even in memory. */
export const networkName = ({ keys }: Pick<Deps, 'keys'>, network: string): string =>
  keyedHash(keys.network, network).toString('base64url').slice(0, 22)
