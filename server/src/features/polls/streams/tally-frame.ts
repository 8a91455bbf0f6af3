import { etagOf } from '../../../http/answers/caching.ts'
import { presentPollTallies } from '../present-poll.ts'
import type { TallyRow } from '../queries.ts'
import { statusChangesAt } from '../status.ts'

/** A tallies event as bytes, shared by all listeners. */
export interface TallyFrame {
  /** A hash of the content alone, so that it reveals nothing else and is equal on every server. */
  readonly id: string
  readonly text: string
  readonly bytes: Uint8Array
  readonly madeAt: number
  /** When the clock changes its content. */
  readonly changesAt: number | null
}

export function tallyFrame(row: TallyRow, now: number): TallyFrame {
  const data = JSON.stringify(presentPollTallies(row, 'public', now))
  const id = etagOf(data).slice(1, -1)
  const text = `id: ${id}\nevent: tallies\ndata: ${data}\n\n`
  return { id, text, bytes: Buffer.from(text), madeAt: now, changesAt: statusChangesAt(row, now) }
}
