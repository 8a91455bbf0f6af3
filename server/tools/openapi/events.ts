import { z } from 'zod'
import { timestamp } from '../../src/base/fields.ts'
import { type EventType, eventEntries } from '../../src/events/event-catalogue.ts'
import type { Tag } from '../../src/http/route.ts'
import { type Components, exampleOf, type Json } from './components.ts'

const SIGNED_HEADERS = {
  'webhook-id': 'The id of the event, the same for every attempt and redelivery.',
  'webhook-timestamp': 'When this attempt was signed, in seconds since 1970.',
  'webhook-signature': 'Space-separated signatures, `v1,` and base64: HMAC-SHA256 of `{id}.{timestamp}.{body}`.',
}

/** The requests that a brand's server receives, as Standard Webhooks 1.0 defines them. */
export const webhooksSection = (components: Components): Json =>
  Object.fromEntries(eventEntries.map(([type, entry]) => [type, { post: delivery(type, entry, components) }]))

type Entry = (typeof eventEntries)[number][1]

function delivery(type: EventType, { when, data }: Entry, components: Components): Json {
  const schema = components.schema(payloadSchema(type, data), 'output')
  return {
    operationId: operationIdOf(type),
    summary: when.replace(/\.$/, ''),
    description: `${when} A delivery may arrive more than once: remember \`webhook-id\`.`,
    tags: ['Events' satisfies Tag],
    security: [],
    parameters: Object.entries(SIGNED_HEADERS).map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    requestBody: {
      description: 'The event.',
      required: true,
      content: { 'application/json': { schema, example: exampleOf(schema, components.schemas) } },
    },
    responses: {
      '2XX': { description: 'Delivered. After any other answer the delivery is retried.' },
      '4XX': { description: 'Not delivered. 410 disables the webhook.' },
    },
  }
}

const payloadSchema = (type: EventType, data: z.ZodObject) =>
  z.object({
    type: z.literal(type).describe('The type of the event.'),
    timestamp: timestamp.describe('When it happened.'),
    data: data.extend({ omitted }).describe('The data of the event.'),
  })

const omitted = z.array(z.string()).optional().meta({
  description: 'The fields that were omitted, such as `poll.tags`, because the event would have been too large.',
})

const operationIdOf = (type: EventType): string =>
  `on${type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}`
