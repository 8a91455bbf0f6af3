import { type RawBuilder, sql } from 'kysely'

/** A `case` that gives each row the value of its key, so that one statement writes other values to several rows. */
export const valueByKey = (
  column: string,
  values: Iterable<readonly [key: number, value: number]>,
): RawBuilder<number> => {
  const cases = [...values].map(([key, value]) => sql`when ${sql.lit(key)} then ${sql.lit(value)}`)
  return sql<number>`case ${sql.ref(column)} ${sql.join(cases, sql` `)} end`
}
