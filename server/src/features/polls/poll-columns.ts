import { iso, isoOrNull } from '../../base/clock.ts'
import { invalidField } from '../../base/errors.ts'
import { kept } from '../../base/fields.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../db/store.ts'
import type { PublicPoll, UpdatePoll } from '../../events/resources/poll.ts'
import { type PollLabels, type PollRow, titleSort } from './queries.ts'

interface Labels {
  readonly tags: readonly string[] | undefined
  readonly categoryKeys: readonly number[] | undefined
}

/** Replaces whole arrays; absent fields stay. */
export async function writeLabels(tx: Tx, pollKey: number, { tags, categoryKeys }: Labels): Promise<void> {
  if (tags) {
    await tx.deleteFrom('poll_tags').where('poll_key', '=', pollKey).execute()
    const rows = tags.map((tag, place) => ({ poll_key: pollKey, tag, place }))
    if (rows.length > 0) await tx.insertInto('poll_tags').values(rows).execute()
  }
  if (categoryKeys) {
    await tx.deleteFrom('poll_categories').where('poll_key', '=', pollKey).execute()
    const rows = categoryKeys.map((category_key, place) => ({ poll_key: pollKey, category_key, place }))
    if (rows.length > 0) await tx.insertInto('poll_categories').values(rows).execute()
  }
}

/** Checked before anything is written: an unknown category is invalid input. */
export async function categoryKeys(tx: Tx, ids: readonly string[] | undefined): Promise<number[] | undefined> {
  if (ids === undefined || ids.length === 0) return ids && []
  const rows = await tx.selectFrom('categories').select(['key', 'id']).where('id', 'in', ids).execute()
  return ids.map((id, i) => {
    const row = rows.find((candidate) => candidate.id === id)
    if (!row)
      throw invalidField(`categoryIds.${i}`, 'unknown_category', 'Must be the id of a category of GET /categories.')
    return row.key
  })
}

/** The columns of a poll with default values. The title and labels are required in a new poll, so none is stored empty. */
export const NEW_POLL = {
  title: '',
  label_a: '',
  label_b: '',
  alt_a: null,
  alt_b: null,
  is_draft: 0,
  is_private: 0,
  results_visibility: 'always',
  challenge: 'off',
  opens_at: null,
  closes_at: null,
  archived_at: null,
} satisfies Partial<PollRow>

type Columns = Pick<PollRow, keyof typeof NEW_POLL>

/** Fields of a body that others write: pictures and labels. */
type WrittenElsewhere = 'images' | 'tags' | 'categoryIds'

/** Maps a body's fields to columns. An absent field leaves its column unchanged; one that is forgotten here does not compile. */
export function columnsOf(given: UpdatePoll, current: Columns, now: number): Columns & Pick<PollRow, 'title_sort'> {
  const { optionA, optionB, isDraft, isPrivate, resultsVisibility, challenge, opensAt, closesAt, archived, ...others } =
    given
  const { title: newTitle, ...forgotten } = others
  forgotten satisfies { [Field in Exclude<keyof typeof forgotten, WrittenElsewhere>]: never }
  const title = kept(newTitle, current.title)
  const archivedAt = archived ? (current.archived_at ?? now) : null
  return {
    title,
    title_sort: titleSort(title),
    label_a: kept(optionA?.label, current.label_a),
    label_b: kept(optionB?.label, current.label_b),
    alt_a: kept(optionA?.imageAlt, current.alt_a),
    alt_b: kept(optionB?.imageAlt, current.alt_b),
    is_draft: kept(isDraft, current.is_draft === 1) ? 1 : 0,
    is_private: kept(isPrivate, current.is_private === 1) ? 1 : 0,
    results_visibility: kept(resultsVisibility, current.results_visibility),
    challenge: kept(challenge, current.challenge),
    opens_at: kept(opensAt, current.opens_at),
    closes_at: kept(closesAt, current.closes_at),
    archived_at: archived === undefined ? current.archived_at : archivedAt,
  }
}

/** The fields of a single poll beyond those of a list item, in the order of its schema. */
export const fieldsOf = (row: PollRow, labels: PollLabels, { publicUrl }: Pick<Config, 'publicUrl'>) => ({
  isDraft: row.is_draft === 1,
  isPrivate: row.is_private === 1,
  updatedAt: iso(row.updated_at),
  tags: labels.tags,
  categories: labels.categories,
  shortId: row.short_id,
  opensAt: isoOrNull(row.opens_at),
  closesAt: isoOrNull(row.closes_at),
  resultsVisibility: row.results_visibility as PublicPoll['resultsVisibility'],
  challenge: row.challenge as PublicPoll['challenge'],
  shareUrl: `${publicUrl}/p/${row.short_id}`,
  revisedAt: isoOrNull(row.revised_at),
})
