import { iso, isoOrNull } from '../../base/clock.ts'
import { invalidField } from '../../base/errors.ts'
import { kept } from '../../base/fields.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../db/store.ts'
import type { PublicPoll, UpdatePoll } from '../../events/resources/poll.ts'
import { type PollLabels, type PollRow, titleSort } from './queries.ts'

/** Replaces whole arrays; absent fields stay. */
export async function writeLabels(
  tx: Tx,
  pollKey: number,
  { tags, categoryKeys }: { tags: readonly string[] | undefined; categoryKeys: readonly number[] | undefined },
): Promise<void> {
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
  fit_a: 'cover',
  focus_x_a: 5_000,
  focus_y_a: 5_000,
  fit_b: 'cover',
  focus_x_b: 5_000,
  focus_y_b: 5_000,
  is_draft: 0,
  is_private: 0,
  results_visibility: 'always',
  is_shown_before_vote: 0,
  option_order: 'fixed',
  challenge: 'off',
  opens_at: null,
  closes_at: null,
  archived_at: null,
} satisfies Partial<PollRow>

type Columns = Pick<PollRow, keyof typeof NEW_POLL>

/** Fields of a body that others write: pictures, labels and the code list. */
type WrittenElsewhere = 'images' | 'tags' | 'categoryIds' | 'codeListId'

/** Both databases store the focal point as a whole number, so that they read back the same. */
const FOCUS_UNITS = 10_000

const keptFocus = (focus: number | undefined, current: number): number =>
  focus === undefined ? current : Math.round(focus * FOCUS_UNITS)

/** Maps a body's fields to columns. An absent field leaves its column unchanged; one that is forgotten here does not compile. */
export function columnsOf(given: UpdatePoll, current: Columns, now: number): Columns & Pick<PollRow, 'title_sort'> {
  const { optionA, optionB, isDraft, isPrivate, resultsVisibility, challenge, opensAt, closesAt, archived, ...others } =
    given
  const { title: newTitle, resultsBeforeVote, optionOrder, ...forgotten } = others
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
    fit_a: kept(optionA?.fit, current.fit_a),
    focus_x_a: keptFocus(optionA?.focusX, current.focus_x_a),
    focus_y_a: keptFocus(optionA?.focusY, current.focus_y_a),
    fit_b: kept(optionB?.fit, current.fit_b),
    focus_x_b: keptFocus(optionB?.focusX, current.focus_x_b),
    focus_y_b: keptFocus(optionB?.focusY, current.focus_y_b),
    is_draft: kept(isDraft, current.is_draft === 1) ? 1 : 0,
    is_private: kept(isPrivate, current.is_private === 1) ? 1 : 0,
    results_visibility: kept(resultsVisibility, current.results_visibility),
    is_shown_before_vote: kept(resultsBeforeVote, current.is_shown_before_vote === 1) ? 1 : 0,
    option_order: kept(optionOrder, current.option_order),
    challenge: kept(challenge, current.challenge),
    opens_at: kept(opensAt, current.opens_at),
    closes_at: kept(closesAt, current.closes_at),
    archived_at: archived === undefined ? current.archived_at : archivedAt,
  }
}

export const PLACEMENT = ['fit_a', 'focus_x_a', 'focus_y_a', 'fit_b', 'focus_x_b', 'focus_y_b'] as const

/** How the picture of an option fills its frame. */
export const placementOf = (row: Pick<PollRow, (typeof PLACEMENT)[number]>, side: 'a' | 'b') => ({
  fit: row[`fit_${side}`] as PublicPoll['optionA']['fit'],
  focusX: row[`focus_x_${side}`] / FOCUS_UNITS,
  focusY: row[`focus_y_${side}`] / FOCUS_UNITS,
})

const admissionOf = ({ code_list_key: list }: Pick<PollRow, 'code_list_key'>): PublicPoll['admission'] =>
  list === null ? 'open' : 'code'

/** The fields of a single poll beyond those of a list item, in the order of its schema. */
export const fieldsOf = (row: PollRow, labels: PollLabels, { publicUrl }: Pick<Config, 'publicUrl'>) => ({
  admission: admissionOf(row),
  isDraft: row.is_draft === 1,
  isPrivate: row.is_private === 1,
  updatedAt: iso(row.updated_at),
  tags: labels.tags,
  categories: labels.categories,
  shortId: row.short_id,
  opensAt: isoOrNull(row.opens_at),
  closesAt: isoOrNull(row.closes_at),
  resultsVisibility: row.results_visibility as PublicPoll['resultsVisibility'],
  resultsBeforeVote: row.is_shown_before_vote === 1,
  optionOrder: row.option_order as PublicPoll['optionOrder'],
  challenge: row.challenge as PublicPoll['challenge'],
  shareUrl: `${publicUrl}/p/${row.short_id}`,
  revisedAt: isoOrNull(row.revised_at),
})
