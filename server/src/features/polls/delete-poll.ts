import type { Tx } from '../../db/store.ts'
import type { Deps } from '../../deps.ts'
import { passed } from './events/announcement.ts'
import { emitAnnouncements } from './events/poll-events.ts'
import { lockOwnedPoll } from './update-poll.ts'

/** Leaves a tombstone without content; the worker removes the votes in batches. */
export async function deletePoll(
  deps: Deps,
  tx: Tx,
  { brandKey, reference }: { brandKey: number; reference: string },
): Promise<void> {
  const row = await lockOwnedPoll(deps, tx, { brandKey, reference })
  const { key, id, slug } = row
  const now = deps.clock.now()
  const { announcements } = passed(row, now)
  await emitAnnouncements(deps, tx, { row, announcements })
  await tx.deleteFrom('poll_tags').where('poll_key', '=', key).execute()
  await tx.deleteFrom('poll_categories').where('poll_key', '=', key).execute()
  await tx
    .updateTable('polls')
    .set({
      title: '',
      title_folded: '',
      label_a: '',
      label_b: '',
      alt_a: null,
      alt_b: null,
      image_a: null,
      image_b: null,
      image_combined: null,
      announced_status: null,
      announce_at: null,
      image_composed: null,
      deleted_at: now,
    })
    .where('key', '=', key)
    .execute()
  await deps.changes.poll(tx, key, brandKey)
  await deps.bus.emit(tx, { brandKey, type: 'poll.deleted', at: now, data: () => ({ poll: { id, slug } }) })
}
