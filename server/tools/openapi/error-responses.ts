import { z } from 'zod'
import type { ErrorEntry } from '../../src/base/error-catalogue/entry.ts'
import { ERRORS, type ErrorCode } from '../../src/base/errors.ts'
import type { HeaderName } from '../../src/http/answers/response-headers.ts'
import { STORED_REFUSALS } from '../../src/http/idempotency.ts'
import { type Limit, limits } from '../../src/http/limits/limits.ts'
import { type Route, takesIfMatch, takesNothing } from '../../src/http/route.ts'
import { defaultOf, windowText } from '../limit-words.ts'
import { type Components, headersOf, type Json, jsonContent, ref } from './components.ts'

export interface Refusal {
  readonly status: number
  readonly code: ErrorCode
}

const OF_BODIES: ErrorCode[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
const OF_IDEMPOTENCY: ErrorCode[] = [
  'IDEMPOTENCY_KEY_REQUIRED',
  'IDEMPOTENCY_KEY_INVALID',
  'IDEMPOTENCY_KEY_REUSED',
  'IDEMPOTENCY_IN_PROGRESS',
]
/** A path parameter whose schema accepts this value has no rule, and so cannot be refused. */
const UNACCEPTABLE = '\0'

/** Every error that a route can answer: those of its guard, of the door's steps, and those that it declares. */
export function refusalsOf(route: Route): Refusal[] {
  const { kind, spec } = route
  const codes: ErrorCode[] = ['INTERNAL', 'METHOD_NOT_ALLOWED', ...spec.guard.errors, ...(spec.errors ?? [])]
  // Every stopping server answers it, and most routes need a database that may be down.
  if (!spec.isAlwaysUp) codes.push('UNAVAILABLE')
  if (canRefusePath(route) || !spec.isOutside || spec.query || spec.body) codes.push('VALIDATION_ERROR')
  if (spec.body || takesNothing(spec)) codes.push('MALFORMED_JSON')
  if (spec.method !== 'GET') codes.push(...OF_BODIES)
  if (takesIfMatch(spec)) codes.push('PRECONDITION_FAILED')
  if (spec.limits || hasFiles(route)) codes.push('RATE_LIMITED')
  if (kind === 'once') codes.push(...OF_IDEMPOTENCY)
  const refusals = [...new Set(codes)].map((code) => ({ status: ERRORS[code].status, code }))
  return spec.isPaged ? [...refusals, { status: 400, code: 'VALIDATION_ERROR' }] : refusals
}

export const hasFiles = (route: Route): boolean => route.kind === 'plain' && route.spec.exportAll !== undefined

function canRefusePath({ spec: { path, params } }: Route): boolean {
  const given = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, UNACCEPTABLE])
  return params !== undefined && !params.safeParse(Object.fromEntries(given)).success
}

const REQUEST_ID = '3f2c9d1e-6b0a-4c1d-8a57-2f4f0a9d6b11'

/** A response for each status. Operations that answer a status with the same codes share it. */
export function errorResponses(components: Components, route: Route, refusals: readonly Refusal[]): Json {
  const byStatus = Map.groupBy(refusals, ({ status }) => status)
  return Object.fromEntries(
    [...byStatus].map(([status, refused]) => {
      const codes = refused.map(({ code }) => code).sort()
      const isOther = codes.some((code) => ERRORS[code].status !== status)
      const { words, headers } = sentWith(route, status, codes)
      const name = `${codes.map(pascal).join('Or')}${isOther ? status : ''}${words}`
      components.responses[name] ??= responseOf(components, codes, headers)
      return [status, ref('responses', name)]
    }),
  )
}

/** The headers that the door's steps add to an error, and the suffix that makes the shared response's name unique. */
function sentWith(
  { kind, spec }: Route,
  status: number,
  codes: readonly ErrorCode[],
): { words: string; headers: HeaderName[] } {
  const isKept = kind === 'once' && STORED_REFUSALS.has(status)
  // The router and the guard answer before the limit is counted. The owner of an API key is checked after the limit, and a
  // route that names an error of its guard can answer it later, too.
  const isEarly =
    status === 405 ||
    (status === 403 && codes.every((code) => spec.guard.errors.includes(code) && !spec.errors?.includes(code))) ||
    (status === 401 && !codes.some((code) => code === 'INVALID_API_KEY' || spec.errors?.includes(code)))
  const isCounted = spec.limits !== undefined && !isEarly
  // The guard renews the cookie of a session that it admits, also if the request then fails.
  const mayProlong = spec.guard.security.some((way) => 'session' in way) && !isEarly
  return {
    words: `${isKept ? 'OfKeyedWrite' : ''}${isCounted ? 'OfLimited' : ''}${mayProlong ? 'OfSession' : ''}`,
    headers: [...(isKept ? REPLAYED : []), ...(isCounted ? COUNTED : []), ...(mayProlong ? PROLONGED : [])],
  }
}

const REPLAYED: HeaderName[] = ['Idempotent-Replayed', 'Original-Request-Id']
const COUNTED: HeaderName[] = ['RateLimit', 'RateLimit-Policy']
const PROLONGED: HeaderName[] = ['Set-Cookie']

function responseOf(components: Components, codes: readonly ErrorCode[], added: readonly HeaderName[]): Json {
  const entries = codes.map((code): ErrorEntry => ERRORS[code])
  const ofEach = entries.map(({ headers = [] }) => headers)
  const ofSome = entries.flatMap(({ someHeaders = [] }) => someHeaders)
  const always = ofEach.reduce((shared, headers) => shared.filter((name) => headers.includes(name)))
  const headers = headersOf(components, always, ['Vary', ...ofEach.flat(), ...ofSome, ...added])

  for (const code of codes) components.schemas[schemaName(code)] ??= errorSchema(components, code, ERRORS[code])
  const description = codes.map((code) => `\`${code}\`: ${ERRORS[code].when}${moreOf(code)}`).join('\n\n')
  const examples = codes.map((code) => [code, { value: { error: exampleOf(code, ERRORS[code]) } }])
  return { description, headers, ...jsonContent(envelopeOf(codes), { examples: Object.fromEntries(examples) }) }
}

const byDefault = Object.values<Limit>(limits).filter((limit) => defaultOf(limit) > 0)
const RATE_LIMITS = byDefault.map(
  (limit) => `- \`${limit.policy}\`: ${defaultOf(limit)} ${limit.counts} ${windowText(limit)} for each ${limit.per}`,
)

const moreOf = (code: ErrorCode): string =>
  code === 'RATE_LIMITED' ? ` By default these are:\n\n${RATE_LIMITS.join('\n')}` : ''

function envelopeOf(codes: readonly ErrorCode[]): Json {
  const refs = codes.map((code) => ref('schemas', schemaName(code)))
  const mapping = Object.fromEntries(codes.map((code, i) => [code, refs[i]?.['$ref']]))
  const error = refs.length === 1 ? refs[0] : { oneOf: refs, discriminator: { propertyName: 'code', mapping } }
  return { type: 'object', properties: { error: { description: 'The error.', ...error } }, required: ['error'] }
}

function errorSchema(components: Components, code: ErrorCode, { when, details }: ErrorEntry): Json {
  const schema = z.object({
    code: z.literal(code).describe('The error code, for programs.'),
    message: z.string().describe('The error message, for people. Its wording may change.'),
    details: details.describe('Data about the error, for programs.'),
    requestId: z.string().describe('The id of the request in the log, same as the header `X-Request-Id`.'),
  })
  return { description: when, ...components.schema(schema, 'output') }
}

function exampleOf(code: ErrorCode, { message, example }: ErrorEntry): Json {
  const said = typeof message === 'string' ? message : message(example)
  return { code, message: said, details: example, requestId: REQUEST_ID }
}

const pascal = (code: string): string =>
  code
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('')

const schemaName = (code: string): string => `${pascal(code)}Error`
