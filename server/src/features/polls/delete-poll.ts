import type { Tx } from '../../db/store.ts'
import type { Deps } from '../../deps.ts'
import { lockOwnedPoll } from './update-poll.ts'

/** Returns the poll's key. Leaves a tombstone without content; the worker removes the votes a few at a time. */
export async function deletePoll(
  deps: Deps,
  tx: Tx,
  { brandKey, reference }: { brandKey: number; reference: string },
): Promise<number> {
  const { key } = await lockOwnedPoll(deps, tx, { brandKey, reference })
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
      deleted_at: deps.clock.now(),
    })
    .where('key', '=', key)
    .execute()
  return key
}
