import { DAY } from '../../base/clock.ts'
import { notFound } from '../../base/errors.ts'
import type { Tx } from '../../db/store.ts'
import type { Deps } from '../../deps.ts'
import type { WebhookRow } from '../deliveries/rows.ts'
import { secretBox } from '../deliveries/secret-box.ts'
import { newWebhookSecret } from '../deliveries/sign.ts'

const BOTH_FOR = DAY

/** For a day deliveries carry two signatures, so that a receiver can change its secret when it likes. */
export async function rotateSecret(
  deps: Deps,
  tx: Tx,
  { brandKey, id }: { brandKey: number; id: string },
): Promise<{ row: WebhookRow; secret: string }> {
  const secret = newWebhookSecret()
  const now = deps.clock.now()
  const row = await tx
    .updateTable('webhooks')
    .set((earlier) => ({
      secret: secretBox(deps).seal(secret),
      earlier_secret: earlier.ref('secret'),
      earlier_secret_until: now + BOTH_FOR,
      updated_at: now,
    }))
    .where('id', '=', id)
    .where('brand_key', '=', brandKey)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw notFound()
  return { row, secret }
}
