import type pg from 'pg'
import { connectingTo, type HostWanted } from './primary.ts'
import { CONNECT_MS } from './transaction-settings.ts'
import { typeParser } from './type-parser.ts'

/** A connection of a command whose statements may take as long as they need, such as a backup. */
export async function connectPatiently(url: string, wanted?: HostWanted): Promise<pg.Client> {
  const { Client, connectionString } = connectingTo(url, wanted)
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
