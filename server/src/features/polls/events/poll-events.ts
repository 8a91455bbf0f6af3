// features/polls/events: announces created, changed, opened, closed and deleted polls to the outbox.

import type { Tx } from '../../../db/store.ts'
import type { EventsWith } from '../../../events/event-catalogue.ts'
import type { OwnedPoll } from '../../../events/resources/poll.ts'
import type { WriteDeps } from '../../deps.ts'
import { presentOwnedPoll } from '../present-poll.ts'
import { labelsOf, type PollRow } from '../queries.ts'
import type { Announcement } from './announcement.ts'

type PollEvent = EventsWith<{ poll: OwnedPoll }>

/** The poll at that moment, in the owner's form. */
export const emitPoll = (
  deps: WriteDeps,
  tx: Tx,
  { type, row, at }: { type: PollEvent; row: PollRow; at: number },
): Promise<void> =>
  deps.bus.emit(tx, {
    brandKey: row.brand_key,
    type,
    at,
    async data() {
      const labels = await labelsOf(tx, [row.key])
      return { poll: presentOwnedPoll(row, labels(row.key), { deps, now: at }) }
    },
  })

export async function emitAnnouncements(
  deps: WriteDeps,
  tx: Tx,
  { row, announcements }: { row: PollRow; announcements: readonly Announcement[] },
): Promise<void> {
  for (const { type, at } of announcements) await emitPoll(deps, tx, { type, row, at })
}
