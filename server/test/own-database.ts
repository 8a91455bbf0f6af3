import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { CITUS_URL, distributeEmpty, dropOnNodes, extendOverNodes } from './citus-database.ts'
import { emptied } from './emptied-database.ts'

/** Needs permission to create databases. */
export const ADMIN_URL = CITUS_URL ?? process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'

export interface OwnDatabase {
  readonly url: string
  /** Services that open it distribute its votes. */
  readonly isOnCitus?: boolean
  drop(): Promise<void>
}

/** A server that is not there refuses at once; one on a busy machine may need this long. */
const CONNECT_MS = 30_000

export async function asAdmin(adminUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: CONNECT_MS })
  // If the server is killed, the query fails and reports it; this listener only prevents a crash.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Prefix of this process's databases, and the name of the connection that it keeps open. Begins with its pid, for `connection-use.ts`. */
const OWNER = `tossup_test_${process.pid.toString(16).padStart(6, '0')}${randomBytes(3).toString('hex')}`
const IN_USE = '55006'
const admins = new Map<string, Promise<pg.Client>>()
let created = 0

/** A migrated database of the run, and its schema (`template-database.ts`). Runs of a few files have none. */
const TEMPLATE = process.env['TEST_TEMPLATE_DATABASE']
const TEMPLATE_SCHEMA = process.env['TEST_TEMPLATE_SCHEMA'] ?? ''
/** Copies of the template that tests of this process have used, emptied for the next one. They are dropped like those of a killed process. */
const free: string[] = []

/**
 * A database of its own, so that concurrent test runs cannot affect each other. It is empty, or sooner there and migrated: the first
 * service that opens it makes no difference.
 */
export async function createDatabase(
  adminUrl: string = ADMIN_URL,
  { mustBeEmpty = false }: { mustBeEmpty?: boolean } = {},
): Promise<OwnDatabase> {
  const isOnCitus = adminUrl === CITUS_URL
  // The template is on one server, and Citus cannot copy a database whose tables are on other nodes.
  if (!mustBeEmpty && TEMPLATE && adminUrl === ADMIN_URL && !isOnCitus) return copyTemplate(TEMPLATE)
  const name = newName()
  const admin = await adminOf(adminUrl)
  await awake(admin.query(`create database ${name}`))
  if (isOnCitus) await extendOverNodes(admin, adminUrl, name)
  const url = urlOf(adminUrl, name)
  if (isOnCitus && !mustBeEmpty) await distributeEmpty(url)
  const drop = async () => {
    if (isOnCitus) await dropOnNodes(await adminOf(adminUrl), adminUrl, name)
    await dropDatabase(adminUrl, name)
  }
  return { url, isOnCitus, drop }
}

/** A copy of the template, or one that is as good as new. */
async function copyTemplate(template: string): Promise<OwnDatabase> {
  const name = free.pop() ?? (await createCopy(template))
  const url = urlOf(ADMIN_URL, name)
  const giveUp = async () => {
    if (await emptied(url, TEMPLATE_SCHEMA)) free.push(name)
    else await dropDatabase(ADMIN_URL, name)
  }
  let givenUp: Promise<void> | null = null
  return { url, drop: () => (givenUp ??= giveUp()) }
}

async function createCopy(template: string): Promise<string> {
  const name = newName()
  await awake((await adminOf(ADMIN_URL)).query(`create database ${name} template ${template}`))
  return name
}

const newName = (): string => `${OWNER}_${++created}`

function urlOf(adminUrl: string, name: string): string {
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return url.href
}

async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  await awake((await adminOf(adminUrl)).query(`drop database if exists ${name} with (force)`))
}

/** Keeps one connection to each server open while the process lives: it marks the process's databases as in use. */
function adminOf(url: string): Promise<pg.Client> {
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
    unref(client)
    await dropOrphans(client)
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

/** Drops the databases of processes that have ended or were killed. */
export async function dropLeftDatabases(): Promise<void> {
  await dropOrphans(await adminOf(ADMIN_URL))
}

/** Those whose owner has no open connection. */
async function dropOrphans(client: pg.Client): Promise<void> {
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
