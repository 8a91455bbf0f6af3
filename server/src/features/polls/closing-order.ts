import { type RawBuilder, sql } from 'kysely'
import { keysetRows, type PageColumns, type Position, type Slice, sliceOf } from '../../db/keyset.ts'
import type { Db } from '../../db/store.ts'
import { type PollRow, pageWithTallies, type pollRows } from './queries.ts'

const key = sql<number>`polls.key`

/** The place of polls that never close. Closed polls follow, the latest first. */
const NEVER = 10 ** 15

interface ClosingPage {
  readonly limit: number
  readonly after: Position | null
  readonly parts: readonly Part[]
}

/** Next to close first, then polls that never close, then closed polls: three orders, each with an index. */
export async function closingOrder(
  db: Db,
  rows: ReturnType<typeof pollRows>,
  { limit, after, parts }: ClosingPage,
): Promise<Slice<PollRow>> {
  const found: (PollRow & PageColumns)[] = []
  const start = after ? parts.findIndex(({ holds }) => holds(Number(after[0]))) : 0
  for (const [i, { where, sort, direction, rankOf, positionOf }] of parts.slice(start).entries()) {
    const position = after && i === 0 ? positionOf(after) : null
    const order = { sort, key, direction, after: position, limit: limit + 1 - found.length }
    const more = await keysetRows(db, rows.where(where(position)), { ...order, complete: pageWithTallies(db) })
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

export const CLOSING_PARTS = {
  all: (now: number) => [closing(now), unending, closed(now)],
  open: (now: number) => [closing(now), unending],
  closed: (now: number) => [closed(now)],
}
