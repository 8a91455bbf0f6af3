// features/polls/events: announces created, changed, opened, closed and deleted polls to the outbox.
import { inBatches } from '../../../base/work/jobs.ts'
import type { Tx } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import type { EventsWith } from '../../../events/event-catalogue.ts'
import type { OwnedPoll } from '../../../events/resources/poll.ts'
import type { Deps, WriteDeps } from '../../deps.ts'
import { presentOwnedPoll } from '../present-poll.ts'
import { labelsOf, type PollRow, pollRows, withTallies } from '../queries.ts'
import { type Announcement, passed } from './announcement.ts'

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

const BATCH = 20

/** Raises the events of polls that the clock has opened or closed. */
export const announceDue = (deps: Deps, now: number): Promise<boolean> => inBatches(() => announceSome(deps, now))

async function announceSome(deps: Deps, now: number): Promise<boolean> {
  const { engine } = deps
  const due = await engine.db
    .selectFrom('polls')
    .select('key')
    .where('announce_at', '<=', now)
    .orderBy('announce_at')
    .limit(BATCH)
    .execute()
  const keys = due.map(({ key }) => key)
  if (keys.length === 0) return false
  await transaction(engine, async (tx) => {
    await engine.lockPollsWithVotes(tx, keys)
    // Read again under the lock: another server may have raised them, or the owner changed the poll.
    const polls = pollRows(tx).where('polls.key', 'in', keys).where('polls.announce_at', '<=', now)
    const rows = await withTallies(tx, polls).execute()
    for (const row of rows) {
      const { announcements, told } = passed(row, now)
      await tx.updateTable('polls').set(told).where('key', '=', row.key).execute()
      await emitAnnouncements(deps, tx, { row, announcements })
    }
  })
  return keys.length === BATCH
}
