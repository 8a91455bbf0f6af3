import { AppError } from '../../base/errors.ts'
import { newShortId, newUuid, similarSlug, slugFromTitle } from '../../base/ids.ts'
import type { Tx } from '../../db/store.ts'
import type { NewPollRow } from '../../db/tables.ts'
import type { CreatePoll } from '../../events/resources/poll.ts'
import { listKeyOf } from '../codes/lists.ts'
import type { WriteDeps } from '../deps.ts'
import { NO_PICTURES, pictureKeys } from './make-pictures.ts'
import { categoryKeys, columnsOf, NEW_POLL, writeLabels } from './poll-columns.ts'
import { changed, emitAnnouncements, emitPoll } from './poll-events.ts'
import { type PollRow, pollRows, withTallies } from './queries.ts'
import { searchText } from './search-text.ts'

export async function createPoll(
  deps: WriteDeps,
  tx: Tx,
  { brandKey, poll }: { brandKey: number; poll: CreatePoll },
): Promise<PollRow> {
  const now = deps.clock.now()
  const columns = columnsOf(poll, NEW_POLL, now)
  const row = {
    brand_key: brandKey,
    ...columns,
    title_folded: searchText(columns, poll.tags ?? []),
    // The files before the list, as an update locks them.
    ...(await pictureKeys(deps, tx, { brandKey, poll, current: NO_PICTURES })),
    code_list_key: await listKeyOf(tx, { brandKey, codeListId: poll.codeListId ?? null }),
    created_at: now,
    updated_at: now,
    revised_at: null,
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
  const made = await withTallies(tx, pollRows(tx).where('polls.key', '=', key)).executeTakeFirstOrThrow()
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
    if (wanted !== undefined) throw new AppError('SLUG_TAKEN', { details: { suggestion: await freeSlug(tx, wanted) } })
  }
}

async function freeSlug(tx: Tx, wanted: string): Promise<string> {
  for (;;) {
    const slug = similarSlug(wanted)
    const taken = await tx.selectFrom('polls').select('key').where('slug', '=', slug).executeTakeFirst()
    if (!taken) return slug
  }
}
