import { HOUR } from '../../../base/clock.ts'
import {
  type AttributedGain,
  type AttributionKeys,
  type Ballot,
  isAttributed,
  type NewVote,
  nameOf,
} from '../../vote-store.ts'

type Attributed = Ballot & { readonly attribution: NonNullable<Ballot['attribution']> }

const hasAttribution = (ballot: Ballot): ballot is Attributed => ballot.attribution !== undefined

/** The attributions of a group, each once, and which of them each ballot has, counted from 1; null for none. */
export interface AttributionList {
  readonly each: readonly Attributed[]
  readonly ofBallot: readonly (number | null)[]
}

export function attributionsOf(ballots: readonly Ballot[]): AttributionList {
  const each: Attributed[] = []
  const places = new Map<string, number>()
  const ofBallot = ballots.map((ballot) => {
    if (!hasAttribution(ballot)) return null
    const name = nameOf(ballot.pollKey, ballot.attribution)
    const place = places.get(name) ?? each.push(ballot)
    places.set(name, place)
    return place
  })
  return { each, ofBallot }
}

/** Lists of sources, campaigns and orders, as the statements and the function take them. */
export const attributionValues = ({ each }: AttributionList): unknown[] => [
  each.map(({ attribution }) => attribution.source),
  each.map(({ attribution }) => attribution.campaign),
  each.map(({ attribution }) => attribution.shown),
]

/** The same as in `cast_ballots` (migration 0025). Lateral subqueries with `offset 0` are looked up by key, for any statistics of the tables. */
export const READ_ATTRIBUTIONS = {
  name: 'ledger-attributions',
  text: `select at::int as at, source_key, shown, campaign_key
    from unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) with ordinality as given (poll_key, source, campaign_id, wanted, at)
    cross join lateral (
      select brand_key, case when option_order = 'random' then wanted end as shown
      from polls where polls.key = given.poll_key offset 0
    ) as poll
    left join lateral (
      select key as source_key from source_names
      where source_names.brand_key = poll.brand_key and source_names.name = given.source offset 0
    ) as declared on true
    left join lateral (
      select campaigns.key as campaign_key from campaigns
      join campaign_polls on campaign_polls.campaign_key = campaigns.key and campaign_polls.poll_key = given.poll_key
      where campaigns.id = given.campaign_id and deleted_at is null and campaign_polls.place is not null offset 0
    ) as holding on true`,
}

/** By the ballot, for those that have an attribution. */
export type KeysOfBallots = ReadonlyMap<Ballot, AttributionKeys>

export function keysOfBallots(
  ballots: readonly Ballot[],
  { ofBallot }: AttributionList,
  rows: readonly (AttributionKeys & { readonly at: number })[],
): KeysOfBallots {
  const found = new Map(rows.map((row) => [row.at, row]))
  return new Map(
    ballots.flatMap((ballot, i) => {
      const keys = found.get(ofBallot[i] ?? 0)
      return keys ? [[ballot, keys]] : []
    }),
  )
}

/** A statement by itself, because Citus has `votes` on workers and this table beside the polls. */
export const ADD_ATTRIBUTED = {
  name: 'ledger-attributed',
  text: `insert into attributed_counts (poll_key, at, source_key, campaign_key, shown, option_a, option_b)
    select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[])
      as gain (poll_key, at, source_key, campaign_key, shown, a, b)
    order by poll_key, at, source_key, campaign_key, shown
    on conflict (poll_key, at, source_key, campaign_key, shown) do update
    set option_a = attributed_counts.option_a + excluded.option_a, option_b = attributed_counts.option_b + excluded.option_b`,
}

export function attributedGains(votes: readonly NewVote[], keysOf: KeysOfBallots): AttributedGain[] {
  const gains = new Map<string, AttributedGain>()
  for (const { ballot } of votes) {
    const keys = keysOf.get(ballot)
    if (!keys || !isAttributed(keys)) continue
    const name = [ballot.pollKey, keys.source_key, keys.campaign_key, keys.shown].join(' ')
    const gain = gains.get(name) ?? { pollKey: ballot.pollKey, keys, a: 0, b: 0 }
    if (ballot.option === 'A') gain.a++
    else gain.b++
    gains.set(name, gain)
  }
  return [...gains.values()]
}

export const attributedValues = (gains: readonly AttributedGain[], now: number): unknown[] => [
  gains.map(({ pollKey }) => pollKey),
  gains.map(() => now - (now % HOUR)),
  gains.map(({ keys }) => keys.source_key ?? 0),
  gains.map(({ keys }) => keys.campaign_key ?? 0),
  gains.map(({ keys }) => keys.shown ?? ''),
  gains.map(({ a }) => a),
  gains.map(({ b }) => b),
]
