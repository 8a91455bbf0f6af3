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

interface PageColumns {
  page_sort: number | string
  page_key: number
}

/** One row value is compared, so that an index on (sort, key) finds the page's start at any depth. */
export async function keysetSlice<Schema, From extends keyof Schema, Row>(
  query: SelectQueryBuilder<Schema, From, Row>,
  { sort, key, direction, after, limit }: Order,
): Promise<Slice<Row>> {
  const way = sql.raw(direction)
  const comparison = sql.raw(direction === 'asc' ? '>' : '<')
  let page = query
    .select([sql<number | string>`${sort}`.as('page_sort'), sql<number>`${key}`.as('page_key')])
    .orderBy(sql`${sort} ${way}, ${key} ${way}`)
    .limit(limit + 1)
  if (after) page = page.where(sql<boolean>`(${sort}, ${key}) ${comparison} (${after[0]}, ${after[1]})`)
  const rows = (await page.execute()) as (Row & PageColumns)[]
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return { rows: rows.slice(0, limit), next: last ? [last.page_sort, last.page_key] : null }
}
