import { invalidField } from '../../base/errors.ts'
import type { Tx } from '../../db/store.ts'

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
    if (!row) throw invalidField(`categoryIds.${i}`, 'unknown_category', 'Unknown category.')
    return row.key
  })
}
