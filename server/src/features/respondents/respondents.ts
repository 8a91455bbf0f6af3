import { sql } from 'kysely'
import type { Tx } from '../../db/store.ts'
import { firstVote, isRemembered } from '../guests/forgotten.ts'

/** Positions of a poll's votes, `after` excluded and `to` included. */
export interface PositionRange {
  readonly after: number
  readonly to: number
}

interface Votes {
  readonly campaignKey: number
  readonly pollKey: number
  readonly span: PositionRange
}

/** Makes respondents of these votes' devices, each with the time of its first vote in the campaign. */
export const takeOverVotes = (tx: Tx, { campaignKey, pollKey, span }: Votes) =>
  tx
    .insertInto('campaign_respondents')
    .columns(['campaign_key', 'device', 'started_at'])
    .expression((from) =>
      from
        .selectFrom('votes')
        .select([ofCampaign(campaignKey), 'device', 'voted_at'])
        .where('poll_key', '=', pollKey)
        .where('position', '>', span.after)
        .where('position', '<=', span.to)
        .where(isRemembered('votes'))
        .orderBy('device'),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['campaign_key', 'device'])
        .doUpdateSet((row) => ({ started_at: row.ref('excluded.started_at') }))
        .whereRef('excluded.started_at', '<', 'campaign_respondents.started_at'),
    )
    .execute()

/** Sets each respondent's time to the first vote that is left in the campaign. */
export const settleRespondents = (tx: Tx, { campaignKey, pollKey, span }: Votes) =>
  tx
    .with(
      // Materialized, or SQLite would read all votes of the poll to get them in group order.
      (walked) => walked('walked').materialized(),
      (from) =>
        from
          .selectFrom('votes')
          .select('device')
          .where('poll_key', '=', pollKey)
          .where('position', '>', span.after)
          .where('position', '<=', span.to),
    )
    .with(
      // Materialized, or both engines would compute the first vote twice.
      (settled) => settled('settled').materialized(),
      (from) =>
        from
          .selectFrom('walked')
          .innerJoin('campaign_polls as member', (join) =>
            join.on('member.campaign_key', '=', campaignKey).on('member.place', 'is not', null),
          )
          .select(['walked.device', firstVote('walked').as('started_at')])
          .groupBy('walked.device'),
    )
    .insertInto('campaign_respondents')
    .columns(['campaign_key', 'device', 'started_at'])
    .expression((from) =>
      from
        .selectFrom('settled')
        .select([ofCampaign(campaignKey), 'device', sql<number>`started_at`.as('started_at')])
        .where('started_at', 'is not', null)
        .orderBy('device'),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['campaign_key', 'device'])
        .doUpdateSet((row) => ({ started_at: row.ref('excluded.started_at') }))
        .whereRef('excluded.started_at', '<>', 'campaign_respondents.started_at'),
    )
    .execute()

/** Removes the devices of these votes that have no vote left in the campaign. */
export const removeRespondents = (tx: Tx, { campaignKey, pollKey, span }: Votes) =>
  tx
    .deleteFrom('campaign_respondents')
    .where('campaign_key', '=', campaignKey)
    .where('device', 'in', ({ selectFrom }) =>
      selectFrom('votes')
        .select('device')
        .where('poll_key', '=', pollKey)
        .where('position', '>', span.after)
        .where('position', '<=', span.to),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('campaign_polls as member')
            .innerJoin('device_votes as own', 'own.poll_key', 'member.poll_key')
            .select('own.device')
            .where('member.campaign_key', '=', campaignKey)
            .where('member.place', 'is not', null)
            .whereRef('own.device', '=', 'campaign_respondents.device')
            .where(isRemembered('own')),
        ),
      ),
    )
    .execute()

/** PostgreSQL would type a bare parameter here as text. */
const ofCampaign = (key: number) => sql<number>`cast(${key} as bigint)`.as('campaign_key')
