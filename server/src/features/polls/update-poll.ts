import { iso, laterThan } from '../../base/clock.ts'
import { AppError, invalidInput, orNotFound } from '../../base/errors.ts'
import type { Tx } from '../../db/store.ts'
import { isSameLabel, SAME_LABEL, type UpdatePoll } from '../../events/resources/poll.ts'
import { EMPTY_WINDOW, isEmptyWindow } from '../../events/resources/window.ts'
import type { Precondition } from '../../http/precondition.ts'
import { listKeyOf } from '../codes/lists.ts'
import { holdCampaignsOf, requireOneListAround } from '../codes/one-list.ts'
import type { Deps } from '../deps.ts'
import { pictureKeys } from './make-pictures.ts'
import { categoryKeys, columnsOf, PLACEMENT, writeLabels } from './poll-columns.ts'
import { changed, emitAnnouncements, emitPoll, passed } from './poll-events.ts'
import { pollVersion } from './present-poll.ts'
import { findOwnedPoll, labelsOf, lockOwnedPoll, type PollLabels, type PollRow } from './queries.ts'
import { searchText } from './search-text.ts'
import { keepRevision } from './snapshots/revisions.ts'
import { popularityOf } from './status.ts'

/** Holds the poll's lock, so that no vote comes between the read and the write. */
export async function updatePoll(
  deps: Deps,
  tx: Tx,
  {
    brandKey,
    reference,
    patch,
    ifMatch,
  }: { brandKey: number; reference: string; patch: UpdatePoll; ifMatch?: Precondition | null },
): Promise<{
  readonly row: PollRow
  /** False if the patch changes nothing: then nothing is written. */
  readonly isChanged: boolean
  /** The poll was a draft before. */
  readonly isPublished: boolean
}> {
  const mayMix = mayMixLists(patch)
  if (mayMix) await holdCampaignsOf(deps.engine, tx, orNotFound(await findOwnedPoll(tx, brandKey, reference)).key)
  const poll = await lockOwnedPoll(deps, tx, { brandKey, reference })
  ifMatch?.(pollVersion({ updatedAt: iso(poll.updated_at) }))
  const hasVotes = poll.option_a + poll.option_b > 0
  const now = deps.clock.now()
  const earlier = (await labelsOf(tx, [poll.key]))(poll.key)
  const columns = columnsOf(patch, poll, now)
  const isPlacedAnew = PLACEMENT.some((name) => columns[name] !== poll[name])
  const next = {
    ...columns,
    ...(await pictureKeys(deps, tx, { brandKey, poll: patch, current: poll, isPlacedAnew })),
    code_list_key: await nextListKey(tx, { brandKey, poll, codeListId: patch.codeListId }),
  }
  if (isEmptyWindow({ opensAt: next.opens_at, closesAt: next.closes_at })) throw invalidInput([EMPTY_WINDOW])
  // An earlier version accepted such labels: a poll that has them can still be closed.
  const areRelabelled = next.label_a !== poll.label_a || next.label_b !== poll.label_b
  if (areRelabelled && isSameLabel(next.label_a, next.label_b)) throw invalidInput([SAME_LABEL])
  if (isSame(poll, next) && hasLabels(earlier, patch)) return { row: poll, isChanged: false, isPublished: false }
  const before = passed(poll, now)
  const after = changed({ ...next, announced_status: before.told.announced_status }, now)
  const labels = { tags: patch.tags, categoryKeys: await categoryKeys(tx, patch.categoryIds) }
  if (hasVotes) refuseFixed(poll, next)
  const isRevised =
    hasVotes && (next.title !== poll.title || next.label_a !== poll.label_a || next.label_b !== poll.label_b)
  const updatedAt = laterThan(poll.updated_at, now)
  if (isRevised) await keepRevision(tx, poll, updatedAt)
  await tx
    .updateTable('polls')
    .set({
      ...next,
      ...after.told,
      title_folded: searchText(next, patch.tags ?? earlier.tags),
      popularity: popularityOf({ ...poll, ...next }, now),
      revised_at: isRevised ? updatedAt : poll.revised_at,
      updated_at: updatedAt,
    })
    .where('key', '=', poll.key)
    .execute()
  if (mayMix) await requireOneListAround(tx, poll.key)
  await emitAnnouncements(deps, tx, { row: poll, announcements: before.announcements })
  await writeLabels(tx, poll.key, labels)
  const row = orNotFound(await findOwnedPoll(tx, brandKey, reference))
  await deps.changes.poll(tx, row.key, brandKey)
  await emitPoll(deps, tx, { type: 'poll.updated', row, at: now })
  await emitAnnouncements(deps, tx, { row, announcements: after.announcements })
  return { row, isChanged: true, isPublished: poll.is_draft === 1 && row.is_draft === 0 }
}

/** A poll with votes stays published, and keeps its list: devices and codes would vote on one poll. */
function refuseFixed(poll: PollRow, next: Pick<PollRow, 'is_draft' | 'code_list_key'>): void {
  if (next.is_draft === 1 || next.code_list_key !== poll.code_list_key) throw new AppError('POLST_HAS_VOTES')
}

/** The poll may come among published ones of a campaign, or change its list there. */
const mayMixLists = ({ codeListId, isDraft, archived }: UpdatePoll): boolean =>
  codeListId !== undefined || isDraft === false || archived === false

/** A list that stays is not locked: votes hold it for a moment. */
async function nextListKey(
  tx: Tx,
  { brandKey, poll, codeListId }: { brandKey: number; poll: PollRow; codeListId: string | null | undefined },
): Promise<number | null> {
  if (codeListId === undefined || codeListId?.toLowerCase() === poll.code_list_id) return poll.code_list_key
  return listKeyOf(tx, { brandKey, codeListId })
}

const isSame = (poll: PollRow, next: Partial<PollRow>): boolean => Bun.deepEquals({ ...poll, ...next }, poll)

function hasLabels({ tags, categories }: PollLabels, patch: UpdatePoll): boolean {
  const ids = categories.map(({ id }) => id)
  return Bun.deepEquals([patch.tags ?? tags, patch.categoryIds ?? ids], [tags, ids])
}
