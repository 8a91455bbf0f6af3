import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { PREPARED } from '../prepared.ts'
import { assertStorable } from '../storable.ts'
import { beginWith, type Settings } from './transaction-settings.ts'

const BEGINS = /^(begin|start transaction)\b/
const ENDS = /^(commit|rollback)$/

/** The error of a kept plan whose columns a migration has changed. */
const PLAN_IS_STALE = '0A000'

/** Names for the statements that connections keep prepared, one for each text. */
class StatementNames {
  readonly #names = new Map<string, string>()
  #given = 0

  of(text: string): string {
    const known = this.#names.get(text)
    if (known) return known
    const name = `tossup-${++this.#given}`
    this.#names.set(text, name)
    return name
  }

  /** Its next execution prepares it again, on every connection. */
  forget(text: string, name: string): void {
    if (this.#names.get(text) === name) this.#names.delete(text)
  }
}

/**
 * Connections on which `settings` apply to every statement. They are set in each transaction, because PgBouncer in
 * transaction mode refuses them as startup parameters and loses session settings. A statement outside a transaction gets
 * one of its own, in the same round trip.
 */
export function limitedPool(pool: pg.Pool, settings: Settings): PostgresPool {
  const names = new StatementNames()
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => limitedClient(await pool.connect(), settings, names),
  }
}

function limitedClient(client: pg.PoolClient, settings: Settings, names: StatementNames): PostgresPoolClient {
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
      return text.endsWith(PREPARED) ? sendPrepared(text, parameters) : sendAlone({ text, values: [...parameters] })
    }
    return client.query(text, [...parameters])
  }

  async function sendAlone(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    const alone = [client.query(beginAlone), client.query(statement), client.query('commit')] as const
    return (await Promise.all(alone))[1]
  }

  async function sendPrepared(text: string, parameters: readonly unknown[]): Promise<pg.QueryResult> {
    const name = names.of(text)
    try {
      return await sendAlone({ name, text, values: [...parameters] })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === PLAN_IS_STALE)) throw error
      names.forget(text, name)
      return sendAlone({ name: names.of(text), text, values: [...parameters] })
    }
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
