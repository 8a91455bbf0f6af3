import { Moments } from './moments.ts'

const FEWEST_PLACES = 1_024
const FULLEST = 0.75
/** The time of a caller of whom none is left: a place is never freed. */
const NEVER = Number.NEGATIVE_INFINITY

/** How often a caller was counted within its window, and when first. */
export interface CountedCalls {
  readonly times: number
  readonly oldest: number | null
}

/**
 * Which callers were counted, and when. Typed arrays, because the garbage collector would have to walk a Map of a
 * million callers. Callers are added and never removed: the whole table is discarded at once.
 */
export class CallerTable {
  /** 0 marks an empty slot. */
  #names = new Float64Array(FEWEST_PLACES)
  /** The time of a caller with one. */
  #only = new Float64Array(FEWEST_PLACES)
  /** Of the few callers with more than one. */
  readonly #moments = new Map<number, Moments>()
  size = 0
  /** The newest time of any caller. */
  lastAt = NEVER

  /** Forgets the caller's times before `start`. Null for an unknown caller. */
  countFrom(start: number, name: number): CountedCalls | null {
    const place = placeOf(this.#names, name)
    if (this.#names[place] !== name) return null
    const moments = this.#moments.get(name)
    if (moments) return this.#countMany(moments, { start, name, place })
    const only = this.#only[place] as number
    return only < start ? NONE : { times: 1, oldest: only }
  }

  /** All earlier times of this caller must be in this table, or be forgotten. Call it after `countFrom`. */
  add(name: number, time: number, { times, oldest }: CountedCalls): void {
    const place = this.#placeFor(name)
    this.lastAt = time
    if (times === 0 || oldest === null) {
      this.#only[place] = time
      return
    }
    const moments = this.#moments.get(name)
    if (moments) moments.add(time)
    else this.#moments.set(name, new Moments(oldest, time))
  }

  /** Takes over all times of a caller whom this table does not know. */
  adopt(name: number, from: CallerTable): void {
    const place = this.#placeFor(name)
    this.#only[place] = from.#only[placeOf(from.#names, name)] as number
    const moments = from.#moments.get(name)
    if (moments) this.#moments.set(name, moments)
  }

  /** Removes one of a caller's times, if it is there. */
  remove(name: number, time: number): void {
    const place = placeOf(this.#names, name)
    const moments = this.#moments.get(name)
    if (moments) moments.remove(time)
    else if (this.#names[place] === name && this.#only[place] === time) this.#only[place] = NEVER
  }

  has(name: number): boolean {
    return this.#names[placeOf(this.#names, name)] === name
  }

  #countMany(moments: Moments, { start, name, place }: { start: number; name: number; place: number }): CountedCalls {
    moments.forgetBefore(start)
    const counted = { times: moments.length, oldest: moments.oldest ?? null }
    if (counted.times > 1) return counted
    this.#moments.delete(name)
    this.#only[place] = counted.oldest ?? NEVER
    return counted
  }

  #placeFor(name: number): number {
    const place = placeOf(this.#names, name)
    if (this.#names[place] === name) return place
    this.#names[place] = name
    if (++this.size <= FULLEST * this.#names.length) return place
    this.#grow()
    return placeOf(this.#names, name)
  }

  #grow(): void {
    const [names, only] = [this.#names, this.#only]
    this.#names = new Float64Array(2 * names.length)
    this.#only = new Float64Array(2 * names.length)
    for (const [i, name] of names.entries()) {
      if (name === 0) continue
      const place = placeOf(this.#names, name)
      this.#names[place] = name
      this.#only[place] = only[i] as number
    }
  }
}

export const NONE: CountedCalls = { times: 0, oldest: null }

/** The slot of a caller, or the empty slot for it. Names are hashes, so their low bits are evenly distributed. */
function placeOf(names: Float64Array, name: number): number {
  const last = names.length - 1
  let place = (name >>> 0) & last
  while (names[place] !== 0 && names[place] !== name) place = (place + 1) & last
  return place
}
