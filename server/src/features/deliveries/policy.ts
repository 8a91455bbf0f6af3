import { DAY, SECOND } from '../../base/clock.ts'
import type { Resolve } from './target/addresses.ts'

const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** How deliveries are made. Fixed for everybody; another one is for tests alone. */
export interface DeliveryPolicy {
  /** Before each attempt but the first, from the end of the one before; give or take a fifth. */
  readonly delaysMs: readonly number[]
  readonly timeoutMs: number
  /** A server that dies in the middle leaves its webhooks to the others after this time. */
  readonly leaseMs: number
  /** How often to look without being told, for what other servers have written and for what has become due. */
  readonly pollMs: number
  /** How long a stop waits for attempts that are under way. */
  readonly drainMs: number
  readonly resolve?: Resolve
  readonly ca?: string
}

export const DELIVERY_POLICY: DeliveryPolicy = {
  delaysMs: [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
  timeoutMs: 15 * SECOND,
  leaseMs: 30 * SECOND,
  pollMs: SECOND,
  drainMs: 5 * SECOND,
}

export const LONGEST_RETRY_AFTER = DAY
