import { type Expression, type SelectQueryBuilder, sql } from 'kysely'

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

/** One row value is compared, so that an index on (sort, key) finds the page's start at any depth. */
export async function keysetRows<Schema, From extends keyof Schema, Row>(
  query: SelectQueryBuilder<Schema, From, Row>,
  { sort, key, direction, after, limit }: Order,
): Promise<(Row & PageColumns)[]> {
  const way = sql.raw(direction)
  const comparison = sql.raw(direction === 'asc' ? '>' : '<')
  let page = query
    .select([sql<number | string>`${sort}`.as('page_sort'), sql<number>`${key}`.as('page_key')])
    .orderBy(sql`${sort} ${way}, ${key} ${way}`)
    .limit(limit)
  if (after) page = page.where(sql<boolean>`(${sort}, ${key}) ${comparison} (${after[0]}, ${after[1]})`)
  return (await page.execute()) as (Row & PageColumns)[]
}

/** One row more than the page has tells whether another page follows. */
export async function keysetSlice<Schema, From extends keyof Schema, Row>(
  query: SelectQueryBuilder<Schema, From, Row>,
  order: Order,
): Promise<Slice<Row>> {
  return sliceOf(await keysetRows(query, { ...order, limit: order.limit + 1 }), order.limit)
}

export function sliceOf<Row extends PageColumns>(rows: readonly Row[], limit: number): Slice<Row> {
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return { rows: rows.slice(0, limit), next: last ? [last.page_sort, last.page_key] : null }
}
