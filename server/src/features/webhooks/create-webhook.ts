import { invalidField } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import { storedEvents } from '../../bus/events.ts'
import type { Config } from '../../config.ts'
import type { Tx } from '../../db/store.ts'
import type { Deps } from '../../deps.ts'
import type { WebhookRow } from '../deliveries/rows.ts'
import { secretBox } from '../deliveries/secret-box.ts'
import { newWebhookSecret } from '../deliveries/sign.ts'
import { targetProblem } from '../deliveries/target/url.ts'
import { ownedWebhooks } from './queries.ts'
import type { CreateWebhook } from './schema.ts'

const MOST_WEBHOOKS = 10

/** The only moment but a rotation at which the secret is shown. */
export async function createWebhook(
  deps: Deps,
  tx: Tx,
  { brandKey, webhook }: { brandKey: number; webhook: CreateWebhook },
): Promise<{ row: WebhookRow; secret: string }> {
  checkTarget(deps.config, webhook.url)
  await refuseTooMany(tx, brandKey)
  const secret = newWebhookSecret()
  const now = deps.clock.now()
  const row = await tx
    .insertInto('webhooks')
    .values({
      id: newUuid(),
      brand_key: brandKey,
      url: webhook.url,
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

export function checkTarget(config: Config, url: string): void {
  const problem = targetProblem(url, config)
  if (problem) throw invalidField('url', problem.code, problem.message)
}

/** The brand's row is written to first, so that of two that come together the second counts the first. */
async function refuseTooMany(tx: Tx, brandKey: number): Promise<void> {
  await tx
    .updateTable('brands')
    .set((brand) => ({ updated_at: brand.ref('updated_at') }))
    .where('key', '=', brandKey)
    .execute()
  const held = await ownedWebhooks(tx, brandKey).execute()
  if (held.length >= MOST_WEBHOOKS) {
    throw invalidField('', 'too_many_webhooks', `A brand has at most ${MOST_WEBHOOKS} webhooks.`)
  }
}
