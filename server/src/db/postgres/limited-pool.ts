import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { assertStorable } from '../storable.ts'
import { LiveConnections } from './live-connections.ts'
import { beginWith, type Settings } from './transaction-settings.ts'

const BEGINS = /^(begin|start transaction)\b/
const ENDS = /^(commit|rollback)$/
const READS = /^select\b/
/** PostgreSQL answers BEGIN at once, whatever it is busy with: without an answer the connection is dead, or the server frozen. */
const BEGIN_MS = 3_000

/**
 * Connections on which `settings` apply to every statement. They are set in each transaction, because PgBouncer in
 * transaction mode refuses them as startup parameters and loses session settings. A statement outside a transaction gets
 * one of its own, in the same round trip. A dead connection is replaced where nothing can have been written through it.
 */
export function limitedPool(
  pool: pg.Pool,
  settings: Settings,
  connections: LiveConnections = new LiveConnections(pool),
): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => new LimitedClient(connections, await connections.connect(), settings).client,
  }
}

class LimitedClient {
  readonly #connections: LiveConnections
  readonly #settings: Settings
  /** Null if a dead one could not be replaced. */
  #pooled: pg.PoolClient | null
  #isInTransaction = false
  #isLost = false

  constructor(connections: LiveConnections, pooled: pg.PoolClient, settings: Settings) {
    this.#connections = connections
    this.#pooled = pooled
    this.#settings = settings
  }

  readonly client: PostgresPoolClient = {
    // Kysely's type also allows cursors, which are not used here.
    query: ((text: string, parameters: readonly unknown[]) =>
      this.#query(text, parameters)) as unknown as PostgresPoolClient['query'],
    release: (isDestroyed = false) => {
      if (this.#pooled) this.#connections.release(this.#pooled, isDestroyed || this.#isLost)
    },
  }

  async #send(query: string | pg.QueryConfig, parameters: readonly unknown[] = []): Promise<pg.QueryResult> {
    if (!this.#pooled) throw new DeadConnection('Connection terminated: no other one was free')
    return this.#pooled.query(query, [...parameters])
  }

  async #query(text: string, parameters: readonly unknown[]): Promise<pg.QueryResult> {
    assertStorable(parameters)
    try {
      if (BEGINS.test(text)) {
        this.#isInTransaction = true
        return await this.#onLiveConnection(() => this.#begin(text))
      }
      if (ENDS.test(text)) this.#isInTransaction = false
      if (this.#isInTransaction || ENDS.test(text)) return await this.#send(text, parameters)
      const alone = () => this.#alone(text, parameters)
      return await (READS.test(text) ? this.#onLiveConnection(alone) : alone())
    } catch (error) {
      // The server may still be executing the statement: the next query on this connection would wait for it.
      if (isSilence(error)) this.#isLost = true
      throw error
    }
  }

  async #begin(text?: string): Promise<pg.QueryResult> {
    const sentAt = performance.now()
    try {
      return await this.#send(withinMs(beginWith(this.#settings, text)))
    } catch (error) {
      if (!isSilence(error)) throw error
      this.#connections.noteSilence(sentAt)
      throw new DeadConnection('Query read timeout', { cause: error })
    }
  }

  async #alone(text: string, parameters: readonly unknown[]): Promise<pg.QueryResult> {
    const statements = [this.#begin(), this.#send(text, parameters), this.#send('commit')] as const
    return (await Promise.all(statements))[1]
  }

  /** `send` has no effect if it fails by a dead connection, so it may be repeated on another one. */
  async #onLiveConnection(send: () => Promise<pg.QueryResult>): Promise<pg.QueryResult> {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof DeadConnection) || !this.#pooled) throw error
      // Before the other one is taken: all connections of the pool may be dead.
      this.#connections.release(this.#pooled, true)
      this.#pooled = null
      this.#pooled = await this.#connections.connect()
      return await send()
    }
  }
}

class DeadConnection extends Error {}

const withinMs = (text: string): pg.QueryConfig & { query_timeout: number } => ({ text, query_timeout: BEGIN_MS })

/** The error of `pg` after `query_timeout`. */
const isSilence = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout'
