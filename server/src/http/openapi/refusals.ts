import { ERRORS, type ErrorCode } from '../../base/errors.ts'
import { type Route, takesIfMatch, takesNothing } from '../route.ts'

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
  const codes: ErrorCode[] = ['INTERNAL', ...spec.guard.errors, ...(spec.errors ?? [])]
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
