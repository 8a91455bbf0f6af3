import { sql } from 'kysely'
import type { Db, Engine, Tx } from '../../db/store.ts'
import { relaxedTransaction } from '../../db/transaction.ts'
import { holdCampaign } from '../campaigns/queries.ts'
import { uncountFunnels } from '../campaigns/uncount-funnels.ts'
import { deviceName, isRemembered, rememberedVotes } from '../guests/forgotten.ts'
import { type FunnelStep, funnelStepsOf, funnelStepsOfAll, isCountedAsShown } from './funnel-steps.ts'

/** Votes that are counted at once, and looked up on other polls at once: requests do not wait long for either. */
const MOST_VOTES = 2_000
const MOST_LOOKUPS = 1_000

/**
 * Counts the next votes of a campaign's funnel; false when all are counted. Votes have immutable positions, so each is read
 * once: of a respondent's votes, the one that is counted last completes the campaign.
 */
export async function countFunnel(engine: Engine, campaignKey: number): Promise<boolean> {
  if (!hasWork(await funnelStepsOf(engine.db, campaignKey))) return false
  return relaxedTransaction(engine, async (tx) => {
    // One server at a time, and never beside a device that is being forgotten.
    if (!(await holdCampaign(tx, campaignKey))) return false
    const steps = await funnelStepsOf(tx, campaignKey)
    if (!isCountedAsShown(steps)) await startOver(tx, campaignKey, steps)
    else await countNext(engine, tx, { campaignKey, steps })
    return true
  })
}

/** Those of these campaigns that have votes to count, by one statement. */
export async function campaignsToCount(db: Db, campaignKeys: readonly number[]): Promise<number[]> {
  const steps = await funnelStepsOfAll(db, campaignKeys)
  const byCampaign = Map.groupBy(steps, ({ campaign_key }) => campaign_key)
  return campaignKeys.filter((key) => hasWork(byCampaign.get(key) ?? []))
}

const hasWork = (steps: readonly FunnelStep[]): boolean => !isCountedAsShown(steps) || nextOf(steps) !== undefined

/** The least-voted poll last: until then nobody has completed the campaign, and nothing has to be looked up. */
const nextOf = (steps: readonly FunnelStep[]): FunnelStep | undefined =>
  mostVotedFirst(steps).find(({ funnel_to, upto }) => funnel_to !== null && funnel_to < upto)

const mostVotedFirst = (steps: readonly FunnelStep[]) => steps.toSorted((left, right) => right.votes - left.votes)

async function startOver(tx: Tx, campaignKey: number, steps: readonly FunnelStep[]): Promise<void> {
  const shown = steps.filter(({ isStep }) => isStep).map(({ poll_key }) => poll_key)
  await uncountFunnels(tx, [campaignKey])
  if (shown.length === 0) return
  await tx
    .updateTable('campaign_polls')
    .set({ funnel_to: 0 })
    .where('campaign_key', '=', campaignKey)
    .where('poll_key', 'in', shown)
    .execute()
}

interface Counting {
  readonly campaignKey: number
  readonly steps: readonly FunnelStep[]
}

async function countNext(engine: Engine, tx: Tx, { campaignKey, steps }: Counting): Promise<void> {
  const next = nextOf(steps)
  if (!next) return
  const others = steps.filter(({ isStep, poll_key }) => isStep && poll_key !== next.poll_key)
  const isReachable = others.every(({ funnel_to }) => (funnel_to ?? 0) > 0)
  const most = isReachable ? Math.max(1, Math.floor(MOST_LOOKUPS / (others.length + 1))) : MOST_VOTES
  const after = next.funnel_to ?? 0
  const to = Math.min(after + most, next.upto)
  const devices = await tx
    .selectFrom('votes as own')
    .select('own.device')
    .where('own.poll_key', '=', next.poll_key)
    .where('own.position', '>', after)
    .where('own.position', '<=', to)
    .where(isRemembered('own'))
    .execute()
  const respondents = devices.length
  const completed = isReachable ? await countCompleting(engine, tx, { devices, others }) : 0
  await tx
    .updateTable('campaign_polls')
    .set({ funnel_to: to, funnel_respondents: sql`funnel_respondents + ${respondents}` })
    .where('campaign_key', '=', campaignKey)
    .where('poll_key', '=', next.poll_key)
    .execute()
  if (completed === 0) return
  await tx
    .updateTable('campaigns')
    .set({ funnel_completed: sql`funnel_completed + ${completed}` })
    .where('key', '=', campaignKey)
    .execute()
}

interface Completing {
  readonly devices: readonly { readonly device: Uint8Array }[]
  readonly others: readonly FunnelStep[]
}

/** How many of these devices have counted votes on all other steps. Most miss the least-voted step: it is looked up first. */
async function countCompleting(engine: Engine, tx: Tx, { devices, others }: Completing): Promise<number> {
  const [least, ...more] = mostVotedFirst(others).toReversed()
  let left = devices.map(({ device }) => device)
  for (const steps of [least ? [least] : [], more]) {
    if (left.length === 0 || steps.length === 0) continue
    const countedTo = new Map(steps.map(({ poll_key, funnel_to }) => [poll_key, funnel_to ?? 0]))
    const votes = await rememberedVotes(engine, tx, { pollKeys: [...countedTo.keys()], devices: left })
    const counted = votes.filter(({ poll_key, position }) => position <= (countedTo.get(poll_key) ?? 0))
    const byDevice = Map.groupBy(counted, ({ device }) => deviceName(device))
    left = left.filter((device) => byDevice.get(deviceName(device))?.length === steps.length)
  }
  return left.length
}
