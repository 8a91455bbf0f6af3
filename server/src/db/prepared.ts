import { sql } from 'kysely'

export const PREPARED = '/* prepared */'

/**
 * Appended to a statement that is often sent with the same text: each connection to PostgreSQL keeps its plan, which costs
 * many times what executing it does. Texts must be few, because a connection never forgets one. SQLite needs no mark.
 */
export const prepared = sql.raw(PREPARED)

const SIZES = [1, 10, 50, 200]
const LARGEST = 500

/** Repeats the last key, so that lists of all lengths make few texts. */
export function padded(keys: readonly number[]): readonly number[] {
  const last = keys.at(-1)
  if (last === undefined) return keys
  const size = SIZES.find((each) => each >= keys.length) ?? Math.ceil(keys.length / LARGEST) * LARGEST
  return [...keys, ...Array.from({ length: size - keys.length }, () => last)]
}
