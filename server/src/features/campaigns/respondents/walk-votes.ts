import { sql } from 'kysely'
import { inBatches } from '../../../base/work/jobs.ts'
import type { Db, Engine, Tx } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import { memberKeys } from '../members.ts'
import { holdCampaign } from '../queries.ts'
import { type PositionRange, settleRespondents, takeOverVotes } from './respondents.ts'

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

/** The votes of this walk are older than the membership: nobody adds to them, so no poll is locked. */
async function walkJoined(tx: Tx, walk: Step): Promise<void> {
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
