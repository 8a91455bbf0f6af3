import { AppError, rateLimited } from '../../base/errors.ts'
import { OutcomeUnknown } from '../../db/vote-store.ts'
import type { Incoming } from '../incoming.ts'
import type { Claim, Limiter, Verdict } from './limiter.ts'

export interface Admitted<Identity> {
  readonly identity: Identity
  readonly incoming: Incoming
  readonly params: Readonly<Record<string, unknown>> | undefined
}

export type ClaimsOf = (call: Admitted<never>) => Promise<readonly Claim[]> | readonly Claim[]

/** Counts a request against a route's limits, or refuses it. */
export function limit(limiter: Limiter, limits: ClaimsOf | undefined, call: Admitted<unknown>): Promise<void> | void {
  if (!limits) return
  const claims = limits(call as Admitted<never>)
  if (claims instanceof Promise) return claims.then((known) => takeLimits(limiter, known, call.incoming))
  if (claims.length > 0) return takeLimits(limiter, claims, call.incoming)
}

/** Counts a request, or refuses it. The RateLimit headers describe the first claim, or the one that refused. */
export function takeLimits(limiter: Limiter, claims: readonly Claim[], incoming: Incoming): Promise<void> | void {
  const verdicts = limiter.take(claims)
  if (verdicts instanceof Promise) return verdicts.then((given) => applyVerdicts(given, claims, incoming))
  applyVerdicts(verdicts, claims, incoming)
}

function applyVerdicts(verdicts: readonly Verdict[], claims: readonly Claim[], incoming: Incoming): void {
  const refused = verdicts.findIndex((verdict) => !verdict.isAllowed)
  incoming.taken = refused < 0 ? { claims, verdicts } : null
  if (refused >= 0) throw refusedBy(incoming, claims[refused], verdicts[refused])
  noteLimit(incoming, claims[0], verdicts[0])
}

function noteLimit(incoming: Incoming, claim: Claim | undefined, verdict: Verdict | undefined): void {
  if (claim && verdict) incoming.limitHeaders = limitHeaders(claim, verdict)
}

/** The refusal by this claim, whose headers the answer then has. */
export function refusedBy(incoming: Incoming, claim: Claim | undefined, verdict: Verdict | undefined): AppError {
  noteLimit(incoming, claim, verdict)
  return rateLimited(withRetry(incoming.limitHeaders, verdict))
}

/** Gives a caller's quota back if the server failed and the request certainly had no effect. */
export async function giveBackLimits(limiter: Limiter, incoming: Incoming, error: unknown): Promise<void> {
  if (!incoming.taken || !isOurs(error)) return
  const { claims, verdicts } = incoming.taken
  const [left] = await limiter.giveBack(claims, verdicts)
  noteLimit(incoming, claims[0], left)
}

const isOurs = (error: unknown): boolean =>
  error instanceof AppError ? error.status >= 500 : !(error instanceof OutcomeUnknown)

/** Counts a failure. Throws when the quota is exceeded: further failures are answered 429. */
export async function countFailure(limiter: Limiter, claim: Claim): Promise<void> {
  const [verdict] = await limiter.take([claim])
  if (verdict && !verdict.isAllowed) throw rateLimited(withRetry(limitHeaders(claim, verdict), verdict))
}

const limitHeaders = ({ quota: { policy, quota, windowSeconds } }: Claim, { remaining, resetSeconds }: Verdict) => ({
  'RateLimit-Policy': `"${policy}";q=${quota};w=${windowSeconds}`,
  RateLimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
})

const withRetry = (
  headers: Readonly<Record<string, string>> | null,
  verdict: Verdict | undefined,
): Record<string, string> => ({
  ...headers,
  'Retry-After': String(verdict?.resetSeconds ?? 1),
})
