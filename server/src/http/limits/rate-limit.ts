import { AppError, rateLimited } from '../../base/errors.ts'
import { OutcomeUnknown } from '../../db/vote-store.ts'
import type { Incoming } from '../incoming.ts'
import type { AnyPlainSpec } from '../route.ts'
import type { Claim, Limiter, Verdict } from './limits.ts'

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
function refusedBy(incoming: Incoming, claim: Claim | undefined, verdict: Verdict | undefined): AppError {
  noteLimit(incoming, claim, verdict)
  return rateLimited(withRetry(incoming.limitHeaders, verdict))
}

/** Gives a caller's quota back if the server failed and the request certainly had no effect. */
async function giveBackLimits(limiter: Limiter, incoming: Incoming, error: unknown): Promise<void> {
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

type Counted = Pick<AnyPlainSpec, 'limits' | 'refusedLimits'>

/** A malformed request counts for its caller, and for its network only among the refused. */
export async function countMalformed(
  limiter: Limiter,
  spec: Counted,
  { admitted, error }: { admitted: Admitted<unknown>; error: unknown },
): Promise<void> {
  if (isClientError(error)) await limit(limiter, limitsOfMalformed(spec), admitted)
}

const limitsOfMalformed =
  ({ limits, refusedLimits }: Counted): ClaimsOf =>
  async (admitted) => [
    ...((await limits?.(admitted as never)) ?? []).slice(0, 1),
    ...(refusedLimits?.(admitted.incoming) ?? []),
  ]

/** True for a request that is refused before it takes effect, independently of what is stored. */
const isClientError = (error: unknown): boolean =>
  error instanceof AppError && error.status >= 400 && error.status < 500

interface Failed {
  readonly incoming: Incoming
  readonly error: unknown
}

/** After a failed request: gives back what it did not use, and counts it where requests for nothing are counted. */
export async function settleLimits(
  limiter: Limiter,
  spec: Pick<Counted, 'refusedLimits'>,
  failed: Failed,
): Promise<void> {
  await giveBackLimits(limiter, failed.incoming, failed.error)
  if (spec.refusedLimits) await moveToRefused(limiter, spec.refusedLimits, failed)
}

/** A request for something that does not exist gives back what its neighbours share, and counts among the refused. */
async function moveToRefused(
  limiter: Limiter,
  refusedLimits: NonNullable<Counted['refusedLimits']>,
  { incoming, error }: Failed,
): Promise<void> {
  if (!incoming.taken || !(error instanceof AppError && error.code === 'NOT_FOUND')) return
  const refused = refusedLimits(incoming)
  const { claims, verdicts } = incoming.taken
  if (claims.length > 1) await limiter.giveBack(claims.slice(1), verdicts.slice(1))
  const counted = refused.length > 0 ? await limiter.take(refused) : []
  const full = counted.findIndex((verdict) => !verdict.isAllowed)
  if (full < 0) return
  await limiter.giveBack(claims.slice(0, 1), verdicts.slice(0, 1))
  throw refusedBy(incoming, refused[full], counted[full])
}
