// features/polls/feed: the public list of a brand: its orders, and its first pages in memory.

import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { keysetRows, keysetSlice, type PageColumns, type Position, type Slice, sliceOf } from '../../../db/keyset.ts'
import type { Db } from '../../../db/store.ts'
import { hasOpened, type ListRequest, type PollRow, pollRows, windowFilter } from '../queries.ts'
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
    return closingFeed(db, listed.where(hasOpened(now)), { ...paging, parts: parts[status](now) })
  const rows = listed.where(status === 'all' ? hasOpened(now) : windowFilter[status](now))
  const sort = order === 'recent' ? sql<number>`polls.created_at` : sql<number>`polls.popularity`
  return keysetSlice(db, rows, { sort, key, direction: 'desc', ...paging })
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

/** The place of polls that never close. Closed polls follow, the latest first. */
const NEVER = 10 ** 15

interface ClosingPage {
  readonly limit: number
  readonly after: Position | null
  readonly parts: readonly Part[]
}

/** Next to close first, then polls that never close, then closed polls: three orders, each with an index. */
async function closingFeed<Schema extends { polls: unknown }, From extends keyof Schema, Row>(
  db: Db,
  rows: SelectQueryBuilder<Schema, From, Row>,
  { limit, after, parts }: ClosingPage,
): Promise<Slice<Row>> {
  const found: (Row & PageColumns)[] = []
  const start = after ? parts.findIndex(({ holds }) => holds(Number(after[0]))) : 0
  for (const [i, { where, sort, direction, rankOf, positionOf }] of parts.slice(start).entries()) {
    const position = after && i === 0 ? positionOf(after) : null
    const order = { sort, key, direction, after: position, limit: limit + 1 - found.length }
    const more = await keysetRows(db, rows.where(where(position)), order)
    found.push(...more.map((row) => ({ ...row, page_sort: rankOf(Number(row.page_sort)) })))
    if (found.length > limit) break
  }
  return sliceOf(found, limit)
}

interface Part {
  where(after: Position | null): RawBuilder<boolean>
  readonly sort: RawBuilder<number>
  readonly direction: 'asc' | 'desc'
  /** Whether a position is in this part, or was before time passed. */
  holds(rank: number): boolean
  rankOf(sort: number): number
  /** The position within this part; null where the part starts after it. */
  positionOf(after: Position): Position | null
}

const closesAt = sql<number>`polls.closes_at`
const mirrored = (value: number | string): number => 2 * NEVER - Number(value)

const closes = sql<boolean>`polls.closes_at is not null`

/** After a position everything is in the part: with two bounds SQLite might use the wider one. */
const closing = (now: number): Part => ({
  where: (after) => (after ? closes : sql`polls.closes_at > ${now}`),
  sort: closesAt,
  direction: 'asc',
  holds: (rank) => rank < NEVER,
  rankOf: (sort) => sort,
  positionOf: (after) => (Number(after[0]) > now ? after : null),
})

const unending: Part = {
  where: () => sql`polls.closes_at is null`,
  sort: key,
  direction: 'asc',
  holds: (rank) => rank === NEVER,
  rankOf: () => NEVER,
  positionOf: ([, last]) => [last, last],
}

const closed = (now: number): Part => ({
  where: (after) => (after ? closes : sql`polls.closes_at <= ${now}`),
  sort: closesAt,
  direction: 'desc',
  holds: (rank) => rank > NEVER,
  rankOf: mirrored,
  positionOf: ([rank, last]) => (mirrored(rank) <= now ? [mirrored(rank), last] : null),
})

const parts = {
  all: (now: number) => [closing(now), unending, closed(now)],
  open: (now: number) => [closing(now), unending],
  closed: (now: number) => [closed(now)],
}
