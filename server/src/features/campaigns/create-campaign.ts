import { AppError } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import type { Tx } from '../../db/store.ts'
import type { CreateCampaign } from '../../events/resources/campaign.ts'
import { requireOneList } from '../codes/one-list.ts'
import type { Deps } from '../deps.ts'
import { lockPolls, writeMembers } from './members.ts'
import { emitCampaign } from './present-campaign.ts'
import { foldedTitle } from './title.ts'

/** Returns the id of the new campaign. A unique index decides between concurrent creations with the same title. */
export async function createCampaign(
  deps: Deps,
  tx: Tx,
  { brandKey, campaign }: { brandKey: number; campaign: CreateCampaign },
): Promise<string> {
  const pollKeys = await lockPolls(deps, tx, { brandKey, polstIds: campaign.polstIds, members: [] })
  const now = deps.clock.now()
  const row = await tx
    .insertInto('campaigns')
    .values({
      id: newUuid(),
      brand_key: brandKey,
      title: campaign.title,
      title_folded: foldedTitle(campaign.title),
      description: campaign.description ?? null,
      state: campaign.state ?? 'published',
      is_public: campaign.isPublic === false ? 0 : 1,
      opens_at: campaign.opensAt ?? null,
      closes_at: campaign.closesAt ?? null,
      created_at: now,
      updated_at: now,
      deleted_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(['key', 'id'])
    .executeTakeFirst()
  if (!row) throw new AppError('CAMPAIGN_NAME_TAKEN')
  await writeMembers(tx, { campaignKey: row.key, before: [], after: pollKeys })
  await requireOneList(tx, { campaignKey: row.key, path: 'polstIds' })
  deps.changes.campaign(tx, row.id)
  await emitCampaign(deps, tx, { type: 'campaign.created', brandKey, campaignId: row.id })
  return row.id
}
