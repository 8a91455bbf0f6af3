import { etagOf } from '../../../http/caching.ts'
import { presentPollTallies } from '../present-poll.ts'
import type { TallyRow } from '../queries.ts'
import { statusChangesAt } from '../status.ts'

/** An event with the tallies of a poll, down to its bytes: the same ones for everybody. */
export interface TallyFrame {
  /** Of the content alone, so that it tells no more than that, and is the same on every server. */
  readonly id: string
  readonly text: string
  readonly bytes: Uint8Array
  readonly madeAt: number
  /** When the clock makes it say something else. */
  readonly changesAt: number | null
}

export function tallyFrame(row: TallyRow, now: number): TallyFrame {
  const data = JSON.stringify(presentPollTallies(row, 'public', now))
  const id = etagOf(data).slice(1, -1)
  const text = `id: ${id}\nevent: tallies\ndata: ${data}\n\n`
  return { id, text, bytes: Buffer.from(text), madeAt: now, changesAt: statusChangesAt(row, now) }
}

/** A clock that was set back makes it doubtful too. */
export const holdsAt = ({ madeAt, changesAt }: TallyFrame, now: number): boolean =>
  now >= madeAt && (changesAt === null || now < changesAt)
