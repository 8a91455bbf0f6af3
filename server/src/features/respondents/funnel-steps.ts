import { sql } from 'kysely'
import type { Db } from '../../db/store.ts'

export interface FunnelStep {
  readonly poll_key: number
  readonly slug: string
  readonly title: string
  /** Visitors see it: it is in the campaign, and neither a draft nor archived nor deleted. */
  readonly isStep: boolean
  /** The position up to which its votes are counted; null if they are not counted at all. */
  readonly funnel_to: number | null
  readonly respondents: number
  /** The position up to which its votes can be counted. */
  readonly upto: number
  readonly votes: number
}

/**
 * The polls of a campaign in order, and those that have just left. While earlier votes are walked, only those that were
 * walked can be counted: forgetting finds a device by its row of `campaign_respondents`.
 */
export const funnelStepsOf = (db: Db, campaignKey: number): Promise<FunnelStep[]> => funnelStepsOfAll(db, [campaignKey])

export async function funnelStepsOfAll(
  db: Db,
  campaignKeys: readonly number[],
): Promise<(FunnelStep & { readonly campaign_key: number })[]> {
  if (campaignKeys.length === 0) return []
  const members = db
    .selectFrom('campaign_polls')
    .innerJoin('polls', 'polls.key', 'campaign_polls.poll_key')
    .select([
      'campaign_key',
      'campaign_polls.poll_key',
      'polls.slug',
      'polls.title',
      'place',
      'walked_to',
      'walk_end',
      'funnel_to',
    ])
    .select(['funnel_respondents as respondents', 'polls.is_draft', 'polls.archived_at', 'polls.deleted_at'])
    .where('campaign_key', 'in', campaignKeys)
  const rows = await db
    .selectFrom(members.as('member'))
    // A poll keeps its tally until it has left its campaigns.
    .innerJoin('tallies', 'tallies.poll_key', 'member.poll_key')
    .selectAll('member')
    .select(sql<number>`option_a + option_b`.as('votes'))
    .orderBy('place')
    .execute()
  return rows.map(({ place, walked_to, walk_end, is_draft, archived_at, deleted_at, ...row }) => ({
    ...row,
    isStep: place !== null && is_draft === 0 && archived_at === null && deleted_at === null,
    upto: walked_to < walk_end ? walked_to : row.votes,
  }))
}

/** False while a poll that has just become a step is not counted, or one that no longer is one still is. */
export const isCountedAsShown = (steps: readonly FunnelStep[]): boolean =>
  steps.every(({ isStep, funnel_to }) => isStep === (funnel_to !== null))
