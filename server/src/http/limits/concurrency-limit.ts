import { rateLimited, unavailable } from '../../base/errors.ts'

const RETRY_SECONDS = 5

interface Limits {
  /** The policy's name in the RateLimit headers. */
  readonly name: string
  readonly total: number
  /** 0 means unlimited. */
  readonly perOwner: number
}

/** Limits the streams and exports that are open at once, in this process and for each owner. */
export class ConcurrencyLimit {
  readonly #limits: Limits
  readonly #byOwner = new Map<string, number>()
  #open = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  get open(): number {
    return this.#open
  }

  /** Throws 503 or 429 where a limit is reached. A null owner counts towards the total only. Release is idempotent. */
  acquire(owner: string | null): () => void {
    const counted = this.#limits.perOwner === 0 ? null : owner
    const ownOpen = counted === null ? 0 : (this.#byOwner.get(counted) ?? 0)
    if (this.#open >= this.#limits.total)
      throw unavailable(RETRY_SECONDS, { reason: `all ${this.#limits.total} ${this.#limits.name} are open` })
    if (counted !== null && ownOpen >= this.#limits.perOwner) throw tooMany(this.#limits)
    if (counted !== null) this.#byOwner.set(counted, ownOpen + 1)
    this.#open++
    let isOpen = true
    return () => {
      if (isOpen) this.#release(counted)
      isOpen = false
    }
  }

  #release(owner: string | null): void {
    this.#open--
    if (owner === null) return
    const left = (this.#byOwner.get(owner) ?? 1) - 1
    if (left > 0) this.#byOwner.set(owner, left)
    else this.#byOwner.delete(owner)
  }
}

const tooMany = ({ name, perOwner }: Limits) =>
  rateLimited({
    'RateLimit-Policy': `"${name}";q=${perOwner}`,
    RateLimit: `"${name}";r=0;t=${RETRY_SECONDS}`,
    'Retry-After': String(RETRY_SECONDS),
  })
