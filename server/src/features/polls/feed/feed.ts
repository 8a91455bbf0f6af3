// features/polls/feed: the public list of a brand: its orders, and its first pages in memory.

import { sql } from 'kysely'
import { keysetSlice, type Slice } from '../../../db/keyset.ts'
import type { Db } from '../../../db/store.ts'
import { CLOSING_PARTS, closingOrder } from '../closing-order.ts'
import { hasOpened, type ListRequest, type PollRow, pageWithTallies, pollRows, windowFilter } from '../queries.ts'
import { statusAt } from '../status.ts'

export interface FeedFilters {
  readonly status: 'all' | 'open' | 'closed'
  readonly order: 'recent' | 'popular' | 'closing'
}

/** Constants: SQLite does not use a partial index whose condition depends on a bound parameter. */
export const isListed = sql<boolean>`polls.is_private = 0 and polls.is_draft = 0 and polls.archived_at is null`

/** The same condition, and that the poll has opened, for a poll in memory. */
export const isListedAt = (row: PollRow, now: number): boolean =>
  row.is_private === 0 && row.is_draft === 0 && row.archived_at === null && statusAt(row, now) !== 'scheduled'

const key = sql<number>`polls.key`

export function publicFeed(
  db: Db,
  { brandKey, paging, now }: ListRequest,
  { status, order }: FeedFilters,
): Promise<Slice<PollRow>> {
  const listed = pollRows(db).where('polls.brand_key', '=', brandKey).where(isListed)
  if (order === 'closing')
    return closingOrder(db, listed.where(hasOpened(now)), { ...paging, parts: CLOSING_PARTS[status](now) })
  const rows = listed.where(status === 'all' ? hasOpened(now) : windowFilter[status](now))
  const sort = order === 'recent' ? sql<number>`polls.created_at` : sql<number>`polls.popularity`
  return keysetSlice(db, rows, { sort, key, direction: 'desc', ...paging, complete: pageWithTallies(db) })
}

/** The next moment at which a poll enters the feed by the clock. */
export async function nextOpening(db: Db, brandKey: number, now: number): Promise<number | null> {
  const row = await db
    .selectFrom('polls')
    .select((row) => row.fn.min('opens_at').as('at'))
    .where('brand_key', '=', brandKey)
    .where(isListed)
    .where('deleted_at', 'is', null)
    .where('opens_at', '>', now)
    .executeTakeFirst()
  return row?.at ?? null
}
