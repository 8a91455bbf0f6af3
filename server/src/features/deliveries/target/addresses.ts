import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { AttemptFailed } from './attempt-failures.ts'
import { isReserved } from './reserved-addresses.ts'

export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

interface Lookup {
  readonly resolve: Resolve
  readonly isPrivateAllowed: boolean
  readonly withinMs: number
}

/**
 * Resolves a host to addresses that may be called. One non-public address refuses them all: a name with
 * both is no accident. Callers must connect to the returned addresses and never resolve again.
 *
 * A name without an address and a name of the operator's network fail alike and after the same time, so that a brand
 * cannot find out which internal names exist.
 */
export async function targetAddresses(host: string, lookup: Lookup): Promise<readonly LookupAddress[]> {
  const isCallable = ({ address }: LookupAddress) => lookup.isPrivateAllowed || !isReserved(address)
  const family = isIP(host)
  if (family !== 0) {
    const literal = { address: host, family }
    if (!isCallable(literal)) throw new AttemptFailed('address_refused')
    return [literal]
  }
  const isLate = pause(lookup.withinMs, [], { ref: false })
  const found = await Promise.race([lookup.resolve(host).catch(() => []), isLate])
  if (found.length > 0 && found.every((each) => isIP(each.address) !== 0 && isCallable(each))) {
    return found.map(({ address }) => ({ address, family: isIP(address) }))
  }
  await isLate
  throw new AttemptFailed('address_refused')
}
