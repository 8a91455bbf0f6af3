import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { isUuid } from '../../base/ids.ts'
import { keysetSlice, type Slice } from '../../db/keyset.ts'
import type { Db } from '../../db/store.ts'
import type { Tables } from '../../db/tables.ts'
import { CLOSING_PARTS, closingOrder } from './closing-order.ts'
import { type ListRequest, type PollRow, pageWithTallies, pollRows, windowFilter } from './queries.ts'

export const OWNED_ORDERS = ['recent', 'popular', 'closing', 'title'] as const
export type OwnedOrder = (typeof OWNED_ORDERS)[number]

export interface OwnedFilters {
  readonly status?: 'open' | 'closed' | 'scheduled' | undefined
  readonly isDraft?: boolean | undefined
  readonly archived?: boolean | undefined
  readonly tag?: string | undefined
  readonly category?: string | undefined
  /** Folded like titles. */
  readonly q?: string | undefined
  readonly order?: OwnedOrder | undefined
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
  filters: OwnedFilters,
): Promise<Slice<PollRow>> {
  let rows = pollRows(db).where('polls.brand_key', '=', brandKey)
  if (filters.status) rows = rows.where(statusFilter[filters.status](now))
  if (filters.isDraft !== undefined) rows = rows.where('polls.is_draft', '=', filters.isDraft ? 1 : 0)
  if (filters.archived !== undefined) rows = rows.where('polls.archived_at', filters.archived ? 'is not' : 'is', null)
  if (filters.q) rows = rows.where(sql<boolean>`polls.title_folded like ${likePattern(filters.q)} escape '\\'`)
  if (filters.tag) rows = rows.where(hasTag(filters.tag))
  if (filters.category) rows = rows.where(isInCategory(filters.category))
  if (filters.order === 'closing') return closingOrder(db, rows, { ...paging, parts: CLOSING_PARTS.all(now) })
  const order = { ...OWNED_SORTS[filters.order ?? 'recent'], key: sql<number>`polls.key`, ...paging }
  return keysetSlice(db, rows, { ...order, complete: pageWithTallies(db) })
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
