import type { Tx } from '../../../db/store.ts'

/** A poll closed, or reached a number of votes. */
export interface PollNews {
  readonly brandKey: number
  readonly pollKey: number
  /** The number of votes; 0 if the poll closed. */
  readonly total: number
}

const FIRST = 1

/** The column of `members` that says whether they want such news. */
export const newsFlag = (total: number) => {
  if (total === 0) return 'is_mailed_closed'
  return total === FIRST ? 'is_mailed_first' : 'is_mailed_round'
}

/** For each member who wants them. What a member was told of a poll before is left out. */
export async function queueNews(tx: Tx, news: readonly PollNews[], now: number): Promise<void> {
  for (const { brandKey, pollKey, total } of news) {
    const members = await tx
      .selectFrom('members')
      .select('person_key')
      .where('brand_key', '=', brandKey)
      .where(newsFlag(total), '=', 1)
      .execute()
    if (members.length === 0) continue
    const rows = members.map(({ person_key }) => ({
      brand_key: brandKey,
      person_key,
      poll_key: pollKey,
      total,
      created_at: now,
    }))
    await tx
      .insertInto('member_mails')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['person_key', 'brand_key', 'poll_key', 'total']).doNothing())
      .execute()
  }
}
