import { notFound } from '../../base/errors.ts'
import type { Tx } from '../../db/store.ts'
import type { Deps } from '../deps.ts'
import type { WebhookRow } from './sending/rows.ts'
import { earlierAfterRotation, newWebhookSecret, secretBox } from './sending/sign.ts'

/** For a day, deliveries are also signed with the previous secret, so that receivers can switch at any time. */
export async function rotateSecret(
  deps: Deps,
  tx: Tx,
  { brandKey, id }: { brandKey: number; id: string },
): Promise<{ row: WebhookRow; secret: string }> {
  const secret = newWebhookSecret()
  const now = deps.clock.now()
  // Updated before it is read: the second of two concurrent rotations waits here and sees the secret of the first.
  const before = await tx
    .updateTable('webhooks')
    .set({ updated_at: now })
    .where('id', '=', id)
    .where('brand_key', '=', brandKey)
    .returningAll()
    .executeTakeFirst()
  if (!before) throw notFound()
  const row = await tx
    .updateTable('webhooks')
    .set({ secret: secretBox(deps).seal(secret), earlier_secrets: earlierAfterRotation(before, now) })
    .where('key', '=', before.key)
    .returningAll()
    .executeTakeFirstOrThrow()
  return { row, secret }
}
