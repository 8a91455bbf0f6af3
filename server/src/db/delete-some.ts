import { type RawBuilder, sql } from 'kysely'
import type { Tx } from './store.ts'
import type { Tables } from './tables.ts'

interface Some<Table extends keyof Tables> {
  /** The columns of the primary key. */
  readonly keys: readonly (keyof Tables[Table] & string)[]
  readonly where: RawBuilder<boolean>
  readonly most: number
}

/** Deletes at most `most` of the rows, so that nobody waits long for their locks. Returns how many: fewer than `most` were the last. */
export async function deleteSome<Table extends keyof Tables>(
  tx: Tx,
  table: Table,
  { keys, where, most }: Some<Table>,
): Promise<number> {
  const columns = sql.join(keys.map((key) => sql.ref(key)))
  const { numAffectedRows } = await sql`delete from ${sql.table(table)} where (${columns}) in (
    select ${columns} from ${sql.table(table)} where ${where} limit ${sql.lit(most)})`.execute(tx)
  return Number(numAffectedRows ?? 0)
}
