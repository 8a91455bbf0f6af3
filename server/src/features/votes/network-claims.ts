import type { Config } from '../../config.ts'
import type { Deps } from '../../deps.ts'
import type { Incoming } from '../../http/incoming.ts'
import type { Claim, Quota } from '../../http/limiter.ts'
import { quotaOf } from '../../http/limits.ts'
import { networkName } from '../tokens/token-limits.ts'

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
  readonly #ofPoll: readonly Quota[]
  readonly #ofBrand: readonly Quota[]

  constructor({ config, keys }: { config: Config } & Pick<Deps, 'keys'>) {
    this.#keys = { keys }
    this.#ofPoll = POLL_LIMITS.map((name) => quotaOf(name, config))
    this.#ofBrand = BRAND_LIMITS.map((name) => quotaOf(name, config))
  }

  get areOff(): boolean {
    return [...this.#ofPoll, ...this.#ofBrand].every(isOff)
  }

  of({ networks }: Incoming, { poll, brandKey }: VotedOn): Claim[] {
    return networks.flatMap((network, tier) => {
      const name = networkName(this.#keys, network)
      return [...claimOf(this.#ofPoll[tier], poll, name), ...claimOf(this.#ofBrand[tier], brandKey, name)]
    })
  }
}

const isOff = ({ quota }: Quota): boolean => quota === 0

const claimOf = (quota: Quota | undefined, subject: number | string | null, network: string): Claim[] =>
  !quota || isOff(quota) || subject === null ? [] : [{ quota, key: `${subject}:${network}` }]
