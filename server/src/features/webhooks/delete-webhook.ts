import { notFound } from '../../base/errors.ts'
import type { Tx } from '../../db/store.ts'
import { noteDeleted, removeSomeDeliveries } from '../deliveries/remove-deliveries.ts'

/** At once and for good. Of a long log the worker removes what this request does not. */
export async function deleteWebhook(tx: Tx, { brandKey, id }: { brandKey: number; id: string }): Promise<void> {
  const row = await tx
    .deleteFrom('webhooks')
    .where('id', '=', id)
    .where('brand_key', '=', brandKey)
    .where('listening_until', 'is', null)
    .returning('key')
    .executeTakeFirst()
  if (!row) throw notFound()
  if (await removeSomeDeliveries(tx, row.key)) await noteDeleted(tx, [row])
}
