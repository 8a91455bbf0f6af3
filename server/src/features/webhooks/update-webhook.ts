import { notFound } from '../../base/errors.ts'
import { storedEvents } from '../../bus/events.ts'
import type { Tx } from '../../db/store.ts'
import type { Deps } from '../../deps.ts'
import type { WebhookRow } from '../deliveries/rows.ts'
import { checkTarget } from './create-webhook.ts'
import type { UpdateWebhook } from './schema.ts'

interface Request {
  readonly brandKey: number
  readonly id: string
  readonly patch: UpdateWebhook
}

export async function updateWebhook(deps: Deps, tx: Tx, { brandKey, id, patch }: Request): Promise<WebhookRow> {
  const { url, events, description, status } = patch
  if (url !== undefined) checkTarget(deps.config, url)
  // A webhook that is set active again or gets another url starts its five days of failures from zero.
  const isRepaired = status === 'ACTIVE' || url !== undefined
  const row = await tx
    .updateTable('webhooks')
    .set({
      ...(url === undefined ? {} : { url }),
      ...(events === undefined ? {} : { events: storedEvents(events) }),
      ...(description === undefined ? {} : { description }),
      ...(status === undefined ? {} : { status }),
      ...(isRepaired ? { failing_since: null } : {}),
      updated_at: deps.clock.now(),
    })
    .where('id', '=', id)
    .where('brand_key', '=', brandKey)
    .where('listening_until', 'is', null)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw notFound()
  await deps.changes.webhooks(tx, brandKey)
  return row
}
