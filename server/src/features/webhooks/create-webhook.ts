import { invalidField } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import type { Tx } from '../../db/store.ts'
import { storedEvents } from '../../events/event-catalogue.ts'
import type { Deps } from '../deps.ts'
import { lockBrand } from '../people/tokens/lock-brand.ts'
import { ownedWebhooks } from './queries.ts'
import type { CreateWebhook } from './schema.ts'
import type { WebhookRow } from './sending/rows.ts'
import { newWebhookSecret, secretBox } from './sending/sign.ts'
import { storableTarget } from './target.ts'

export const MOST_WEBHOOKS = 10

/** The secret is shown only here and after a rotation. */
export async function createWebhook(
  deps: Deps,
  tx: Tx,
  { brandKey, webhook }: { brandKey: number; webhook: CreateWebhook },
): Promise<{ row: WebhookRow; secret: string }> {
  const url = storableTarget(deps.config, webhook.url)
  await refuseTooMany(tx, brandKey)
  const secret = newWebhookSecret()
  const now = deps.clock.now()
  const row = await tx
    .insertInto('webhooks')
    .values({
      id: newUuid(),
      brand_key: brandKey,
      url,
      events: storedEvents(webhook.events),
      description: webhook.description ?? null,
      status: webhook.status ?? 'ACTIVE',
      secret: secretBox(deps).seal(secret),
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await deps.changes.webhooks(tx, brandKey)
  return { row, secret }
}

/** Locks the brand first, so that the second of two concurrent creations counts the first. */
async function refuseTooMany(tx: Tx, brandKey: number): Promise<void> {
  await lockBrand(tx, brandKey)
  const held = await ownedWebhooks(tx, brandKey).execute()
  if (held.length >= MOST_WEBHOOKS) {
    throw invalidField('', 'too_many_webhooks', `A brand has at most ${MOST_WEBHOOKS} webhooks.`)
  }
}
