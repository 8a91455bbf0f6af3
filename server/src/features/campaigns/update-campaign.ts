import { laterThan } from '../../base/clock.ts'
import { AppError, invalidInput } from '../../base/errors.ts'
import { kept } from '../../base/fields.ts'
import type { Tx } from '../../db/store.ts'
import type { CampaignRow } from '../../db/tables.ts'
import type { UpdateCampaign } from '../../events/resources/campaign.ts'
import { EMPTY_WINDOW, isEmptyWindow } from '../../events/resources/window.ts'
import type { Precondition } from '../../http/precondition.ts'
import { requireOneList } from '../codes/one-list.ts'
import type { Deps } from '../deps.ts'
import { foldedTitle } from './create-campaign.ts'
import { lockPolls, memberKeys, writeMembers } from './members.ts'
import { emitCampaign, requireVersion } from './present-campaign.ts'
import { lockOwnedCampaign } from './queries.ts'

/** False if the patch changes nothing: then nothing is written. */
export async function updateCampaign(
  deps: Deps,
  tx: Tx,
  {
    brandKey,
    campaignId,
    patch,
    ifMatch,
  }: { brandKey: number; campaignId: string; patch: UpdateCampaign; ifMatch?: Precondition | null },
): Promise<boolean> {
  const campaign = await lockOwnedCampaign(tx, { brandKey, campaignId })
  await requireVersion(deps, tx, { brandKey, campaignId }, ifMatch)
  if (!(await writeCampaign(deps, tx, { campaign, patch }))) return false
  deps.changes.campaign(tx, campaign.id)
  await emitCampaign(deps, tx, { type: 'campaign.updated', brandKey, campaignId })
  return true
}

async function writeCampaign(
  deps: Deps,
  tx: Tx,
  { campaign, patch }: { campaign: CampaignRow; patch: UpdateCampaign },
): Promise<boolean> {
  const fields = fieldsOf(campaign, patch)
  const next = { ...fields, updated_at: laterThan(campaign.updated_at, deps.clock.now()) }
  const isSame = Bun.deepEquals({ ...campaign, ...fields }, campaign)
  if (isEmptyWindow({ opensAt: next.opens_at, closesAt: next.closes_at })) throw invalidInput([EMPTY_WINDOW])
  if (!patch.polstIds) {
    if (!isSame) await writeFields(deps, tx, next)
    return !isSame
  }
  const members = await memberKeys(tx, campaign.key)
  const after = await lockPolls(deps, tx, { brandKey: campaign.brand_key, polstIds: patch.polstIds, members })
  // Read again under the locks, because a deleted poll may have left since.
  const before = await memberKeys(tx, campaign.key)
  if (isSame && Bun.deepEquals(before, after)) return false
  await writeFields(deps, tx, next)
  await writeMembers(tx, { campaignKey: campaign.key, before, after })
  await requireOneList(tx, { campaignKey: campaign.key, path: 'polstIds' })
  return true
}

function fieldsOf(campaign: CampaignRow, patch: UpdateCampaign) {
  const title = kept(patch.title, campaign.title)
  return {
    key: campaign.key,
    title,
    title_folded: foldedTitle(title),
    description: kept(patch.description, campaign.description),
    state: kept(patch.state, campaign.state),
    is_public: kept(patch.isPublic, campaign.is_public === 1) ? 1 : 0,
    opens_at: kept(patch.opensAt, campaign.opens_at),
    closes_at: kept(patch.closesAt, campaign.closes_at),
  } as const
}

/** Only the title has a unique index. */
async function writeFields(
  { engine }: Pick<Deps, 'engine'>,
  tx: Tx,
  { key, ...fields }: ReturnType<typeof fieldsOf> & { updated_at: number },
): Promise<void> {
  try {
    await tx.updateTable('campaigns').set(fields).where('key', '=', key).execute()
  } catch (error) {
    throw engine.isTaken(error) ? new AppError('CAMPAIGN_NAME_TAKEN') : error
  }
}
