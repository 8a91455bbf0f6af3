const EXPOSED =
  'ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, Idempotent-Replayed, WWW-Authenticate'
const ALLOWED =
  'Content-Type, Authorization, X-Device-Id, X-Challenge-Solution, X-Service-Idempotency-Key, If-None-Match, If-Match, Last-Event-ID'

/** Any origin may call the API, without cookies. The token endpoints are for servers and send no CORS headers. */
export const anyPage = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': EXPOSED }

export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  return {
    Allow: methods.join(', '),
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': ALLOWED,
    'Access-Control-Max-Age': '86400',
  }
}
