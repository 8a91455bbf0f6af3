import { sql } from 'kysely'
import { newOrderedUuid } from '../base/ids.ts'
import type { Db } from '../db/store.ts'
import { type EventType, eventsOf } from './event-catalogue.ts'
import { payloadOf } from './payload.ts'
import { packVoted, unpackVoted, type VotedTogether } from './voted.ts'

interface Subscriber {
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

interface Occurrence {
  readonly brandKey: number
  readonly type: Exclude<EventType, 'poll.voted'>
  readonly at: number
  readonly data: object
}

/** An event as a row of the outbox. */
export const outboxRow = ({ brandKey, type, at, data }: Occurrence, now: number) => ({
  id: newOrderedUuid(now),
  brand_key: brandKey,
  type,
  payload: payloadOf({ type, at, data }),
  created_at: now,
})

export const votedRow = (brandKey: number, voted: VotedTogether) => ({
  id: newOrderedUuid(voted.at),
  brand_key: brandKey,
  type: 'poll.voted' as const,
  payload: packVoted(voted),
  created_at: voted.at,
})

interface Waiting {
  readonly id: string
  readonly type: string
  readonly payload: string
}

/** The events of a row. Their ids are the same each time the row is read. */
export const eventsOfRow = ({ id, type, payload }: Waiting): { id: string; payload: string }[] =>
  type === 'poll.voted'
    ? unpackVoted(payload).map((each, at) => ({ id: numberedId(id, at), payload: each }))
    : [{ id, payload }]

const NUMBER_DIGITS = 8

const numberedId = (id: string, at: number): string =>
  id.slice(0, -NUMBER_DIGITS) + at.toString(16).padStart(NUMBER_DIGITS, '0')
