import pg from 'pg'

/** A server that is not there refuses at once; one on a busy machine may need this long. */
export const CONNECT_MS = 30_000

/** Runs `work` on a connection of its own. */
export async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS })
  // If the server is killed, the query fails and reports it; this listener only prevents a crash.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
