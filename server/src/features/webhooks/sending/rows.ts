import type { Selectable } from 'kysely'
import type { Tables } from '../../../db/tables.ts'

export type WebhookRow = Selectable<Tables['webhooks']>
export type DeliveryRow = Omit<Selectable<Tables['webhook_deliveries']>, 'payload'>
export type AttemptRow = Selectable<Tables['webhook_attempts']>
