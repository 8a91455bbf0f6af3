import { newOrderedUuid } from '../../../base/ids.ts'
import type { Tx } from '../../../db/store.ts'
import type { DeliveryRow } from './rows.ts'

interface Event {
  readonly webhook_key: number
  readonly event_id: string
  readonly event_type: string
  readonly payload: string
}

/** Queues a delivery to one webhook, regardless of its event types. */
export const queueDelivery = (tx: Tx, event: Event, now: number): Promise<DeliveryRow> =>
  tx
    .insertInto('webhook_deliveries')
    .values({ ...event, id: newOrderedUuid(now), status: 'pending', next_attempt_at: now, created_at: now })
    .returningAll()
    .executeTakeFirstOrThrow()
