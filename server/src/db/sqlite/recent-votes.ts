/** Positions that fit beside a print; 0 marks a free place. */
export const fitsInEntry = (position: number): boolean => position >= 1 && position <= 0xffff_ffff

const FEWEST_BITS = 12
/** Above it, entries collide so often that finding a free place takes long. */
const MOST_FILLED = 0.75

/**
 * A hash table with open addressing, from the print of a voter to the position of the vote, in one array without an object for each.
 * It forgets nothing by itself, so a print that it does not have is of a new voter. A print that it has proves nothing: two voters
 * can share one, and its vote may have been rolled back, so the caller compares the vote at each position.
 */
export class RecentVotes {
  #bits = FEWEST_BITS
  /** Print and position in turn. */
  #places = new Uint32Array(2 << FEWEST_BITS)
  #size = 0

  get places(): number {
    return 2 ** this.#bits
  }

  /** The place of the first entry with this print, or -1. */
  first(print: number): number {
    return this.#probe(print, print >>> (32 - this.#bits))
  }

  /** The place of the next entry with this print, or -1. */
  next(print: number, place: number): number {
    return this.#probe(print, this.#after(place))
  }

  positionAt(place: number): number {
    return this.#places[2 * place + 1] ?? 0
  }

  add(print: number, position: number): void {
    if (this.#size >= MOST_FILLED * 2 ** this.#bits) this.#grow()
    this.#put(print, position)
    this.#size++
  }

  /** Keeps its places, as it will need them again. */
  clear(): void {
    this.#places.fill(0)
    this.#size = 0
  }

  #probe(print: number, from: number): number {
    const places = this.#places
    for (let place = from; places[2 * place + 1] !== 0; place = this.#after(place)) {
      if (places[2 * place] === print) return place
    }
    return -1
  }

  #after(place: number): number {
    return (place + 1) & (2 ** this.#bits - 1)
  }

  #put(print: number, position: number): void {
    const places = this.#places
    let place = print >>> (32 - this.#bits)
    while (places[2 * place + 1] !== 0) place = this.#after(place)
    places[2 * place] = print
    places[2 * place + 1] = position
  }

  /** Places follow the upper bits of a print, so entries move in the order in which they lie. */
  #grow(): void {
    const old = this.#places
    // First: where there is no memory for it, the filter stays as it is, and finds what it has.
    this.#places = new Uint32Array(2 * old.length)
    this.#bits++
    for (let i = 0; i < old.length; i += 2) {
      const position = old[i + 1] as number
      if (position !== 0) this.#put(old[i] as number, position)
    }
  }
}
