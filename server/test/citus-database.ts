import pg from 'pg'
import { distribute } from '../src/db/postgres/distribute.ts'
import { migrateEmpty } from './migrate-empty.ts'

/**
 * A database on a coordinator of Citus, whose nodes create databases of the same name on the workers. The tests then run with their
 * votes distributed.
 */
export const CITUS_URL = process.env['TEST_CITUS_URL'] || null

/** The shards of a table of a test. More of them only take longer to create. */
const SHARDS = 4

interface CitusNode {
  readonly host: string
  readonly port: number
}

/** Runs in the database `name` of the coordinator, which is there, and creates the databases of the workers. */
export async function extendOverNodes(admin: pg.Client, adminUrl: string, name: string): Promise<void> {
  const { rows: nodes } = await admin.query<CitusNode & { group: number }>(
    'select nodename as host, nodeport as port, groupid as group from pg_dist_node where isactive order by groupid',
  )
  const workers = nodes.filter(({ group }) => group !== 0)
  for (const worker of workers) {
    const url = at(adminUrl, worker)
    await run(url, [`create database ${name}`])
    await run(inDatabase(url, name), ['create extension citus'])
  }
  const [coordinator] = nodes.filter(({ group }) => group === 0)
  await run(inDatabase(adminUrl, name), [
    'create extension citus',
    ...(coordinator ? [`select citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`] : []),
    ...workers.map(({ host, port }) => `select citus_add_node('${host}', ${port})`),
    `alter database ${name} set citus.shard_count = ${SHARDS}`,
  ])
}

export async function dropOnNodes(admin: pg.Client, adminUrl: string, name: string): Promise<void> {
  const { rows } = await admin.query<CitusNode>(
    'select nodename as host, nodeport as port from pg_dist_node where groupid <> 0',
  )
  for (const worker of rows) await run(at(adminUrl, worker), [`drop database if exists ${name} with (force)`])
}

/** Migrates an empty database and distributes its votes. */
export async function distributeEmpty(url: string): Promise<void> {
  await migrateEmpty(url)
  await distribute(url, async () => undefined)
}

function at(url: string, { host, port }: CitusNode): string {
  const other = new URL(url)
  other.hostname = host
  other.port = String(port)
  return other.href
}

function inDatabase(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

async function run(connectionString: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
