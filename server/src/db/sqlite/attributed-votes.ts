import type { Database } from 'bun:sqlite'
import { HOUR } from '../../base/clock.ts'
import { type AttributedGain, type AttributionKeys, type Ballot, isAttributed, nameOf } from '../vote-store.ts'

/** The attributions of the votes of one group: each is looked up once, and counted with its votes. */
export class AttributedVotes {
  readonly #statements: AttributionStatements
  readonly #gains = new Map<string, AttributedGain>()

  constructor(statements: AttributionStatements) {
    this.#statements = statements
  }

  /** Null for a vote without an attribution. */
  add(ballot: Ballot): AttributionKeys | null {
    const { pollKey, attribution, option } = ballot
    if (!attribution) return null
    const name = nameOf(pollKey, attribution)
    const gain = this.#gains.get(name) ?? { pollKey, keys: this.#find(pollKey, attribution), a: 0, b: 0 }
    if (option === 'A') gain.a++
    else gain.b++
    this.#gains.set(name, gain)
    return gain.keys
  }

  writeCounts(now: number): void {
    for (const { pollKey, keys, a, b } of this.#gains.values()) {
      if (!isAttributed(keys)) continue
      const { source_key, campaign_key, shown } = keys
      this.#statements.addCounts.run(pollKey, now - (now % HOUR), source_key ?? 0, campaign_key ?? 0, shown ?? '', a, b)
    }
  }

  #find(pollKey: number, { source, shown, campaign }: NonNullable<Ballot['attribution']>): AttributionKeys {
    const found = this.#statements.findKeys.get(pollKey, source, shown, campaign)
    if (!found) throw new Error('a vote is written on a poll that is not there')
    return found
  }
}

type AttributionStatements = ReturnType<typeof prepareAttributions>

export const prepareAttributions = (file: Database) => ({
  // A plus before each parameter, as in all joins (see `SteadyCompiler`).
  findKeys: file.query<AttributionKeys, [number, string | null, string | null, string | null]>(
    `select
       (select source_names.key from source_names where source_names.brand_key = polls.brand_key and name = +?2) as source_key,
       case when option_order = 'random' then ?3 end as shown,
       (select campaigns.key from campaigns
        join campaign_polls on campaign_polls.campaign_key = campaigns.key and campaign_polls.poll_key = polls.key
        where campaigns.id = +?4 and campaigns.deleted_at is null and place is not null) as campaign_key
     from polls where polls.key = +?1`,
  ),
  addCounts: file.query(
    `insert into attributed_counts (poll_key, at, source_key, campaign_key, shown, option_a, option_b)
     values (?, ?, ?, ?, ?, ?, ?)
     on conflict (poll_key, at, source_key, campaign_key, shown) do update
     set option_a = option_a + excluded.option_a, option_b = option_b + excluded.option_b`,
  ),
})
