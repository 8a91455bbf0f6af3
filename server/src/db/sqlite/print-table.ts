/** A table with more entries becomes 256 tables, so that none takes long to grow. */
const SPLIT_AT = 131_072
/** Above it, entries collide so often that finding a free place takes long. */
const MAX_FILLED = 0.85
/** Room that a table of a known size gets, so that the first new entries do not make it grow. */
const FIRST_FILLED = 0.7
const GROWTH = 1.3
const MIN_PLACES = 8

/** Open addressing: print and position in turn; position 0 marks a free place. The place follows from the lower 24 bits of a print. */
class Table {
  #slots = new Uint32Array(2 * MIN_PLACES)
  #size = 0
  #max = Math.floor(MAX_FILLED * MIN_PLACES)

  find<T>(print: number, isIt: (position: number) => T | null): T | null {
    const slots = this.#slots
    for (let at = this.#placeOf(print); slots[at + 1] !== 0; at = at + 2 === slots.length ? 0 : at + 2) {
      const found = slots[at] === print ? isIt(slots[at + 1] as number) : null
      if (found !== null) return found
    }
    return null
  }

  add(print: number, position: number): void {
    if (this.#size >= this.#max) this.reserve(GROWTH * (this.#size + 1), MAX_FILLED)
    this.#size++
    this.#put(print, position)
  }

  reserve(size: number, filled: number): void {
    const old = this.#slots
    this.#slots = new Uint32Array(Math.max(old.length, 2 * Math.ceil(size / filled) + 2))
    this.#max = Math.floor((MAX_FILLED * this.#slots.length) / 2)
    for (let at = 0; at < old.length; at += 2) {
      if (old[at + 1] !== 0) this.#put(old[at] as number, old[at + 1] as number)
    }
  }

  *entries(): Generator<readonly [print: number, position: number]> {
    const slots = this.#slots
    for (let at = 0; at < slots.length; at += 2) {
      if (slots[at + 1] !== 0) yield [slots[at] as number, slots[at + 1] as number]
    }
  }

  #put(print: number, position: number): void {
    const slots = this.#slots
    let at = this.#placeOf(print)
    while (slots[at + 1] !== 0) at = at + 2 === slots.length ? 0 : at + 2
    slots[at] = print
    slots[at + 1] = position
  }

  #placeOf(print: number): number {
    return 2 * Math.floor((print & 0xff_ffff) * (this.#slots.length / 2 ** 25))
  }
}

/** A multimap from prints of 32 bits to positions, about 11 bytes an entry. */
export class PrintTable {
  #tables: readonly [Table, ...Table[]] = [new Table()]
  #size = 0

  find<T>(print: number, isIt: (position: number) => T | null): T | null {
    return this.#tableOf(print).find(print, isIt)
  }

  add(print: number, position: number): void {
    if (this.#size >= SPLIT_AT && this.#tables.length === 1) this.#split(this.#size)
    this.#size++
    this.#tableOf(print).add(print, position)
  }

  /** Adds the prints of votes at consecutive positions. */
  addAll(prints: Uint32Array, from: number): void {
    for (let i = 0; i < prints.length; i++) this.add(prints[i] as number, from + i)
  }

  /** Makes room for so many entries at once. */
  reserve(size: number): void {
    if (size > SPLIT_AT && this.#tables.length === 1) this.#split(size)
    for (const table of this.#tables) table.reserve(size / this.#tables.length, FIRST_FILLED)
  }

  #tableOf(print: number): Table {
    return this.#tables.length === 1 ? this.#tables[0] : (this.#tables[print >>> 24] as Table)
  }

  #split(size: number): void {
    const [whole] = this.#tables
    const tables = [new Table(), ...Array.from({ length: 255 }, () => new Table())] as const
    for (const table of tables) table.reserve(size / 256, FIRST_FILLED)
    for (const [print, position] of whole.entries()) tables[print >>> 24]?.add(print, position)
    // Replaced last: where there is no memory for the new tables, the old one stays complete.
    this.#tables = tables
  }
}
