import type { Tx } from '../../db/store.ts'
import type { Deps } from '../deps.ts'
import { buryCampaign } from './bury-campaign.ts'
import { lockOwnedCampaign } from './lock-campaign.ts'
import { emitCampaign } from './read-owned.ts'

/** Returns the title. */
export async function deleteCampaign(
  deps: Deps,
  tx: Tx,
  request: { brandKey: number; campaignId: string },
): Promise<string> {
  const { key, id, title } = await lockOwnedCampaign(tx, request)
  await emitCampaign(deps, tx, { type: 'campaign.deleted', ...request })
  await buryCampaign(deps, tx, key)
  deps.changes.campaign(tx, id)
  return title
}
