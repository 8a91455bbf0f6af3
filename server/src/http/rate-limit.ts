import { AppError, rateLimited } from '../base/errors.ts'
import { OutcomeUnknown } from '../db/vote-store.ts'
import type { Incoming } from './incoming.ts'
import type { Claim, Limiter, Verdict } from './limiter.ts'

/** Counts a request, or refuses it. The headers speak of the first claim, or of the one that refused. */
export function takeLimits(limiter: Limiter, claims: readonly Claim[], incoming: Incoming): Promise<void> | void {
  const verdicts = limiter.take(claims)
  if (verdicts instanceof Promise) return verdicts.then((given) => heed(given, claims, incoming))
  heed(verdicts, claims, incoming)
}

function heed(verdicts: readonly Verdict[], claims: readonly Claim[], incoming: Incoming): void {
  const refused = verdicts.findIndex((verdict) => !verdict.isAllowed)
  const headers = limitHeaders(claims[Math.max(refused, 0)], verdicts[Math.max(refused, 0)])
  Object.assign(incoming.answerHeaders, headers)
  incoming.taken = refused < 0 ? { claims, verdicts } : null
  if (refused >= 0) throw rateLimited(withRetry(headers, verdicts[refused]))
}

/** A request that failed on our side, and has certainly had no effect, takes nothing from the quota of its caller. */
export async function giveBackLimits(limiter: Limiter, incoming: Incoming, error: unknown): Promise<void> {
  if (!incoming.taken || !isOurs(error)) return
  const { claims, verdicts } = incoming.taken
  const [left] = await limiter.giveBack(claims, verdicts)
  Object.assign(incoming.answerHeaders, limitHeaders(claims[0], left))
}

const isOurs = (error: unknown): boolean =>
  error instanceof AppError ? error.status >= 500 : !(error instanceof OutcomeUnknown)

/** Refuses without counting, for limits on failures. */
export async function refuseWhenFull(limiter: Limiter, claim: Claim): Promise<void> {
  const [verdict] = await limiter.peek([claim])
  if (verdict && !verdict.isAllowed) throw rateLimited(withRetry(limitHeaders(claim, verdict), verdict))
}

/** Counts a failure; throws when it is one too many, so that a burst learns no more than a trickle. */
export async function countFailure(limiter: Limiter, claim: Claim): Promise<void> {
  const [verdict] = await limiter.take([claim])
  if (verdict && !verdict.isAllowed) throw rateLimited(withRetry(limitHeaders(claim, verdict), verdict))
}

function limitHeaders(claim: Claim | undefined, verdict: Verdict | undefined): Record<string, string> {
  if (!claim || !verdict) return {}
  const { policy, quota, windowSeconds } = claim.quota
  return {
    'RateLimit-Policy': `"${policy}";q=${quota};w=${windowSeconds}`,
    RateLimit: `"${policy}";r=${verdict.remaining};t=${verdict.resetSeconds}`,
  }
}

const withRetry = (headers: Record<string, string>, verdict: Verdict | undefined): Record<string, string> => ({
  ...headers,
  'Retry-After': String(verdict?.resetSeconds ?? 1),
})
