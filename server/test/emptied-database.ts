// Makes a used copy of the template database as good as new.
import type pg from 'pg'
import { withClient } from './with-client.ts'

/** A copy keeps the dead rows of all its tests, with their place in tables and indexes: beyond this it is slower than a new one. */
const MOST_BYTES = 8_000_000
/** Sessions are on their way out for a moment after their clients have closed them. */
const LEAVE_MS = 1_000

/** Below it are PostgreSQL's own. */
const FIRST_OID = 16_384
const COUNT_AND_LAST_WRITE = 'concat(count(*), $$ until $$, max(xmin::text::bigint))'
const entriesOf = (catalogue: string, oid = 'oid') =>
  `(select ${COUNT_AND_LAST_WRITE} from ${catalogue} where ${oid} >= ${FIRST_OID}) as ${catalogue}`

/**
 * All that a test may have changed beside rows: tables, triggers, functions, settings, and what the planner knows of tables. Each catalogue
 * tells how many entries it has and the last transaction that wrote one.
 */
const FINGERPRINT = `select ${entriesOf('pg_class')}, ${entriesOf('pg_attribute', 'attrelid')}, ${entriesOf('pg_index', 'indexrelid')},
    ${entriesOf('pg_sequence', 'seqrelid')}, ${entriesOf('pg_constraint')}, ${entriesOf('pg_attrdef')}, ${entriesOf('pg_trigger')},
    ${entriesOf('pg_proc')}, ${entriesOf('pg_type')}, ${entriesOf('pg_rewrite')}, ${entriesOf('pg_policy')}, ${entriesOf('pg_statistic_ext')},
    ${entriesOf('pg_namespace')}, ${entriesOf('pg_extension')}, ${entriesOf('pg_event_trigger')}, ${entriesOf('pg_publication')},
    (select sum(reltuples) from pg_class where oid >= ${FIRST_OID}) as analyzed,
    (select count(*) from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
      where d.datname = current_database()) as settings,
    (select string_agg(name, ' ' order by name) from migrations) as migrations,
    (select count(*) from readiness) as readiness`

/**
 * Leaves the tables in which a migration writes rows (the test notices another one), and resets the counters of PostgreSQL, such as that of deadlocks.
 * To truncate tables would change catalogues. Triggers and foreign keys rest meanwhile, which only a superuser may ask for.
 */
const EMPTY = `do $$ declare name regclass; begin
  set local session_replication_role = replica;
  for name in select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
    and relname not in ('migrations', 'readiness') and pg_relation_size(oid) > 0
  loop execute format('delete from %s', name); end loop;
  perform setval(oid, 1, false) from pg_class where relkind = 'S' and relnamespace = 'public'::regnamespace;
  perform pg_stat_reset();
end $$`

const STATE = `select current_setting('is_superuser') = 'on' as "isSuperuser",
    (select count(*)::int from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend') as sessions,
    (select sum(pg_relation_size(oid))::float8 from pg_class where oid >= ${FIRST_OID}) as bytes`

/** The fingerprint of a database's schema. Only a copy with the same fingerprint may be emptied. */
export const fingerprintOf = (url: string): Promise<string> => withClient(url, readFingerprint)

/**
 * Deletes what tests wrote. False if the database must be dropped instead: its schema has another fingerprint, somebody is still
 * connected, it is large, or the tests are no superuser.
 */
export const emptied = (url: string, fingerprint: string): Promise<boolean> =>
  withClient(url, async (client) => {
    if (!(await canBeEmptied(client)) || (await readFingerprint(client)) !== fingerprint) return false
    await client.query(EMPTY)
    return true
  })

async function canBeEmptied(client: pg.Client): Promise<boolean> {
  const started = performance.now()
  for (;;) {
    const { rows } = await client.query<{ isSuperuser: boolean; sessions: number; bytes: number }>(STATE)
    const { isSuperuser = false, sessions = 1, bytes = 0 } = rows[0] ?? {}
    if (!isSuperuser || bytes > MOST_BYTES) return false
    if (sessions === 0) return true
    if (performance.now() - started > LEAVE_MS) return false
    // Real time: PostgreSQL does not tell when a session has ended.
    await Bun.sleep(5)
  }
}

async function readFingerprint(client: pg.Client): Promise<string> {
  const { rows } = await client.query(FINGERPRINT)
  return JSON.stringify(rows[0])
}
