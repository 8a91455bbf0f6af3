import { type RawBuilder, sql } from 'kysely'
import type { Tx } from './store.ts'
import type { Tables } from './tables.ts'

/** The columns of a table, or of any of several. */
type ColumnOf<Table extends keyof Tables> = Table extends unknown ? keyof Tables[Table] & string : never

interface Some<Table extends keyof Tables> {
  /** The columns that follow those of `where` in an index, and name a row beside them. */
  readonly keys: readonly ColumnOf<Table>[]
  readonly where: RawBuilder<boolean>
  readonly most: number
}

/**
 * Deletes the first `most` of the rows, so that nobody waits long for their locks. Returns how many: fewer than `most` were the last.
 * The rows up to a last one, not those of a list: while PostgreSQL believes that the table is nearly empty, it reads the list for each row.
 */
export async function deleteSome<Table extends keyof Tables>(
  tx: Tx,
  table: Table,
  { keys, where, most }: Some<Table>,
): Promise<number> {
  const columns = sql.join(keys.map((key) => sql.ref(key)))
  const backwards = sql.join(keys.map((key) => sql`${sql.ref(key)} desc`))
  const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${where} and (${columns}) <= (
    select ${columns} from (
      select ${columns} from ${sql.table(table)} where ${where} order by ${columns} limit ${sql.lit(most)}
    ) as batch order by ${backwards} limit 1)`.execute(tx)
  return Number(numAffectedRows ?? 0)
}
