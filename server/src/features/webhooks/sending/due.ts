import { sql } from 'kysely'
import { inBatches } from '../../../base/work/jobs.ts'
import type { Db, Engine } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import type { WebhookRow } from './rows.ts'

/** Skips from webhook to webhook along the index of pending deliveries, so that a long queue costs no more than a short one. */
export async function webhooksWithDue(db: Db, now: number): Promise<number[]> {
  const { rows } = await sql<{ webhook_key: number }>`
    with recursive queues (webhook_key) as (
      select min(webhook_key) from webhook_deliveries where next_attempt_at is not null
      union all
      select (select min(webhook_key) from webhook_deliveries
        where next_attempt_at is not null and webhook_key > queues.webhook_key)
      from queues where queues.webhook_key is not null
    )
    select webhook_key from queues
    where exists (select 1 from webhook_deliveries
      where webhook_deliveries.webhook_key = queues.webhook_key and next_attempt_at <= ${now})
  `.execute(db)
  return rows.map((row) => row.webhook_key)
}

export interface DueDelivery {
  readonly key: number
  readonly eventId: string
  readonly payload: string
}

interface Look {
  readonly webhookKey: number
  readonly now: number
  readonly limit: number
}

/** Reads a webhook with its first due deliveries; null when it was deleted. */
export async function lookAt(
  db: Db,
  { webhookKey, now, limit }: Look,
): Promise<{ webhook: WebhookRow; due: DueDelivery[] } | null> {
  const rows = await db
    .selectFrom('webhooks')
    .leftJoin(
      (from) =>
        from
          .selectFrom('webhook_deliveries')
          .select(['key as delivery_key', 'event_id', 'payload', 'next_attempt_at'])
          .where('webhook_key', '=', webhookKey)
          .where('next_attempt_at', '<=', now)
          .orderBy('next_attempt_at')
          .orderBy('key')
          .limit(limit)
          .as('due'),
      (join) => join.onTrue(),
    )
    .selectAll('webhooks')
    .select(['due.delivery_key', 'due.event_id', 'due.payload'])
    .where('webhooks.key', '=', webhookKey)
    .orderBy('due.next_attempt_at')
    .orderBy('due.delivery_key')
    .execute()
  const [webhook] = rows
  if (!webhook) return null
  const due = rows.flatMap(({ delivery_key, event_id, payload }) =>
    delivery_key === null || event_id === null || payload === null
      ? []
      : [{ key: delivery_key, eventId: event_id, payload }],
  )
  return { webhook, due }
}

const SKIPPED_AT_ONCE = 500

/** Deliveries that become due while a webhook is disabled are skipped for good. */
export const skipDue = (engine: Engine, webhookKey: number, now: number): Promise<boolean> =>
  inBatches(() =>
    transaction(engine, async (tx) => {
      const due = tx
        .selectFrom('webhook_deliveries')
        .select('key')
        .where('webhook_key', '=', webhookKey)
        .where('next_attempt_at', '<=', now)
        .limit(SKIPPED_AT_ONCE)
      // Checked again: it may be active by now.
      const disabled = tx
        .selectFrom('webhooks')
        .select('key')
        .where('key', '=', webhookKey)
        .where('status', '=', 'DISABLED')
      const { numUpdatedRows } = await tx
        .updateTable('webhook_deliveries')
        .set({ status: 'skipped', next_attempt_at: null })
        .where('key', 'in', due)
        .where(({ exists }) => exists(disabled))
        .executeTakeFirst()
      return numUpdatedRows >= SKIPPED_AT_ONCE
    }),
  )
