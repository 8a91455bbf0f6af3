import { padded, prepared } from '../../../db/prepared.ts'
import type { Db, Tx } from '../../../db/store.ts'

export const MOST_REVISIONS = 50

/** The title and labels of a poll until `at`. */
export interface Revision {
  readonly at: number
  readonly title: string
  readonly labelA: string
  readonly labelB: string
}

/** Keeps what the poll said so far. Call it under the lock of the poll, in the transaction that changes it. */
export async function keepRevision(
  tx: Tx,
  poll: { key: number; title: string; label_a: string; label_b: string },
  at: number,
): Promise<void> {
  const { key, title, label_a, label_b } = poll
  await tx.insertInto('poll_revisions').values({ poll_key: key, revised_at: at, title, label_a, label_b }).execute()
  const surplus = await tx
    .selectFrom('poll_revisions')
    .select('revised_at')
    .where('poll_key', '=', key)
    .orderBy('revised_at', 'desc')
    .offset(MOST_REVISIONS)
    .limit(1)
    .executeTakeFirst()
  if (!surplus) return
  await tx
    .deleteFrom('poll_revisions')
    .where('poll_key', '=', key)
    .where('revised_at', '<=', surplus.revised_at)
    .execute()
}

/** Newest first, by the keys of their polls. Most polls have none: name those that were revised alone. */
export async function revisionsOf(db: Db, pollKeys: readonly number[]): Promise<(key: number) => Revision[]> {
  if (pollKeys.length === 0) return () => []
  const rows = await db
    .selectFrom('poll_revisions')
    .selectAll()
    .where('poll_key', 'in', padded(pollKeys))
    .orderBy('revised_at', 'desc')
    .modifyEnd(prepared)
    .execute()
  const byPoll = Map.groupBy(rows, (row) => row.poll_key)
  return (key) =>
    (byPoll.get(key) ?? []).map((row) => ({
      at: row.revised_at,
      title: row.title,
      labelA: row.label_a,
      labelB: row.label_b,
    }))
}
