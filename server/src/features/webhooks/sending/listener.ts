import { SECOND } from '../../../base/clock.ts'
import { inBatches } from '../../../base/work/jobs.ts'
import { transaction } from '../../../db/transaction.ts'
import { type EventType, storedEvents } from '../../../events/event-catalogue.ts'
import type { Deps } from '../../deps.ts'

const LISTENS_FOR = 30 * SECOND
const MOST_AT_ONCE = 100
const REMOVED_AT_ONCE = 500

export interface Listener {
  /** The events since the last call, the oldest first, with the payload of a receiver. Keeps the listener from being removed. */
  take(): Promise<{ id: string; payload: string }[]>
  close(): Promise<void>
}

type ListenerDeps = Pick<Deps, 'engine' | 'changes' | 'clock'>

/** Events are fanned out to a listener as to a webhook; it fetches them, and is removed when it no longer does. */
export async function openListener(
  { engine, changes, clock }: ListenerDeps,
  { brandKey, events }: { brandKey: number; events: readonly EventType[] },
): Promise<Listener> {
  let listeningUntil = clock.now() + LISTENS_FOR
  const { key } = await transaction(engine, async (tx) => {
    await changes.webhooks(tx, brandKey)
    return tx
      .insertInto('listeners')
      .values({ brand_key: brandKey, events: storedEvents(events), listening_until: listeningUntil })
      .returning('key')
      .executeTakeFirstOrThrow()
  })

  /** Rarely, because each of our writes makes a server on SQLite drop its caches. */
  async function stayListed(): Promise<void> {
    if (listeningUntil - clock.now() > LISTENS_FOR / 2) return
    listeningUntil = clock.now() + LISTENS_FOR
    await transaction(engine, (tx) =>
      tx.updateTable('listeners').set({ listening_until: listeningUntil }).where('key', '=', key).execute(),
    )
  }

  return {
    async take() {
      await stayListed()
      const rows = await engine.db
        .selectFrom('listener_events')
        .select(['key', 'event_id as id', 'payload'])
        .where('listener_key', '=', key)
        .orderBy('key')
        .limit(MOST_AT_ONCE)
        .execute()
      const keys = rows.map((row) => row.key)
      if (keys.length > 0) {
        await transaction(engine, (tx) => tx.deleteFrom('listener_events').where('key', 'in', keys).execute())
      }
      return rows.map(({ id, payload }) => ({ id, payload }))
    },

    async close() {
      await transaction(engine, async (tx) => {
        await changes.webhooks(tx, brandKey)
        await tx.deleteFrom('listeners').where('key', '=', key).execute()
      })
      await removeLeftEvents({ engine })
    },
  }
}

/** Removes the listeners whose command ended without closing them, and the events that no listener fetches any more. */
export async function removeSilentListeners(deps: Pick<Deps, 'engine' | 'changes'>, now: number): Promise<boolean> {
  const { engine, changes } = deps
  const silent = engine.db.selectFrom('listeners').select('key').where('listening_until', '<=', now)
  if (await silent.limit(1).executeTakeFirst()) {
    await transaction(engine, async (tx) => {
      const removed = await tx
        .deleteFrom('listeners')
        .where('listening_until', '<=', now)
        .returning('brand_key')
        .execute()
      for (const { brand_key } of removed) await changes.webhooks(tx, brand_key)
    })
  }
  return removeLeftEvents(deps)
}

/** An event may also have been fanned out to a listener that was gone by the time the event was stored. */
const removeLeftEvents = ({ engine }: Pick<Deps, 'engine'>): Promise<boolean> =>
  inBatches(async () => {
    const left = await engine.db
      .selectFrom('listener_events')
      .select('key')
      .where('listener_key', 'not in', (from) => from.selectFrom('listeners').select('listeners.key'))
      .orderBy('key')
      .limit(REMOVED_AT_ONCE)
      .execute()
    const keys = left.map(({ key }) => key)
    if (keys.length === 0) return false
    await transaction(engine, (tx) => tx.deleteFrom('listener_events').where('key', 'in', keys).execute())
    return keys.length === REMOVED_AT_ONCE
  })
