import { notFound } from '../../base/errors.ts'
import type { Tx } from '../../db/store.ts'
import type { CampaignRow } from '../../db/tables.ts'

/** Updates the row first, which locks it, so that two changes of its polls run one after the other. */
export async function lockOwnedCampaign(
  tx: Tx,
  { brandKey, campaignId }: { brandKey: number; campaignId: string },
): Promise<CampaignRow> {
  const row = await tx
    .updateTable('campaigns')
    .set(({ ref }) => ({ updated_at: ref('updated_at') }))
    .where('id', '=', campaignId)
    .where('brand_key', '=', brandKey)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw notFound()
  return row
}
