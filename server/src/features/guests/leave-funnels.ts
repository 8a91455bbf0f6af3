import { sql } from 'kysely'
import type { Engine, Tx } from '../../db/store.ts'
import { holdCampaign } from '../campaigns/queries.ts'
import { deviceName, rememberedVotes } from './forgotten.ts'

interface Leaving {
  readonly devices: readonly Uint8Array[]
  /** Only votes up to this time will be forgotten; null: all that are there. */
  readonly until: number | null
}

/**
 * Takes the votes of devices that are about to be forgotten off the funnels that count them. Call it before they are
 * marked. Holds the campaigns, so that nothing is counted meanwhile: the counted votes stay as they are without a lock of their
 * polls, and nobody who votes has to wait.
 */
export async function leaveFunnels(engine: Engine, tx: Tx, { devices, until }: Leaving): Promise<void> {
  const rows = await tx
    .selectFrom('campaign_respondents')
    .select('campaign_key')
    .distinct()
    .where('device', 'in', devices)
    .orderBy('campaign_key')
    .execute()
  const campaignKeys = rows.map(({ campaign_key }) => campaign_key)
  for (const key of campaignKeys) await holdCampaign(tx, key)
  const isGone = ({ voted_at }: CountedVote) => voted_at !== null && (until === null || voted_at <= until)
  const counted = await countedVotes(engine, tx, { devices, campaignKeys })
  for (const [campaignKey, votes] of Map.groupBy(counted, ({ campaign_key }) => campaign_key)) {
    await leave(tx, campaignKey, { votes, isGone })
  }
}

type CountedVote = Awaited<ReturnType<typeof countedVotes>>[number]

/** For each device and each step of its campaigns, the time of its vote if that is counted, else null. */
async function countedVotes(
  engine: Engine,
  tx: Tx,
  { devices, campaignKeys }: { devices: readonly Uint8Array[]; campaignKeys: readonly number[] },
) {
  if (campaignKeys.length === 0) return []
  const counted = tx.selectFrom('campaign_polls').where('campaign_key', 'in', campaignKeys)
  const steps = await counted.select('poll_key').distinct().where('funnel_to', 'is not', null).execute()
  if (steps.length === 0) return []
  const asked = await tx
    .selectFrom('campaign_respondents as respondent')
    .innerJoin('campaign_polls as step', 'step.campaign_key', 'respondent.campaign_key')
    .select(['respondent.device', 'step.campaign_key', 'step.poll_key', 'step.funnel_to'])
    .where('respondent.device', 'in', devices)
    .where('step.funnel_to', 'is not', null)
    .execute()
  const votes = await rememberedVotes(engine, tx, { pollKeys: steps.map(({ poll_key }) => poll_key), devices })
  const byDevice = Map.groupBy(votes, ({ device }) => deviceName(device))
  return asked.map(({ funnel_to, ...step }) => {
    const own = byDevice.get(deviceName(step.device))?.find(({ poll_key }) => poll_key === step.poll_key)
    return { ...step, voted_at: own && own.position <= (funnel_to ?? 0) ? own.voted_at : null }
  })
}

async function leave(
  tx: Tx,
  campaignKey: number,
  { votes, isGone }: { votes: readonly CountedVote[]; isGone: (vote: CountedVote) => boolean },
): Promise<void> {
  const goneOn = Map.groupBy(votes.filter(isGone), ({ poll_key }) => poll_key)
  for (const [pollKey, gone] of goneOn) {
    await tx
      .updateTable('campaign_polls')
      .set({ funnel_respondents: sql`funnel_respondents - ${gone.length}` })
      .where('campaign_key', '=', campaignKey)
      .where('poll_key', '=', pollKey)
      .execute()
  }
  const byDevice = Map.groupBy(votes, ({ device }) => deviceName(device))
  const completed = [...byDevice.values()].filter(
    (own) => own.some(isGone) && own.every(({ voted_at }) => voted_at !== null),
  ).length
  if (completed === 0) return
  await tx
    .updateTable('campaigns')
    .set({ funnel_completed: sql`funnel_completed - ${completed}` })
    .where('key', '=', campaignKey)
    .execute()
}
