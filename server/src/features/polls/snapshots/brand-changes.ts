import { Cache } from '../../../base/cache.ts'

/** At least this many brands are remembered. */
const REMEMBERED = 10_000

/**
 * When the polls of each brand last changed, as a count of changes. A brand that is not remembered counts as changed when
 * the oldest remembered one was: that is never too early.
 */
export class BrandChanges {
  readonly #known: Cache<number, number>
  /** No change in the older generation is later. */
  #turnedAt = 0
  #floor = 0
  #changes = 0

  constructor(remembered = REMEMBERED) {
    this.#known = new Cache(
      2 * remembered,
      () => 1,
      () => {
        this.#floor = Math.max(this.#floor, this.#turnedAt)
        this.#turnedAt = this.#changes
      },
    )
  }

  /** Grows with each change. */
  get count(): number {
    return this.#changes
  }

  of(brandKey: number): number {
    return Math.max(this.#known.get(brandKey) ?? 0, this.#floor)
  }

  /** Null means that any brand may have changed. */
  note(brandKey: number | null): void {
    this.#changes++
    if (brandKey === null) this.#floor = this.#changes
    else this.#known.set(brandKey, this.#changes)
  }
}
