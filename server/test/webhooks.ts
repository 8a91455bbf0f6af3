import { randomUUID } from 'node:crypto'
import { transaction } from '../src/db/transaction.ts'
import { newWebhookSecret, secretBox } from '../src/features/webhooks/sending/attempt.ts'
import type { TestBrand, TestService } from './service.ts'

export interface WebhookData {
  id: string
  url: string
  events: string[]
  format: string
  description: string | null
  status: 'ACTIVE' | 'DISABLED'
  createdAt: string
  updatedAt: string
  lastDeliveryAt: string | null
  failingSince: string | null
  secret: string
}

export interface DeliveryData {
  id: string
  eventId: string
  eventType: string
  status: 'pending' | 'succeeded' | 'failed' | 'skipped'
  attempts: {
    at: string
    responseStatus: number | null
    durationMs: number
    errorClass: string | null
    responseBody: string | null
  }[]
  nextAttemptAt: string | null
  createdAt: string
}

type Owner = Pick<TestBrand, 'token'>

export const minimalWebhook = { url: 'https://hooks.example/', events: ['poll.created'] }

export async function createWebhook(
  service: TestService,
  { token }: Owner,
  fields: Record<string, unknown> = {},
): Promise<WebhookData> {
  const json = { ...minimalWebhook, ...fields }
  const reply = await service.write<WebhookData>('POST', 'brands/me/webhooks', { token, json })
  if (reply.status !== 201) throw new Error(`no webhook: ${reply.text}`)
  return reply.body.data
}

export const patchWebhook = (service: TestService, { token }: Owner, id: string, json: unknown) =>
  service.write<WebhookData>('PATCH', `brands/me/webhooks/${id}`, { token, json })

export const deleteWebhook = (service: TestService, { token }: Owner, id: string) =>
  service.write('DELETE', `brands/me/webhooks/${id}`, { token })

export async function ownWebhook(service: TestService, { token }: Owner, id: string): Promise<WebhookData> {
  const reply = await service.get<WebhookData>(`brands/me/webhooks/${id}`, { token })
  if (reply.status !== 200) throw new Error(`no webhook: ${reply.text}`)
  return reply.body.data
}

export async function sendTest(service: TestService, { token }: Owner, { id }: { id: string }): Promise<DeliveryData> {
  const reply = await service.write<DeliveryData>('POST', `brands/me/webhooks/${id}/test`, { token })
  if (reply.status !== 202) throw new Error(`no test: ${reply.text}`)
  return reply.body.data
}

export async function deliveriesOf(service: TestService, { token }: Owner, id: string): Promise<DeliveryData[]> {
  const reply = await service.get<DeliveryData[]>(`brands/me/webhooks/${id}/deliveries?limit=100`, { token })
  if (reply.status !== 200) throw new Error(`no deliveries: ${reply.text}`)
  return reply.body.data
}

/** The event of a deleted poll, which is the cheapest event to raise. */
export function raiseEvent({ deps }: TestService, { brandKey }: TestBrand, slug: string = randomUUID()): Promise<void> {
  const data = () => ({ poll: { id: randomUUID(), slug } })
  return transaction(deps.engine, (tx) => deps.bus.emit(tx, { brandKey, type: 'poll.deleted', data }))
}

export const WEBHOOKS_OF_A_BRAND = 10

/** Bypasses the API's limit of ten webhooks for each brand: any number of brands, with ten webhooks each. */
export async function manyWebhooks(
  { db, deps }: TestService,
  brands: readonly TestBrand[],
  urlOf: (i: number) => string,
) {
  const rows = brands.flatMap(({ brandKey }, brand) =>
    Array.from({ length: WEBHOOKS_OF_A_BRAND }, (_, i) => ({
      id: randomUUID(),
      brand_key: brandKey,
      url: urlOf(brand * WEBHOOKS_OF_A_BRAND + i),
      events: 'poll.deleted',
      status: 'ACTIVE' as const,
      secret: secretBox(deps).seal(newWebhookSecret()),
      created_at: 1,
      updated_at: 1,
    })),
  )
  await db.insertInto('webhooks').values(rows).execute()
}
