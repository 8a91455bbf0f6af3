import { rateLimited, unavailable } from '../base/errors.ts'

const RETRY_SECONDS = 5

interface Bounds {
  /** Of what there are so many, as the headers say it. */
  readonly name: string
  readonly most: number
  /** Zero is as many as there are. */
  readonly mostOfEach: number
}

/** For answers that last: so many at once for the process, and so many for each of those who ask. */
export class Seats {
  readonly #bounds: Bounds
  readonly #byOwner = new Map<string, number>()
  #taken = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  get taken(): number {
    return this.#taken
  }

  /** Null is an owner that is not counted. Returns how to give the seat back; more than once changes nothing. */
  take(owner: string | null): () => void {
    const { name, most, mostOfEach } = this.#bounds
    if (this.#taken >= most) throw unavailable(RETRY_SECONDS)
    const counted = mostOfEach === 0 ? null : owner
    if (counted !== null) {
      const taken = this.#byOwner.get(counted) ?? 0
      if (taken >= mostOfEach) throw tooMany(name, mostOfEach)
      this.#byOwner.set(counted, taken + 1)
    }
    this.#taken++
    let isTaken = true
    return () => {
      if (isTaken) this.#leave(counted)
      isTaken = false
    }
  }

  #leave(owner: string | null): void {
    this.#taken--
    if (owner === null) return
    const left = (this.#byOwner.get(owner) ?? 1) - 1
    if (left > 0) this.#byOwner.set(owner, left)
    else this.#byOwner.delete(owner)
  }
}

const tooMany = (name: string, most: number) =>
  rateLimited({
    'RateLimit-Policy': `"${name}";q=${most}`,
    RateLimit: `"${name}";r=0;t=${RETRY_SECONDS}`,
    'Retry-After': String(RETRY_SECONDS),
  })
