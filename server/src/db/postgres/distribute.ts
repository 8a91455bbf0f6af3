import type pg from 'pg'
import { PlainFailure } from '../../base/errors.ts'
import type { StoredTables } from '../stored-tables.ts'
import { MIGRATION_LOCK } from './migration-locks.ts'
import { connectPatiently } from './primary.ts'

/** Every unique key of a distributed table has to begin with it. */
export const DISTRIBUTION_COLUMN = 'poll_key' satisfies keyof StoredTables['votes']

/**
 * Divided among the workers by poll. The others are stored with the rows of the first one, which takes the longest: audits compare
 * votes and tallies in one statement, which Citus refuses while only one of them is distributed.
 */
export const DISTRIBUTED_TABLES = ['votes', 'tallies', 'vote_counts'] as const satisfies (keyof StoredTables)[]
/** Copied to every worker, because readers of votes ask for each vote whether its device is forgotten. */
export const REFERENCE_TABLES = ['forgotten_devices'] as const satisfies (keyof StoredTables)[]

const [FIRST] = DISTRIBUTED_TABLES

interface Step {
  readonly table: string
  readonly kind: 'distributed' | 'reference'
  readonly hasRows: boolean
}

export interface DistributionPlan {
  /** The version of Citus, in its own notation. */
  readonly version: string
  /** The database servers that will have a part of the votes. */
  readonly workers: number
  /** The steps that are not done yet. */
  readonly steps: readonly Step[]
}

/**
 * Distributes the tables of votes over the workers of Citus, in separate steps. `confirm` receives the remaining steps. A
 * table with rows is copied while servers use it. After a failure, the next call continues with the remaining steps.
 */
export async function distribute(
  url: string,
  confirm: (plan: DistributionPlan) => Promise<void>,
): Promise<DistributionPlan> {
  const client = await connectPatiently(url)
  try {
    // Excludes migrations and other calls. A lock of the session, because the copying begins transactions of its own.
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    const plan = await planOf(client)
    if (plan.steps.length === 0) return plan
    await confirm(plan)
    for (const step of plan.steps) await take(client, step)
    return plan
  } finally {
    await client.end()
  }
}

async function planOf(client: pg.Client): Promise<DistributionPlan> {
  const { rows: extensions } = await client.query<{ version: string }>(
    "select extversion as version from pg_extension where extname = 'citus'",
  )
  const version = extensions[0]?.version
  if (version === undefined) {
    throw new PlainFailure(
      'The database of DATABASE_URL has no Citus. Install it on every database server, run `create extension citus` in this database on each, and add the workers with `select citus_add_node(…)`. Then run the command again.',
    )
  }
  const { rows: nodes } = await client.query<{ n: number }>(
    "select count(*) as n from pg_dist_node where isactive and shouldhaveshards and noderole = 'primary'",
  )
  const placed = await placesOf(client)
  const asked = [
    ...DISTRIBUTED_TABLES.map((table) => ({ table, kind: 'distributed' }) as const),
    ...REFERENCE_TABLES.map((table) => ({ table, kind: 'reference' }) as const),
  ]
  const steps: Step[] = []
  for (const { table, kind } of asked) {
    const place = placed.get(table)
    if (place) assertAsAsked(place, { kind, first: placed.get(FIRST) })
    else steps.push({ table, kind, hasRows: await hasRows(client, table) })
  }
  // Citus adds the coordinator itself if no node is there.
  return { version, workers: Math.max(1, nodes[0]?.n ?? 0), steps }
}

interface PlacedTable {
  readonly table: string
  readonly kind: string
  readonly column: string
  readonly group: number
}

/** The tables that Citus has placed. Citus knows a table of kind `local`, and has left it where it was. */
async function placesOf(client: pg.Client): Promise<ReadonlyMap<string, PlacedTable>> {
  const { rows } = await client.query<PlacedTable>(
    `select relname as table, citus_table_type as kind, distribution_column as column, colocation_id as group
     from citus_tables join pg_class on pg_class.oid = citus_tables.table_name
     where relnamespace = current_schema()::regnamespace and citus_table_type <> 'local'`,
  )
  return new Map(rows.map((row) => [row.table, row]))
}

function assertAsAsked(
  { table, kind, column, group }: PlacedTable,
  asked: { kind: Step['kind']; first: PlacedTable | undefined },
): void {
  const isSo =
    kind === asked.kind &&
    (kind === 'reference' ||
      (column === DISTRIBUTION_COLUMN && (asked.first === undefined || asked.first.group === group)))
  if (isSo) return
  const wanted =
    asked.kind === 'reference' ? 'a reference table' : `distributed by ${DISTRIBUTION_COLUMN} beside ${FIRST}`
  throw new PlainFailure(
    `The table ${table} is already placed in another way: ${kind}, by ${column}. It has to be ${wanted}. Undo that with \`select undistribute_table('${table}')\`, then run the command again.`,
  )
}

/** Rows of a table without any are not copied, so that it needs no logical replication. */
async function hasRows(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ is_filled: boolean }>(`select exists (select 1 from ${table}) as is_filled`)
  return rows[0]?.is_filled === true
}

async function take(client: pg.Client, { table, kind, hasRows: isFilled }: Step): Promise<void> {
  if (kind === 'reference') {
    await client.query('select create_reference_table($1::regclass)', [table])
    return
  }
  const create = isFilled ? 'create_distributed_table_concurrently' : 'create_distributed_table'
  await client.query(`select ${create}($1::regclass, $2, colocate_with => $3)`, [
    table,
    DISTRIBUTION_COLUMN,
    table === FIRST ? 'none' : FIRST,
  ])
}
