import { iso, laterThan } from '../../base/clock.ts'
import { invalidInput, notFound, pollHasVotes } from '../../base/errors.ts'
import type { Tx } from '../../db/store.ts'
import type { Deps } from '../../deps.ts'
import type { Precondition } from '../../http/precondition.ts'
import type { UpdatePoll } from '../../resources/poll.ts'
import { EMPTY_WINDOW, isEmptyWindow } from '../../resources/window.ts'
import { changed, passed } from './events/announcement.ts'
import { emitAnnouncements, emitPoll } from './events/poll-events.ts'
import { categoryKeys, writeLabels } from './labels.ts'
import { pictureKeys } from './pictures/picture-keys.ts'
import { pollVersion } from './present-poll.ts'
import { findOwnedPoll, foldTitle, type PollRow } from './queries.ts'
import { popularityOf } from './results.ts'

interface Request {
  readonly brandKey: number
  readonly reference: string
  readonly patch: UpdatePoll
  readonly ifMatch?: Precondition | null
}

/** Holds the poll's lock, so that no vote comes between the read and the write. */
export async function updatePoll(
  deps: Deps,
  tx: Tx,
  { brandKey, reference, patch, ifMatch }: Request,
): Promise<PollRow> {
  const poll = await lockOwnedPoll(deps, tx, { brandKey, reference })
  ifMatch?.(pollVersion({ updatedAt: iso(poll.updated_at) }))
  const hasVotes = poll.option_a + poll.option_b > 0
  const now = deps.clock.now()
  const next = {
    ...textsOf(poll, patch),
    ...settingsOf(poll, patch, now),
    ...(await picturesOf(deps, tx, { poll, patch })),
  }
  if (isEmptyWindow({ opensAt: next.opens_at, closesAt: next.closes_at })) throw invalidInput([EMPTY_WINDOW])
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
  return row
}

export async function lockOwnedPoll(
  { engine }: Pick<Deps, 'engine'>,
  tx: Tx,
  { brandKey, reference }: { brandKey: number; reference: string },
): Promise<PollRow> {
  const { key } = rowOf(await findOwnedPoll(tx, brandKey, reference))
  await engine.lockPollsWithVotes(tx, [key])
  return rowOf(await findOwnedPoll(tx, brandKey, reference))
}

function rowOf(row: PollRow | undefined): PollRow {
  if (!row) throw notFound()
  return row
}

const kept = <T>(wanted: T | undefined, current: T): T => (wanted === undefined ? current : wanted)

function textsOf(poll: PollRow, patch: UpdatePoll) {
  const title = kept(patch.title, poll.title)
  return {
    title,
    title_folded: foldTitle(title),
    label_a: kept(patch.optionA?.label, poll.label_a),
    label_b: kept(patch.optionB?.label, poll.label_b),
    alt_a: kept(patch.optionA?.imageAlt, poll.alt_a),
    alt_b: kept(patch.optionB?.imageAlt, poll.alt_b),
  }
}

const flag = (value: boolean): 0 | 1 => (value ? 1 : 0)

function settingsOf(poll: PollRow, patch: UpdatePoll, now: number) {
  const archivedAt = patch.archived ? (poll.archived_at ?? now) : null
  return {
    is_draft: patch.isDraft === undefined ? poll.is_draft : flag(patch.isDraft),
    is_private: patch.isPrivate === undefined ? poll.is_private : flag(patch.isPrivate),
    results_visibility: kept(patch.resultsVisibility, poll.results_visibility),
    opens_at: kept(patch.opensAt, poll.opens_at),
    closes_at: kept(patch.closesAt, poll.closes_at),
    archived_at: patch.archived === undefined ? poll.archived_at : archivedAt,
  }
}

function picturesOf(deps: Deps, tx: Tx, { poll, patch }: { poll: PollRow; patch: UpdatePoll }) {
  const given = {
    optionA: { url: patch.optionA?.imageUrl, current: poll.image_a },
    optionB: { url: patch.optionB?.imageUrl, current: poll.image_b },
    combined: { url: patch.images?.combined, current: poll.image_combined },
    composed: poll.image_composed,
  }
  return pictureKeys(deps, tx, { brandKey: poll.brand_key, given })
}
