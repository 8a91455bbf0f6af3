import { sql } from 'kysely'
import { folded } from '../../base/text.ts'
import { inBatches } from '../../base/work/jobs.ts'
import type { Engine } from '../../db/store.ts'
import { transaction } from '../../db/transaction.ts'
import type { PollRow } from './queries.ts'

/** Folding can lengthen a text many times, so the results are cut. */
const LONGEST_TAG = 120
const LONGEST_TEXT = 4_000

/** Begins a text of this form: earlier servers stored the folded title alone. No text has a line break, so it separates them. */
const SIGN = '¶'

const withoutMarks = (text: string): string => folded(text.normalize('NFKD').replace(/\p{Mark}/gu, ''))

/** A tag in the search text, between line breaks. Tags differ by their marks, words do not. */
export const searchedTag = (tag: string): string => `\n#${folded(tag).slice(0, LONGEST_TAG).toWellFormed()}\n`

/** The words of a search, each once. */
export const searchedWords = (text: string): string[] =>
  [...new Set(withoutMarks(text).split(/\s+/).filter(Boolean))].sort()

type Texts = Pick<PollRow, 'title' | 'label_a' | 'label_b'>

/** The text of a poll that `q` and `tag` search. */
export function searchText({ title, label_a, label_b }: Texts, tags: readonly string[]): string {
  const words = withoutMarks([title, label_a, label_b, ...tags].join('\n'))
    .slice(0, LONGEST_TEXT)
    .toWellFormed()
  return `${SIGN}${tags.map(searchedTag).join('')}\n${words}`
}

const BATCH = 200

/** Writes the search texts of polls that an earlier server or an import has stored. */
export const writeSearchTexts = (engine: Engine): Promise<boolean> =>
  inBatches(() =>
    transaction(engine, async (tx) => {
      const rows = await tx
        .selectFrom('polls')
        .select(['key', 'title', 'label_a', 'label_b', 'title_folded'])
        .where(sql<boolean>`substr(title_folded, 1, 1) <> '¶' and deleted_at is null`)
        .orderBy('key')
        .limit(BATCH)
        .execute()
      for (const row of rows) {
        const tags = await tx.selectFrom('poll_tags').select('tag').where('poll_key', '=', row.key).execute()
        const title_folded = searchText(
          row,
          tags.map(({ tag }) => tag),
        )
        const stale = tx.updateTable('polls').set({ title_folded }).where('key', '=', row.key)
        await stale.where('title_folded', '=', row.title_folded).execute()
      }
      return rows.length === BATCH
    }),
  )
