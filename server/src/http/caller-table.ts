const FEWEST_PLACES = 1_024
const FULLEST = 0.75

/**
 * Who was counted, and when: numbers side by side in memory, which the collector of garbage need not walk through, as it
 * would a Map of as many callers. Callers are added and never taken out: a table is thrown away as a whole.
 */
export class CallerTable {
  /** 0 is a free place. */
  #names = new Float64Array(FEWEST_PLACES)
  #newest = new Float64Array(FEWEST_PLACES)
  /** All moments, oldest first, of the few that have more than one. */
  readonly #moments = new Map<number, readonly number[]>()
  size = 0
  /** The newest moment of all. */
  lastAt = Number.NEGATIVE_INFINITY

  /** The moments of a caller's counted requests, oldest first; null for who is not here. */
  find(name: number): readonly number[] | null {
    const place = placeOf(this.#names, name)
    if (this.#names[place] !== name) return null
    return this.#moments.get(name) ?? [this.#newest[place] ?? 0]
  }

  keep(name: number, moments: readonly number[]): void {
    const place = placeOf(this.#names, name)
    const isNew = this.#names[place] !== name
    this.lastAt = moments.at(-1) ?? 0
    this.#names[place] = name
    this.#newest[place] = this.lastAt
    if (moments.length > 1) this.#moments.set(name, moments)
    else this.#moments.delete(name)
    if (isNew && ++this.size > FULLEST * this.#names.length) this.#grow()
  }

  /** One of a caller's moments; the others stay. A caller without any keeps a place, as nobody is taken out. */
  remove(name: number, moment: number): void {
    const moments = this.find(name) ?? []
    const at = moments.lastIndexOf(moment)
    if (at < 0) return
    const rest = moments.toSpliced(at, 1)
    this.#newest[placeOf(this.#names, name)] = rest.at(-1) ?? Number.NEGATIVE_INFINITY
    if (rest.length > 1) this.#moments.set(name, rest)
    else this.#moments.delete(name)
  }

  #grow(): void {
    const [names, newest] = [this.#names, this.#newest]
    this.#names = new Float64Array(2 * names.length)
    this.#newest = new Float64Array(2 * names.length)
    for (const [i, name] of names.entries()) {
      if (name === 0) continue
      const place = placeOf(this.#names, name)
      this.#names[place] = name
      this.#newest[place] = newest[i] ?? 0
    }
  }
}

/** Where a caller stands, or may be put: the names are hashes, so their last bits are as good as any. */
function placeOf(names: Float64Array, name: number): number {
  const last = names.length - 1
  let place = (name >>> 0) & last
  while (names[place] !== 0 && names[place] !== name) place = (place + 1) & last
  return place
}
