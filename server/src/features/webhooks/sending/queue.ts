import { type Selectable, sql } from 'kysely'
import { DAY } from '../../../base/clock.ts'
import { inBatches } from '../../../base/work/jobs.ts'
import { removeOld } from '../../../db/remove-old.ts'
import type { Db, Engine, Tx } from '../../../db/store.ts'
import type { Tables } from '../../../db/tables.ts'
import { transaction } from '../../../db/transaction.ts'

/** Skips from webhook to webhook along the index of pending deliveries, so that a long queue costs no more than a short one. */
export const QUEUES = sql`queues (webhook_key) as (
  select min(webhook_key) from webhook_deliveries where next_attempt_at is not null
  union all
  select (select min(webhook_key) from webhook_deliveries
    where next_attempt_at is not null and webhook_key > queues.webhook_key)
  from queues where queues.webhook_key is not null
)`

/**
 * Counting stops here, so that its cost does not grow with the backlog. Events count for more: each is a row with its payload.
 */
const MOST_EVENTS = 1_000
const MOST_DELIVERIES = 10_000

/** The backlog of events and deliveries at the last look, which reads only the start of each webhook's queue. */
export class DeliveryBacklog {
  readonly #db: Db
  /** Rows of the outbox that have not become deliveries; the votes of one commit are one row. */
  events = 0
  /** Deliveries that are due, under way or waiting for their next attempt. */
  deliveries = 0
  /** How long the oldest event or delivery has been due. */
  lagMs = 0

  constructor(db: Db) {
    this.#db = db
  }

  async look(now: number): Promise<void> {
    const { rows } = await sql<{ events: number; deliveries: number; since: number | null }>`with recursive
      first_event (since) as (select created_at from outbox order by key limit 1),
      ${QUEUES},
      heads (since) as (
        select since from first_event
        union all
        select (select min(next_attempt_at) from webhook_deliveries
          where webhook_deliveries.webhook_key = queues.webhook_key and next_attempt_at is not null)
        from queues
      )
      select (select count(*) from (select key from outbox limit ${MOST_EVENTS}) as some_events) as events,
        (select count(*) from (select key from webhook_deliveries where next_attempt_at is not null limit ${MOST_DELIVERIES})
          as some_deliveries) as deliveries,
        (select min(since) from heads) as since
    `.execute(this.#db)
    const [found] = rows
    this.events = found?.events ?? 0
    this.deliveries = found?.deliveries ?? 0
    this.lagMs = Math.max(0, now - (found?.since ?? now))
  }
}

export type WebhookRow = Selectable<Tables['webhooks']>
export type DeliveryRow = Omit<Selectable<Tables['webhook_deliveries']>, 'payload'>
export type AttemptRow = Selectable<Tables['webhook_attempts']>

export async function webhooksWithDue(db: Db, now: number): Promise<number[]> {
  const { rows } = await sql<{ webhook_key: number }>`
    with recursive ${QUEUES}
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

/** Reads a webhook with its first due deliveries; null when it was deleted. */
export async function lookAt(db: Db, webhookKey: number, now: number, limit: number) {
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

const BATCH = 500

/** Deliveries that become due while a webhook is disabled are skipped for good. */
export const skipDue = (engine: Engine, webhookKey: number, now: number): Promise<boolean> =>
  inBatches(() =>
    transaction(engine, async (tx) => {
      // Checked again: it may be active by now.
      const disabled = tx
        .selectFrom('webhooks')
        .select('key')
        .where('key', '=', webhookKey)
        .where('status', '=', 'DISABLED')
      const { numUpdatedRows } = await tx
        .with(
          (due) => due('due').materialized(),
          (db) =>
            db
              .selectFrom('webhook_deliveries')
              .select('key')
              .where('webhook_key', '=', webhookKey)
              .where('next_attempt_at', '<=', now)
              .limit(BATCH)
              // Those of which an outcome is being recorded are not due.
              .modifyEnd(engine.skipLocked),
        )
        .updateTable('webhook_deliveries')
        .set({ status: 'skipped', next_attempt_at: null })
        .where('key', 'in', (from) => from.selectFrom('due').select('due.key'))
        .where(({ exists }) => exists(disabled))
        .executeTakeFirst()
      return numUpdatedRows >= BATCH
    }),
  )

export const DELIVERIES_KEPT_FOR = 30 * DAY

/** True when there may be more. */
export async function removeSomeDeliveries(tx: Tx, webhookKey: number): Promise<boolean> {
  const some = tx
    .selectFrom('webhook_deliveries')
    .select('key')
    .where('webhook_key', '=', webhookKey)
    .orderBy('key')
    .limit(BATCH)
  const { numDeletedRows } = await tx.deleteFrom('webhook_deliveries').where('key', 'in', some).executeTakeFirst()
  return numDeletedRows >= BATCH
}

/** Removes the deliveries of deleted webhooks. */
export async function removeOrphans(engine: Engine, now: number): Promise<boolean> {
  await transaction(engine, async (tx) => noteDeleted(tx, await deletedMeanwhile(tx, now)))
  return inBatches(() =>
    transaction(engine, async (tx) => {
      if (!(await engine.tryLock(tx, 'webhook orphans'))) return false
      const webhook = await tx.selectFrom('deleted_webhooks').select('key').limit(1).executeTakeFirst()
      if (!webhook) return false
      if (await removeSomeDeliveries(tx, webhook.key)) return true
      await tx.deleteFrom('deleted_webhooks').where('key', '=', webhook.key).execute()
      return true
    }),
  )
}

export async function noteDeleted(tx: Tx, webhooks: readonly { key: number }[]): Promise<void> {
  if (webhooks.length === 0) return
  await tx
    .insertInto('deleted_webhooks')
    .values([...webhooks])
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Webhooks deleted while an event was fanned out to them: their deliveries would be due forever. */
async function deletedMeanwhile(tx: Tx, now: number): Promise<{ key: number }[]> {
  const due = await webhooksWithDue(tx, now)
  if (due.length === 0) return []
  const rows = await tx.selectFrom('webhooks').select('key').where('key', 'in', due).execute()
  const there = new Set(rows.map(({ key }) => key))
  return due.filter((key) => !there.has(key)).map((key) => ({ key }))
}

export const removeOldDeliveries = (engine: Engine, now: number): Promise<boolean> =>
  removeOld(engine, { table: 'webhook_deliveries', time: 'created_at' }, now - DELIVERIES_KEPT_FOR)
