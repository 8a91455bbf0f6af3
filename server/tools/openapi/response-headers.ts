import type { HeaderName } from '../../src/http/answers/response-headers.ts'

/** Every response header in openapi.json, with its description and an example. */
export const RESPONSE_HEADERS = {
  'Accept-Encoding': {
    description: 'Which content encodings the service reads: none but `identity`.',
    example: 'identity',
  },
  'Accept-Ranges': {
    description: 'The file can be requested in parts.',
    example: 'bytes',
  },
  'Cache-Control': {
    description:
      'Who may cache the answer, and for how long. `private, no-cache` lets a browser keep it and ask by its ETag; errors are `no-store`.',
    example: 'public, max-age=0, s-maxage=2',
  },
  'Content-Disposition': {
    description: 'The answer is a file to save, with its name.',
    example: 'attachment; filename="voters-tea-or-coffee.csv"',
  },
  'Content-Range': {
    description: 'The range of the answer; with 416, the size of the file.',
    example: 'bytes 0-1023/48213',
  },
  'Content-Security-Policy': {
    description: 'What the page may load and run, and who may frame it.',
    example: "default-src 'none'",
  },
  'Cross-Origin-Resource-Policy': {
    description: 'Allows pages of every origin to load the file.',
    example: 'cross-origin',
  },
  ETag: {
    description: 'The version of the answer, for `If-None-Match`; of a resource of a brand also for `If-Match`.',
    example: '"q3Zk0d1nYw8vT5mBxR7uLa"',
  },
  'Idempotent-Replayed': {
    description: 'Present if the idempotency key was used before: this is the first answer again.',
    example: 'true',
  },
  Link: {
    description: 'The next page, with `rel="next"`; absent on the last page.',
    example: '</api/rest/v1/categories?cursor=Zk0d1nYw8vT5mB>; rel="next"',
  },
  Location: {
    description: 'The address of the new resource.',
    example: '/api/rest/v1/brands/me/polls/tea-or-coffee',
  },
  'Original-Request-Id': {
    description: 'Present in a replayed answer: the `X-Request-Id` of the first one.',
    example: '9b1c6f0e-2d4a-4f7b-8c35-0e6a1d2f3b47',
  },
  RateLimit: {
    description: 'The requests left (`r`), and the seconds until the next one is freed (`t`).',
    example: '"votes";r=7;t=43',
  },
  'RateLimit-Policy': {
    description: 'The limit that applied: the number of requests (`q`) per window of `w` seconds.',
    example: '"votes";q=10;w=60',
  },
  'Referrer-Policy': {
    description: 'Keeps the address of the page from other sites.',
    example: 'no-referrer',
  },
  'Retry-After': {
    description: 'The seconds to wait before repeating the request.',
    example: '2',
  },
  'Set-Cookie': {
    description: 'The session: only for the browser, and only for this service.',
    example: '__Host-tossup=tss_5Tq0…; Path=/; Max-Age=2592000; HttpOnly; Secure; SameSite=Strict',
  },
  Vary: {
    description: 'The request headers that the answer depends on.',
    example: 'Accept-Encoding',
  },
  'WWW-Authenticate': {
    description: 'The required credentials, and whether those sent are invalid.',
    example: 'Bearer realm="tossup", error="invalid_token"',
  },
  'X-Request-Id': {
    description: 'The id of the request in the log of the service.',
    example: '3f2c9d1e-6b0a-4c1d-8a57-2f4f0a9d6b11',
  },
  'X-Robots-Tag': {
    description: 'Keeps search engines from listing the answer.',
    example: 'noindex',
  },
} as const satisfies Record<HeaderName, { description: string; example: string }>
