import { newSalt, saltedHash, shortKeyedHash } from '../../../base/secrets.ts'
import type { Incoming } from '../../../http/incoming.ts'
import { type Claim, type HiddenKey, quotaOf } from '../../../http/limits/limits.ts'
import type { Deps } from '../../deps.ts'

export const tokenClaim = (deps: Deps, apiKeyId: string): Claim => ({
  quota: quotaOf('tokens', deps.config),
  key: apiKeyId,
})

export const failureClaim = (deps: Deps, { network }: Incoming): Claim => ({
  quota: quotaOf('authFailures', deps.config),
  key: networkName(deps, network),
})

const NETWORK_BYTES = 16

/** Addresses are hashed before they are kept, even in memory: see `NetworkKey` for one that only counts. */
const networkHash = ({ keys }: Pick<Deps, 'keys'>, network: string): Uint8Array =>
  shortKeyedHash(keys.network, network, NETWORK_BYTES)

/** A salt of this process: counts in memory need no hash that other processes could repeat. */
const salt = newSalt()

/** A network as a caller, without computing its keyed hash where limits are in memory. */
export class NetworkKey implements HiddenKey {
  readonly number: number
  readonly #deps: Pick<Deps, 'keys'>
  readonly #network: string

  constructor(deps: Pick<Deps, 'keys'>, network: string) {
    this.#deps = deps
    this.#network = network
    this.number = saltedHash(network, salt)
  }

  hash(): Uint8Array {
    return networkHash(this.#deps, this.#network)
  }
}

export const networkName = (deps: Pick<Deps, 'keys'>, network: string): string =>
  Buffer.from(networkHash(deps, network)).toString('base64url')
