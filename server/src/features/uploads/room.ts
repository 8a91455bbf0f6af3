import { unavailable } from '../../base/errors.ts'

const MOST = 256
const MOST_OF_A_BRAND = 128
const RETRY_SECONDS = 5

/** Uploads wait on the disk until they are decoded. The space is limited, in total and for each brand. */
export class Room {
  readonly #ofBrands = new Map<number, number>()
  #all = 0

  /** Runs `work` with a place, or refuses. `work` names the brand as soon as it is known. */
  async within<T>(work: (belongsTo: (brandKey: number) => void) => Promise<T>): Promise<T> {
    if (this.#all >= MOST) throw unavailable(RETRY_SECONDS, { reason: 'too many uploads at once' })
    this.#all++
    let owner: number | null = null
    try {
      return await work((brandKey) => {
        const own = this.#ofBrands.get(brandKey) ?? 0
        if (own >= MOST_OF_A_BRAND) throw unavailable(RETRY_SECONDS, { reason: 'too many uploads of a brand at once' })
        this.#ofBrands.set(brandKey, own + 1)
        owner = brandKey
      })
    } finally {
      this.#all--
      if (owner !== null) this.#leave(owner)
    }
  }

  #leave(brandKey: number): void {
    const left = (this.#ofBrands.get(brandKey) ?? 0) - 1
    if (left > 0) this.#ofBrands.set(brandKey, left)
    else this.#ofBrands.delete(brandKey)
  }
}
