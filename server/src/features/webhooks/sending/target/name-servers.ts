import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'

/** Rejects, or resolves with no address, where there is none, or none before the signal. */
export type Resolve = (hostname: string, ended: AbortSignal) => Promise<readonly LookupAddress[]>

/** When one family of addresses is known, the other has this long: some name servers never answer for IPv6. */
const OTHER_FAMILY_MS = 500
const LOOPBACK = ['127.0.0.1', '::1']

interface Places {
  /** Default: those of /etc/resolv.conf. */
  readonly servers?: readonly string[]
  readonly hostsPath?: string
}

/**
 * Resolves names without the runtime's pool of threads, which `dns.lookup` fills and votes need for their sync: names of
 * this machine and its hosts file here, others by UDP on the event loop. Search domains are not applied.
 */
export function askNameServers({ servers, hostsPath = '/etc/hosts' }: Places = {}): Resolve {
  return async (hostname, ended) => {
    const known = isLoopback(hostname) ? LOOPBACK : addressesInHosts(hostsPath, hostname)
    if (known.length > 0) return known.map(withFamily)
    // A resolver for each name reads /etc/resolv.conf again, keeps no answers, and can be cancelled alone.
    const resolver = new Resolver()
    if (servers) resolver.setServers(servers)
    const stop = () => resolver.cancel()
    ended.addEventListener('abort', stop, { once: true })
    const timers: NodeJS.Timeout[] = []
    const hurry = () => void timers.push(setTimeout(stop, OTHER_FAMILY_MS))
    const asked = [resolver.resolve4(hostname), resolver.resolve6(hostname)]
    for (const family of asked) family.then(hurry, () => undefined)
    const [v4 = [], v6 = []] = (await Promise.allSettled(asked)).map((each) =>
      each.status === 'fulfilled' ? each.value : [],
    )
    for (const timer of timers) clearTimeout(timer)
    ended.removeEventListener('abort', stop)
    return inTurn(v4, v6).map(withFamily)
  }
}

const isLoopback = (hostname: string): boolean => hostname === 'localhost' || hostname.endsWith('.localhost')

const withFamily = (address: string): LookupAddress => ({ address, family: isIP(address) })

/** One of each family in turn, so that a machine with one family alone soon comes to it. */
const inTurn = (v4: readonly string[], v6: readonly string[]): string[] =>
  Array.from({ length: Math.max(v4.length, v6.length) }, (_, i) => [v4[i], v6[i]])
    .flat()
    .filter((address) => address !== undefined)

function addressesInHosts(path: string, hostname: string): string[] {
  try {
    const lines = readFileSync(path, 'utf8').toLowerCase().split('\n')
    return lines.flatMap((line) => {
      const [address = '', ...names] = (line.split('#', 1)[0] ?? '').trim().split(/\s+/)
      return isIP(address) !== 0 && names.includes(hostname) ? [address] : []
    })
  } catch {
    // Without a hosts file that can be read, the system knows no names either.
    return []
  }
}
