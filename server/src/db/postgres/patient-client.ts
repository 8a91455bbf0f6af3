import type pg from 'pg'
import { connectingTo, type HostWanted } from './primary.ts'
import { typeParser } from './type-parser.ts'

/** Nobody waits for a nightly backup, and it should not fail because a busy database accepts a connection late. */
const CONNECT_MS = 30_000

interface Connecting {
  readonly wanted?: HostWanted
  readonly connectMs?: number
}

/** A connection of a command whose statements may take as long as they need, such as a backup. */
export async function connectPatiently(
  url: string,
  { wanted, connectMs = CONNECT_MS }: Connecting = {},
): Promise<pg.Client> {
  const { Client, connectionString } = connectingTo(url, wanted)
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: connectMs,
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
