import { sql } from 'kysely'
import { keysetSlice, type Slice } from '../../db/keyset.ts'
import type { Db, Tx } from '../../db/store.ts'
import type { Paging } from '../../http/paging.ts'
import type { AttemptRow, DeliveryRow, WebhookRow } from './sending/queue.ts'

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
export const lockOwnedWebhook = (tx: Tx, brandKey: number, id: string): Promise<WebhookRow | undefined> =>
  tx
    .updateTable('webhooks')
    .set(({ ref }) => ({ updated_at: ref('updated_at') }))
    .where('id', '=', id)
    .where('brand_key', '=', brandKey)
    .returningAll()
    .executeTakeFirst()

export const webhooksPage = (db: Db, brandKey: number, paging: Paging): Promise<Slice<WebhookRow>> =>
  keysetSlice(db, ownedWebhooks(db, brandKey), {
    sort: sql`webhooks.created_at`,
    key: sql`webhooks.key`,
    direction: 'desc',
    ...paging,
  })

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
  const rows = await db
    .selectFrom('webhook_attempts')
    .selectAll()
    .where(
      'delivery_key',
      'in',
      deliveries.map(({ key }) => key),
    )
    .orderBy('delivery_key')
    .orderBy('number')
    .execute()
  const byDelivery = Map.groupBy(rows, (row) => row.delivery_key)
  return ({ key, attempts }) => (byDelivery.get(key) ?? []).filter(({ number }) => number <= attempts)
}
