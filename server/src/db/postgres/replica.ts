import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { Silence, within } from '../../base/within.ts'
import { BY_KEY } from '../prepared.ts'
import { noReplica, type ReadOutcome, type ReplicaCounts } from '../replica-counts.ts'
import { isLost } from './database-failures.ts'
import { LiveConnections } from './live-connections.ts'
import { beginWith, LIMITS, PLAN_BY_KEY } from './transaction-settings.ts'
import { bytesBehind, positionOfStandby, type WalPosition } from './wal-position.ts'

/** How long a read waits for a connection, for an answer, and for the replica to have everything that it must show. */
const CONNECT_MS = 150
const ANSWER_MS = 250
const CATCH_UP_MS = 150
const LOOK_EVERY_MS = 5
/** A read that takes longer finds out whether the replica still answers others. */
const SLOW_READ_MS = 250
const PING_MS = 400
/** After a failure the replica is tried once a second, and no read waits for that. */
const TRY_EVERY_MS = 1_000
const TRY_MS = 2_000
/** A replica that comes and goes does not fill the log. */
const TELL_EVERY_MS = 60_000
const CLOSE_MS = 500

/** A replica that is further behind is left alone for a while. */
const MOST_UNSENT_BYTES = 2 ** 20
/** Each statement sees what was applied before it began. The default of the role may be another. */
const BEGIN = 'begin isolation level read committed read only'

const PATIENCE = { connectMs: CONNECT_MS, answerMs: ANSWER_MS }
const PATIENCE_OF_TRY = { connectMs: TRY_MS + ANSWER_MS, answerMs: TRY_MS }

export interface ReplicaOptions {
  /** Of the replica. */
  readonly pool: pg.PoolConfig
  /** Where the log of the primary is now. */
  readonly positionOfPrimary: () => Promise<WalPosition>
  /** Null when the replica is read again. Is not told of a failure that is over at the next try. */
  readonly onChange?: ((problem: Error | null) => void) | undefined
}

interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/**
 * A standby that answers a read only where it has everything that was committed on the primary before. The primary is asked for
 * the end of its log first, and the standby in the transaction of the read, because a pooler may lead each transaction elsewhere.
 */
export class Replica implements ReplicaCounts {
  readonly #options: ReplicaOptions
  readonly #pool: pg.Pool
  readonly #connections: LiveConnections
  /** Tells a slow read from a frozen server. */
  readonly #pinger: pg.Pool
  readonly outcomes: Record<ReadOutcome, number> = { ...noReplica().outcomes }
  lagBytes = 0
  /** Why it is not read now. */
  #problem: Error | null = new Error('it was not tried yet')
  #isTold = false
  #toldAt = Number.NEGATIVE_INFINITY
  #tryAt = Number.NEGATIVE_INFINITY
  #trying: Promise<void> | null = null
  #pinging: Promise<void> | null = null
  #isClosed = false

  constructor(options: ReplicaOptions) {
    this.#options = options
    this.#pool = openQuietly({ ...options.pool, connectionTimeoutMillis: TRY_MS })
    this.#connections = new LiveConnections(this.#pool)
    this.#pinger = openQuietly({ ...options.pool, connectionTimeoutMillis: PING_MS, query_timeout: PING_MS, max: 1 })
  }

  /** Null if the primary has to be read: what fails here may succeed there. */
  async read(statement: Statement): Promise<pg.QueryResult | null> {
    if (this.#problem) {
      this.tryAgain()
      return this.#passOn(this.#problem instanceof Behind ? 'behind' : 'unusable')
    }
    const primary = await this.#options.positionOfPrimary()
    let client: pg.PoolClient
    try {
      client = await this.#begin(primary, PATIENCE)
    } catch (error) {
      if (error instanceof Busy) return this.#passOn('busy')
      // The primary sends its log to the disk before it sends it to replicas, which may take longer than a read waits.
      const isNearlyThere = error instanceof Behind && error.bytes <= MOST_UNSENT_BYTES
      return this.#passOn(isNearlyThere ? 'behind' : this.#rest(error))
    }
    try {
      const answer = await this.#run(client, statement)
      this.outcomes.replica++
      return answer
    } catch (error) {
      if (isTimeout(error)) throw error
      return this.#passOn(isOfStatement(error) ? 'failed' : this.#rest(error))
    }
  }

  /** Finds out whether the replica can be read. */
  tryAgain(): void {
    if (this.#trying || this.#isClosed || performance.now() < this.#tryAt) return
    this.#trying = this.#try().finally(() => {
      this.#trying = null
    })
  }

  /** Waits only briefly: a frozen server never confirms the end of its connections. */
  async close(): Promise<void> {
    this.#isClosed = true
    const ended = Promise.all([this.#pool.end(), this.#pinger.end(), this.#trying])
    await within(CLOSE_MS, ended, 'The replica').catch(() => undefined)
  }

  async #try(): Promise<void> {
    try {
      const primary = await this.#options.positionOfPrimary()
      await this.#run(await this.#begin(primary, PATIENCE_OF_TRY), { text: 'select', values: [] })
      this.#problem = null
      if (this.#isTold) this.#options.onChange?.(null)
      this.#isTold = false
    } catch (error) {
      this.#rest(error)
      this.#tell()
    }
  }

  #tell(): void {
    if (this.#isTold || this.#isClosed || performance.now() - this.#toldAt < TELL_EVERY_MS) return
    this.#isTold = true
    this.#toldAt = performance.now()
    this.#options.onChange?.(this.#problem)
  }

  /** A transaction whose statements see all that was committed on the primary before. */
  async #begin(primary: WalPosition, { connectMs, answerMs }: typeof PATIENCE): Promise<pg.PoolClient> {
    const client = await this.#connect(connectMs)
    try {
      client.query(beginWith(LIMITS, BEGIN)).catch(() => undefined)
      await within(answerMs + CATCH_UP_MS, this.#catchUp(client, primary), 'The replica')
      return client
    } catch (error) {
      const isSound = error instanceof Behind
      if (isSound) client.query('rollback').catch(() => undefined)
      this.#connections.release(client, !isSound)
      throw error
    }
  }

  /** A new connection may take longer than the read can wait: the next one has it. */
  async #connect(connectMs: number): Promise<pg.PoolClient> {
    const connecting = this.#connections.connect()
    try {
      return await within(connectMs, connecting, 'The replica')
    } catch (error) {
      if (!(error instanceof Silence)) throw error
      connecting.then(
        (client) => this.#connections.release(client, false),
        // All its connections may be in use for as long.
        (failure) => void (isPoolFull(failure) || this.#rest(failure)),
      )
      throw new Busy()
    }
  }

  async #catchUp(client: pg.PoolClient, primary: WalPosition): Promise<void> {
    const end = performance.now() + CATCH_UP_MS
    for (;;) {
      this.lagBytes = bytesBehind(await positionOfStandby(client, primary), primary)
      if (this.lagBytes === 0) return
      if (performance.now() + LOOK_EVERY_MS >= end) throw new Behind(this.lagBytes)
      await pause(LOOK_EVERY_MS)
    }
  }

  async #run(client: pg.PoolClient, { text, values }: Statement): Promise<pg.QueryResult> {
    let isSound = false
    try {
      const planning = text.startsWith(BY_KEY) ? [client.query(PLAN_BY_KEY)] : []
      const reading = client.query(text, [...values])
      await this.#whileItAnswers(Promise.all([...planning, reading, client.query('commit')]))
      isSound = true
      return await reading
    } catch (error) {
      // In an aborted transaction the commit, which is already sent, is a rollback.
      isSound = isOfStatement(error)
      throw error
    } finally {
      this.#connections.release(client, !isSound)
    }
  }

  async #whileItAnswers(reading: Promise<unknown>): Promise<void> {
    const isOver = reading.then(() => true)
    while (!(await Promise.race([isOver, pause(SLOW_READ_MS, false, { ref: false })]))) {
      await Promise.race([isOver, this.#ping()])
    }
  }

  #ping(): Promise<void> {
    this.#pinging ??= within(PING_MS, this.#pinger.query('select'), 'The replica')
      .then(
        () => undefined,
        (error) => {
          // A refusal is an answer, too: it may have too many connections. The timeout of the driver is none of the read.
          if (!hasCode(error)) throw new Silence('The replica does not answer', { cause: error })
        },
      )
      .finally(() => {
        this.#pinging = null
      })
    return this.#pinging
  }

  /** No read tries it again until it was tried beside them. */
  #rest(error: unknown): ReadOutcome {
    this.#problem = error instanceof Error ? error : new Error(String(error))
    this.#tryAt = performance.now() + TRY_EVERY_MS
    if (error instanceof Behind) return 'behind'
    // What holds for one connection holds for all that are open.
    this.#connections.noteSilence(performance.now())
    return 'unusable'
  }

  #passOn(outcome: ReadOutcome): null {
    this.outcomes[outcome]++
    return null
  }
}

class Behind extends Error {
  readonly bytes: number

  constructor(bytes: number) {
    super(`it is ${bytes} bytes behind the primary`)
    this.bytes = bytes
  }
}

class Busy extends Error {}

const hasCode = (error: unknown): boolean => error instanceof pg.DatabaseError

/** PostgreSQL ended the statement alone, as it does where replaying the log would remove rows that are being read. */
const isOfStatement = (error: unknown): boolean => hasCode(error) && !isLost(error)

/** The primary would need as long, and the request does not have that time. */
const isTimeout = (error: unknown): boolean =>
  (error instanceof pg.DatabaseError && error.code === QUERY_CANCELED) ||
  (error instanceof Error && error.message === 'Query read timeout')

/** A statement that took too long. One that would hold up the log has another code. */
const QUERY_CANCELED = '57014'

/** As the pool says it when no connection becomes free in time. */
const isPoolFull = (error: unknown): boolean =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect'

function openQuietly(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(options)
  // Without a listener, a lost connection would crash the process. Reads report it.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => void client.on('error', () => undefined))
  return pool
}
