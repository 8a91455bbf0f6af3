import { sql } from 'kysely'
import type { Db } from '../db/store.ts'
import { type EventType, eventsOf } from './event-catalogue.ts'

export interface Subscriber {
  readonly kind: 'webhook' | 'listener'
  readonly key: number
  readonly brandKey: number
  readonly wanted: ReadonlySet<EventType>
}

/** Every subscriber to events of these brands: active webhooks, and listeners of the command line. */
export async function subscribersOf(db: Db, brandKeys: readonly number[], now: number): Promise<Subscriber[]> {
  const rows = await db
    .selectFrom('webhooks')
    .select([sql<Subscriber['kind']>`'webhook'`.as('kind'), 'key', 'brand_key', 'events'])
    .where('brand_key', 'in', brandKeys)
    .where('status', '=', 'ACTIVE')
    .unionAll((union) =>
      union
        .selectFrom('listeners')
        .select([sql<Subscriber['kind']>`'listener'`.as('kind'), 'key', 'brand_key', 'events'])
        .where('brand_key', 'in', brandKeys)
        .where('listening_until', '>', now),
    )
    .orderBy('kind')
    .orderBy('key')
    .execute()
  return rows.map(({ kind, key, brand_key, events }) => ({
    kind,
    key,
    brandKey: brand_key,
    wanted: new Set(eventsOf(events)),
  }))
}
