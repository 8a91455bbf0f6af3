import { SECOND } from '../../base/clock.ts'
import { newUuid } from '../../base/ids.ts'
import { type EventType, storedEvents } from '../../bus/events.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { removeSomeDeliveries } from './remove-deliveries.ts'

const HEARD_FOR = 30 * SECOND
const MOST_AT_ONCE = 100

interface Heard {
  readonly id: string
  /** Type, timestamp and data, as a receiver would get it. */
  readonly payload: string
}

export interface Listener {
  /** What has come since, the oldest first; nothing is given twice. Also says that somebody still listens. */
  take(): Promise<Heard[]>
  close(): Promise<void>
}

/**
 * Takes part in the spreading of events as a webhook does, and fetches what it gets instead of being called. It is in
 * no list, and gone by itself when it has not been heard of for a while.
 */
export async function openListener(
  { engine, clock }: Pick<Deps, 'engine' | 'clock'>,
  { brandKey, events }: { brandKey: number; events: readonly EventType[] },
): Promise<Listener> {
  const now = clock.now()
  const { key } = await transaction(engine, (tx) =>
    tx
      .insertInto('webhooks')
      .values({
        id: newUuid(),
        brand_key: brandKey,
        url: '',
        events: storedEvents(events),
        status: 'ACTIVE',
        secret: new Uint8Array(),
        created_at: now,
        updated_at: now,
        listening_until: now + HEARD_FOR,
      })
      .returning('key')
      .executeTakeFirstOrThrow(),
  )
  let heardUntil = now + HEARD_FOR

  /** Only now and then: each write makes a server beside us read anew what it keeps in memory. */
  async function stayHeard(): Promise<void> {
    if (heardUntil - clock.now() > HEARD_FOR / 2) return
    heardUntil = clock.now() + HEARD_FOR
    await transaction(engine, (tx) =>
      tx.updateTable('webhooks').set({ listening_until: heardUntil }).where('key', '=', key).execute(),
    )
  }

  return {
    async take() {
      await stayHeard()
      const rows = await engine.db
        .selectFrom('webhook_deliveries')
        .select(['key', 'event_id as id', 'payload'])
        .where('webhook_key', '=', key)
        .orderBy('key')
        .limit(MOST_AT_ONCE)
        .execute()
      const keys = rows.map((row) => row.key)
      if (keys.length > 0) {
        await transaction(engine, (tx) => tx.deleteFrom('webhook_deliveries').where('key', 'in', keys).execute())
      }
      return rows.map(({ id, payload }) => ({ id, payload }))
    },

    async close() {
      await transaction(engine, (tx) => tx.deleteFrom('webhooks').where('key', '=', key).execute())
      while (await transaction(engine, (tx) => removeSomeDeliveries(tx, key)));
    },
  }
}
