import { iso, laterThan } from '../../base/clock.ts'
import { invalidInput, pollHasVotes } from '../../base/errors.ts'
import type { Tx } from '../../db/store.ts'
import { isSameLabel, SAME_LABEL, type UpdatePoll } from '../../events/resources/poll.ts'
import { EMPTY_WINDOW, isEmptyWindow } from '../../events/resources/window.ts'
import type { Precondition } from '../../http/precondition.ts'
import type { Deps } from '../deps.ts'
import { pictureKeys } from './picture-keys.ts'
import { categoryKeys, columnsOf, writeLabels } from './poll-columns.ts'
import { changed, emitAnnouncements, emitPoll, passed } from './poll-events.ts'
import { pollVersion } from './present-poll.ts'
import { findOwnedPoll, labelsOf, lockOwnedPoll, type PollLabels, type PollRow, rowOf } from './queries.ts'
import { searchText } from './search-text.ts'
import { popularityOf } from './status.ts'

interface Request {
  readonly brandKey: number
  readonly reference: string
  readonly patch: UpdatePoll
  readonly ifMatch?: Precondition | null
}

interface Updated {
  readonly row: PollRow
  /** False if the patch changes nothing: then nothing is written. */
  readonly isChanged: boolean
}

/** Holds the poll's lock, so that no vote comes between the read and the write. */
export async function updatePoll(
  deps: Deps,
  tx: Tx,
  { brandKey, reference, patch, ifMatch }: Request,
): Promise<Updated> {
  const poll = await lockOwnedPoll(deps, tx, { brandKey, reference })
  ifMatch?.(pollVersion({ updatedAt: iso(poll.updated_at) }))
  const hasVotes = poll.option_a + poll.option_b > 0
  const now = deps.clock.now()
  const earlier = (await labelsOf(tx, [poll.key]))(poll.key)
  const next = {
    ...columnsOf(patch, poll, now),
    ...(await pictureKeys(deps, tx, { brandKey, poll: patch, current: poll })),
  }
  if (isEmptyWindow({ opensAt: next.opens_at, closesAt: next.closes_at })) throw invalidInput([EMPTY_WINDOW])
  // An earlier version accepted such labels: a poll that has them can still be closed.
  const areRelabelled = next.label_a !== poll.label_a || next.label_b !== poll.label_b
  if (areRelabelled && isSameLabel(next.label_a, next.label_b)) throw invalidInput([SAME_LABEL])
  if (isSame(poll, next) && hasLabels(earlier, patch)) return { row: poll, isChanged: false }
  const before = passed(poll, now)
  const after = changed({ ...next, announced_status: before.told.announced_status }, now)
  const labels = { tags: patch.tags, categoryKeys: await categoryKeys(tx, patch.categoryIds) }
  if (next.is_draft === 1 && hasVotes) throw pollHasVotes()
  const isRevised =
    hasVotes && (next.title !== poll.title || next.label_a !== poll.label_a || next.label_b !== poll.label_b)
  await tx
    .updateTable('polls')
    .set({
      ...next,
      ...after.told,
      title_folded: searchText(next, patch.tags ?? earlier.tags),
      popularity: popularityOf({ ...poll, ...next }, now),
      revised_at: isRevised ? now : poll.revised_at,
      updated_at: laterThan(poll.updated_at, now),
    })
    .where('key', '=', poll.key)
    .execute()
  await emitAnnouncements(deps, tx, { row: poll, announcements: before.announcements })
  await writeLabels(tx, poll.key, labels)
  const row = rowOf(await findOwnedPoll(tx, brandKey, reference))
  await deps.changes.poll(tx, row.key, brandKey)
  await emitPoll(deps, tx, { type: 'poll.updated', row, at: now })
  await emitAnnouncements(deps, tx, { row, announcements: after.announcements })
  return { row, isChanged: true }
}

const isSame = (poll: PollRow, next: Partial<PollRow>): boolean => Bun.deepEquals({ ...poll, ...next }, poll)

function hasLabels({ tags, categories }: PollLabels, patch: UpdatePoll): boolean {
  const ids = categories.map(({ id }) => id)
  return Bun.deepEquals([patch.tags ?? tags, patch.categoryIds ?? ids], [tags, ids])
}
