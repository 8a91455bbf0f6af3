import { z } from 'zod'
import { iso, isoOrNull } from '../../base/clock.ts'
import { idOf, text, timestamp, uniqueList, url, uuid } from '../../base/fields.ts'
import { EVENT_TYPES } from '../../bus/event-catalogue.ts'
import { eventsOf } from '../../bus/events.ts'
import { type Version, versionedTag } from '../../http/precondition.ts'
import type { AttemptRow, DeliveryRow, WebhookRow } from '../deliveries/rows.ts'
import { FAILURES } from '../deliveries/target/failures.ts'

const STATUSES = ['ACTIVE', 'DISABLED'] as const
const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed', 'skipped'] as const
const EVENTS = [['poll.voted', 'poll.closed']]

const id = idOf('webhook').toLowerCase().describe('The id of the webhook.')

export const webhookParams = z.object({ id })
export const deliveryParams = z.object({
  id,
  deliveryId: idOf('delivery').toLowerCase().describe('The id of the delivery.'),
})

const eventType = z.enum(EVENT_TYPES)

/** The words and the example of each field that bodies and answers share. */
const about = {
  url: {
    description: 'Where deliveries go: an https address on the public internet.',
    examples: ['https://example.com/tossup'],
  },
  events: { description: 'The types of the events that it is told of.', examples: EVENTS },
  description: { description: 'What it is for, or null.', examples: ['Our site'] },
  status: { description: '`ACTIVE`, or `DISABLED`: then it is told nothing.', examples: ['ACTIVE'] },
}

const fields = {
  url: z.string().max(2_048).meta(about.url),
  events: uniqueList(eventType, { least: 1, most: EVENT_TYPES.length }).meta(about.events),
  description: text(1, 255).nullable().optional().meta(about.description),
  status: z.enum(STATUSES).optional().meta(about.status),
}

export const createWebhookBody = z.strictObject(fields).meta({ id: 'WebhookCreate', description: 'A new webhook.' })

export const updateWebhookBody = z
  .strictObject({ ...fields, url: fields.url.optional(), events: fields.events.optional() })
  .meta({
    id: 'WebhookUpdate',
    description: 'What to change. An absent field stays; `events` replaces the whole list.',
  })

export type CreateWebhook = z.infer<typeof createWebhookBody>
export type UpdateWebhook = z.infer<typeof updateWebhookBody>

const shown = {
  id: uuid.describe('Names the webhook for ever.'),
  url: url.meta(about.url),
  events: z.array(eventType).meta(about.events),
  description: z.string().nullable().meta(about.description),
  status: z.enum(STATUSES).meta(about.status),
  createdAt: timestamp.describe('When it was created.'),
  updatedAt: timestamp.describe('When its owner last changed it.'),
  lastDeliveryAt: timestamp.nullable().describe('When the last attempt ended; null before the first one.'),
  failingSince: timestamp.nullable().meta({
    description: 'Since when every attempt has failed; null where the last one succeeded.',
    examples: [null],
  }),
}

export const webhook = z.object(shown).meta({ id: 'Webhook', description: 'A webhook, without its secret.' })

export const webhookWithSecret = z
  .object({
    ...shown,
    secret: z.string().meta({
      description: 'The key that signs deliveries. No other answer shows it: keep it now.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
    }),
  })
  .meta({ id: 'WebhookWithSecret', description: 'A webhook with its secret.' })

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

const attempt = z.object({
  at: timestamp.describe('When it began.'),
  responseStatus: z
    .int()
    .nullable()
    .meta({ description: 'The HTTP status of your answer, or null.', examples: [204] }),
  durationMs: z
    .int()
    .nonnegative()
    .meta({ description: 'How long it took, in milliseconds.', examples: [87] }),
  errorClass: z
    .enum(FAILURES)
    .nullable()
    .meta({ description: 'What went wrong; null where it succeeded.', examples: [null] }),
  responseBody: z
    .string()
    .nullable()
    .meta({ description: 'The first KiB of your answer, or null.', examples: [''] }),
})

export const delivery = z
  .object({
    id: uuid.describe('Names the delivery for ever.'),
    eventId: uuid.describe('The id of the event: the header `webhook-id` of every attempt.'),
    eventType: eventType.describe('The type of the event.'),
    status: z.enum(DELIVERY_STATUSES).meta({
      description:
        '`pending`: attempts go on; `succeeded`; `failed`: all attempts failed; `skipped`: the webhook was disabled when it was due.',
      examples: ['succeeded'],
    }),
    attempts: z.array(attempt).describe('All attempts so far, in order.'),
    nextAttemptAt: timestamp
      .nullable()
      .meta({ description: 'When the next attempt is due, or null.', examples: [null] }),
    createdAt: timestamp.describe('When it was queued.'),
  })
  .meta({ id: 'WebhookDelivery', description: 'An event on its way to a webhook.' })

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
