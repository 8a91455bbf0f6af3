import { sql } from 'kysely'
import type { Filling } from '../store.ts'

export const sqliteFilling: Filling = {
  withKeys: '',

  /** The caller makes the folder. */
  firstTable: async () => null,

  async setCounters(tx, counters) {
    for (const { name, last } of counters) {
      await sql`insert into sqlite_sequence (name, seq) select ${name}, 0
        where not exists (select 1 from sqlite_sequence where name = ${name})`.execute(tx)
      await sql`update sqlite_sequence set seq = max(seq, ${last}) where name = ${name}`.execute(tx)
    }
  },
}
