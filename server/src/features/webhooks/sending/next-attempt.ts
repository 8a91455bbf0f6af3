import { SECOND } from '../../../base/clock.ts'
import { type DeliveryPolicy, LONGEST_RETRY_AFTER } from './delivery-policy.ts'

interface Failed {
  /** Including the one that just failed. */
  readonly attempts: number
  readonly now: number
  readonly retryAfter: string | null
}

type Schedule = Pick<DeliveryPolicy, 'delaysMs'>

/** The time of the next attempt, or null after the last one. Never before the receiver's Retry-After. */
export function nextAttemptAt({ attempts, now, retryAfter }: Failed, { delaysMs }: Schedule): number | null {
  const delay = delaysMs[attempts - 1]
  if (delay === undefined) return null
  const jittered = delay * (0.8 + 0.4 * Math.random())
  return now + Math.round(Math.max(jittered, waitAskedFor(retryAfter, now)))
}

/** Seconds or an HTTP date; anything else is ignored. */
function waitAskedFor(retryAfter: string | null, now: number): number {
  if (retryAfter === null) return 0
  const seconds = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : null
  const wait = seconds === null ? Date.parse(retryAfter) - now : seconds * SECOND
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), LONGEST_RETRY_AFTER) : 0
}
