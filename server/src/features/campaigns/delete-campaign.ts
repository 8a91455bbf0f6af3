import { inBatches } from '../../base/work/jobs.ts'
import type { Engine, Tx } from '../../db/store.ts'
import { transaction } from '../../db/transaction.ts'
import type { Precondition } from '../../http/precondition.ts'
import type { Deps } from '../deps.ts'
import { memberKeys, removeMembers } from './members.ts'
import { emitCampaign, requireVersion } from './present-campaign.ts'
import { holdCampaign, lockOwnedCampaign } from './queries.ts'
import { respondentsToLock } from './respondents/forgotten.ts'

/** Call it under the lock of the campaign. The polls are not changed. The worker removes the respondents in batches, then the campaign. */
export async function buryCampaign({ engine, clock }: Pick<Deps, 'engine' | 'clock'>, tx: Tx, key: number) {
  const pollKeys = await memberKeys(tx, key)
  if (pollKeys.length > 0) await engine.lockPollsWithVotes(tx, pollKeys)
  await removeMembers(tx, key, await memberKeys(tx, key))
  await tx.deleteFrom('results_links').where('campaign_key', '=', key).execute()
  await tx.updateTable('campaigns').set({ deleted_at: clock.now() }).where('key', '=', key).execute()
}

/** Returns the title. */
export async function deleteCampaign(
  deps: Deps,
  tx: Tx,
  { ifMatch, ...request }: { brandKey: number; campaignId: string; ifMatch?: Precondition | null },
): Promise<string> {
  const { key, id, title } = await lockOwnedCampaign(tx, request)
  await requireVersion(deps, tx, request, ifMatch)
  await emitCampaign(deps, tx, { type: 'campaign.deleted', ...request })
  await buryCampaign(deps, tx, key)
  deps.changes.campaign(tx, id)
  return title
}

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
