import { type Expression, type RawBuilder, type SelectQueryBuilder, SqliteAdapter, sql } from 'kysely'
import type { Db } from './store.ts'

/** Where a page ended: the sort value of its last row, and the row's key as tie-breaker. */
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

/** The query of a page that is to be completed. */
export type PageQuery<Query> =
  Query extends SelectQueryBuilder<infer Schema, infer From, infer Row>
    ? SelectQueryBuilder<Schema, From, Row & PageColumns>
    : never

export interface PageReader<Row> {
  execute(): Promise<(Row & PageColumns)[]>
}

interface Completed<Schema, From extends keyof Schema, Row, Whole> {
  /** Adds columns to the rows of a page, and sorts them `inOrder` again. */
  readonly complete?: (
    page: PageQuery<SelectQueryBuilder<Schema, From, Row>>,
    inOrder: RawBuilder<unknown>,
  ) => PageReader<Whole>
}

const asItIs = <Row>(page: unknown) => page as PageReader<Row>

const goesByFirstColumn = (db: Db): boolean => db.getExecutor().adapter instanceof SqliteAdapter

/**
 * Compares one row value, so that an index on (sort, key) finds the start of the page at any depth. SQLite uses only the
 * first column if the second is the rowid: there another query reads the rows that tie with the last one.
 */
export async function keysetRows<Schema, From extends keyof Schema, Row, Whole = Row>(
  db: Db,
  query: SelectQueryBuilder<Schema, From, Row>,
  { sort, key, direction, after, limit, complete = asItIs }: Order & Completed<Schema, From, Row, Whole>,
): Promise<(Whole & PageColumns)[]> {
  const way = sql.raw(direction)
  const isBehind = sql.raw(direction === 'asc' ? '>' : '<')
  const ordered = query
    .select([sql<number | string>`${sort}`.as('page_sort'), sql<number>`${key}`.as('page_key')])
    .orderBy(sql`${sort} ${way}, ${key} ${way}`)
  const inOrder = sql`page_sort ${way}, page_key ${way}`
  const read = (rows: typeof ordered, most: number) =>
    complete(rows.limit(most) as PageQuery<typeof query>, inOrder).execute()
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

/** Reads one row more than the page holds: that row shows whether another page follows. */
export async function keysetSlice<Schema, From extends keyof Schema, Row, Whole = Row>(
  db: Db,
  query: SelectQueryBuilder<Schema, From, Row>,
  order: Order & Completed<Schema, From, Row, Whole>,
): Promise<Slice<Whole>> {
  return sliceOf(await keysetRows(db, query, { ...order, limit: order.limit + 1 }), order.limit)
}

/** A page of a table, the newest rows first. */
export const newestFirst = <Schema, From extends keyof Schema, Row>(
  db: Db,
  table: From & string,
  query: SelectQueryBuilder<Schema, From, Row>,
  paging: Pick<Order, 'after' | 'limit'>,
): Promise<Slice<Row>> =>
  keysetSlice(db, query, {
    sort: sql.ref<number>(`${table}.created_at`),
    key: sql.ref<number>(`${table}.key`),
    direction: 'desc',
    ...paging,
  })

export function sliceOf<Row extends PageColumns>(rows: readonly Row[], limit: number): Slice<Row> {
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return { rows: rows.slice(0, limit), next: last ? [last.page_sort, last.page_key] : null }
}
