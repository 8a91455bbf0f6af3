import type pg from 'pg'
import { isFull } from './database-failures.ts'

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
