import { shortKeyedHash } from '../../base/secrets.ts'
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

const NETWORK_BYTES = 16

/** Addresses are hashed before they are kept, even in memory. */
export const networkHash = ({ keys }: Pick<Deps, 'keys'>, network: string): Uint8Array =>
  shortKeyedHash(keys.network, network, NETWORK_BYTES)

export const networkName = (deps: Pick<Deps, 'keys'>, network: string): string =>
  Buffer.from(networkHash(deps, network)).toString('base64url')
