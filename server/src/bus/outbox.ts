import { newOrderedUuid } from '../base/ids.ts'
import type { EventType } from './events.ts'
import { payloadOf } from './payload.ts'

interface Occurrence {
  readonly brandKey: number
  readonly type: EventType
  readonly at: number
  readonly data: object
}

/** An event as it waits to be spread. */
export const outboxRow = ({ brandKey, type, at, data }: Occurrence, now: number) => ({
  id: newOrderedUuid(now),
  brand_key: brandKey,
  type,
  payload: payloadOf({ type, at, data }),
  created_at: now,
})
