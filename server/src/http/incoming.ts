import { randomUUID } from 'node:crypto'
import type { AddressRange } from '../config.ts'
import type { Claim, Verdict } from './limiter.ts'
import { clientNetwork } from './network.ts'

/** The other end has closed the connection: there is nobody to answer, and nobody to count. */
export class ClientGone extends Error {}

/** A path that says what it means: nothing in it is decoded, resolved or cut off. */
const PLAIN_PATH = /^\/[\w/-]*$/
const AFTER_SCHEME = 'http://'.length
/** Nobody waits for an answer longer than 10 s, be it that the database is stalled. */
const ANSWER_WITHIN_MS = 9_500

interface Surroundings {
  /** Tells the address at the other end of the connection. */
  readonly peer: () => string
  readonly trustedProxies: readonly AddressRange[]
}

/** One request as the door sees it: what is dear to know is found out when it is asked for. */
export class Incoming {
  readonly request: Request
  readonly requestId = randomUUID()
  readonly path: string
  /** What every answer to this request carries, be it a success or a refusal. */
  readonly answerHeaders: Record<string, string> = {}
  /** By `performance.now()`. */
  answerBy = performance.now() + ANSWER_WITHIN_MS
  #timeLeft = 0
  /** What this request counts against. */
  taken: { readonly claims: readonly Claim[]; readonly verdicts: readonly Verdict[] } | null = null
  readonly #surroundings: Surroundings
  readonly #isPlain: boolean
  #url: URL | null = null

  constructor(request: Request, surroundings: Surroundings) {
    this.request = request
    this.#surroundings = surroundings
    const path = plainPath(request)
    this.#isPlain = path !== null
    this.path = path ?? this.url.pathname
  }

  /** The query with its question mark, or nothing. A plain path has none, and is not parsed. */
  get search(): string {
    return this.#isPlain ? '' : this.url.search
  }

  /** Until `endReceiving` the client is waited for, as long as it takes: no deadline runs. */
  beginReceiving(): void {
    this.#timeLeft = this.answerBy - performance.now()
    this.answerBy = Number.POSITIVE_INFINITY
  }

  endReceiving(): void {
    this.answerBy = performance.now() + this.#timeLeft
  }

  /** What Host says decides nothing here: it may be absent, given twice, or no host at all. */
  get url(): URL {
    if (!this.#url) {
      const target = this.request.url.replace(/^[a-z]+:\/\/[^/?#]*/i, '')
      this.#url = new URL(`http://tossup${target.startsWith('/') ? '' : '/'}${target}`)
    }
    return this.#url
  }

  /** What stands for the client's network: an IPv4 address or an IPv6 /64. Never stored or logged. */
  get network(): string {
    const address = this.#surroundings.peer()
    if (address === '') throw new ClientGone()
    return clientNetwork(address, header(this, 'x-forwarded-for'), this.#surroundings.trustedProxies)
  }
}

export function plainPath({ url }: Request): string | null {
  // Without a Host there is nothing before the path.
  const path = url.startsWith('/') ? url : url.slice(url.indexOf('/', AFTER_SCHEME))
  return PLAIN_PATH.test(path) ? path : null
}

export const header = (incoming: Pick<Incoming, 'request'>, name: string): string | null =>
  incoming.request.headers.get(name)
