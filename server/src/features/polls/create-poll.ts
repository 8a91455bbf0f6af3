import { slugTaken } from '../../base/errors.ts'
import { newShortId, newUuid, slugFromTitle } from '../../base/ids.ts'
import type { Tx } from '../../db/store.ts'
import type { NewPollRow } from '../../db/tables.ts'
import type { Deps } from '../../deps.ts'
import { categoryKeys, writeLabels } from './labels.ts'
import { pictureKey } from './pictures.ts'
import { foldTitle } from './queries.ts'
import type { CreatePoll } from './schema.ts'

/** Returns the slug of the new poll. */
export async function createPoll(deps: Deps, tx: Tx, { brandKey, poll }: { brandKey: number; poll: CreatePoll }) {
  const now = deps.clock.now()
  const picture = (slot: 'optionA' | 'optionB') =>
    pictureKey(deps, tx, { brandKey, slot, path: `${slot}.imageUrl`, url: poll[slot].imageUrl, current: null })
  const row = {
    brand_key: brandKey,
    title: poll.title,
    title_folded: foldTitle(poll.title),
    label_a: poll.optionA.label,
    label_b: poll.optionB.label,
    image_a: await picture('optionA'),
    image_b: await picture('optionB'),
    image_combined: null,
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
  const labels = { tags: poll.tags, categoryKeys: await categoryKeys(tx, poll.categoryIds) }
  const { key, slug } = await insertUnderFreeSlug(tx, row, poll.slug)
  await tx
    .insertInto('tallies')
    .values({ poll_key: key, option_a: 0, option_b: 0, version: 0, updated_at: now })
    .execute()
  await writeLabels(tx, key, labels)
  return slug
}

async function insertUnderFreeSlug(tx: Tx, row: Omit<NewPollRow, 'id' | 'short_id' | 'slug'>, wanted?: string) {
  for (;;) {
    const identifiers = { id: newUuid(), short_id: newShortId(), slug: wanted ?? slugFromTitle(row.title) }
    const inserted = await tx
      .insertInto('polls')
      .values({ ...row, ...identifiers })
      .onConflict((conflict) => conflict.doNothing())
      .returning(['key', 'slug'])
      .executeTakeFirst()
    if (inserted) return inserted
    if (wanted !== undefined) throw slugTaken()
  }
}
