import type pg from 'pg'

/**
 * The connections of a pool that are not known to be dead. A network that forgets its connections says nothing: each would
 * be noticed by a request of its own, one timeout after the other.
 */
export class LiveConnections {
  readonly #pool: pg.Pool
  /** When each connection last answered. */
  readonly #heardAt = new WeakMap<pg.PoolClient, number>()
  #deadSince = Number.NEGATIVE_INFINITY

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async connect(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await this.#pool.connect()
      if ((this.#heardAt.get(client) ?? Number.POSITIVE_INFINITY) >= this.#deadSince) return client
      client.release(true)
    }
  }

  release(client: pg.PoolClient, isDead: boolean): void {
    if (!isDead) this.#heardAt.set(client, performance.now())
    client.release(isDead)
  }

  /** A statement that PostgreSQL answers at once had no answer since this time: what was silent then is not used again. */
  noteSilence(since: number): void {
    this.#deadSince = Math.max(this.#deadSince, since)
  }
}
