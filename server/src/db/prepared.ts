import { type RawBuilder, sql } from 'kysely'
import { invalidField } from '../base/errors.ts'
import { textProblem } from '../base/text.ts'

/**
 * Checks every text on its way to either database. Routes refuse such text earlier, with the name of the field; text that
 * gets past a route's own checks is still the client's mistake.
 */
export function assertStorable(parameters: readonly unknown[]): void {
  for (const parameter of parameters) {
    if (Array.isArray(parameter)) assertStorable(parameter)
    const problem = typeof parameter === 'string' ? textProblem(parameter) : null
    if (problem) throw invalidField('', problem.code, problem.message)
  }
}

/** A `case` that gives each row the value of its key, so that one statement writes other values to several rows. */
export const valueByKey = (
  column: string,
  values: Iterable<readonly [key: number, value: number]>,
): RawBuilder<number> => {
  const cases = [...values].map(([key, value]) => sql`when ${sql.lit(key)} then ${sql.lit(value)}`)
  return sql<number>`case ${sql.ref(column)} ${sql.join(cases, sql` `)} end`
}

export const PREPARED = '/* prepared */'

/**
 * Appended to a statement that is often sent with the same text: each connection to PostgreSQL keeps its plan, which costs
 * many times what executing it does. Texts must be few, because a connection never forgets one. SQLite needs no mark.
 */
export const prepared = sql.raw(PREPARED)

export const BY_KEY = '/* by key */'

/**
 * Begins a statement whose rows must be found by their keys, also where the statistics are stale: PostgreSQL plans it without
 * sequential scans, hash joins and merge joins.
 */
export const byKey = sql.raw(BY_KEY)

const SIZES = [1, 10, 50, 200]
const LARGEST = 500

/** Repeats the last key up to one of a few lengths, so that lists of all lengths make few texts. */
export function padded(keys: readonly number[]): readonly number[] {
  const last = keys.at(-1)
  if (last === undefined) return keys
  const size = SIZES.find((each) => each >= keys.length) ?? Math.ceil(keys.length / LARGEST) * LARGEST
  return [...keys, ...Array.from({ length: size - keys.length }, () => last)]
}
