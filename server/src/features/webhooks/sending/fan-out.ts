import { type RawBuilder, sql } from 'kysely'
import { newOrderedUuid } from '../../../base/ids.ts'
import type { Engine, Tx } from '../../../db/store.ts'
import { relaxedTransaction, transaction } from '../../../db/transaction.ts'
import { type EventData, FED_TYPES } from '../../../events/event-catalogue.ts'
import { eventsOfRow, subscribersOf } from '../../../events/outbox.ts'
import { queueNews } from '../../people/mail/queue-news.ts'

const ENOUGH_EVENTS = 500
/** Keeps the number of parameters within the engines' limits. */
const ROWS_AT_ONCE = 1_000

/** Literal conditions, so that the index of the other types is used. */
const VOTED = sql<boolean>`type = 'poll.voted'`
const OTHERS = sql<boolean>`type <> 'poll.voted'`
/** Each row of votes holds one event for each vote of its group. */
const VOTED_ROWS = 32

/**
 * Turns each event of the outbox into one delivery for each webhook, and one event for each listener, that wants it, and adds it to
 * the feed of its brand. Other events never wait behind votes, and under pressure only a few votes are taken at a time. True when
 * there may be more.
 */
export async function fanOut(engine: Engine, { now, isSlow }: { now: number; isSlow: boolean }): Promise<boolean> {
  // Usually the outbox is empty, and a transaction costs more than a read.
  const first = await engine.db.selectFrom('outbox').select('type').orderBy('key').limit(1).executeTakeFirst()
  if (!first) return false
  const isMore = await transaction(engine, async (tx) => {
    // The lock orders the commits, and with them the keys of the feed. Durable: a reader of the feed may have seen these keys.
    const isAlone = await engine.tryLock(tx, 'event feed')
    return !isAlone || moveSome(engine, tx, { now, isOfIt: OTHERS, mostRows: ENOUGH_EVENTS })
  })
  const votes = { now, isOfIt: VOTED, mostRows: isSlow ? 1 : VOTED_ROWS }
  return (await relaxedTransaction(engine, (tx) => moveSome(engine, tx, votes))) || isMore
}

async function moveSome(
  engine: Engine,
  tx: Tx,
  { now, isOfIt, mostRows }: { now: number; isOfIt: RawBuilder<boolean>; mostRows: number },
): Promise<boolean> {
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
  const keys = rows.map(({ key }) => key)
  await tx.deleteFrom('outbox').where('key', 'in', keys).execute()
  await spread(engine, tx, rows, now)
  return rows.length < waiting.length || waiting.length === mostRows
}

const FED: ReadonlySet<string> = new Set(FED_TYPES)

/** A delivery for each webhook, an event to fetch for each listener, and news to mail for each member. */
async function spread(
  engine: Engine,
  tx: Tx,
  rows: readonly { brand_key: number; type: string; events: ReturnType<typeof eventsOfRow> }[],
  now: number,
): Promise<void> {
  const brandKeys = new Set(rows.map((row) => row.brand_key))
  const subscribers = await subscribersOf(tx, [...brandKeys], now)
  const sent = rows.flatMap(({ brand_key, type, events }) => {
    const takers = subscribers.filter(
      (each) => each.brandKey === brand_key && (each.wanted as ReadonlySet<string>).has(type),
    )
    return events.flatMap((event) => takers.map(({ kind, key }) => ({ kind, key, type, ...event })))
  })
  await queueClosed(
    engine,
    tx,
    sent.filter(({ kind, type }) => kind === 'members' && type === 'poll.closed'),
    now,
  )
  const fed = rows.filter(({ type }) => FED.has(type))
  const published = fed.flatMap(({ brand_key, type, events }) =>
    events.map(({ id, payload }) => ({ id, brand_key, type, payload, published_at: now })),
  )
  const deliveries = sent
    .filter(({ kind }) => kind === 'webhook')
    .map(({ key, id, type, payload }) => ({
      id: newOrderedUuid(now),
      webhook_key: key,
      event_id: id,
      event_type: type,
      payload,
      status: 'pending' as const,
      next_attempt_at: now,
      created_at: now,
    }))
  const heard = sent
    .filter(({ kind }) => kind === 'listener')
    .map(({ key, id, payload }) => ({ listener_key: key, event_id: id, payload }))
  for (const some of inParts(published)) await tx.insertInto('event_feed').values(some).execute()
  for (const some of inParts(deliveries)) await tx.insertInto('webhook_deliveries').values(some).execute()
  for (const some of inParts(heard)) await tx.insertInto('listener_events').values(some).execute()
}

/** The mail shows the poll as it is when the mail is sent, so the event tells only which poll it is. */
async function queueClosed(
  engine: Engine,
  tx: Tx,
  closed: readonly { readonly key: number; readonly payload: string }[],
  now: number,
): Promise<void> {
  if (closed.length === 0) return
  const ids = closed.map(({ payload }) => (JSON.parse(payload) as { data: EventData['poll.closed'] }).data.poll.id)
  const polls = await tx
    .selectFrom('polls')
    .select(['key', 'brand_key'])
    .where('id', 'in', ids)
    .orderBy('key')
    .execute()
  const news = polls.map(({ key, brand_key }) => ({ brandKey: brand_key, pollKey: key, total: 0 }))
  await queueNews(engine, tx, news, now)
}

const inParts = <Row>(rows: readonly Row[]): Row[][] =>
  Array.from({ length: Math.ceil(rows.length / ROWS_AT_ONCE) }, (_, at) =>
    rows.slice(at * ROWS_AT_ONCE, (at + 1) * ROWS_AT_ONCE),
  )

/** Whole rows until there are enough events. */
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
