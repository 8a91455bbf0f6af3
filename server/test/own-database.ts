import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** Needs the right to create databases. */
export const ADMIN_URL = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'

export interface OwnDatabase {
  readonly url: string
  drop(): Promise<void>
}

export async function asAdmin(adminUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 3_000 })
  // A server that is killed under us fails the query too: that is where it is heard.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** A database of its own, so that runs beside each other see nothing of one another. */
export async function createDatabase(adminUrl: string = ADMIN_URL): Promise<OwnDatabase> {
  const name = `tossup_test_${randomBytes(6).toString('hex')}`
  await asAdmin(adminUrl, `create database ${name}`)
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => asAdmin(adminUrl, `drop database if exists ${name} with (force)`) }
}
