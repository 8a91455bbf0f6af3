import { z } from 'zod'
import { iso, isoOrNull } from '../../base/clock.ts'
import { idOf, isUnique, text, timestamp, url, uuid } from '../../base/fields.ts'
import { EVENT_TYPES, eventsOf } from '../../bus/events.ts'
import { type Version, versionedTag } from '../../http/precondition.ts'
import type { AttemptRow, DeliveryRow, WebhookRow } from '../deliveries/rows.ts'
import { FAILURES } from '../deliveries/target/failures.ts'

const STATUSES = ['ACTIVE', 'DISABLED'] as const
const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed', 'skipped'] as const

const id = idOf('webhook').toLowerCase()

export const webhookParams = z.object({ id })
export const deliveryParams = z.object({ id, deliveryId: idOf('delivery').toLowerCase() })

const eventType = z.enum(EVENT_TYPES)

const fields = {
  url: z.string().max(2_048).meta({ description: 'https, on a host of the public internet.' }),
  events: z
    .array(eventType)
    .min(1)
    .max(EVENT_TYPES.length)
    .refine(isUnique, { error: 'No event may be given twice.', params: { code: 'repeated' } }),
  description: text(1, 255).nullable().optional(),
  status: z.enum(STATUSES).optional(),
}

export const createWebhookBody = z.strictObject(fields).meta({ id: 'WebhookCreate' })

export const updateWebhookBody = z
  .strictObject({ ...fields, url: fields.url.optional(), events: fields.events.optional() })
  .meta({ id: 'WebhookUpdate' })

export type CreateWebhook = z.infer<typeof createWebhookBody>
export type UpdateWebhook = z.infer<typeof updateWebhookBody>

const shown = {
  id: uuid,
  url,
  events: z.array(eventType),
  description: z.string().nullable(),
  status: z.enum(STATUSES),
  createdAt: timestamp,
  updatedAt: timestamp,
  lastDeliveryAt: timestamp.nullable(),
  failingSince: timestamp.nullable(),
}

export const webhook = z.strictObject(shown).meta({ id: 'Webhook' })
export const webhookWithSecret = z.strictObject({ ...shown, secret: z.string() }).meta({ id: 'WebhookWithSecret' })

export const presentWebhook = (row: WebhookRow): z.infer<typeof webhook> => ({
  id: row.id,
  url: row.url,
  events: eventsOf(row.events),
  description: row.description,
  status: row.status,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at),
  lastDeliveryAt: isoOrNull(row.last_delivery_at),
  failingSince: isoOrNull(row.failing_since),
})

/** Changed by each PATCH, a new secret, and when failures disable it: not by deliveries. */
export const webhookVersion = ({ updatedAt, status }: z.infer<typeof webhook>): Version => [updatedAt, status]

/** Of the webhook, also where the answer shows its secret beside it. */
export const webhookTag = ({ secret: _, ...shown }: z.infer<typeof webhook> & { readonly secret?: string }): string =>
  versionedTag(webhookVersion(shown), shown)

const attempt = z.strictObject({
  at: timestamp,
  responseStatus: z.int().nullable(),
  durationMs: z.int().nonnegative(),
  errorClass: z.enum(FAILURES).nullable(),
  responseBody: z.string().nullable(),
})

export const delivery = z
  .strictObject({
    id: uuid,
    eventId: uuid,
    eventType,
    status: z.enum(DELIVERY_STATUSES),
    attempts: z.array(attempt),
    nextAttemptAt: timestamp.nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'WebhookDelivery' })

export const presentDelivery = (row: DeliveryRow, attempts: readonly AttemptRow[]): z.infer<typeof delivery> => ({
  id: row.id,
  eventId: row.event_id,
  eventType: eventType.parse(row.event_type),
  status: row.status,
  attempts: attempts.map((each) => ({
    at: iso(each.at),
    responseStatus: each.response_status,
    durationMs: each.duration_ms,
    errorClass: each.error_class as z.infer<typeof attempt>['errorClass'],
    responseBody: each.response_body,
  })),
  nextAttemptAt: isoOrNull(row.next_attempt_at),
  createdAt: iso(row.created_at),
})
