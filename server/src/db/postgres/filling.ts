import { sql } from 'kysely'
import type { Filling } from '../store.ts'

export const postgresFilling: Filling = {
  withKeys: 'overriding system value',

  /** Views and tables of extensions do not count. */
  async firstTable(db) {
    const { rows } = await sql<{ relname: string }>`select relname from pg_class
      where relkind in ('r', 'v', 'p') and relnamespace = current_schema()::regnamespace
        and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e') limit 1`.execute(
      db,
    )
    return rows[0]?.relname ?? null
  },

  /** Rows that come with their keys do not move a sequence on. */
  async setCounters(tx, counters) {
    const { rows } = await sql<{ name: string }>`select relname as name from pg_attribute
      join pg_class on pg_class.oid = attrelid
      where attidentity <> '' and relkind = 'r' and relnamespace = current_schema()::regnamespace`.execute(tx)
    const lastKeys = new Map(counters.map(({ name, last }) => [name, last]))
    for (const { name } of rows) {
      await sql`select setval(pg_get_serial_sequence(${name}, 'key'), greatest(last, 1), last > 0)
        from (select greatest(${lastKeys.get(name) ?? 0}::bigint, max(key)) as last from ${sql.table(name)}) as used`.execute(
        tx,
      )
    }
    await sql`analyze`.execute(tx)
  },
}
