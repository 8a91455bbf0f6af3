import { type Expression, type SelectQueryBuilder, SqliteAdapter, sql } from 'kysely'
import type { Db } from './store.ts'

/** Where a page ended: the sort value of its last row, and the row's key to part equals. */
export type Position = readonly [sort: number | string, key: number]

export interface Slice<Row> {
  rows: Row[]
  next: Position | null
}

interface Order {
  sort: Expression<number | string>
  key: Expression<number>
  direction: 'asc' | 'desc'
  after: Position | null
  limit: number
}

export interface PageColumns {
  page_sort: number | string
  page_key: number
}

const goesByFirstColumn = (db: Db): boolean => db.getExecutor().adapter instanceof SqliteAdapter

/**
 * One row value is compared, so that an index on (sort, key) finds the page's start at any depth. SQLite goes by its first
 * column alone where the second is the rowid: there, what is equal to the last row and stands behind it is read by itself.
 * PostgreSQL, asked in that way, would look for it among the keys of everybody.
 */
export async function keysetRows<Schema, From extends keyof Schema, Row>(
  db: Db,
  query: SelectQueryBuilder<Schema, From, Row>,
  { sort, key, direction, after, limit }: Order,
): Promise<(Row & PageColumns)[]> {
  const way = sql.raw(direction)
  const isBehind = sql.raw(direction === 'asc' ? '>' : '<')
  const ordered = query
    .select([sql<number | string>`${sort}`.as('page_sort'), sql<number>`${key}`.as('page_key')])
    .orderBy(sql`${sort} ${way}, ${key} ${way}`)
  const read = async (rows: typeof ordered, most: number) => (await rows.limit(most).execute()) as (Row & PageColumns)[]
  if (!after) return read(ordered, limit)
  const [lastSort, lastKey] = after
  if (!goesByFirstColumn(db)) {
    return read(ordered.where(sql<boolean>`(${sort}, ${key}) ${isBehind} (${lastSort}, ${lastKey})`), limit)
  }
  const isEqual = sql<boolean>`${sort} = ${lastSort} and ${key} ${isBehind} ${lastKey}`
  const equal = await read(ordered.where(isEqual), limit)
  if (equal.length === limit) return equal
  return [...equal, ...(await read(ordered.where(sql<boolean>`${sort} ${isBehind} ${lastSort}`), limit - equal.length))]
}

/** One row more than the page has tells whether another page follows. */
export async function keysetSlice<Schema, From extends keyof Schema, Row>(
  db: Db,
  query: SelectQueryBuilder<Schema, From, Row>,
  order: Order,
): Promise<Slice<Row>> {
  return sliceOf(await keysetRows(db, query, { ...order, limit: order.limit + 1 }), order.limit)
}

export function sliceOf<Row extends PageColumns>(rows: readonly Row[], limit: number): Slice<Row> {
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return { rows: rows.slice(0, limit), next: last ? [last.page_sort, last.page_key] : null }
}
