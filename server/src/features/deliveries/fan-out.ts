import { type RawBuilder, sql } from 'kysely'
import { newOrderedUuid } from '../../base/ids.ts'
import { eventsOf } from '../../bus/events.ts'
import { eventsOfRow } from '../../bus/outbox.ts'
import type { Engine, Tx } from '../../db/store.ts'
import { relaxedTransaction } from '../../db/transaction.ts'

const ENOUGH_EVENTS = 500
/** So that no statement has more parameters than an engine takes. */
const ROWS_AT_ONCE = 1_000

interface Part {
  /** Written out, so that the index of the others is used. */
  readonly isOfIt: RawBuilder<boolean>
  readonly mostRows: number
}

const OTHERS: Part = { isOfIt: sql`type <> 'poll.voted'`, mostRows: ENOUGH_EVENTS }
/** Each of these rows holds as many events as votes came together. */
const VOTED: Part = { isOfIt: sql`type = 'poll.voted'`, mostRows: 32 }
const FEW_VOTED: Part = { ...VOTED, mostRows: 1 }

/**
 * One delivery of each event for each active webhook that wants it. In one transaction an event leaves the outbox and
 * its deliveries are there: at no moment is it in neither. Votes come in such numbers that the others never wait for
 * them, and under pressure few of them are taken at a time. True when there may be more.
 */
export async function fanOut(engine: Engine, { now, isSlow }: { now: number; isSlow: boolean }): Promise<boolean> {
  // Most of the time there is nothing, and a transaction costs more than a look.
  const first = await engine.db.selectFrom('outbox').select('type').orderBy('key').limit(1).executeTakeFirst()
  if (!first) return false
  const isMore = await moveSome(engine, now, OTHERS)
  return (await moveSome(engine, now, isSlow ? FEW_VOTED : VOTED)) || isMore
}

const moveSome = (engine: Engine, now: number, { isOfIt, mostRows }: Part): Promise<boolean> =>
  relaxedTransaction(engine, async (tx) => {
    const waiting = await tx
      .selectFrom('outbox')
      .select(['key', 'id', 'brand_key', 'type', 'payload'])
      .where(isOfIt)
      .orderBy('key')
      .limit(mostRows)
      .modifyEnd(engine.skipLocked)
      .execute()
    const rows = firstOf(waiting.map((row) => ({ ...row, events: eventsOfRow(row) })))
    if (rows.length === 0) return false
    await tx
      .deleteFrom('outbox')
      .where(
        'key',
        'in',
        rows.map(({ key }) => key),
      )
      .execute()
    const takers = await takersOf(
      tx,
      rows.map((row) => row.brand_key),
      now,
    )
    const deliveries = rows.flatMap((row) => {
      const webhookKeys = takers(row)
      return row.events.flatMap((event) =>
        webhookKeys.map((webhookKey) => ({
          id: newOrderedUuid(now),
          webhook_key: webhookKey,
          event_id: event.id,
          event_type: row.type,
          payload: event.payload,
          status: 'pending' as const,
          next_attempt_at: now,
          created_at: now,
        })),
      )
    })
    for (let at = 0; at < deliveries.length; at += ROWS_AT_ONCE) {
      await tx
        .insertInto('webhook_deliveries')
        .values(deliveries.slice(at, at + ROWS_AT_ONCE))
        .execute()
    }
    return rows.length < waiting.length || waiting.length === mostRows
  })

/** As many whole rows as bring enough events. */
function firstOf<Row extends { events: readonly unknown[] }>(rows: readonly Row[]): Row[] {
  const taken: Row[] = []
  let events = 0
  for (const row of rows) {
    if (events >= ENOUGH_EVENTS) break
    events += row.events.length
    taken.push(row)
  }
  return taken
}

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
