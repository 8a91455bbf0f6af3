import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { assertStorable } from '../storable.ts'
import { BY_KEY, beginWith, PLAN_AS_BEFORE, PLAN_BY_KEY, type Settings } from './transaction-settings.ts'

const BEGINS = /^(begin|start transaction)\b/
const ENDS = /^(commit|rollback)$/

interface Statement {
  readonly text: string
  readonly parameters: readonly unknown[]
}

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

  /** In one round trip. */
  async function sendBetween(before: string, { text, parameters }: Statement, after: string): Promise<pg.QueryResult> {
    const sent = [client.query(before), client.query(text, [...parameters]), client.query(after)] as const
    return (await Promise.all(sent))[1]
  }

  async function send(text: string, parameters: readonly unknown[]): Promise<pg.QueryResult> {
    if (BEGINS.test(text)) {
      isInTransaction = true
      return client.query(beginWith(settings, text))
    }
    if (ENDS.test(text)) {
      isInTransaction = false
      return client.query(text, [...parameters])
    }
    const isByKey = text.startsWith(BY_KEY)
    if (!isInTransaction) {
      return sendBetween(isByKey ? `${beginAlone}; ${PLAN_BY_KEY}` : beginAlone, { text, parameters }, 'commit')
    }
    if (isByKey) return sendBetween(PLAN_BY_KEY, { text, parameters }, PLAN_AS_BEFORE)
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
