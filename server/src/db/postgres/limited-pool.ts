import { randomUUID } from 'node:crypto'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { assertStorable, BY_KEY, PREPARED } from '../prepared.ts'
import { isFull, isLost } from './database-failures.ts'
import { beginWith, PLAN_AS_BEFORE, PLAN_BY_KEY, type Settings } from './transaction-settings.ts'

/** How long a pool stays smaller after PostgreSQL had no room for it. */
const SMALLER_MS = 10_000

/**
 * The connections of a pool that are not known to be dead. A network drops connections without a word: otherwise each dead
 * connection would cost another request its timeout.
 */
export class LiveConnections {
  readonly #pool: pg.Pool
  /** When each connection last answered. */
  readonly #heardAt = new WeakMap<pg.PoolClient, number>()
  readonly #most: number
  #deadSince = Number.NEGATIVE_INFINITY
  #growing: ReturnType<typeof setTimeout> | null = null

  constructor(pool: pg.Pool) {
    this.#pool = pool
    this.#most = pool.options.max
  }

  async connect(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await this.#take()
      if ((this.#heardAt.get(client) ?? Number.POSITIVE_INFINITY) >= this.#deadSince) return client
      client.release(true)
    }
  }

  /** Closes a connection, so that PostgreSQL has room for another one, which matters more. False if there is none. */
  async giveUpOne(): Promise<boolean> {
    if (this.#pool.totalCount === 0) return false
    this.#limit(this.#pool.totalCount)
    const client = await this.#pool.connect()
    const ended = new Promise((resolve) => client.once('end', resolve))
    this.#limit(this.#pool.totalCount - 1)
    client.release(true)
    await ended
    return true
  }

  /** Where PostgreSQL has no room for one more, a request waits for one of the others instead of failing. */
  async #take(): Promise<pg.PoolClient> {
    for (;;) {
      try {
        return await this.#pool.connect()
      } catch (error) {
        if (!isFull(error) || this.#pool.totalCount === 0) throw error
        this.#limit(this.#pool.totalCount)
      }
    }
  }

  #limit(most: number): void {
    this.#pool.options.max = Math.max(1, most)
    if (this.#growing) clearTimeout(this.#growing)
    this.#growing = setTimeout(() => {
      this.#pool.options.max = this.#most
    }, SMALLER_MS)
    this.#growing.unref()
  }

  release(client: pg.PoolClient, isDead: boolean): void {
    if (!isDead) this.#heardAt.set(client, performance.now())
    client.release(isDead)
  }

  /** A connection was dead at this time: those that have not answered since then are not used again. */
  noteSilence(since: number): void {
    this.#deadSince = Math.max(this.#deadSince, since)
  }
}

interface NamedStatement {
  readonly name: string
  readonly text: string
}

/** Names for the statements that connections keep prepared, one for each text. */
class StatementNames {
  readonly #named = new Map<string, NamedStatement>()
  readonly #outdated = new Set<string>()
  #given = 0

  of(text: string): NamedStatement {
    const known = this.#named.get(text)
    if (known) return known
    // PgBouncer identifies statements by text, not by name: only a different text is prepared again.
    const mark = this.#outdated.has(text) ? ` /* ${randomUUID()} */` : ''
    const statement = { name: `tossup-${++this.#given}`, text: text + mark }
    this.#named.set(text, statement)
    return statement
  }

  /** Makes the next execution prepare the statement again, on every connection. */
  forget(text: string, { name }: NamedStatement): void {
    if (this.#named.get(text)?.name !== name) return
    this.#named.delete(text)
    this.#outdated.add(text)
  }
}

const BEGINS = /^(begin|start transaction)\b/
const ENDS = /^(commit|rollback)$/
const READS = /^select\b/
/** PostgreSQL answers BEGIN at once, even under load: without an answer, the connection is dead or the server is frozen. */
const BEGIN_MS = 3_000

/**
 * Sets `settings` in each transaction, because PgBouncer in transaction mode refuses and loses those of sessions. A statement
 * gets a transaction of its own. A dead connection is replaced where nothing can have been written through it.
 */
export function limitedPool(
  pool: pg.Pool,
  settings: Settings,
  { connections = new LiveConnections(pool), isPreparing = true }: Options = {},
): PostgresPool {
  const shared: Shared = { connections, names: isPreparing ? new StatementNames() : null, settings }
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => new LimitedClient(shared, await shared.connections.connect()).client,
  }
}

interface Options {
  readonly connections?: LiveConnections | undefined
  /** False behind a pooler that does not know prepared statements. */
  readonly isPreparing?: boolean
}

/** State shared by the connections of a pool. */
interface Shared {
  readonly connections: LiveConnections
  /** Null if no statement may have a name. */
  readonly names: StatementNames | null
  readonly settings: Settings
}

class LimitedClient {
  readonly #shared: Shared
  /** Null if a dead client could not be replaced. */
  #pooled: pg.PoolClient | null
  #isInTransaction = false
  #isLost = false

  constructor(shared: Shared, pooled: pg.PoolClient) {
    this.#shared = shared
    this.#pooled = pooled
  }

  readonly client: PostgresPoolClient = {
    // Kysely's type also allows cursors, which are not used here.
    query: ((text: string, parameters: readonly unknown[]) =>
      this.#query(text, parameters)) as unknown as PostgresPoolClient['query'],
    release: (isDestroyed = false) => {
      if (this.#pooled) this.#shared.connections.release(this.#pooled, isDestroyed || this.#isLost)
    },
  }

  async #send(query: string | pg.QueryConfig): Promise<pg.QueryResult> {
    if (!this.#pooled) throw new DeadConnection('Connection terminated: no other one was free')
    return this.#pooled.query(query)
  }

  async #query(text: string, parameters: readonly unknown[]): Promise<pg.QueryResult> {
    assertStorable(parameters)
    try {
      if (BEGINS.test(text)) {
        this.#isInTransaction = true
        return await this.#onLiveConnection(() => this.#begin(text))
      }
      if (ENDS.test(text)) this.#isInTransaction = false
      const statement = { text, values: [...parameters] }
      if (this.#isInTransaction || ENDS.test(text)) return await this.#within(statement)
      const alone = () => (text.endsWith(PREPARED) ? this.#prepared(statement) : this.#alone(statement))
      return await (READS.test(text) || isByKey(statement) ? this.#onLiveConnection(alone) : alone())
    } catch (error) {
      // The server may still be executing the statement: the next query on this connection would wait for it.
      if (isSilence(error)) this.#isLost = true
      throw error
    }
  }

  async #begin(text?: string, planning = ''): Promise<pg.QueryResult> {
    const sentAt = performance.now()
    try {
      return await this.#send(withinMs(beginWith(this.#shared.settings, text) + planning))
    } catch (error) {
      if (!isSilence(error)) throw error
      this.#shared.connections.noteSilence(sentAt)
      throw new DeadConnection('Query read timeout', { cause: error })
    }
  }

  async #alone(statement: Statement): Promise<pg.QueryResult> {
    const planning = isByKey(statement) ? `; ${PLAN_BY_KEY}` : ''
    const statements = [this.#begin(undefined, planning), this.#send(statement), this.#send('commit')] as const
    return (await Promise.all(statements))[1]
  }

  async #within(statement: Statement): Promise<pg.QueryResult> {
    if (!isByKey(statement)) return this.#send(statement)
    const statements = [this.#send(PLAN_BY_KEY), this.#send(statement), this.#send(PLAN_AS_BEFORE)] as const
    return (await Promise.all(statements))[1]
  }

  async #prepared(statement: Statement): Promise<pg.QueryResult> {
    const { names } = this.#shared
    if (!names) return this.#alone(statement)
    const named = names.of(statement.text)
    try {
      return await this.#alone({ ...statement, ...named })
    } catch (error) {
      if (!isStalePlan(error)) throw error
      names.forget(statement.text, named)
      return this.#alone({ ...statement, ...names.of(statement.text) })
    }
  }

  /** `send` has no effect if it fails by a dead connection, so it may be repeated on another one. */
  async #onLiveConnection(send: () => Promise<pg.QueryResult>): Promise<pg.QueryResult> {
    try {
      return await send()
    } catch (error) {
      const isEnded = isLost(error)
      if (!(error instanceof DeadConnection || isEnded) || !this.#pooled) throw error
      // A server that ends one session, as it does when it restarts, ends them all.
      if (isEnded) this.#shared.connections.noteSilence(performance.now())
      // Before the other one is taken: all connections of the pool may be dead.
      this.#shared.connections.release(this.#pooled, true)
      this.#pooled = null
      this.#pooled = await this.#shared.connections.connect()
      return await send()
    }
  }
}

type Statement = pg.QueryConfig & { readonly text: string }

const isByKey = ({ text }: Statement): boolean => text.startsWith(BY_KEY)

class DeadConnection extends Error {}

const withinMs = (text: string): pg.QueryConfig & { query_timeout: number } => ({ text, query_timeout: BEGIN_MS })

/** A migration has changed the columns of a kept plan. Citus has the same code for what it cannot plan. */
const isStalePlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'

/** The error of `pg` after `query_timeout`. */
const isSilence = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout'
