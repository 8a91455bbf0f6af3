import { DAY, HOUR, MINUTE, SECOND } from '../../../base/clock.ts'
import type { Resolve } from './target/name-servers.ts'

/** The parameters of deliveries. Tests alone replace them. */
export interface DeliveryPolicy {
  /** The delay before each attempt but the first, from the end of the previous one, ±20 %. */
  readonly delaysMs: readonly number[]
  readonly timeoutMs: number
  /** After this time other servers take over the webhooks of a server that died. A heartbeat renews the leases of a live one. */
  readonly leaseMs: number
  /** The polling interval, for events of other servers and for retries that become due. */
  readonly pollMs: number
  /** The pause before an outcome that could not be recorded is tried again. */
  readonly tryAgainMs: number
  /** How long a stop waits for running attempts. */
  readonly drainMs: number
  readonly resolve?: Resolve
  readonly ca?: string
}

export const DELIVERY_POLICY: DeliveryPolicy = {
  delaysMs: [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
  timeoutMs: 15 * SECOND,
  leaseMs: 3 * SECOND,
  pollMs: SECOND,
  tryAgainMs: SECOND,
  drainMs: 5 * SECOND,
}

export const LONGEST_RETRY_AFTER = DAY
