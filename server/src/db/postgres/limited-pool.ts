import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { assertStorable } from '../storable.ts'
import { beginWith, type Settings } from './transaction-settings.ts'

const BEGINS = /^(begin|start transaction)\b/
const ENDS = /^(commit|rollback)$/

/**
 * Connections on which `settings` apply to every statement. They are set in each transaction, because PgBouncer in
 * transaction mode refuses them as startup parameters and loses session settings. A statement outside a transaction gets
 * one of its own, in the same round trip.
 */
export function limitedPool(pool: pg.Pool, settings: Settings): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => limitedClient(await pool.connect(), settings),
  }
}

function limitedClient(client: pg.PoolClient, settings: Settings): PostgresPoolClient {
  const beginAlone = beginWith(settings)
  let isInTransaction = false
  let isLost = false

  async function send(text: string, parameters: readonly unknown[]): Promise<pg.QueryResult> {
    if (BEGINS.test(text)) {
      isInTransaction = true
      return client.query(beginWith(settings, text))
    }
    if (ENDS.test(text)) isInTransaction = false
    else if (!isInTransaction) {
      const alone = [client.query(beginAlone), client.query(text, [...parameters]), client.query('commit')] as const
      return (await Promise.all(alone))[1]
    }
    return client.query(text, [...parameters])
  }

  async function query(text: string, parameters: readonly unknown[]): Promise<pg.QueryResult> {
    assertStorable(parameters)
    try {
      return await send(text, parameters)
    } catch (error) {
      // The server may still be executing the statement: the next query on this connection would wait for it.
      if (isSilence(error)) isLost = true
      throw error
    }
  }

  return {
    // Kysely's type also allows cursors, which are not used here.
    query: query as unknown as PostgresPoolClient['query'],
    release: (isDestroyed = false) => client.release(isDestroyed || isLost),
  }
}

/** The error of `pg` after `query_timeout`. */
const isSilence = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout'
