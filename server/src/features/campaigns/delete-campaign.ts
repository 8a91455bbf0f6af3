import type { Tx } from '../../db/store.ts'
import type { Precondition } from '../../http/precondition.ts'
import type { Deps } from '../deps.ts'
import { memberKeys, removeMembers } from './members.ts'
import { emitCampaign, requireVersion } from './present-campaign.ts'
import { lockOwnedCampaign } from './queries.ts'

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
