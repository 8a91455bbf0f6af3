/** At least this many brands are remembered. */
const REMEMBERED = 10_000

/**
 * When the polls of each brand last changed, as a count of changes. A brand that is not remembered counts as changed when
 * the oldest remembered one was: that is never too early.
 */
export class BrandChanges {
  readonly #remembered: number
  #recent = new Map<number, number>()
  #older = new Map<number, number>()
  #turnedAt = 0
  #floor = 0
  #changes = 0

  constructor(remembered = REMEMBERED) {
    this.#remembered = remembered
  }

  /** Grows with each change. */
  get count(): number {
    return this.#changes
  }

  of(brandKey: number): number {
    const known = this.#recent.get(brandKey) ?? this.#older.get(brandKey) ?? 0
    return Math.max(known, this.#floor)
  }

  /** Null means that any brand may have changed. */
  note(brandKey: number | null): void {
    this.#changes++
    if (brandKey === null) this.#floor = this.#changes
    else this.#remember(brandKey)
  }

  #remember(brandKey: number): void {
    if (this.#recent.size >= this.#remembered && !this.#recent.has(brandKey)) {
      this.#older = this.#recent
      this.#recent = new Map()
      this.#floor = Math.max(this.#floor, this.#turnedAt)
      this.#turnedAt = this.#changes
    }
    this.#recent.set(brandKey, this.#changes)
  }
}
