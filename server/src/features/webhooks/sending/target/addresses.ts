import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { AttemptFailed } from './attempt-failures.ts'
import type { NameLookups } from './name-lookups.ts'

interface Target {
  readonly host: string
  /** Whose names wait for each other. */
  readonly brandKey: number
  readonly withinMs: number
  readonly signal: AbortSignal
}

interface Surroundings {
  readonly lookups: NameLookups
  readonly isCallable: (address: string) => boolean
}

/**
 * Resolves a host to addresses that may be called. Callers must connect to the returned addresses and never resolve again.
 *
 * A name without an address and a name of the operator's network fail alike and after the same time, so that a brand
 * cannot find out which internal names exist.
 */
export async function targetAddresses(
  { host, brandKey, withinMs, signal }: Target,
  { lookups, isCallable }: Surroundings,
): Promise<readonly LookupAddress[]> {
  const family = isIP(host)
  if (family !== 0) {
    if (!isCallable(host)) throw new AttemptFailed('address_refused')
    return [{ address: host, family }]
  }
  const late = pause(withinMs, null, { ref: false })
  const found = await Promise.race([lookups.find({ host, brandKey, signal }), late])
  if (!found) throw new AttemptFailed('address_refused')
  return found
}
