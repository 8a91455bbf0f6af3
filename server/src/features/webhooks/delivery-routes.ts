import { z } from 'zod'
import { notFound } from '../../base/errors.ts'
import { newOrderedUuid } from '../../base/ids.ts'
import type { Db, Tx } from '../../db/store.ts'
import { onCommit } from '../../db/transaction.ts'
import { payloadOf } from '../../events/payload.ts'
import { type Route, route, writeOnce } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { brandScope } from '../people/tokens/guards.ts'
import { attemptsOf, deliveriesPage, findDelivery, findOwnedWebhook } from './queries.ts'
import { delivery, deliveryParams, presentDelivery, webhookParams, webhookSubject } from './schema.ts'
import type { DeliveryRow, WebhookRow } from './sending/rows.ts'

interface Event {
  readonly webhook_key: number
  readonly event_id: string
  readonly event_type: string
  readonly payload: string
}

/** Queues a delivery to one webhook, regardless of its event types. */
const queueDelivery = (tx: Tx, event: Event, now: number): Promise<DeliveryRow> =>
  tx
    .insertInto('webhook_deliveries')
    .values({ ...event, id: newOrderedUuid(now), status: 'pending', next_attempt_at: now, created_at: now })
    .returningAll()
    .executeTakeFirstOrThrow()

export function deliveryRoutes(deps: Deps): Route[] {
  const guard = brandScope(deps, 'manage')
  const { bus } = deps
  const { db } = deps.engine

  async function owned(db: Db, brandKey: number, id: string): Promise<WebhookRow> {
    const row = await findOwnedWebhook(db, brandKey, id)
    if (!row) throw notFound()
    return row
  }

  return [
    writeOnce({
      method: 'POST',
      path: '/brands/me/webhooks/{id}/test',
      name: 'testWebhook',
      action: 'webhook.test',
      tag: 'Webhooks',
      summary: 'Send a test event',
      description:
        'Queues a `webhook.test` event for this webhook, even if it does not subscribe to that event. The answer does not wait for the delivery: see the list of deliveries for the outcome.',
      guard,
      caching: 'private',
      params: webhookParams,
      answers: { 202: { description: 'The queued delivery.', schema: delivery } },
      errors: ['NOT_FOUND'],
      async handle({ identity, params, now }, tx) {
        const webhook = await owned(tx, identity.brandKey, params.id)
        const type = 'webhook.test'
        const payload = payloadOf({ type, at: now, data: { webhookId: webhook.id } })
        const event = { webhook_key: webhook.key, event_id: newOrderedUuid(now), event_type: type, payload }
        const row = await queueDelivery(tx, event, now)
        onCommit(tx, bus.wake)
        return { status: 202, data: presentDelivery(row, []), subject: webhookSubject(webhook) }
      },
    }),

    route({
      method: 'GET',
      path: '/brands/me/webhooks/{id}/deliveries',
      name: 'listWebhookDeliveries',
      tag: 'Webhooks',
      summary: 'The deliveries of a webhook, newest first',
      description: 'The deliveries of the last 30 days with every attempt: its response status, duration and error.',
      guard,
      caching: 'private',
      params: webhookParams,
      isPaged: true,
      answers: { 200: { description: 'A page of deliveries.', schema: z.array(delivery) } },
      errors: ['NOT_FOUND'],
      async handle({ identity, params, paging }) {
        const webhook = await owned(db, identity.brandKey, params.id)
        const { rows, next } = await deliveriesPage(db, webhook.key, paging)
        const attempts = await attemptsOf(db, rows)
        return { data: rows.map((row) => presentDelivery(row, attempts(row))), next }
      },
    }),

    writeOnce({
      method: 'POST',
      path: '/brands/me/webhooks/{id}/deliveries/{deliveryId}/redeliver',
      name: 'redeliverWebhookDelivery',
      action: 'webhook.redelivered',
      tag: 'Webhooks',
      summary: 'Send an event again',
      description:
        'Queues the event of an earlier delivery as a new delivery, with the same `webhook-id` and body, so that receivers can deduplicate it.',
      guard,
      caching: 'private',
      params: deliveryParams,
      answers: { 202: { description: 'The queued delivery.', schema: delivery } },
      errors: ['NOT_FOUND'],
      async handle({ identity, params, now }, tx) {
        const webhook = await owned(tx, identity.brandKey, params.id)
        const earlier = await findDelivery(tx, webhook.key, params.deliveryId)
        if (!earlier) throw notFound()
        const { webhook_key, event_id, event_type, payload } = earlier
        const row = await queueDelivery(tx, { webhook_key, event_id, event_type, payload }, now)
        onCommit(tx, bus.wake)
        return { status: 202, data: presentDelivery(row, []), subject: webhookSubject(webhook) }
      },
    }),
  ]
}
