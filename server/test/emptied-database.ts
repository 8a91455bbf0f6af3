// Makes a used copy of the template database as good as new, which takes a quarter of the time of a new one.
import pg from 'pg'

/** A test that wrote more than this leaves dead rows that would slow down the next one. */
const MOST_BYTES = 8_000_000
/** Sessions are on their way out for a moment after their clients have closed them. */
const LEAVE_MS = 1_000

const LAST = 'concat(count(*), $$ until $$, max(xmin::text::bigint))'
const since = (catalogue: string, oid = 'oid') =>
  `(select ${LAST} from ${catalogue} where ${oid} >= 16384) as ${catalogue}`

/**
 * All that a test may have changed beside rows: tables, triggers, functions, settings, and what the planner knows of tables. Each catalogue
 * tells how many entries it has and the last transaction that wrote one.
 */
const SCHEMA = `select ${since('pg_class')}, ${since('pg_attribute', 'attrelid')}, ${since('pg_index', 'indexrelid')},
    ${since('pg_sequence', 'seqrelid')}, ${since('pg_constraint')}, ${since('pg_attrdef')}, ${since('pg_trigger')},
    ${since('pg_proc')}, ${since('pg_type')}, ${since('pg_rewrite')}, ${since('pg_policy')}, ${since('pg_statistic_ext')},
    ${since('pg_namespace')}, ${since('pg_extension')}, ${since('pg_event_trigger')}, ${since('pg_publication')},
    (select sum(reltuples) from pg_class where oid >= 16384) as analyzed,
    (select count(*) from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
      where d.datname = current_database()) as settings,
    (select string_agg(name, ' ' order by name) from migrations) as migrations,
    (select count(*) from readiness) as readiness`

/** Triggers and foreign keys rest meanwhile, which only a superuser may ask for. */
const EMPTY = `do $$ declare name regclass; begin
  set local session_replication_role = replica;
  for name in select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
    and relname not in ('migrations', 'readiness') and pg_relation_size(oid) > 0
  loop execute format('delete from %s', name); end loop;
  perform setval(oid, 1, false) from pg_class where relkind = 'S' and relnamespace = 'public'::regnamespace;
  perform pg_stat_reset();
end $$`

const USE = `select current_setting('is_superuser') = 'on' as may,
    (select count(*)::int from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()) as sessions,
    (select sum(pg_relation_size(oid))::float8 from pg_class where oid >= 16384) as bytes`

/** What a copy of this database must have, to be emptied. */
export const schemaOf = (url: string): Promise<string> => inDatabase(url, readSchema)

/**
 * Deletes all rows that the template does not have. False if the database must be dropped instead: its schema is not `schema` any more,
 * somebody is still connected, it is large, or the tests are no superuser.
 */
export const emptied = (url: string, schema: string): Promise<boolean> =>
  inDatabase(url, async (client) => {
    if (!(await canBeEmptied(client)) || (await readSchema(client)) !== schema) return false
    await client.query(EMPTY)
    return true
  })

async function canBeEmptied(client: pg.Client): Promise<boolean> {
  const started = performance.now()
  for (;;) {
    const { rows } = await client.query<{ may: boolean; sessions: number; bytes: number }>(USE)
    const { may = false, sessions = 1, bytes = 0 } = rows[0] ?? {}
    if (!may || bytes > MOST_BYTES) return false
    if (sessions === 0) return true
    if (performance.now() - started > LEAVE_MS) return false
    // Real time: PostgreSQL does not tell when a session has ended.
    await Bun.sleep(5)
  }
}

async function readSchema(client: pg.Client): Promise<string> {
  const { rows } = await client.query(SCHEMA)
  return JSON.stringify(rows[0])
}

async function inDatabase<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
