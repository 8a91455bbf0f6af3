import { sql } from 'kysely'
import { laterThan } from '../../base/clock.ts'
import { invalidField, notFound } from '../../base/errors.ts'
import { kept } from '../../base/fields.ts'
import { newUuid } from '../../base/ids.ts'
import type { Config } from '../../config/config.ts'
import { keysetSlice, newestFirst, type Slice } from '../../db/keyset.ts'
import type { Db, Tx } from '../../db/store.ts'
import { type EventType, eventsOf, storedEvents } from '../../events/event-catalogue.ts'
import type { Paging } from '../../http/paging.ts'
import type { Precondition } from '../../http/precondition.ts'
import type { Deps } from '../deps.ts'
import { lockBrand } from '../people/tokens/queries.ts'
import { type CreateWebhook, LONGEST_URL, presentWebhook, type UpdateWebhook, webhookVersion } from './schema.ts'
import { earlierAfterRotation, newWebhookSecret, secretBox } from './sending/attempt.ts'
import { CHAT_EVENTS } from './sending/chat-messages.ts'
import {
  type AttemptRow,
  type DeliveryRow,
  noteDeleted,
  removeSomeDeliveries,
  type WebhookRow,
} from './sending/queue.ts'
import { asciiUrl, targetProblem } from './sending/target/url.ts'

const DELIVERY_COLUMNS = [
  'key',
  'id',
  'webhook_key',
  'event_id',
  'event_type',
  'status',
  'attempts',
  'next_attempt_at',
  'created_at',
] as const

export const ownedWebhooks = (db: Db, brandKey: number) =>
  db.selectFrom('webhooks').selectAll('webhooks').where('webhooks.brand_key', '=', brandKey)

export const findOwnedWebhook = (db: Db, brandKey: number, id: string) =>
  ownedWebhooks(db, brandKey).where('webhooks.id', '=', id).executeTakeFirst()

/** Locks the webhook until the transaction ends, and returns its current row. */
const lockOwnedWebhook = (tx: Tx, brandKey: number, id: string): Promise<WebhookRow> =>
  tx
    .updateTable('webhooks')
    .set(({ ref }) => ({ updated_at: ref('updated_at') }))
    .where('id', '=', id)
    .where('brand_key', '=', brandKey)
    .returningAll()
    .executeTakeFirstOrThrow(notFound)

export const webhooksPage = (db: Db, brandKey: number, paging: Paging): Promise<Slice<WebhookRow>> =>
  newestFirst(db, 'webhooks', ownedWebhooks(db, brandKey), paging)

/** Keys grow with time: one index gives the order and finds any page. */
export const deliveriesPage = (db: Db, webhookKey: number, paging: Paging): Promise<Slice<DeliveryRow>> =>
  keysetSlice(db, db.selectFrom('webhook_deliveries').select(DELIVERY_COLUMNS).where('webhook_key', '=', webhookKey), {
    sort: sql`webhook_key`,
    key: sql`key`,
    direction: 'desc',
    ...paging,
  })

export const findDelivery = (db: Db, webhookKey: number, id: string) =>
  db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_key', '=', webhookKey)
    .where('id', '=', id)
    .executeTakeFirst()

type Attempted = Pick<DeliveryRow, 'key' | 'attempts'>

/**
 * Reads the attempts of a page of deliveries in one query. An attempt that ended after its delivery was read is left
 * out, because the delivery's status and next attempt do not include it.
 */
export async function attemptsOf(
  db: Db,
  deliveries: readonly Attempted[],
): Promise<(delivery: Attempted) => AttemptRow[]> {
  if (deliveries.length === 0) return () => []
  const keys = deliveries.map(({ key }) => key)
  const rows = await db
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('delivery_key', 'in', keys)
    .orderBy('delivery_key')
    .orderBy('number')
    .execute()
  const byDelivery = Map.groupBy(rows, (row) => row.delivery_key)
  return ({ key, attempts }) => (byDelivery.get(key) ?? []).filter(({ number }) => number <= attempts)
}

interface Owned {
  readonly brandKey: number
  readonly id: string
}

/** For a day, deliveries are also signed with the previous secret, so that receivers can switch at any time. */
export async function rotateSecret(deps: Deps, tx: Tx, { brandKey, id }: Owned) {
  const secret = newWebhookSecret()
  const now = deps.clock.now()
  // The second of two concurrent rotations waits here and sees the secret of the first.
  const before = await lockOwnedWebhook(tx, brandKey, id)
  const row = await tx
    .updateTable('webhooks')
    .set({
      secret: secretBox(deps).seal(secret),
      earlier_secrets: earlierAfterRotation(before, now),
      updated_at: now,
    })
    .where('key', '=', before.key)
    .returningAll()
    .executeTakeFirstOrThrow()
  return { row, secret }
}

/** Deletes the webhook and the start of its delivery log. The worker removes the rest of a long log. */
export async function deleteWebhook(
  { changes }: Pick<Deps, 'changes'>,
  tx: Tx,
  { brandKey, id, ifMatch }: Owned & { readonly ifMatch?: Precondition | null },
) {
  const row = await lockOwnedWebhook(tx, brandKey, id)
  ifMatch?.(webhookVersion(presentWebhook(row)))
  await tx.deleteFrom('webhooks').where('key', '=', row.key).execute()
  await changes.webhooks(tx, brandKey)
  if (await removeSomeDeliveries(tx, row.key)) await noteDeleted(tx, [{ key: row.key }])
  return row
}

function storableTarget(config: Config, text: string): string {
  const problem = targetProblem(text, config)
  if (problem) throw invalidField('url', problem.code, problem.message)
  const url = asciiUrl(text)
  // Percent-encoding makes a character up to twelve times as long.
  if (url.length > LONGEST_URL)
    throw invalidField('url', 'too_long', `Must have at most ${LONGEST_URL} characters in ASCII.`)
  return url
}

/** A message for people tells few events. */
function refuseEventsOf(format: string, events: readonly EventType[]): void {
  const place =
    format === 'standard' ? -1 : events.findIndex((type) => !(CHAT_EVENTS as readonly string[]).includes(type))
  if (place >= 0)
    throw invalidField(`events.${place}`, 'not_in_format', `Must be one of ${CHAT_EVENTS.join(', ')} in this format.`)
}

export const MOST_WEBHOOKS = 10

/** The secret is shown only here and after a rotation. */
export async function createWebhook(deps: Deps, tx: Tx, brandKey: number, webhook: CreateWebhook) {
  const url = storableTarget(deps.config, webhook.url)
  const format = webhook.format ?? 'standard'
  refuseEventsOf(format, webhook.events)
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
      format,
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

interface Update extends Owned {
  readonly patch: UpdateWebhook
  readonly ifMatch?: Precondition | null
}

export async function updateWebhook(deps: Deps, tx: Tx, { brandKey, id, patch, ifMatch }: Update) {
  const { events, format, description, status } = patch
  const url = patch.url === undefined ? undefined : storableTarget(deps.config, patch.url)
  const webhook = await lockOwnedWebhook(tx, brandKey, id)
  ifMatch?.(webhookVersion(presentWebhook(webhook)))
  // A webhook that is set active again or gets another url starts its five days of failures from zero.
  const isRepaired = status === 'ACTIVE' || url !== undefined
  const next = {
    url: kept(url, webhook.url),
    events: events ? storedEvents(events) : webhook.events,
    format: kept(format, webhook.format),
    description: kept(description, webhook.description),
    status: kept(status, webhook.status),
    failing_since: isRepaired ? null : webhook.failing_since,
  }
  refuseEventsOf(next.format, eventsOf(next.events))
  if (Bun.deepEquals({ ...webhook, ...next }, webhook)) return { row: webhook, isChanged: false }
  const row = await tx
    .updateTable('webhooks')
    .set({ ...next, updated_at: laterThan(webhook.updated_at, deps.clock.now()) })
    .where('key', '=', webhook.key)
    .returningAll()
    .executeTakeFirstOrThrow()
  await deps.changes.webhooks(tx, brandKey)
  return { row, isChanged: true }
}
