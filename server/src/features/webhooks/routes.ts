// features/webhooks: the webhooks of a brand and the log of their deliveries.
// Sending is the work of features/deliveries.
import { z } from 'zod'
import { AppError, orNotFound } from '../../base/errors.ts'
import { newOrderedUuid } from '../../base/ids.ts'
import type { Db, Tx } from '../../db/store.ts'
import { onCommit } from '../../db/transaction.ts'
import { payloadOf } from '../../events/outbox.ts'
import { API_PREFIX, type Route, route, writeOnce } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { brandScope } from '../people/tokens/guards.ts'
import {
  createWebhookBody,
  delivery,
  deliveryParams,
  presentDelivery,
  presentWebhook,
  updateWebhookBody,
  webhook,
  webhookParams,
  webhookSubject,
  webhookTag,
  webhookWithSecret,
} from './schema.ts'
import type { WebhookRow } from './sending/queue.ts'
import {
  attemptsOf,
  createWebhook,
  deleteWebhook,
  deliveriesPage,
  findDelivery,
  findOwnedWebhook,
  rotateSecret,
  updateWebhook,
  webhooksPage,
} from './webhooks.ts'

export function webhookRoutes(deps: Deps): Route[] {
  const common = { tag: 'Webhooks', guard: brandScope(deps, 'manage'), caching: 'private' } as const
  const { bus } = deps
  const { db } = deps.engine

  const owned = async (db: Db, brandKey: number, id: string) => orNotFound(await findOwnedWebhook(db, brandKey, id))

  /** Queues a delivery to one webhook, regardless of its event types. */
  async function deliver(
    tx: Tx,
    webhook: WebhookRow,
    event: { event_id: string; event_type: string; payload: string },
    now: number,
  ) {
    if (webhook.status === 'DISABLED') throw new AppError('WEBHOOK_DISABLED')
    const sending = { id: newOrderedUuid(now), status: 'pending', next_attempt_at: now, created_at: now } as const
    const row = await tx
      .insertInto('webhook_deliveries')
      .values({ ...event, ...sending, webhook_key: webhook.key })
      .returningAll()
      .executeTakeFirstOrThrow()
    onCommit(tx, bus.wake)
    return { status: 202, data: presentDelivery(row, []), subject: webhookSubject(webhook) } as const
  }

  return [
    route({
      method: 'GET',
      path: '/brands/me/webhooks',
      name: 'listWebhooks',
      ...common,
      caching: 'revalidated',
      summary: 'Your webhooks, newest first',
      description:
        'Lists active and disabled webhooks. `failingSince` is the time since which every attempt has failed.',
      isPaged: true,
      answers: { 200: { description: 'A page of webhooks.', schema: z.array(webhook) } },
      async handle({ identity, paging }) {
        const { rows, next } = await webhooksPage(db, identity.brandKey, paging)
        return { data: rows.map(presentWebhook), next }
      },
    }),

    writeOnce({
      method: 'POST',
      path: '/brands/me/webhooks',
      name: 'createWebhook',
      action: 'webhook.created',
      ...common,
      summary: 'Create a webhook',
      description:
        'Only this answer shows the secret that signs deliveries: store it. The URL must be https, with a host on the public internet. A brand has at most ten webhooks.',
      body: createWebhookBody,
      hasSecret: true,
      answers: {
        201: { description: 'The new webhook.', headers: { always: ['Location'] }, schema: webhookWithSecret },
      },
      etag: webhookTag,
      async handle({ identity: { brandKey }, body }, tx) {
        const { row, secret } = await createWebhook(deps, tx, brandKey, body)
        return {
          status: 201,
          data: { ...presentWebhook(row), secret },
          location: `${API_PREFIX}/brands/me/webhooks/${row.id}`,
          subject: webhookSubject(row),
        }
      },
    }),

    route({
      method: 'GET',
      path: '/brands/me/webhooks/{id}',
      name: 'getWebhook',
      ...common,
      caching: 'revalidated',
      summary: 'One of your webhooks',
      description: 'The secret is not shown again; if you lost it, rotate it. Use the ETag as `If-Match`.',
      params: webhookParams,
      answers: { 200: { description: 'The webhook.', schema: webhook } },
      etag: webhookTag,
      errors: ['NOT_FOUND'],
      async handle({ identity, params }) {
        return { data: presentWebhook(await owned(db, identity.brandKey, params.id)) }
      },
    }),

    writeOnce({
      method: 'PATCH',
      path: '/brands/me/webhooks/{id}',
      name: 'updateWebhook',
      action: 'webhook.updated',
      ...common,
      summary: 'Update a webhook',
      description:
        'Changes only the fields in the body; `events` replaces the whole list. Set `status` to `ACTIVE` to enable a webhook that was disabled after failures.',
      params: webhookParams,
      body: updateWebhookBody,
      answers: { 200: { description: 'The webhook after the change.', schema: webhook } },
      etag: webhookTag,
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, params, body, ifMatch }, tx) {
        const { row, isChanged } = await updateWebhook(deps, tx, { brandKey, id: params.id, patch: body, ifMatch })
        return { data: presentWebhook(row), subject: isChanged ? webhookSubject(row) : null }
      },
    }),

    writeOnce({
      method: 'DELETE',
      path: '/brands/me/webhooks/{id}',
      name: 'deleteWebhook',
      action: 'webhook.deleted',
      ...common,
      summary: 'Delete a webhook and its deliveries',
      description: 'This cannot be undone. Pending deliveries are not sent.',
      params: webhookParams,
      answers: { 204: { description: 'Deleted.' } },
      etag: webhookTag,
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, params, ifMatch }, tx) {
        const row = await deleteWebhook(deps, tx, { brandKey, id: params.id, ifMatch })
        return { status: 204, subject: webhookSubject(row) }
      },
    }),

    writeOnce({
      method: 'POST',
      path: '/brands/me/webhooks/{id}/rotate-secret',
      name: 'rotateWebhookSecret',
      action: 'webhook.secret_rotated',
      ...common,
      summary: 'Rotate the secret of a webhook',
      description:
        'Only this answer shows the new secret. For 24 hours deliveries are signed with the old secret too, so that the receiver can switch without a gap.',
      params: webhookParams,
      hasSecret: true,
      answers: { 200: { description: 'The webhook with its new secret.', schema: webhookWithSecret } },
      etag: webhookTag,
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, params }, tx) {
        const { row, secret } = await rotateSecret(deps, tx, { brandKey, id: params.id })
        return { data: { ...presentWebhook(row), secret }, subject: webhookSubject(row) }
      },
    }),

    writeOnce({
      method: 'POST',
      path: '/brands/me/webhooks/{id}/test',
      name: 'testWebhook',
      action: 'webhook.test',
      ...common,
      summary: 'Send a test event',
      description:
        'Queues a `webhook.test` event for this webhook, even if it does not subscribe to that event. The answer does not wait for the delivery: see the list of deliveries for the outcome.',
      params: webhookParams,
      answers: { 202: { description: 'The queued delivery.', schema: delivery } },
      errors: ['NOT_FOUND', 'WEBHOOK_DISABLED'],
      async handle({ identity, params, now }, tx) {
        const webhook = await owned(tx, identity.brandKey, params.id)
        const type = 'webhook.test'
        const payload = payloadOf({ type, at: now, data: { webhookId: webhook.id } })
        return deliver(tx, webhook, { event_id: newOrderedUuid(now), event_type: type, payload }, now)
      },
    }),

    route({
      method: 'GET',
      path: '/brands/me/webhooks/{id}/deliveries',
      name: 'listWebhookDeliveries',
      ...common,
      summary: 'The deliveries of a webhook, newest first',
      description: 'The deliveries of the last 30 days with every attempt: its response status, duration and error.',
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
      ...common,
      summary: 'Send an event again',
      description:
        'Queues the event of an earlier delivery as a new delivery, with the same `webhook-id` and body, so that receivers can deduplicate it.',
      params: deliveryParams,
      answers: { 202: { description: 'The queued delivery.', schema: delivery } },
      errors: ['NOT_FOUND', 'WEBHOOK_DISABLED'],
      async handle({ identity, params, now }, tx) {
        const webhook = await owned(tx, identity.brandKey, params.id)
        const earlier = orNotFound(await findDelivery(tx, webhook.key, params.deliveryId))
        const { event_id, event_type, payload } = earlier
        return deliver(tx, webhook, { event_id, event_type, payload }, now)
      },
    }),
  ]
}
