import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import { invalidField } from '../../base/errors.ts'
import { flagParam, nameText, STATUSES } from '../../base/fields.ts'
import { isShortId, isUuid } from '../../base/ids.ts'
import { keysetRows, keysetSlice, type PageColumns, type Position, type Slice, sliceOf } from '../../db/keyset.ts'
import type { Db } from '../../db/store.ts'
import type { Tables } from '../../db/tables.ts'
import { hasOpened, type ListRequest, type PollRow, pageWithTallies, pollRows, windowFilter } from './queries.ts'
import { searchedTag, searchedWords } from './search-text.ts'
import { statusAt } from './status.ts'

/** Values compared without regard to case arrive folded, so that a cursor is valid in every spelling. */
export const ownedPollsQuery = z.object({
  status: z.enum(STATUSES).optional().describe('Only polls with this status; no drafts, unless `isDraft` is true.'),
  isDraft: flagParam.optional().describe('Only drafts, or no drafts.'),
  archived: flagParam.optional().describe('Only archived polls, or no archived ones.'),
  tag: nameText(1, 40)
    .transform(searchedTag)
    .optional()
    .meta({ description: 'Only polls with this tag, in any case.', examples: ['drinks'] }),
  category: z
    .string()
    .min(1)
    .max(128)
    .toLowerCase()
    .optional()
    .meta({ description: 'Only polls in this category: its slug or its id.', examples: ['food-and-drink'] }),
  q: nameText(1, 200)
    .transform((text) => {
      const words = searchedWords(text)
      return { words, reference: isShortId(text) ? text : words.join(' ') }
    })
    .optional()
    .meta({
      description:
        'Only polls whose title, labels or tags contain each of these words, without regard to case and accents, or whose slug, shortId or id it is.',
      examples: ['coffee'],
    }),
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

/** The key of a category, by its id or its slug in lower case. */
async function categoryKey(db: Db, reference: string): Promise<number> {
  const column = isUuid(reference) ? 'id' : 'slug'
  const row = await db.selectFrom('categories').select('key').where(column, '=', reference).executeTakeFirst()
  if (row) return row.key
  throw invalidField('category', 'unknown_category', 'Must be the slug or the id of a category of GET /categories.')
}

/** A page of the owner's list. */
export async function ownedPolls(
  db: Db,
  { brandKey, paging, now }: ListRequest,
  filters: z.infer<typeof ownedPollsQuery>,
): Promise<Slice<PollRow>> {
  let rows = pollRows(db).where('polls.brand_key', '=', brandKey)
  if (filters.status) rows = rows.where(statusFilter[filters.status](now))
  const isDraft = filters.isDraft ?? (filters.status ? false : null)
  if (isDraft !== null) rows = rows.where('polls.is_draft', '=', isDraft ? 1 : 0)
  if (filters.archived !== undefined) rows = rows.where('polls.archived_at', filters.archived ? 'is not' : 'is', null)
  if (filters.q) rows = rows.where(isFoundBy(filters.q))
  if (filters.tag) rows = rows.where(holds(filters.tag))
  if (filters.category) rows = rows.where(isInCategory(await categoryKey(db, filters.category)))
  if (filters.order === 'closing') return closingOrder(db, rows, { ...paging, parts: CLOSING_PARTS.all(now) })
  return keysetSlice(db, rows, { ...OWNED_SORTS[filters.order], key, ...paging, complete: pageWithTallies(db) })
}

const OWNED_SORTS = {
  recent: { sort: sql<number>`polls.created_at`, direction: 'desc' },
  popular: { sort: sql<number>`polls.vote_total`, direction: 'desc' },
  title: { sort: sql<string>`polls.title_sort`, direction: 'asc' },
} as const

type PollCondition = (of: ExpressionBuilder<Tables, 'polls'>) => Expression<SqlBool>

const holds = (text: string) => sql<boolean>`polls.title_folded like ${likePattern(text)} escape '\\'`

const isFoundBy =
  ({ words, reference }: NonNullable<z.infer<typeof ownedPollsQuery>['q']>): PollCondition =>
  ({ and, eb, or }) =>
    or([
      words.length > 0 ? and(words.map(holds)) : eb.lit(false),
      ...(['slug', 'short_id', 'id'] as const).map((column) => eb(`polls.${column}`, '=', reference)),
    ])

/** Correlated to each poll: other brands may use the same category a million times. */
const isInCategory =
  (key: number): PollCondition =>
  ({ exists, selectFrom }) =>
    exists(
      selectFrom('poll_categories')
        .select('poll_key')
        .whereRef('poll_key', '=', 'polls.key')
        .where('category_key', '=', key),
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

/** Strangers search and count tags among the newest public polls of a brand alone, so that a request costs the same for each brand. */
const SEARCHED_POLLS = 2_000
const MOST_TAGS = 12

export interface PageFilter {
  readonly words: readonly string[]
  /** Folded by `searchedTag`. */
  readonly tag: string | null
}

/** The newest public polls of a brand that hold all words and the tag. */
export function searchedFeed(
  db: Db,
  { brandKey, paging, now }: ListRequest,
  { words, tag }: PageFilter,
): Promise<Slice<PollRow>> {
  let rows = pollRows(db)
    .where('polls.brand_key', '=', brandKey)
    .where(isListed)
    .where(hasOpened(now))
    .where('polls.created_at', '>=', ({ selectFrom, fn, lit }) =>
      fn.coalesce(
        selectFrom('polls as earlier')
          .select('earlier.created_at')
          .where('earlier.brand_key', '=', brandKey)
          .where(sql<boolean>`earlier.is_private = 0 and earlier.is_draft = 0 and earlier.archived_at is null`)
          .where('earlier.deleted_at', 'is', null)
          .orderBy('earlier.created_at', 'desc')
          .offset(SEARCHED_POLLS - 1)
          .limit(1),
        lit(0),
      ),
    )
  for (const text of [...words, ...(tag === null ? [] : [tag])]) rows = rows.where(holds(text))
  const sort = sql<number>`polls.created_at`
  return keysetSlice(db, rows, { sort, key, direction: 'desc', ...paging, complete: pageWithTallies(db) })
}

export interface TagCount {
  readonly tag: string
  readonly polls: number
}

/** The most used tags of the newest public polls, with the number of their polls. */
export const countedTags = (db: Db, brandKey: number, now: number): Promise<TagCount[]> =>
  db
    .selectFrom('poll_tags')
    .select(({ fn }) => ['tag', fn.countAll<number>().as('polls')])
    .where('poll_key', 'in', ({ selectFrom }) =>
      selectFrom('polls')
        .select('polls.key')
        .where('polls.brand_key', '=', brandKey)
        .where(isListed)
        .where(hasOpened(now))
        .where('polls.deleted_at', 'is', null)
        .orderBy('polls.created_at', 'desc')
        .limit(SEARCHED_POLLS),
    )
    .groupBy('tag')
    .orderBy('polls', 'desc')
    .orderBy('tag')
    .limit(MOST_TAGS)
    .execute()
