import { type RawBuilder, sql } from 'kysely'
import { orNotFound } from '../../base/errors.ts'
import { isShortId, isUuid } from '../../base/ids.ts'
import { folded } from '../../base/text.ts'
import type { PageColumns, PageQuery, PageReader } from '../../db/keyset.ts'
import { padded, prepared } from '../../db/prepared.ts'
import type { Db, Tx } from '../../db/store.ts'
import type { Paging } from '../../http/paging.ts'
import type { Deps } from '../deps.ts'

/** Polls with their brand and pictures. Narrow them before `withTallies` completes them. */
export const pollRows = (db: Db) =>
  db
    .selectFrom('polls')
    .innerJoin('brands', 'brands.key', 'polls.brand_key')
    .leftJoin('files as picture_a', 'picture_a.key', 'polls.image_a')
    .leftJoin('files as picture_b', 'picture_b.key', 'polls.image_b')
    .leftJoin('files as picture_combined', (join) =>
      join.on('picture_combined.key', '=', sql`coalesce(polls.image_combined, polls.image_composed)`),
    )
    .leftJoin('code_lists', 'code_lists.key', 'polls.code_list_key')
    .selectAll('polls')
    .select([
      'code_lists.id as code_list_id',
      'brands.slug as brand_slug',
      'brands.name as brand_name',
      'brands.theme',
      'brands.theme_version',
      'picture_a.variant_widths as widths_a',
      'picture_b.variant_widths as widths_b',
      'picture_combined.variant_widths as widths_combined',
      // A composed picture only once it is made.
      sql<string | null>`case when picture_combined.width > 0 then picture_combined.key end`.as('shown_combined'),
    ])
    .where('polls.deleted_at', 'is', null)
    // The polls of a deleted brand are buried in batches, and hidden at once.
    .where('brands.deleted_at', 'is', null)

/**
 * Adds the tallies: everything that presenters need, in one row. Tallies are joined to the chosen polls, not to the tables of
 * polls: Citus sends its workers each local table of a join, and a subquery as its few rows.
 */
export const withTallies = (db: Db, polls: ReturnType<typeof pollRows>) =>
  db
    .selectFrom(polls.as('chosen'))
    .innerJoin('tallies', 'tallies.poll_key', 'chosen.key')
    .selectAll('chosen')
    .select(['tallies.option_a', 'tallies.option_b', 'tallies.version', 'tallies.updated_at as counted_at'])

/** A page of polls with their tallies, in the order of the page. */
export const pageWithTallies =
  (db: Db) =>
  (page: PageQuery<ReturnType<typeof pollRows>>, inOrder: RawBuilder<unknown>): PageReader<PollRow> =>
    // `chosen.*` has the columns of the page.
    withTallies(db, page).orderBy(inOrder).$castTo<PollRow & PageColumns>()

export type PollRow = NonNullable<Awaited<ReturnType<typeof findOwnedPoll>>>

export interface PollLabels {
  readonly tags: string[]
  readonly categories: { id: string; slug: string; name: string }[]
}

/** The three kinds of identifiers have disjoint shapes. */
export function referenceOf(reference: string) {
  if (isUuid(reference)) return { column: 'polls.id', value: reference.toLowerCase() } as const
  return { column: isShortId(reference) ? 'polls.short_id' : 'polls.slug', value: reference } as const
}

/** The columns behind the tallies of a published poll: only its owner sees a draft. */
export function findPublicTallies(db: Db, reference: string) {
  const { column, value } = referenceOf(reference)
  return db
    .selectFrom('polls')
    .innerJoin('brands', 'brands.key', 'polls.brand_key')
    .innerJoin('tallies', 'tallies.poll_key', 'polls.key')
    .select(['polls.key', 'polls.opens_at', 'polls.closes_at', 'polls.archived_at', 'polls.results_visibility'])
    .select('polls.code_list_key')
    .select(['tallies.option_a', 'tallies.option_b'])
    .where(column, '=', value)
    .where('polls.deleted_at', 'is', null)
    .where('polls.is_draft', '=', 0)
    .where('brands.deleted_at', 'is', null)
    .modifyEnd(prepared)
    .executeTakeFirst()
}

/** The result has no defined order. */
export const pollsByKey = (db: Db, keys: readonly number[]): Promise<PollRow[]> =>
  keys.length === 0
    ? Promise.resolve([])
    : withTallies(db, pollRows(db).where('polls.key', 'in', padded(keys)))
        .modifyEnd(prepared)
        .execute()

export function findOwnedPoll(db: Db, brandKey: number, reference: string) {
  const { column, value } = referenceOf(reference)
  return withTallies(
    db,
    pollRows(db).where(column, '=', value).where('polls.brand_key', '=', brandKey),
  ).executeTakeFirst()
}

/**
 * The key of a published poll. Identifiers are never used again, so results can be cached for ever. A draft costs what a
 * missing poll does: the same statement, and nothing is kept of either.
 */
export async function findPollKey(db: Db, reference: string): Promise<number | null> {
  const { column, value } = referenceOf(reference)
  const row = await db
    .selectFrom('polls')
    .select('polls.key')
    .where(column, '=', value)
    .where('polls.deleted_at', 'is', null)
    .where('polls.is_draft', '=', 0)
    .executeTakeFirst()
  return row?.key ?? null
}

/** The sort key of the order by title, cut to the length that a PostgreSQL index accepts. */
export const titleSort = (title: string): string => folded(title).slice(0, 100).toWellFormed()

/** Must match the expressions in the lists' indexes: a missing start is always past, a missing end never reached. */
const opensAt = sql<number>`coalesce(polls.opens_at, -1000000000000000)`
const closesAt = sql<number>`coalesce(polls.closes_at, 1000000000000000)`

export const hasOpened = (now: number) => sql<boolean>`${opensAt} <= ${now}`

/** The status of polls that are not archived, in SQL. Must agree with `windowStatusAt`. */
export const windowFilter = {
  scheduled: (now: number) => sql<boolean>`${opensAt} > ${now}`,
  open: (now: number) => sql<boolean>`${hasOpened(now)} and ${closesAt} > ${now}`,
  closed: (now: number) => sql<boolean>`${hasOpened(now)} and ${closesAt} <= ${now}`,
}

export interface ListRequest {
  readonly brandKey: number
  readonly paging: Paging
  readonly now: number
}

/** The polls of a brand with the most votes. */
export const mostVoted = (db: Db, brandKey: number, limit: number): Promise<PollRow[]> =>
  withTallies(
    db,
    pollRows(db)
      .where('polls.brand_key', '=', brandKey)
      .where('polls.vote_total', '>', 0)
      .orderBy('polls.vote_total', 'desc')
      .orderBy('polls.key', 'desc')
      .limit(limit),
  )
    .orderBy('chosen.vote_total', 'desc')
    .orderBy('chosen.key', 'desc')
    .execute()

export const listCategories = (db: Db) =>
  db.selectFrom('categories').select(['id', 'slug', 'name']).orderBy('slug').execute()

/** Tags and categories of many polls, in two queries. */
export async function labelsOf(db: Db, pollKeys: readonly number[]): Promise<(key: number) => PollLabels> {
  if (pollKeys.length === 0) return () => ({ tags: [], categories: [] })
  const keys = padded(pollKeys)
  const tags = await db
    .selectFrom('poll_tags')
    .select(['poll_key', 'tag'])
    .where('poll_key', 'in', keys)
    .orderBy('place')
    .modifyEnd(prepared)
    .execute()
  const categories = await db
    .selectFrom('poll_categories')
    .innerJoin('categories', 'categories.key', 'poll_categories.category_key')
    .select(['poll_key', 'categories.id', 'categories.slug', 'categories.name'])
    .where('poll_key', 'in', keys)
    .orderBy('place')
    .modifyEnd(prepared)
    .execute()
  const tagsOf = Map.groupBy(tags, (row) => row.poll_key)
  const categoriesOf = Map.groupBy(categories, (row) => row.poll_key)
  return (key) => ({
    tags: (tagsOf.get(key) ?? []).map(({ tag }) => tag),
    categories: (categoriesOf.get(key) ?? []).map(({ id, slug, name }) => ({ id, slug, name })),
  })
}

export async function lockOwnedPoll(
  { engine }: Pick<Deps, 'engine'>,
  tx: Tx,
  { brandKey, reference }: { brandKey: number; reference: string },
): Promise<PollRow> {
  const { key } = orNotFound(await findOwnedPoll(tx, brandKey, reference))
  await engine.lockPollsWithVotes(tx, [key])
  return orNotFound(await findOwnedPoll(tx, brandKey, reference))
}
