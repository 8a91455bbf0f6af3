import { AppError } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import type { Tx } from '../../db/store.ts'
import type { CreateCampaign } from '../../events/resources/campaign.ts'
import { requireOneList } from '../codes/one-list.ts'
import type { Deps } from '../deps.ts'
import { lockPolls, writeMembers } from './members.ts'
import { emitCampaign } from './present-campaign.ts'

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

/** Folding can turn one character into eighteen, and a PostgreSQL index entry holds 2,704 bytes. Real titles stay shorter. */
const LONGEST_FOLDED = 600

/**
 * Titles that differ only in case, composition, width or surrounding spaces are equal. JavaScript has no case folding; lower,
 * upper and lower case again are equivalent, except that the dotless i becomes an i. Decomposed before, composed after.
 */
export const foldedTitle = (title: string): string =>
  title
    .normalize('NFKD')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFKC')
    .trim()
    .slice(0, LONGEST_FOLDED)
    .toWellFormed()
