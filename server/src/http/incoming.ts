import { randomUUID } from 'node:crypto'
import type { AddressRange } from '../config/setting-kinds.ts'
import type { HeaderName } from './answers/response-headers.ts'
import type { Claim, Verdict } from './limits/limits.ts'
import { clientNetworks, type ProxyWatch } from './network.ts'

/** The client has closed the connection: no answer is possible, and nothing is counted. */
export class ClientGone extends Error {}

/** A path in which nothing needs to be decoded, resolved or cut off. */
const PLAIN_PATH = /^\/[\w/-]*$/
const AFTER_SCHEME = 'http://'.length
/** Every answer begins within 10 s, even while the database is stalled. */
const ANSWER_WITHIN_MS = 9_500

/** The listener's view of the client at the other end of a connection. */
export interface Peers {
  /** The address at the other end; empty if the connection is closed. */
  addressOf(request: Request): string
  /** Names the connection by the address and port at its other end; empty if it is closed. */
  connectionOf(request: Request): string
  /** Turns off the idle timeout of the connection. */
  holdOpen(request: Request): void
}

/** The same for all requests. */
export interface Surroundings {
  readonly peers: Peers
  readonly trustedProxies: readonly AddressRange[]
  readonly proxyWatch: Pick<ProxyWatch, 'note'>
}

/** One request as the door sees it. Expensive properties are computed when they are first read. */
export class Incoming {
  readonly request: Request
  readonly requestId = randomUUID()
  readonly path: string
  #answerHeaders: Record<string, string> | null = null
  /** Headers of the rate limit that counted the request. Added to every answer, like `answerHeaders`. */
  limitHeaders: Readonly<Record<string, string>> | null = null
  /** A time of `performance.now()`, like `answerBy`. */
  readonly startedAt = performance.now()
  answerBy = this.startedAt + ANSWER_WITHIN_MS
  #timeLeft = 0
  /** The answer ends the connection. */
  readonly isLast: boolean
  /** The guard has let the caller in: what fails from here on fails for a known caller. */
  isAdmitted = false
  /** The rate limits that this request was counted against. */
  taken: { readonly claims: readonly Claim[]; readonly verdicts: readonly Verdict[] } | null = null
  readonly surroundings: Surroundings
  readonly #isPlain: boolean
  #url: URL | null = null
  #networks: readonly [string, ...string[]] | null = null

  constructor(request: Request, surroundings: Surroundings, isLast = false) {
    this.request = request
    this.isLast = isLast
    this.surroundings = surroundings
    const path = plainPath(request)
    this.#isPlain = path !== null
    this.path = path ?? this.url.pathname
  }

  /** The query string with its question mark, or empty. A plain path has none and is not parsed. */
  get search(): string {
    return this.#isPlain ? '' : this.url.search
  }

  /** Headers of every answer to this request, success or refusal. Null for nearly all requests. */
  get answerHeaders(): Readonly<Record<string, string>> | null {
    return this.#answerHeaders
  }

  addHeader(name: HeaderName, value: string): void {
    this.#answerHeaders ??= {}
    this.#answerHeaders[name] = value
  }

  /** Suspends the deadline until `endReceiving`, while the client sends its body. */
  beginReceiving(): void {
    this.#timeLeft = this.answerBy - performance.now()
    this.answerBy = Number.POSITIVE_INFINITY
  }

  endReceiving(): void {
    this.answerBy = performance.now() + this.#timeLeft
  }

  get url(): URL {
    this.#url ??= urlOf(this.request)
    return this.#url
  }

  /** Identifies the client's network: an IPv4 address or an IPv6 /64. Never stored or logged. */
  get network(): string {
    return this.networks[0]
  }

  /** The client's network and the wider ones around it. */
  get networks(): readonly [string, ...string[]] {
    if (this.#networks) return this.#networks
    const { peers, trustedProxies, proxyWatch } = this.surroundings
    const address = peers.addressOf(this.request)
    if (address === '') throw new ClientGone()
    const forwardedFor = header(this, 'x-forwarded-for')
    proxyWatch.note(address, forwardedFor)
    this.#networks = clientNetworks(address, forwardedFor, trustedProxies)
    return this.#networks
  }
}

/** Ignores the Host header: it may be missing, repeated or malformed. */
function urlOf({ url }: Request): URL {
  const target = url.replace(/^[a-z]+:\/\/[^/?#]*/i, '')
  return new URL(`http://tossup${target.startsWith('/') ? '' : '/'}${target}`)
}

/** The path of any request, without its query. */
export const pathOf = (request: Request): string => plainPath(request) ?? urlOf(request).pathname

export function plainPath({ url }: Request): string | null {
  // Without a Host header, Bun's URL is the path alone.
  const path = url.startsWith('/') ? url : url.slice(url.indexOf('/', AFTER_SCHEME))
  return PLAIN_PATH.test(path) ? path : null
}

export const header = (incoming: Pick<Incoming, 'request'>, name: string): string | null =>
  incoming.request.headers.get(name)
