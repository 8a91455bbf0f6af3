import pg from 'pg'
import { reasonOf } from '../../base/errors.ts'
import { urlsOfHosts } from '../../config/setting-kinds.ts'

const INT8 = 20

/** `pg` returns int8 as text. Our numbers stay far below 2^53. */
const typeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')

/** Time limit for a host's answer whether it is the primary. Shorter than the connection timeout, which includes it. */
const ANSWER_MS = 1_500
/** SQLSTATE cannot_connect_now: the database may be back soon. */
const CANNOT_CONNECT_NOW = '57P03'

interface Host {
  readonly host: string
  readonly port: number
}

/** Finds the host that accepts writes, and looks again after the end of each connection. */
class HostChoice {
  readonly #urls: readonly string[]
  #found: Promise<Host> | null = null
  #last: string | null = null

  constructor(urls: readonly string[]) {
    this.#urls = urls
  }

  find(): Promise<Host> {
    if (this.#found !== null) return this.#found
    const finding = this.#ask()
    this.#found = finding
    finding.catch(() => this.forget(finding))
    return finding
  }

  /** Another host may be the one by now. */
  forget(found: Promise<Host>): void {
    if (this.#found === found) this.#found = null
  }

  /**
   * Asks all hosts at once, because one may be silent. Among suitable hosts it prefers the last one that was used, then the
   * first one of the URL, like libpq.
   */
  async #ask(): Promise<Host> {
    const inOrder = this.#urls.toSorted((a, b) => Number(b === this.#last) - Number(a === this.#last))
    const asked = inOrder.map((url) => ({ url, answer: askHost(url) }))
    for (const { answer } of asked) answer.catch(() => undefined)
    const reasons: string[] = []
    for (const { url, answer } of asked) {
      try {
        const host = await answer
        this.#last = url
        return host
      } catch (error) {
        reasons.push(reasonOf(error))
      }
    }
    const message = `no host of DATABASE_URL accepts writes: ${reasons.join('; ')}`
    throw Object.assign(new Error(message), { code: CANNOT_CONNECT_NOW })
  }
}

async function askHost(connectionString: string): Promise<Host> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
    application_name: 'tossup',
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ is_standby: boolean }>('select pg_is_in_recovery() as is_standby')
    if (rows[0]?.is_standby !== false) throw new Error('a standby')
    return { host: client.host, port: client.port }
  } finally {
    // No await: a silent host never confirms the end.
    client.end().catch(() => undefined)
  }
}

export type Connecting = ReturnType<typeof connectingTo>

/** How clients connect to a database. With one host this is the client of the driver as it is. */
export function connectingTo(url: string) {
  const urls = urlsOfHosts(url)
  const [firstHost = url] = urls
  return {
    Client: urls.length > 1 ? clientOf(new HostChoice(urls)) : pg.Client,
    connectionString: firstHost,
    keepAlive: true,
    keepAliveInitialDelayMillis: 2_000,
    application_name: 'tossup',
    types: { getTypeParser: typeParser },
  }
}

type Connected = (error: Error | null, client?: pg.Client) => void

function clientOf(choice: HostChoice): typeof pg.Client {
  return class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config)
      const connect = () => super.connect()
      const connectToChosen = async (): Promise<pg.Client> => {
        const finding = choice.find()
        Object.assign(this, await finding)
        const forget = () => choice.forget(finding)
        // 'end' rather than 'error': our own timeout ends a connection without an error.
        this.once('end', forget)
        await connect().catch((error) => {
          forget()
          throw error
        })
        return this as pg.Client
      }
      // The pool passes a callback, everything else awaits the promise.
      const connectEither = (callback?: Connected) => {
        const connected = connectToChosen()
        if (callback) connected.then((client) => callback(null, client), callback)
        return connected
      }
      Object.assign(this, { connect: connectEither })
    }
  }
}

/** Nobody waits for a nightly backup, and it should not fail because a busy database accepts a connection late. */
const CONNECT_MS = 30_000

/** A connection of a command whose statements may take as long as they need, such as a backup. */
export async function connectPatiently(url: string): Promise<pg.Client> {
  const { Client, ...options } = connectingTo(url)
  const client = new Client({ ...options, connectionTimeoutMillis: CONNECT_MS })
  // Without a listener, a lost connection would end the process. The statement that is running reports it.
  client.on('error', () => undefined)
  await client.connect()
  return client
}
