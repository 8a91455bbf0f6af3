import { setImmediate as nextTurn } from 'node:timers/promises'
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from '../../db/store.ts'
import type { Tables } from '../../db/tables.ts'
import { funnelStepsOf, isCountedAsShown } from '../respondents/funnel-steps.ts'
import type { Funnel } from './funnel-schema.ts'

/** Rows that one statement counts, so that others do not wait long for it. */
const COUNTED_AT_ONCE = 50_000

/** Null if the campaign has just been deleted. */
export async function funnelOf(db: Db, campaignKey: number): Promise<Funnel | null> {
  const campaign = await db
    .selectFrom('campaigns')
    .select('funnel_completed')
    .where('key', '=', campaignKey)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!campaign) return null
  const found = await funnelStepsOf(db, campaignKey)
  const steps = found.filter(({ isStep }) => isStep)
  const isCurrent = isCountedAsShown(found)
  const votesRead = isCurrent ? sumOf(steps.map(({ funnel_to }) => funnel_to ?? 0)) : 0
  const votesToRead = sumOf(steps.map(({ votes }) => votes))
  return {
    steps: steps.map(({ slug, title, respondents }) => ({ slug, title, respondents: isCurrent ? respondents : 0 })),
    respondents: await countRespondents(db, campaignKey),
    completed: isCurrent ? campaign.funnel_completed : 0,
    // Also before a first count, if there is nothing to count.
    progress: { isComplete: votesRead === votesToRead, votesRead, votesToRead },
  }
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)

/** Counted a part at a time, from an index. */
async function countRespondents(db: Db, campaignKey: number): Promise<number> {
  let respondents = 0
  for (let after: readonly [number, number] = [-1, -1]; ; await nextTurn()) {
    const part = db
      .selectFrom('campaign_respondents')
      .select(['started_at', 'key'])
      .where('campaign_key', '=', campaignKey)
      .where(sql<boolean>`(started_at, key) > (${after[0]}, ${after[1]})`)
      .orderBy('started_at')
      .orderBy('key')
    const last = await part
      .offset(COUNTED_AT_ONCE - 1)
      .limit(1)
      .executeTakeFirst()
    if (!last) return respondents + (await countOf(db, part))
    respondents += COUNTED_AT_ONCE
    after = [last.started_at, last.key]
  }
}

async function countOf(db: Db, part: SelectQueryBuilder<Tables, 'campaign_respondents', object>): Promise<number> {
  const { rows } = await db
    .selectFrom(part.as('part'))
    .select(sql<number>`count(*)`.as('rows'))
    .executeTakeFirstOrThrow()
  return rows
}
