import type pg from 'pg'
import { connectingTo } from './primary.ts'
import { typeParser } from './type-parser.ts'

/** Nobody waits for a nightly backup, and it should not fail because a busy database accepts a connection late. */
const CONNECT_MS = 30_000

/** A connection of a command whose statements may take as long as they need, such as a backup. */
export async function connectPatiently(url: string): Promise<pg.Client> {
  const { Client, connectionString } = connectingTo(url)
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 2_000,
    application_name: 'tossup',
    types: { getTypeParser: typeParser },
  })
  // Without a listener, a lost connection would end the process. The statement that is running reports it.
  client.on('error', () => undefined)
  await client.connect()
  return client
}
