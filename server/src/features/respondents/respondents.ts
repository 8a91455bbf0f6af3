import { sql } from 'kysely'
import type { Tx } from '../../db/store.ts'
import { firstVote, isRemembered } from '../guests/forgotten.ts'

/** The positions of a poll's votes after the one and up to the other. */
export interface Span {
  readonly after: number
  readonly to: number
}

interface Votes {
  readonly campaignKey: number
  readonly pollKey: number
  readonly span: Span
}

/** Whoever cast one of these votes is a respondent, from the first of all its votes in the campaign on. */
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

/** The first vote that each of those who cast one of these votes still has in the campaign. */
export const settleRespondents = (tx: Tx, { campaignKey, pollKey, span }: Votes) =>
  tx
    .with(
      // Or SQLite would read all votes of the poll, because they can be had in the order of the groups.
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
      // Or both engines would look for the first vote twice, to choose by it and to write it.
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

/** Those who cast one of these votes and have none in the campaign any more. */
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

/** PostgreSQL would take a bare parameter in this place for a text. */
const ofCampaign = (key: number) => sql<number>`cast(${key} as bigint)`.as('campaign_key')
