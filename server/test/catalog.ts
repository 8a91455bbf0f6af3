import { sql } from 'kysely'
import type { Engine } from '../src/db/store.ts'

type Entries = readonly { readonly entry: string }[]

/** The schema of a database, one line for each entry: databases with equal lines have the same schema. */
export async function catalogOf({ name, db }: Pick<Engine, 'name' | 'db'>): Promise<string[]> {
  const { rows } = await (name === 'sqlite' ? sqliteEntries : postgresEntries).execute(db)
  return (rows as Entries).map(({ entry }) => plain(entry))
}

/** SQLite stores its schema as it was written, so spaces, comments and unneeded quotes are removed. */
const plain = (entry: string): string =>
  entry
    .replace(/--.*/g, '')
    .replace(/"(\w+)"/g, '$1')
    .replace(/\s+/g, ' ')
    .replace(/ ?([(),]) ?/g, '$1')
    .trim()

const sqliteEntries = sql`
  select type || ' ' || name || ' on ' || tbl_name || ': ' || coalesce(sql, 'automatic') as entry
  from sqlite_master order by type, name`

/** Column positions are renumbered, because a dropped column leaves a gap in `attnum`. */
const postgresEntries = sql`
  with ours as (select oid, relname, relkind, relpersistence, reloptions from pg_class
    where relnamespace = 'public'::regnamespace)
  select concat_ws(' ', 'relation', relname, relkind, relpersistence, reloptions::text) as entry from ours
  union all
  select concat_ws(' ', 'column', relname, row_number() over (partition by attrelid order by attnum), attname,
    format_type(atttypid, atttypmod), case when attnotnull then 'not null' end, attidentity, attgenerated, attstorage,
    attcollation::regcollation, pg_get_expr(adbin, adrelid))
  from pg_attribute join ours on ours.oid = attrelid and relkind in ('r', 'v')
  left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where attnum > 0 and not attisdropped
  union all
  select concat_ws(' ', 'constraint', relname, conname, pg_get_constraintdef(pg_constraint.oid), convalidated)
  from pg_constraint join ours on ours.oid = conrelid
  union all
  select concat_ws(' ', pg_get_indexdef(indexrelid), indisvalid) from pg_index join ours on ours.oid = indexrelid
  union all
  select concat_ws(' ', 'view', relname, pg_get_viewdef(oid)) from ours where relkind = 'v'
  union all
  select concat_ws(' ', 'sequence', relname, seqtypid::regtype, seqstart, seqincrement, seqmin, seqmax, seqcache, seqcycle,
    refobjid::regclass, refobjsubid)
  from pg_sequence join ours on ours.oid = seqrelid join pg_depend on objid = seqrelid and deptype in ('a', 'i')
  union all
  select concat_ws(' ', 'trigger', relname, pg_get_triggerdef(pg_trigger.oid))
  from pg_trigger join ours on ours.oid = tgrelid and not tgisinternal
  union all
  select concat_ws(' ', 'function', pg_get_functiondef(oid)) from pg_proc
  where pronamespace = 'public'::regnamespace and prokind = 'f'
  order by entry`
