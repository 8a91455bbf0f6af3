import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Cache } from '../../../../base/cache.ts'
import { MINUTE } from '../../../../base/clock.ts'
import { Semaphore } from '../../../../base/work/semaphore.ts'
import { SingleFlight } from '../../../../base/work/single-flight.ts'
import { AttemptFailed } from './exchange.ts'

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

const AT_ONCE = 2
/**
 * After this time an unanswered look-up lets other brands' names go first: two brands with slow names must not stop the
 * webhooks of all. A failed one takes as long, so that others cannot tell how soon it failed.
 */
const BRIEF_MS = 500
const FAILED_FOR_MS = MINUTE
/** A brand can make up names. */
const MOST_FAILED = 10_000

type Found = readonly LookupAddress[] | null

interface Name {
  readonly host: string
  /** Whose names wait for each other. */
  readonly brandKey: number
  /** Aborted when the service stops: no name is asked for any more. */
  readonly signal: AbortSignal
}

interface Parts {
  readonly resolve: Resolve
  readonly isCallable: (address: string) => boolean
  readonly withinMs: number
  readonly now?: () => number
}

/**
 * Resolves the names of webhooks: one name of a brand at a time, two over all. A name that failed is not asked again for a
 * minute. Brands wait for their turns in the order in which they came, each with one name.
 */
export class NameLookups {
  readonly #parts: Required<Parts>
  readonly #ofBrands = new Map<number, Semaphore>()
  readonly #ofAll = new Semaphore(AT_ONCE)
  readonly #running = new SingleFlight<string, Found>()
  /** Until when each name is not asked again. */
  readonly #failed = new Cache<string, number>(MOST_FAILED)

  constructor(parts: Parts) {
    this.#parts = { now: () => performance.now(), ...parts }
  }

  /**
   * Resolves a host to addresses that may be called; callers never resolve again. A name without an address and a name of the
   * operator's network fail alike and after the same time, so that a brand cannot find out which internal names exist.
   */
  async addressesOf(name: Name): Promise<readonly LookupAddress[]> {
    const { host } = name
    const { isCallable, withinMs } = this.#parts
    const family = isIP(host)
    if (family !== 0) {
      if (!isCallable(host)) throw new AttemptFailed('address_refused')
      return [{ address: host, family }]
    }
    const found = await Promise.race([this.find(name), pause(withinMs, null, { ref: false })])
    if (!found) throw new AttemptFailed('address_refused')
    return found
  }

  /**
   * Null for a name that may not be called. It comes `withinMs` after the name was asked, and at once for the next minute.
   */
  async find(name: Name): Promise<Found> {
    if (this.#hasFailed(name.host)) return null
    return this.#running.run(`${name.brandKey} ${name.host}`, () => this.#inTurn(name))
  }

  #hasFailed(host: string): boolean {
    return this.#parts.now() < (this.#failed.get(host) ?? Number.NEGATIVE_INFINITY)
  }

  async #inTurn({ brandKey, host, signal }: Name): Promise<Found> {
    const turn = this.#ofBrands.get(brandKey) ?? new Semaphore(1)
    this.#ofBrands.set(brandKey, turn)
    const release = () => {
      turn.release()
      if (turn.free > 0) this.#ofBrands.delete(brandKey)
    }
    await turn.acquire()
    await this.#ofAll.acquire()
    // While it waited, the name may have failed for another brand.
    if (signal.aborted || this.#hasFailed(host)) {
      this.#ofAll.release()
      release()
      return null
    }
    const end = pause(this.#parts.withinMs, null, { ref: false })
    const brief = pause(BRIEF_MS, null, { ref: false })
    const answer = Promise.race([this.#ask(host, signal), end])
    const isOver = answer.then((found) => found ?? brief)
    void Promise.race([isOver, brief]).then(() => this.#ofAll.release())
    void isOver.then(release)
    const found = await answer
    if (found) return found
    await end
    this.#failed.set(host, this.#parts.now() + FAILED_FOR_MS)
    return null
  }

  /** One address that is not public refuses them all: a name with both is no accident. */
  async #ask(host: string, signal: AbortSignal): Promise<Found> {
    const { resolve, isCallable, withinMs } = this.#parts
    const ended = AbortSignal.any([signal, AbortSignal.timeout(withinMs)])
    const found = await resolve(host, ended).catch(() => [])
    const isUsable = found.length > 0 && found.every(({ address }) => isIP(address) !== 0 && isCallable(address))
    return isUsable ? found.map(({ address }) => ({ address, family: isIP(address) })) : null
  }
}
