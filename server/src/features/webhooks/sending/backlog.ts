import { sql } from 'kysely'
import type { Db } from '../../../db/store.ts'

/**
 * Counting stops here, so that its cost does not grow with the backlog. Counting an event reads a row with its payload,
 * counting a delivery only an index entry.
 */
const MOST_EVENTS = 1_000
const MOST_DELIVERIES = 10_000

/**
 * The backlog of events and deliveries at the last look. A look reads only small indexes: the start of each webhook's
 * queue, and no payload.
 */
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
      queues (webhook_key) as (
        select min(webhook_key) from webhook_deliveries where next_attempt_at is not null
        union all
        select (select min(webhook_key) from webhook_deliveries
          where next_attempt_at is not null and webhook_key > queues.webhook_key)
        from queues where queues.webhook_key is not null
      ),
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
