import type pg from 'pg'

type Work<T> = (client: pg.Client) => Promise<T>

/** A connection of the ledger alone. It does one work after the other, and is opened again after a failure. */
export class LedgerConnection {
  readonly #connect: () => Promise<pg.Client>
  #client: Promise<pg.Client> | null = null
  #turn: Promise<unknown> = Promise.resolve()

  constructor(connect: () => Promise<pg.Client>) {
    this.#connect = connect
  }

  run<T>(work: Work<T>): Promise<T> {
    const mine = this.#turn.then(() => this.#runAlone(work))
    this.#turn = mine.catch(() => undefined)
    return mine
  }

  async close(): Promise<void> {
    await this.#turn
    await (await this.#client)?.end()
  }

  async #runAlone<T>(work: Work<T>): Promise<T> {
    this.#client ??= this.#open()
    const connected = await this.#client
    try {
      return await work(connected)
    } catch (error) {
      // A new connection is certainly not in a transaction. The old one may never finish closing, so nobody waits for it.
      this.#client = null
      connected.end().catch(() => undefined)
      throw error
    }
  }

  /** Drops the connection as soon as it ends, even while it is idle. */
  #open(): Promise<pg.Client> {
    const opening = this.#connect()
    const forget = () => {
      if (this.#client === opening) this.#client = null
    }
    opening.then((opened) => opened.once('end', forget), forget)
    return opening
  }
}
