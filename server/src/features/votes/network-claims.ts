import type { Config } from '../../config/config.ts'
import type { Incoming } from '../../http/incoming.ts'
import type { Claim, Quota } from '../../http/limits/limiter.ts'
import { quotaOf } from '../../http/limits/limits.ts'
import type { Deps } from '../deps.ts'
import { NetworkKey, networkName } from '../people/tokens/token-limits.ts'

/** From the network itself to the widest one around it, as `Incoming.networks` lists them. */
const POLL_LIMITS = ['networkVotes', 'networkVotesWide', 'networkVotesWidest'] as const
const BRAND_LIMITS = ['networkBrandVotes', 'networkBrandVotesWide', 'networkBrandVotesWidest'] as const

interface VotedOn {
  /** The key of the poll; the reference that was asked for, where there is no such poll. */
  readonly poll: number | string
  /** Null for polls that the public does not see. */
  readonly brandKey: number | null
}

/** The limits of votes by network: on one poll, and on all polls of a brand. */
export class NetworkClaims {
  readonly #keys: Pick<Deps, 'keys'>
  /** By tier; null where there is no limit. */
  readonly #ofPoll: readonly (Quota | null)[]
  readonly #ofBrand: readonly (Quota | null)[]
  readonly areOff: boolean

  constructor({ config, keys }: { config: Config } & Pick<Deps, 'keys'>) {
    const set = (name: (typeof POLL_LIMITS | typeof BRAND_LIMITS)[number]): Quota | null => {
      const quota = quotaOf(name, config)
      return quota.quota === 0 ? null : quota
    }
    this.#keys = { keys }
    this.#ofPoll = POLL_LIMITS.map(set)
    this.#ofBrand = BRAND_LIMITS.map(set)
    this.areOff = [...this.#ofPoll, ...this.#ofBrand].every((quota) => quota === null)
  }

  of({ networks }: Incoming, { poll, brandKey }: VotedOn): Claim[] {
    const claims: Claim[] = []
    for (let tier = 0; tier < networks.length; tier++) {
      const [ofPoll, ofBrand] = [this.#ofPoll[tier], this.#ofBrand[tier]]
      if (!ofPoll && !ofBrand) continue
      const network = networks[tier] as string
      const key = new NetworkKey(this.#keys, network)
      if (ofPoll && typeof poll === 'number') claims.push({ quota: ofPoll, key, within: poll })
      else if (ofPoll) claims.push({ quota: ofPoll, key: `${poll}:${networkName(this.#keys, network)}` })
      if (ofBrand && brandKey !== null) claims.push({ quota: ofBrand, key, within: brandKey })
    }
    return claims
  }
}
