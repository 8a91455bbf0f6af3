import { withClient } from './with-client.ts'

/**
 * How often two transactions in this database have waited for each other, of the sessions that have ended: PostgreSQL then ends one,
 * after a second. SQLite has one writer, and so none.
 */
export const deadlocksIn = (url: string): Promise<number> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ deadlocks: number }>(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    )
    return rows[0]?.deadlocks ?? Number.NaN
  })
