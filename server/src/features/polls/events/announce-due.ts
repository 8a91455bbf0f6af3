import { inBatches } from '../../../base/in-batches.ts'
import { transaction } from '../../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { pollRows, withTallies } from '../queries.ts'
import { passed } from './announcement.ts'
import { emitAnnouncements } from './poll-events.ts'

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
