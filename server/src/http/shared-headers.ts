import { anyPage } from './cors.ts'

/** Of every answer that could have been compressed, also where it was not. */
export const VARY_BY_CODING = { Vary: 'Accept-Encoding' }

/** Headers that many answers have in common, made once: to copy them costs less than to make them from names and values. */
export class SharedHeaders {
  readonly forAnyPage: Headers
  /** The token endpoints are for servers: no page may call them. */
  readonly forServers: Headers

  constructor(headers: Readonly<Record<string, string>> = {}) {
    this.forServers = new Headers({ 'X-Content-Type-Options': 'nosniff', ...headers })
    this.forAnyPage = new Headers({ 'X-Content-Type-Options': 'nosniff', ...anyPage, ...headers })
  }
}
