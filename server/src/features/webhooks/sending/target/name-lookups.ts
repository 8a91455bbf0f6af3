import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Cache } from '../../../../base/cache.ts'
import { MINUTE } from '../../../../base/clock.ts'
import { Semaphore } from '../../../../base/work/semaphore.ts'
import { SingleFlight } from '../../../../base/work/single-flight.ts'
import { AttemptFailed } from './attempt-failures.ts'
import type { Resolve } from './name-servers.ts'

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
   * Null for a name that may not be called: without an address, or with one that is not public. It comes `withinMs` after
   * the name was asked, and at once for the next minute.
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

interface Target {
  readonly host: string
  /** Whose names wait for each other. */
  readonly brandKey: number
  readonly withinMs: number
  readonly signal: AbortSignal
}

/**
 * Resolves a host to addresses that may be called. Callers must connect to the returned addresses and never resolve again.
 *
 * A name without an address and a name of the operator's network fail alike and after the same time, so that a brand
 * cannot find out which internal names exist.
 */
export async function targetAddresses(
  { host, brandKey, withinMs, signal }: Target,
  { lookups, isCallable }: { lookups: NameLookups; isCallable: (address: string) => boolean },
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
