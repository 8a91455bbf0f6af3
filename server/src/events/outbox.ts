import { sql } from 'kysely'
import { iso } from '../base/clock.ts'
import { newOrderedUuid } from '../base/ids.ts'
import type { Db } from '../db/store.ts'
import type { OptionName } from '../db/tables.ts'
import { type EventData, type EventType, eventsOf } from './event-catalogue.ts'

/** "Under 20 kB", under either definition of a kilobyte. */
const FEWER_BYTES_THAN = 20_000

type Members = Record<string, unknown>

/**
 * The body that is delivered and signed. If it would be too large, its largest members are omitted and listed in `data.omitted`.
 */
export function payloadOf({ type, at, data }: { type: EventType; at: number; data: object }): string {
  const omitted: string[] = []
  let kept = data as Members
  for (;;) {
    const said = omitted.length === 0 ? kept : { ...kept, omitted }
    const payload = JSON.stringify({ type, timestamp: iso(at), data: said })
    if (Buffer.byteLength(payload) < FEWER_BYTES_THAN) return payload
    const [resource, member] = largestMember(kept)
    const { [member]: _, ...rest } = kept[resource] as Members
    kept = { ...kept, [resource]: rest }
    omitted.push(`${resource}.${member}`)
  }
}

function largestMember(data: Members): [resource: string, member: string] {
  const members = Object.entries(data).flatMap(([resource, value]) =>
    isObject(value)
      ? Object.entries(value).map(([name, inner]) => ({ resource, name, size: JSON.stringify(inner)?.length ?? 0 }))
      : [],
  )
  const [first, ...others] = members
  if (!first) throw new Error('the payload of an event is too large even without its largest members')
  const { resource, name } = others.reduce((largest, each) => (each.size > largest.size ? each : largest), first)
  return [resource, name]
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Votes on one poll that were counted together. Votes come in thousands, so they share one row of the outbox, which stores
 * their common fields once. Fan-out turns them into separate events.
 */
export interface VotedTogether {
  readonly poll: EventData['poll.voted']['poll']
  readonly at: number
  /** The counts before the first of these votes. */
  readonly optionA: number
  readonly optionB: number
  readonly votes: (readonly [OptionName, respondentId: string])[]
}

function unpackVoted(packed: string): string[] {
  const { poll, at, votes, ...counted } = JSON.parse(packed) as VotedTogether
  let { optionA, optionB } = counted
  const votedAt = iso(at)
  return votes.map(([option, respondentId]) => {
    if (option === 'A') optionA++
    else optionB++
    const tallies = { optionA, optionB, total: optionA + optionB }
    const data: EventData['poll.voted'] = { poll, option, votedAt, respondentId, tallies }
    return payloadOf({ type: 'poll.voted', at, data })
  })
}

interface Subscriber {
  readonly kind: 'webhook' | 'listener' | 'members'
  /** The key of a webhook or listener, or of the brand whose members get mails. */
  readonly key: number
  readonly brandKey: number
  readonly wanted: ReadonlySet<EventType>
}

/** Every subscriber to events of these brands: active webhooks, listeners of the command line, and members who get mails. */
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
    .unionAll((union) =>
      union
        .selectFrom('members')
        .select([sql<Subscriber['kind']>`'members'`.as('kind'), 'brand_key as key', 'brand_key'])
        .select(sql<string>`'poll.closed'`.as('events'))
        .where('brand_key', 'in', brandKeys)
        .where('is_mailed_closed', '=', 1)
        .groupBy('brand_key'),
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

/** An event as a row of the outbox. */
export const outboxRow = (
  { brandKey, type, at, data }: { brandKey: number; type: Exclude<EventType, 'poll.voted'>; at: number; data: object },
  now: number,
) => ({
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
  payload: JSON.stringify(voted),
  created_at: voted.at,
})

/** The events of a row. Their ids are the same each time the row is read. */
export function eventsOfRow({ id, type, payload }: { id: string; type: string; payload: string }) {
  if (type !== 'poll.voted') return [{ id, payload }]
  return unpackVoted(payload).map((each, at) => ({ id: numberedId(id, at), payload: each }))
}

const NUMBER_DIGITS = 8

const numberedId = (id: string, at: number): string =>
  id.slice(0, -NUMBER_DIGITS) + at.toString(16).padStart(NUMBER_DIGITS, '0')
