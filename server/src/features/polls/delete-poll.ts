import type { Tx } from '../../db/store.ts'
import type { Deps } from '../deps.ts'
import { buryPolls } from './bury-polls.ts'
import { passed } from './events/announcement.ts'
import { emitAnnouncements } from './events/poll-events.ts'
import { lockOwnedPoll } from './lock-poll.ts'
import type { PollRow } from './queries.ts'

/** Returns the poll as it was. */
export async function deletePoll(
  deps: Deps,
  tx: Tx,
  { brandKey, reference }: { brandKey: number; reference: string },
): Promise<PollRow> {
  const row = await lockOwnedPoll(deps, tx, { brandKey, reference })
  const { key, id, slug } = row
  const now = deps.clock.now()
  const { announcements } = passed(row, now)
  await emitAnnouncements(deps, tx, { row, announcements })
  await buryPolls(deps, tx, { keys: [key], brandKey, now })
  await deps.bus.emit(tx, { brandKey, type: 'poll.deleted', at: now, data: () => ({ poll: { id, slug } }) })
  return row
}
