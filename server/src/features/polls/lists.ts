import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import { nameText, STATUSES } from '../../base/fields.ts'
import { isUuid } from '../../base/ids.ts'
import { keysetRows, keysetSlice, type PageColumns, type Position, type Slice, sliceOf } from '../../db/keyset.ts'
import type { Db } from '../../db/store.ts'
import type { Tables } from '../../db/tables.ts'
import {
  foldTitle,
  hasOpened,
  type ListRequest,
  type PollRow,
  pageWithTallies,
  pollRows,
  windowFilter,
} from './queries.ts'
import { statusAt } from './status.ts'

const flagParam = z.enum(['true', 'false']).transform((value) => value === 'true')

/** Values compared without regard to case arrive folded, so that a cursor is valid in every spelling. */
export const ownedPollsQuery = z.object({
  status: z.enum(STATUSES).optional().describe('Only polls with this status.'),
  isDraft: flagParam.optional().describe('Only drafts, or no drafts.'),
  archived: flagParam.optional().describe('Only archived polls, or no archived ones.'),
  tag: nameText(1, 40)
    .optional()
    .meta({ description: 'Only polls with this tag.', examples: ['drinks'] }),
  category: z
    .string()
    .min(1)
    .max(128)
    .toLowerCase()
    .optional()
    .meta({ description: 'Only polls in this category: its slug or its id.', examples: ['food-and-drink'] }),
  q: nameText(1, 200)
    .transform(foldTitle)
    .optional()
    .meta({ description: 'Only polls whose title contains these words, in any case.', examples: ['coffee'] }),
  order: z
    .enum(['recent', 'popular', 'closing', 'title'])
    .default('recent')
    .describe(
      '`recent`: newest first; `popular`: most votes first, hidden ones included; `closing`: the next to close first; `title`: by title.',
    ),
})

export const feedQuery = z.object({
  status: z.enum(['all', 'open', 'closed']).default('all').describe('Only polls with this status.'),
  order: z
    .enum(['recent', 'popular', 'closing'])
    .default('recent')
    .describe('`recent`: newest first; `popular`: most votes first; `closing`: the next to close first.'),
})

const key = sql<number>`polls.key`

/** The place of polls that never close. Closed polls follow, the latest first. */
const NEVER = 10 ** 15

/** Next to close first, then polls that never close, then closed polls: three orders, each with an index. */
async function closingOrder(
  db: Db,
  rows: ReturnType<typeof pollRows>,
  { limit, after, parts }: { limit: number; after: Position | null; parts: readonly Part[] },
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

const CLOSING_PARTS = {
  all: (now: number) => [closing(now), unending, closed(now)],
  open: (now: number) => [closing(now), unending],
  closed: (now: number) => [closed(now)],
}

/** Finds the text anywhere; write `escape '\\'` behind it. */
export const likePattern = (folded: string): string => `%${folded.replace(/[\\%_]/g, '\\$&')}%`

/** The status in SQL. Must agree with `statusAt`. */
const statusFilter = {
  scheduled: (now: number) => sql<boolean>`polls.archived_at is null and ${windowFilter.scheduled(now)}`,
  open: (now: number) => sql<boolean>`polls.archived_at is null and ${windowFilter.open(now)}`,
  closed: (now: number) => sql<boolean>`(polls.archived_at is not null or (${windowFilter.closed(now)}))`,
}

/** A page of the owner's list. */
export function ownedPolls(
  db: Db,
  { brandKey, paging, now }: ListRequest,
  filters: z.infer<typeof ownedPollsQuery>,
): Promise<Slice<PollRow>> {
  let rows = pollRows(db).where('polls.brand_key', '=', brandKey)
  if (filters.status) rows = rows.where(statusFilter[filters.status](now))
  if (filters.isDraft !== undefined) rows = rows.where('polls.is_draft', '=', filters.isDraft ? 1 : 0)
  if (filters.archived !== undefined) rows = rows.where('polls.archived_at', filters.archived ? 'is not' : 'is', null)
  if (filters.q) rows = rows.where(sql<boolean>`polls.title_folded like ${likePattern(filters.q)} escape '\\'`)
  if (filters.tag) rows = rows.where(hasTag(filters.tag))
  if (filters.category) rows = rows.where(isInCategory(filters.category))
  if (filters.order === 'closing') return closingOrder(db, rows, { ...paging, parts: CLOSING_PARTS.all(now) })
  return keysetSlice(db, rows, { ...OWNED_SORTS[filters.order], key, ...paging, complete: pageWithTallies(db) })
}

const OWNED_SORTS = {
  recent: { sort: sql<number>`polls.created_at`, direction: 'desc' },
  popular: { sort: sql<number>`polls.vote_total`, direction: 'desc' },
  title: { sort: sql<string>`polls.title_sort`, direction: 'asc' },
} as const

type PollCondition = (of: ExpressionBuilder<Tables, 'polls'>) => Expression<SqlBool>

/** Correlated to each poll: other brands may use the same tag a million times. */
const hasTag =
  (tag: string): PollCondition =>
  ({ exists, selectFrom }) =>
    exists(
      selectFrom('poll_tags')
        .select('poll_key')
        .whereRef('poll_tags.poll_key', '=', 'polls.key')
        .where('tag', '=', tag),
    )

/** By its id or its slug, in lower case. */
const isInCategory =
  (reference: string): PollCondition =>
  ({ exists, selectFrom }) =>
    exists(
      selectFrom('poll_categories')
        .innerJoin('categories', 'categories.key', 'poll_categories.category_key')
        .select('poll_categories.poll_key')
        .whereRef('poll_categories.poll_key', '=', 'polls.key')
        .where(isUuid(reference) ? 'categories.id' : 'categories.slug', '=', reference),
    )

/** Constants: SQLite does not use a partial index whose condition depends on a bound parameter. */
export const isListed = sql<boolean>`polls.is_private = 0 and polls.is_draft = 0 and polls.archived_at is null`

/** The same condition, and that the poll has opened, for a poll in memory. */
export const isListedAt = (row: PollRow, now: number): boolean =>
  row.is_private === 0 && row.is_draft === 0 && row.archived_at === null && statusAt(row, now) !== 'scheduled'

export function publicFeed(
  db: Db,
  { brandKey, paging, now }: ListRequest,
  { status, order }: z.infer<typeof feedQuery>,
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
