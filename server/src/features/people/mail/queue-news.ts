import type { Engine, Tx } from '../../../db/store.ts'

/** A poll closed, or reached a number of votes. */
export interface PollNews {
  readonly brandKey: number
  readonly pollKey: number
  /** The number of votes; 0 if the poll closed. */
  readonly total: number
}

const FIRST = 1

const FLAGS = ['is_mailed_closed', 'is_mailed_first', 'is_mailed_round'] as const

/** The column of `members` that says whether they want such news. */
export const newsFlag = (total: number): (typeof FLAGS)[number] => {
  if (total === 0) return 'is_mailed_closed'
  return total === FIRST ? 'is_mailed_first' : 'is_mailed_round'
}

/** Keeps the number of parameters within the engines' limits. */
const ROWS_AT_ONCE = 1_000

/** For each member who wants them. What a member was told of a poll before is left out. Call it once in a transaction. */
export async function queueNews(
  { forKeyShare }: Pick<Engine, 'forKeyShare'>,
  tx: Tx,
  news: readonly PollNews[],
  now: number,
): Promise<void> {
  if (news.length === 0) return
  const brandKeys = [...new Set(news.map(({ brandKey }) => brandKey))]
  const wanting = tx
    .selectFrom('members')
    .where('brand_key', 'in', brandKeys)
    .where((of) => of.or(FLAGS.map((flag) => of(flag, '=', 1))))
  // In the order in which a deleted brand locks them, and all at once: news of two polls may be for different members. The caller may
  // hold polls, whose votes must not wait for somebody who signs in.
  const people = await tx
    .selectFrom('people')
    .select('key')
    .where('key', 'in', wanting.select('person_key'))
    .orderBy('key')
    .modifyEnd(forKeyShare)
    .execute()
  if (people.length === 0) return
  const locked = people.map(({ key }) => key)
  const members = await wanting
    .select(['brand_key', 'person_key', ...FLAGS])
    .where('person_key', 'in', locked)
    .execute()
  const rows = news.flatMap(({ brandKey, pollKey, total }) =>
    members
      .filter((member) => member.brand_key === brandKey && member[newsFlag(total)] === 1)
      .map(({ person_key }) => ({ brand_key: brandKey, person_key, poll_key: pollKey, total, created_at: now })),
  )
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    await tx
      .insertInto('member_mails')
      .values(rows.slice(at, at + ROWS_AT_ONCE))
      .onConflict((conflict) => conflict.columns(['person_key', 'brand_key', 'poll_key', 'total']).doNothing())
      .execute()
  }
}
