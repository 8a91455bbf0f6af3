import { AppError } from '../../base/errors.ts'
import type { Incoming } from '../incoming.ts'
import type { AnyPlainSpec } from '../route.ts'
import type { Limiter } from './limiter.ts'
import { type Admitted, type ClaimsOf, giveBackLimits, limit, refusedBy } from './rate-limit.ts'

type Counted = Pick<AnyPlainSpec, 'limits' | 'refusedLimits'>

interface Malformed {
  readonly admitted: Admitted<unknown>
  readonly error: unknown
}

/** A malformed request counts for its caller, and for its network only among the refused. */
export async function countMalformed(limiter: Limiter, spec: Counted, { admitted, error }: Malformed): Promise<void> {
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
