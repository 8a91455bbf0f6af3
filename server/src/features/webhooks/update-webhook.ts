import { laterThan } from '../../base/clock.ts'
import { notFound } from '../../base/errors.ts'
import type { Tx } from '../../db/store.ts'
import { storedEvents } from '../../events/event-catalogue.ts'
import type { Precondition } from '../../http/precondition.ts'
import type { Deps } from '../deps.ts'
import { lockOwnedWebhook } from './queries.ts'
import { presentWebhook, type UpdateWebhook, webhookVersion } from './schema.ts'
import type { WebhookRow } from './sending/rows.ts'
import { storableTarget } from './target.ts'

interface Request {
  readonly brandKey: number
  readonly id: string
  readonly patch: UpdateWebhook
  readonly ifMatch?: Precondition | null
}

export async function updateWebhook(
  deps: Deps,
  tx: Tx,
  { brandKey, id, patch, ifMatch }: Request,
): Promise<WebhookRow> {
  const { events, description, status } = patch
  const url = patch.url === undefined ? undefined : storableTarget(deps.config, patch.url)
  const webhook = await lockOwnedWebhook(tx, brandKey, id)
  if (!webhook) throw notFound()
  ifMatch?.(webhookVersion(presentWebhook(webhook)))
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
      updated_at: laterThan(webhook.updated_at, deps.clock.now()),
    })
    .where('key', '=', webhook.key)
    .returningAll()
    .executeTakeFirstOrThrow()
  await deps.changes.webhooks(tx, brandKey)
  return row
}
