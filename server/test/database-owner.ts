// The databases that a test process creates: names, the connection that marks them as in use, and the end of those of killed processes.
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { CONNECT_MS } from './with-client.ts'

/** Prefix of this process's databases, and the name of the connection that it keeps open. */
const OWNER = `tossup_test_${randomBytes(6).toString('hex')}`
/** Error code of PostgreSQL. */
const IN_USE = '55006'

const admins = new Map<string, Promise<pg.Client>>()
/** The end of the last statement on each connection. */
const ends = new Map<string, Promise<unknown>>()
let created = 0

/** For a database of this process: it is dropped by another one if this process is killed. */
export const newName = (): string => `${OWNER}_${++created}`

export function urlOf(adminUrl: string, name: string): string {
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return url.href
}

export async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  await asOwner(adminUrl, `drop database if exists ${name} with (force)`)
}

/** Runs on the connection that marks this process's databases as in use, one statement after the other. */
export function asOwner<Row extends pg.QueryResultRow>(adminUrl: string, text: string, values: unknown[] = []) {
  const run = async () => awake((await adminOf(adminUrl)).query<Row>(text, values))
  const result = (ends.get(adminUrl) ?? Promise.resolve()).then(run)
  ends.set(
    adminUrl,
    result.catch(() => undefined),
  )
  return result
}

/** Keeps one connection to each server open while the process lives: it marks the process's databases as in use. */
export function adminOf(url: string): Promise<pg.Client> {
  const kept = admins.get(url) ?? connectOwner(url)
  admins.set(url, kept)
  return kept
}

async function connectOwner(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS, application_name: OWNER })
  client.on('error', () => undefined)
  client.on('end', () => admins.delete(url))
  try {
    await client.connect()
    await dropOrphans(client)
    unref(client)
  } catch (error) {
    admins.delete(url)
    throw error
  }
  return client
}

/** This connection does not keep the process alive. (The types of `pg` lack the method.) */
const unref = (client: pg.Client): void => (client as pg.Client & { unref(): void }).unref()

/** A process that waits for unreferenced connections alone asks for events in a busy loop: a timer lets it sleep. */
async function awake<Result>(statement: Promise<Result>): Promise<Result> {
  const timer = setInterval(() => undefined, 60_000)
  try {
    return await statement
  } finally {
    clearInterval(timer)
  }
}

/** Drops the databases of killed processes: those whose owner has no open connection. */
export async function dropOrphans(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(`select datname as name from pg_database
    where datname ~ '^tossup_test_[0-9a-f]{12}_[0-9]+$'
      and left(datname, ${OWNER.length}) not in (select application_name from pg_stat_activity)`)
  for (const { name } of rows) {
    // A database that is still in use, by a server that outlived its test, is left to the next process.
    await client.query(`drop database if exists ${name}`).catch((error) => {
      if (error.code !== IN_USE) throw error
    })
  }
}
