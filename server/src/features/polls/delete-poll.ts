import { iso } from '../../base/clock.ts'
import type { Tx } from '../../db/store.ts'
import type { Precondition } from '../../http/precondition.ts'
import type { Deps } from '../deps.ts'
import { emitAnnouncements, passed } from './poll-events.ts'
import { pollVersion } from './present-poll.ts'
import { lockOwnedPoll, type PollRow } from './queries.ts'

const PARTS = ['poll_tags', 'poll_categories', 'poll_revisions', 'results_links', 'poll_logs', 'poll_log_keys'] as const

/** Leaves tombstones without content. Call it under the locks of the polls; the worker removes the votes in batches. */
export async function buryPolls(
  { changes }: Pick<Deps, 'changes'>,
  tx: Tx,
  { keys, brandKey, now }: { keys: readonly number[]; brandKey: number; now: number },
): Promise<void> {
  for (const table of PARTS) await tx.deleteFrom(table).where('poll_key', 'in', keys).execute()
  await tx
    .updateTable('polls')
    .set({
      title: '',
      title_folded: '',
      title_sort: '',
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
    .where('key', 'in', keys)
    .execute()
  for (const key of keys) await changes.poll(tx, key, brandKey)
}

/** Returns the poll as it was. */
export async function deletePoll(
  deps: Deps,
  tx: Tx,
  { brandKey, reference, ifMatch }: { brandKey: number; reference: string; ifMatch?: Precondition | null },
): Promise<PollRow> {
  const row = await lockOwnedPoll(deps, tx, { brandKey, reference })
  ifMatch?.(pollVersion({ updatedAt: iso(row.updated_at) }))
  const { key, id, slug } = row
  const now = deps.clock.now()
  const { announcements } = passed(row, now)
  await emitAnnouncements(deps, tx, { row, announcements })
  await buryPolls(deps, tx, { keys: [key], brandKey, now })
  await deps.bus.emit(tx, { brandKey, type: 'poll.deleted', at: now, data: () => ({ poll: { id, slug } }) })
  return row
}
