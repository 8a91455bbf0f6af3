import { anyPage } from './cors.ts'

/** Sent with every answer that may be compressed, even if this one is not. */
export const VARY_BY_CODING = { Vary: 'Accept-Encoding' }

/** Headers that many answers share, built once: copying them is cheaper than setting names and values. */
export class SharedHeaders {
  readonly #headers: Readonly<Record<string, string>>
  readonly forAnyPage: Headers
  /** The token endpoints are for servers, so no CORS headers. */
  readonly forServers: Headers

  constructor(headers: Readonly<Record<string, string>> = {}) {
    this.#headers = headers
    this.forServers = new Headers({ 'X-Content-Type-Options': 'nosniff', ...headers })
    this.forAnyPage = new Headers({ 'X-Content-Type-Options': 'nosniff', ...anyPage, ...headers })
  }

  with(more: Readonly<Record<string, string>>): SharedHeaders {
    return new SharedHeaders({ ...this.#headers, ...more })
  }
}
