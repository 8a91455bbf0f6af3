import { TcpProxy } from '../server/test/tcp-proxy.ts'
import { atEnd } from './clean-up.ts'
import { startTossup, type TossupSubject } from './subjects.ts'

/** Servers on one PostgreSQL, each a process of its own on a port of its own, and a round trip away from the database. */
export class Fleet {
  readonly databaseUrl: string
  readonly #first: TossupSubject
  readonly #proxy: TcpProxy
  readonly #servers: TossupSubject[] = []

  private constructor(parts: { first: TossupSubject; proxy: TcpProxy; databaseUrl: string }) {
    this.#first = parts.first
    this.#proxy = parts.proxy
    this.databaseUrl = parts.databaseUrl
  }

  static async start(roundTripMs: number): Promise<Fleet> {
    // Without the round trip: it makes the database and its polls.
    const first = await startTossup('postgres')
    await first.pause()
    const { database } = first.home
    if (database.engine !== 'postgres') throw new Error('the subject is not on PostgreSQL')
    const proxy = new TcpProxy(database.url, { roundTripMs })
    await proxy.open()
    const fleet = new Fleet({ first, proxy, databaseUrl: database.url })
    atEnd(() => fleet.stop())
    return fleet
  }

  get servers(): readonly TossupSubject[] {
    return this.#servers
  }

  /** Starts or stops servers. The others go on. */
  async resize(count: number): Promise<void> {
    while (this.#servers.length < count)
      this.#servers.push(await this.#first.restart({ DATABASE_URL: this.#proxy.url }))
    for (const server of this.#servers.splice(count)) await server.pause()
  }

  async stop(): Promise<void> {
    await this.resize(0)
    await this.#proxy.close()
    await this.#first.home.remove()
  }
}
