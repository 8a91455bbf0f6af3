import { notFound } from '../../base/errors.ts'
import type { Tx } from '../../db/store.ts'
import type { Deps } from '../deps.ts'
import { noteDeleted, removeSomeDeliveries } from './sending/remove-deliveries.ts'
import type { WebhookRow } from './sending/rows.ts'

/** Deletes the webhook and the start of its delivery log. The worker removes the rest of a long log. */
export async function deleteWebhook(
  { changes }: Pick<Deps, 'changes'>,
  tx: Tx,
  { brandKey, id }: { brandKey: number; id: string },
): Promise<Pick<WebhookRow, 'id' | 'url'>> {
  const row = await tx
    .deleteFrom('webhooks')
    .where('id', '=', id)
    .where('brand_key', '=', brandKey)
    .returning(['key', 'id', 'url'])
    .executeTakeFirst()
  if (!row) throw notFound()
  await changes.webhooks(tx, brandKey)
  if (await removeSomeDeliveries(tx, row.key)) await noteDeleted(tx, [{ key: row.key }])
  return row
}
