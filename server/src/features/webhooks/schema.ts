import { z } from 'zod'
import { iso, isoOrNull } from '../../base/clock.ts'
import { count, idOf, text, timestamp, uniqueList, url, uuid } from '../../base/fields.ts'
import type { ActivitySubject } from '../../events/activity.ts'
import { EVENT_TYPES, eventsOf } from '../../events/event-catalogue.ts'
import { type Version, versionedTag } from '../../http/precondition.ts'
import type { AttemptRow, DeliveryRow, WebhookRow } from './sending/queue.ts'
import { FAILURES, type Failure } from './sending/target/exchange.ts'

export const LONGEST_URL = 2_048
export const FORMATS = ['standard', 'slack', 'discord', 'teams', 'mattermost'] as const
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

/** The description and example of each field, shared by bodies and answers. */
const about = {
  url: {
    description:
      'The URL of your receiver: https, on the public internet. Answers show an international host in punycode.',
    examples: ['https://example.com/tossup'],
  },
  events: { description: 'The types of events that it receives.', examples: EVENTS },
  format: {
    description:
      '`standard`: the event as JSON, signed. `slack`, `discord`, `teams`, `mattermost`: a message in the form of that product, for `poll.opened`, `poll.closed`, `poll.milestone` and `poll.integrity_alert` alone.',
    examples: ['standard'],
  },
  description: { description: 'A note on its purpose, or null.', examples: ['Our site'] },
  status: { description: '`ACTIVE`, or `DISABLED`: it receives no events.', examples: ['ACTIVE'] },
}

const fields = {
  url: z.string().max(LONGEST_URL).meta(about.url),
  events: uniqueList(eventType, { least: 1, most: EVENT_TYPES.length }).meta(about.events),
  format: z.enum(FORMATS).optional().meta(about.format),
  description: text(1, 255).nullable().optional().meta(about.description),
  status: z.enum(STATUSES).optional().meta(about.status),
}

export const createWebhookBody = z.strictObject(fields).meta({ id: 'WebhookCreate', description: 'A new webhook.' })

export const updateWebhookBody = z
  .strictObject({ ...fields, url: fields.url.optional(), events: fields.events.optional() })
  .meta({
    id: 'WebhookUpdate',
    description: 'The fields to change. Omitted fields keep their value; `events` replaces the whole list.',
  })

export type WebhookFormat = (typeof FORMATS)[number]
export type CreateWebhook = z.infer<typeof createWebhookBody>
export type UpdateWebhook = z.infer<typeof updateWebhookBody>

const shown = {
  id: uuid.describe('The permanent id of the webhook.'),
  url: url.meta(about.url),
  events: z.array(eventType).meta(about.events),
  format: z.enum(FORMATS).meta(about.format),
  description: z.string().nullable().meta(about.description),
  status: z.enum(STATUSES).meta(about.status),
  createdAt: timestamp.describe('When it was created.'),
  updatedAt: timestamp.describe('When its owner last changed it.'),
  lastDeliveryAt: timestamp.nullable().describe('When the last attempt ended; null before the first one.'),
  failingSince: timestamp.nullable().meta({
    description: 'The time since which every attempt has failed; null if the last attempt succeeded.',
    examples: [null],
  }),
}

export const webhook = z.object(shown).meta({ id: 'Webhook', description: 'A webhook, without its secret.' })

export const webhookWithSecret = z
  .object({
    ...shown,
    secret: z.string().meta({
      description: 'The key that signs deliveries. No other answer shows it: store it.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
    }),
  })
  .meta({ id: 'WebhookWithSecret', description: 'A webhook with its secret.' })

export const presentWebhook = (row: WebhookRow): z.infer<typeof webhook> => ({
  id: row.id,
  url: row.url,
  events: eventsOf(row.events),
  format: row.format as WebhookFormat,
  description: row.description,
  status: row.status,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at),
  lastDeliveryAt: isoOrNull(row.last_delivery_at),
  failingSince: isoOrNull(row.failing_since),
})

/** By the host alone: the path of a URL is often a secret. */
export const webhookSubject = ({ id, url }: Pick<WebhookRow, 'id' | 'url'>): ActivitySubject => ({
  kind: 'webhook',
  id,
  title: new URL(url).host,
})

/** Changed by each PATCH, a new secret, and when failures disable the webhook; not by deliveries. */
export const webhookVersion = ({ updatedAt, status }: z.infer<typeof webhook>): Version => [updatedAt, status]

/** The webhook's tag, also for answers that show its secret. */
export const webhookTag = ({ secret: _, ...shown }: z.infer<typeof webhook> & { readonly secret?: string }): string =>
  versionedTag(webhookVersion(shown), shown)

const attempt = z.object({
  at: timestamp.describe('When it began.'),
  responseStatus: z
    .int()
    .nullable()
    .meta({ description: 'The HTTP status of your answer, or null.', examples: [204] }),
  durationMs: count.meta({ description: 'How long it took, in milliseconds.', examples: [87] }),
  errorClass: z
    .enum(FAILURES)
    .nullable()
    .meta({
      description:
        'The error, or null if the attempt succeeded. `address_refused`: the host has no address, or one that is not public.',
      examples: [null],
    }),
  responseBody: z
    .string()
    .nullable()
    .meta({ description: 'The first KiB of the body of your answer, or null.', examples: [''] }),
})

export const delivery = z
  .object({
    id: uuid.describe('The permanent id of the delivery.'),
    eventId: uuid.describe('The id of the event: the header `webhook-id` of every attempt.'),
    eventType: eventType.describe('The type of the event.'),
    status: z.enum(DELIVERY_STATUSES).meta({
      description:
        '`pending`: more attempts follow; `succeeded`; `failed`: all attempts failed; `skipped`: the webhook was disabled when the delivery was due.',
      examples: ['succeeded'],
    }),
    attempts: z.array(attempt).describe('All attempts so far, in order.'),
    nextAttemptAt: timestamp
      .nullable()
      .meta({ description: 'When the next attempt is due, or null.', examples: [null] }),
    createdAt: timestamp.describe('When it was queued.'),
  })
  .meta({ id: 'WebhookDelivery', description: 'The delivery of an event to a webhook.' })

/** Earlier versions stored another class for a name without an address, which told which internal names exist. */
const presentFailure = (stored: string | null): z.infer<typeof attempt>['errorClass'] =>
  stored === 'dns_failed' ? 'address_refused' : (stored as Failure | null)

export const presentDelivery = (row: DeliveryRow, attempts: readonly AttemptRow[]): z.infer<typeof delivery> => ({
  id: row.id,
  eventId: row.event_id,
  eventType: eventType.parse(row.event_type),
  status: row.status,
  attempts: attempts.map((each) => ({
    at: iso(each.at),
    responseStatus: each.response_status,
    durationMs: each.duration_ms,
    errorClass: presentFailure(each.error_class),
    responseBody: each.response_body,
  })),
  nextAttemptAt: isoOrNull(row.next_attempt_at),
  createdAt: iso(row.created_at),
})
