import type { Tx } from '../../db/store.ts'
import type { Deps } from '../../deps.ts'
import { emitCampaign } from './campaign-events.ts'
import { memberKeys, removeMembers } from './members.ts'
import { lockOwnedCampaign } from './update-campaign.ts'

/** Its polls stay as they are. The worker removes its respondents a few at a time, and then the campaign. */
export async function deleteCampaign(
  deps: Deps,
  tx: Tx,
  request: { brandKey: number; campaignId: string },
): Promise<void> {
  const { key } = await lockOwnedCampaign(tx, request)
  await emitCampaign(deps, tx, { type: 'campaign.deleted', ...request })
  const pollKeys = await memberKeys(tx, key)
  if (pollKeys.length > 0) await deps.engine.lockPollsWithVotes(tx, pollKeys)
  await removeMembers(tx, key, await memberKeys(tx, key))
  await tx.updateTable('campaigns').set({ deleted_at: deps.clock.now() }).where('key', '=', key).execute()
}
