import { sql } from 'kysely'
import { inBatches } from '../../../base/work/jobs.ts'
import type { Db, Engine, Tx } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import { memberKeys } from '../members.ts'
import { holdCampaign } from '../queries.ts'
import { deviceName, isRemembered, rememberedVotes, respondentsToLock } from './forgotten.ts'

/** Positions of a poll's votes, `after` excluded and `to` included. */
interface PositionRange {
  readonly after: number
  readonly to: number
}

interface Votes {
  readonly campaignKey: number
  readonly pollKey: number
  readonly span: PositionRange
}

/** Makes respondents of these votes' devices, each with the time of its first vote in the campaign. */
const takeOverVotes = (tx: Tx, { campaignKey, pollKey, span }: Votes) =>
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
        .where(isRemembered)
        .orderBy('device'),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['campaign_key', 'device'])
        .doUpdateSet((row) => ({ started_at: row.ref('excluded.started_at') }))
        .whereRef('excluded.started_at', '<', 'campaign_respondents.started_at'),
    )
    .execute()

/**
 * Sets the time of each of these votes' devices to its first vote on the polls that stay, and removes the devices that have none
 * there. Call it under the locks of these polls.
 */
async function settleRespondents(
  engine: Engine,
  tx: Tx,
  { campaignKey, pollKey, span, members }: Votes & { readonly members: readonly number[] },
): Promise<void> {
  const walked = await tx
    .selectFrom('votes')
    .select('device')
    .where('poll_key', '=', pollKey)
    .where('position', '>', span.after)
    .where('position', '<=', span.to)
    .execute()
  const devices = walked.map(({ device }) => device)
  const votes = Map.groupBy(await rememberedVotes(engine, tx, { pollKeys: members, devices }), ({ device }) =>
    deviceName(device),
  )
  const staying = devices.flatMap((device) => {
    const times = votes.get(deviceName(device))?.map(({ voted_at }) => voted_at)
    return times ? [{ campaign_key: campaignKey, device, started_at: Math.min(...times) }] : []
  })
  if (staying.length > 0) {
    await tx
      .insertInto('campaign_respondents')
      // Sorted, so that two transactions with the same devices cannot deadlock.
      .values(staying.toSorted((left, right) => Buffer.compare(left.device, right.device)))
      .onConflict((conflict) =>
        conflict
          .columns(['campaign_key', 'device'])
          .doUpdateSet((row) => ({ started_at: row.ref('excluded.started_at') }))
          .whereRef('excluded.started_at', '<>', 'campaign_respondents.started_at'),
      )
      .execute()
  }
  const leaving = devices.filter((device) => !votes.has(deviceName(device)))
  if (leaving.length === 0) return
  await respondentsToLock(engine, tx).where('campaign_key', '=', campaignKey).where('device', 'in', leaving).execute()
  await tx
    .deleteFrom('campaign_respondents')
    .where('campaign_key', '=', campaignKey)
    .where('device', 'in', leaving)
    .execute()
}

/** PostgreSQL would type a bare parameter here as text. */
const ofCampaign = (key: number) => sql<number>`cast(${key} as bigint)`.as('campaign_key')

const WALKS = 100
/** Votes in one step. Fewer for a poll that left: each device is looked up on every remaining poll, under their locks. */
const STEPS = { joined: 1_000, left: 250 }

export interface Walk {
  readonly campaign_key: number
  readonly poll_key: number
}

/**
 * The ledger writes respondents for new votes. This job finds the respondents of votes from before a poll joined a
 * campaign, and those that stay when a poll leaves. It walks through the poll's votes in batches.
 */
export async function walkVotes(engine: Engine): Promise<boolean> {
  const walks = await engine.db
    .selectFrom('campaign_polls')
    .select(['campaign_key', 'poll_key'])
    .where(sql<boolean>`walked_to < walk_end`)
    .limit(WALKS)
    .execute()
  return inBatches(async () => {
    const walk = walks.at(-1)
    if (walk && !(await walkOn(engine, walk))) walks.pop()
    return walks.length > 0
  })
}

/** False when this walk is finished. */
export async function walkOn(engine: Engine, walk: Walk, steps = STEPS): Promise<boolean> {
  const state = await stateOf(engine.db, walk)
  if (!state) return false
  await transaction(engine, (tx) =>
    state.place === null
      ? walkLeft(engine, tx, { ...walk, step: steps.left })
      : walkJoined(tx, { ...walk, step: steps.joined }),
  )
  return true
}

type Step = Walk & { readonly step: number }

const stateOf = (db: Db, { campaign_key, poll_key }: Walk) =>
  db
    .selectFrom('campaign_polls')
    .selectAll()
    .where('campaign_key', '=', campaign_key)
    .where('poll_key', '=', poll_key)
    .where(sql<boolean>`walked_to < walk_end`)
    .executeTakeFirst()

/**
 * The votes of this walk are older than the membership: nobody adds to them, so no poll is locked. The campaign is, because the walk over a
 * poll that left locks respondents in two passes.
 */
async function walkJoined(tx: Tx, walk: Step): Promise<void> {
  if (!(await holdCampaign(tx, walk.campaign_key))) return
  const span = await claim(tx, walk, { hasLeft: false })
  if (span) await takeOverVotes(tx, { campaignKey: walk.campaign_key, pollKey: walk.poll_key, span })
}

/** Locks the remaining polls, so that a device that votes there meanwhile is not removed as one without a vote. */
async function walkLeft(engine: Engine, tx: Tx, walk: Step): Promise<void> {
  if (!(await holdCampaign(tx, walk.campaign_key))) return
  const members = await memberKeys(tx, walk.campaign_key)
  if (members.length > 0) await engine.lockPollsWithVotes(tx, members)
  const span = await claim(tx, walk, { hasLeft: true })
  if (!span) return
  await settleRespondents(engine, tx, { campaignKey: walk.campaign_key, pollKey: walk.poll_key, span, members })
}

/** Claims the next positions for this transaction; null when another process was first. */
async function claim(tx: Tx, walk: Step, { hasLeft }: { hasLeft: boolean }): Promise<PositionRange | null> {
  const state = await stateOf(tx, walk)
  if (!state || (state.place === null) !== hasLeft) return null
  const to = Math.min(state.walked_to + walk.step, state.walk_end)
  const { numUpdatedRows } = await tx
    .updateTable('campaign_polls')
    .set({ walked_to: to })
    .where('campaign_key', '=', walk.campaign_key)
    .where('poll_key', '=', walk.poll_key)
    .where('walked_to', '=', state.walked_to)
    .where('walk_end', '=', state.walk_end)
    .where('place', hasLeft ? 'is' : 'is not', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return null
  if (hasLeft && to === state.walk_end) await removeTrace(tx, walk)
  return { after: state.walked_to, to }
}

const removeTrace = (tx: Tx, { campaign_key, poll_key }: Walk) =>
  tx.deleteFrom('campaign_polls').where('campaign_key', '=', campaign_key).where('poll_key', '=', poll_key).execute()
