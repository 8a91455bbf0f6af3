import { slugTaken } from '../../base/errors.ts'
import { newShortId, newUuid, slugFromTitle } from '../../base/ids.ts'
import type { Tx } from '../../db/store.ts'
import type { NewPollRow } from '../../db/tables.ts'
import type { Deps } from '../../deps.ts'
import type { CreatePoll } from '../../resources/poll.ts'
import { changed } from './events/announcement.ts'
import { emitAnnouncements, emitPoll } from './events/poll-events.ts'
import { categoryKeys, writeLabels } from './labels.ts'
import { pictureKeys } from './pictures/picture-keys.ts'
import { foldTitle, type PollRow, pollRows } from './queries.ts'

export async function createPoll(
  deps: Deps,
  tx: Tx,
  { brandKey, poll }: { brandKey: number; poll: CreatePoll },
): Promise<PollRow> {
  const now = deps.clock.now()
  const given = {
    optionA: { url: poll.optionA.imageUrl, current: null },
    optionB: { url: poll.optionB.imageUrl, current: null },
    combined: { url: null, current: null },
    composed: null,
  }
  const row = {
    brand_key: brandKey,
    title: poll.title,
    title_folded: foldTitle(poll.title),
    label_a: poll.optionA.label,
    label_b: poll.optionB.label,
    ...(await pictureKeys(deps, tx, { brandKey, given })),
    alt_a: poll.optionA.imageAlt ?? null,
    alt_b: poll.optionB.imageAlt ?? null,
    is_draft: poll.isDraft ? 1 : 0,
    is_private: poll.isPrivate ? 1 : 0,
    results_visibility: poll.resultsVisibility ?? 'always',
    opens_at: poll.opensAt ?? null,
    closes_at: poll.closesAt ?? null,
    created_at: now,
    updated_at: now,
    revised_at: null,
    archived_at: null,
    deleted_at: null,
  } as const
  const { announcements, told } = changed({ ...row, announced_status: null }, now)
  const labels = { tags: poll.tags, categoryKeys: await categoryKeys(tx, poll.categoryIds) }
  const key = await insertUnderFreeSlug(tx, { ...row, ...told }, poll.slug)
  await tx
    .insertInto('tallies')
    .values({ poll_key: key, option_a: 0, option_b: 0, version: 0, updated_at: now })
    .execute()
  await writeLabels(tx, key, labels)
  const made = await pollRows(tx).where('polls.key', '=', key).executeTakeFirstOrThrow()
  await deps.changes.poll(tx, key, brandKey)
  await emitPoll(deps, tx, { type: 'poll.created', row: made, at: now })
  await emitAnnouncements(deps, tx, { row: made, announcements })
  return made
}

async function insertUnderFreeSlug(tx: Tx, row: Omit<NewPollRow, 'id' | 'short_id' | 'slug'>, wanted?: string) {
  for (;;) {
    const identifiers = { id: newUuid(), short_id: newShortId(), slug: wanted ?? slugFromTitle(row.title) }
    const inserted = await tx
      .insertInto('polls')
      .values({ ...row, ...identifiers })
      .onConflict((conflict) => conflict.doNothing())
      .returning('key')
      .executeTakeFirst()
    if (inserted) return inserted.key
    if (wanted !== undefined) throw slugTaken()
  }
}
