import { newOrderedUuid } from '../base/ids.ts'
import type { EventType } from './event-catalogue.ts'
import { payloadOf } from './payload.ts'
import { packVoted, unpackVoted, type VotedTogether } from './voted.ts'

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
