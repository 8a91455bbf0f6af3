import { rateLimited, unavailable } from '../../../base/errors.ts'

const RETRY_SECONDS = 5

interface Bounds {
  readonly most: number
  /** Zero is as many as there are. */
  readonly mostOfNetwork: number
}

/** Each open stream holds a connection and a file: so many for the process, and so many for one network. */
export class StreamSeats {
  readonly #bounds: Bounds
  readonly #byNetwork = new Map<string, number>()
  #taken = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  get taken(): number {
    return this.#taken
  }

  /** Null is a network that is not counted. Returns how to give the seat back, which is to be done once. */
  take(network: string | null): () => void {
    const { most, mostOfNetwork } = this.#bounds
    if (this.#taken >= most) throw unavailable(RETRY_SECONDS)
    if (network === null || mostOfNetwork === 0) {
      this.#taken++
      return () => void this.#taken--
    }
    const ofNetwork = this.#byNetwork.get(network) ?? 0
    if (ofNetwork >= mostOfNetwork) throw tooManyStreams(mostOfNetwork)
    this.#byNetwork.set(network, ofNetwork + 1)
    this.#taken++
    return () => this.#leave(network)
  }

  #leave(network: string): void {
    this.#taken--
    const left = (this.#byNetwork.get(network) ?? 1) - 1
    if (left > 0) this.#byNetwork.set(network, left)
    else this.#byNetwork.delete(network)
  }
}

const tooManyStreams = (most: number) =>
  rateLimited({
    'RateLimit-Policy': `"streams";q=${most}`,
    RateLimit: `"streams";r=0;t=${RETRY_SECONDS}`,
    'Retry-After': String(RETRY_SECONDS),
  })
