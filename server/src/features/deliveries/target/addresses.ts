import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { AttemptFailed } from './failures.ts'
import { isReserved } from './reserved-addresses.ts'

export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

/**
 * Resolves a host to addresses that may be called. One non-public address refuses them all: a name with
 * both is no accident. Callers must connect to the returned addresses and never resolve again.
 */
export async function targetAddresses(
  host: string,
  { resolve, isPrivateAllowed }: { resolve: Resolve; isPrivateAllowed: boolean },
): Promise<readonly LookupAddress[]> {
  const family = isIP(host)
  const found = family === 0 ? await resolved(host, resolve) : [{ address: host, family }]
  if (!isPrivateAllowed && found.some(({ address }) => isReserved(address))) throw new AttemptFailed('address_refused')
  return found
}

async function resolved(host: string, resolve: Resolve): Promise<readonly LookupAddress[]> {
  const found = await resolve(host).catch(() => [])
  const plain = found.filter(({ address }) => isIP(address) !== 0)
  if (plain.length === 0 || plain.length < found.length) throw new AttemptFailed('dns_failed')
  return plain.map(({ address }) => ({ address, family: isIP(address) }))
}
