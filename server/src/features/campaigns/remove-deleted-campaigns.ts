import { inBatches } from '../../base/work/jobs.ts'
import type { Engine } from '../../db/store.ts'
import { transaction } from '../../db/transaction.ts'
import { holdCampaign } from './queries.ts'
import { respondentsToLock } from './respondents/forgotten.ts'

const BATCH = 1_000
const CAMPAIGNS = 100

/** Removes the respondents of deleted campaigns in batches, then the campaign itself. */
export async function removeDeletedCampaigns(engine: Engine): Promise<boolean> {
  const dead = await engine.db
    .selectFrom('campaigns')
    .select('key')
    .where('deleted_at', 'is not', null)
    .limit(CAMPAIGNS)
    .execute()
  return inBatches(async () => {
    const campaign = dead.at(-1)
    if (campaign && !(await removeSome(engine, campaign.key))) dead.pop()
    return dead.length > 0
  })
}

/** False when nothing of the campaign is left. */
function removeSome(engine: Engine, key: number): Promise<boolean> {
  return transaction(engine, async (tx) => {
    // Two servers would choose the same rows, and the second would find none and take the campaign for empty.
    if (!(await holdCampaign(tx, key))) return false
    const batch = await tx
      .selectFrom('campaign_respondents')
      .select('key')
      .where('campaign_key', '=', key)
      .limit(BATCH)
      .execute()
    const keys = batch.map((row) => row.key)
    if (keys.length > 0) {
      await respondentsToLock(engine, tx).where('key', 'in', keys).execute()
      await tx.deleteFrom('campaign_respondents').where('key', 'in', keys).execute()
    }
    const isLeft = keys.length === BATCH
    if (!isLeft) await tx.deleteFrom('campaigns').where('key', '=', key).execute()
    return isLeft
  })
}
