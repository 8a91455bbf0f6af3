import { anyPage } from './cors.ts'
import type { LimitHeaders } from './limit-headers.ts'

/** Sent with every answer that may be compressed, even if this one is not. */
export const VARY_BY_CODING = { Vary: 'Accept-Encoding' }

/** Headers that many answers share, built once: copying them is cheaper than setting names and values. */
export class SharedHeaders {
  readonly #headers: Readonly<Record<string, string>>
  readonly forAnyPage: Headers
  /** The token endpoints are for servers, so no CORS headers. */
  readonly forServers: Headers
  readonly #limited = new WeakMap<LimitHeaders, Headers>()

  constructor(headers: Readonly<Record<string, string>> = {}) {
    this.#headers = headers
    this.forServers = new Headers({ 'X-Content-Type-Options': 'nosniff', ...headers })
    this.forAnyPage = new Headers({ 'X-Content-Type-Options': 'nosniff', ...anyPage, ...headers })
  }

  with(more: Readonly<Record<string, string>>): SharedHeaders {
    return new SharedHeaders({ ...this.#headers, ...more })
  }

  /** For any page, with the headers of a limit. */
  limited(limit: LimitHeaders): Headers {
    const known = this.#limited.get(limit)
    if (known) return known
    const headers = new Headers(this.forAnyPage)
    for (const [name, value] of Object.entries(limit.values)) headers.set(name, value)
    this.#limited.set(limit, headers)
    return headers
  }
}
