const EXPOSED =
  'ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, Original-Request-Id, Idempotent-Replayed, WWW-Authenticate'
const ALLOWED =
  'Content-Type, Authorization, X-Device-Id, X-Vote-Code, X-Challenge-Solution, X-Service-Idempotency-Key, If-None-Match, If-Match, Last-Event-ID'

/** Any origin may call the API, without cookies. */
const anyPage = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': EXPOSED }

export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  return {
    Allow: methods.join(', '),
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': ALLOWED,
    'Access-Control-Max-Age': '86400',
  }
}

/** Sent with every answer that may be compressed, even if this one is not. */
export const VARY_BY_CODING = { Vary: 'Accept-Encoding' }

/** Headers that many answers share, built once: copying them is cheaper than setting names and values. */
export class SharedHeaders {
  readonly #headers: Readonly<Record<string, string>>
  readonly forAnyPage: Headers
  /** For routes of servers and of the session's cookie, which no page of another origin may call. */
  readonly withoutCors: Headers

  constructor(headers: Readonly<Record<string, string>> = {}) {
    this.#headers = headers
    this.withoutCors = new Headers({ 'X-Content-Type-Options': 'nosniff', ...headers })
    this.forAnyPage = new Headers({ 'X-Content-Type-Options': 'nosniff', ...anyPage, ...headers })
  }

  with(more: Readonly<Record<string, string>>): SharedHeaders {
    return new SharedHeaders({ ...this.#headers, ...more })
  }
}

/** The names of response headers. `server/tools/openapi` describes each. */
export type HeaderName =
  | 'Accept-Encoding'
  | 'Accept-Ranges'
  | 'Cache-Control'
  | 'Content-Disposition'
  | 'Content-Range'
  | 'Content-Security-Policy'
  | 'Cross-Origin-Resource-Policy'
  | 'ETag'
  | 'Idempotent-Replayed'
  | 'Link'
  | 'Location'
  | 'Original-Request-Id'
  | 'RateLimit'
  | 'RateLimit-Policy'
  | 'Referrer-Policy'
  | 'Retry-After'
  | 'Set-Cookie'
  | 'Vary'
  | 'WWW-Authenticate'
  | 'X-Request-Id'
  | 'X-Robots-Tag'
