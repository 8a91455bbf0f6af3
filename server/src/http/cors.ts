const EXPOSED = 'ETag, Link, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, Idempotent-Replayed'
const ALLOWED = 'Content-Type, Authorization, X-Device-Id, X-Service-Idempotency-Key, If-None-Match'

/** Any page may call us, and none with a visitor's cookies. The token endpoints are for servers: no page may. */
export const anyPage = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': EXPOSED }

export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  return {
    Allow: methods.join(', '),
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': ALLOWED,
    'Access-Control-Max-Age': '86400',
  }
}
