import { newOrderedUuid } from '../../base/ids.ts'
import { eventsOf } from '../../bus/events.ts'
import type { Engine, Tx } from '../../db/store.ts'
import { transaction } from '../../db/transaction.ts'

const BATCH = 500
/** So that no statement has more parameters than an engine takes. */
const ROWS_AT_ONCE = 1_000

/**
 * One delivery of each event for each active webhook that wants it. In one transaction an event leaves the outbox and
 * its deliveries are there: at no moment is it in neither. True when there may be more.
 */
export async function fanOut(engine: Engine, now: number): Promise<boolean> {
  // Most of the time there is nothing, and a transaction costs more than a look.
  const isAny = await engine.db.selectFrom('outbox').select('key').orderBy('key').limit(1).executeTakeFirst()
  return isAny !== undefined && (await moveSome(engine, now))
}

const moveSome = (engine: Engine, now: number): Promise<boolean> =>
  transaction(engine, async (tx) => {
    const events = await tx
      .with(
        (chosen) => chosen('chosen').materialized(),
        (db) => db.selectFrom('outbox').select('key').orderBy('key').limit(BATCH).modifyEnd(engine.skipLocked),
      )
      .deleteFrom('outbox')
      .where('key', 'in', (from) => from.selectFrom('chosen').select('chosen.key'))
      .returning(['key', 'id', 'brand_key', 'type', 'payload'])
      .execute()
    if (events.length === 0) return false
    const takers = await takersOf(
      tx,
      events.map((event) => event.brand_key),
      now,
    )
    const deliveries = events
      .toSorted((left, right) => left.key - right.key)
      .flatMap((event) =>
        takers(event).map((webhookKey) => ({
          id: newOrderedUuid(now),
          webhook_key: webhookKey,
          event_id: event.id,
          event_type: event.type,
          payload: event.payload,
          status: 'pending' as const,
          next_attempt_at: now,
          created_at: now,
        })),
      )
    for (let at = 0; at < deliveries.length; at += ROWS_AT_ONCE) {
      await tx
        .insertInto('webhook_deliveries')
        .values(deliveries.slice(at, at + ROWS_AT_ONCE))
        .execute()
    }
    return events.length === BATCH
  })

async function takersOf(tx: Tx, brandKeys: readonly number[], now: number) {
  const rows = await tx
    .selectFrom('webhooks')
    .select(['key', 'brand_key', 'events'])
    .where('brand_key', 'in', [...new Set(brandKeys)])
    .where('status', '=', 'ACTIVE')
    .where(({ eb, or }) => or([eb('listening_until', 'is', null), eb('listening_until', '>', now)]))
    .orderBy('key')
    .execute()
  const webhooks = rows.map(({ key, brand_key, events }) => ({
    key,
    brand_key,
    wanted: new Set<string>(eventsOf(events)),
  }))
  return (event: { brand_key: number; type: string }): number[] =>
    webhooks
      .filter(({ brand_key, wanted }) => brand_key === event.brand_key && wanted.has(event.type))
      .map(({ key }) => key)
}
