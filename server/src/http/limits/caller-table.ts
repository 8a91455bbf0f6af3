/** Times in ascending order: added at the end, forgotten at the start, both at a cost that does not grow with their number. */
export class Moments {
  #times: number[]
  /** Times before this index are forgotten. */
  #first = 0

  constructor(...times: number[]) {
    this.#times = times
  }

  get length(): number {
    return this.#times.length - this.#first
  }

  get oldest(): number | undefined {
    return this.#times[this.#first]
  }

  add(time: number): void {
    this.#times.push(time)
  }

  forgetBefore(start: number): void {
    const times = this.#times
    while (this.#first < times.length && (times[this.#first] as number) < start) this.#first++
    if (2 * this.#first <= times.length) return
    // Copies fewer times than were forgotten since the last copy.
    this.#times = times.slice(this.#first)
    this.#first = 0
  }

  /** Removes one of the times that equal this one. */
  remove(time: number): void {
    const at = this.#times.lastIndexOf(time)
    if (at >= this.#first) this.#times.splice(at, 1)
  }
}

const FEWEST_PLACES = 1_024
const FULLEST = 0.75
/** The time of a caller of whom none is left: a place is never freed. */
const NEVER = Number.NEGATIVE_INFINITY

/** 53 bits of a hash of the caller, in two numbers: as one they would be a fraction, which costs more to compare. Never both 0. */
export interface CallerName {
  readonly low: number
  readonly high: number
}

/** How often a caller was counted within its window, and when first. */
export interface CountedCalls {
  readonly times: number
  readonly oldest: number | null
}

/** Which callers were counted, and when. The garbage collector would have to walk a Map of a million callers. */
export class CallerTable {
  #slots = slotsFor(FEWEST_PLACES)
  /** The times of the few callers with more than one. */
  readonly #moments = new Map<number, Moments>()
  size = 0
  /** The newest time of any caller. */
  lastAt = NEVER

  /** Forgets the caller's times before `start`. Null for an unknown caller. */
  countFrom(start: number, name: CallerName): CountedCalls | null {
    const place = placeOf(this.#slots, name)
    if (!isAt(this.#slots, place, name)) return null
    const moments = this.#momentsOf(name)
    if (moments) return this.#countMany(moments, { start, name, place })
    const only = this.#onlyAt(place)
    return only < start ? NONE : { times: 1, oldest: only }
  }

  /** All earlier times of this caller must be in this table, or be forgotten. Call it after `countFrom`. */
  add(name: CallerName, time: number, { times, oldest }: CountedCalls): void {
    const place = this.#placeFor(name)
    this.lastAt = time
    if (times === 0 || oldest === null) {
      this.#setOnly(place, time)
      return
    }
    const moments = this.#momentsOf(name)
    if (moments) moments.add(time)
    else this.#moments.set(wholeOf(name), new Moments(oldest, time))
  }

  /** Takes over all times of a caller whom this table does not know. */
  adopt(name: CallerName, from: CallerTable): void {
    const place = this.#placeFor(name)
    this.#setOnly(place, from.#onlyAt(placeOf(from.#slots, name)))
    const moments = from.#momentsOf(name)
    if (moments) this.#moments.set(wholeOf(name), moments)
  }

  /** Removes one of a caller's times, if it is there. */
  remove(name: CallerName, time: number): void {
    const place = placeOf(this.#slots, name)
    const moments = this.#momentsOf(name)
    if (moments) moments.remove(time)
    else if (isAt(this.#slots, place, name) && this.#onlyAt(place) === time) this.#setOnly(place, NEVER)
  }

  has(name: CallerName): boolean {
    return isAt(this.#slots, placeOf(this.#slots, name), name)
  }

  #momentsOf(name: CallerName): Moments | undefined {
    return this.#moments.size === 0 ? undefined : this.#moments.get(wholeOf(name))
  }

  /** The time of a caller with one. */
  #onlyAt(place: number): number {
    return this.#slots.times[2 * place + 1] as number
  }

  #setOnly(place: number, time: number): void {
    this.#slots.times[2 * place + 1] = time
  }

  #countMany(
    moments: Moments,
    { start, name, place }: { start: number; name: CallerName; place: number },
  ): CountedCalls {
    moments.forgetBefore(start)
    const counted = { times: moments.length, oldest: moments.oldest ?? null }
    if (counted.times > 1) return counted
    this.#moments.delete(wholeOf(name))
    this.#setOnly(place, counted.oldest ?? NEVER)
    return counted
  }

  #placeFor(name: CallerName): number {
    const place = placeOf(this.#slots, name)
    if (isAt(this.#slots, place, name)) return place
    writeName(this.#slots, place, name)
    if (++this.size <= FULLEST * this.#slots.count) return place
    this.#grow()
    return placeOf(this.#slots, name)
  }

  #grow(): void {
    const old = this.#slots
    const slots = slotsFor(2 * old.count)
    for (let from = 0; from < old.count; from++) {
      const name = { low: old.names[4 * from] as number, high: old.names[4 * from + 1] as number }
      if (name.low === 0 && name.high === 0) continue
      const place = placeOf(slots, name)
      writeName(slots, place, name)
      slots.times[2 * place + 1] = old.times[2 * from + 1] as number
    }
    this.#slots = slots
  }
}

export const NONE: CountedCalls = { times: 0, oldest: null }

/** Sixteen bytes a slot, so that a caller is in one line of the processor's cache: the name, all 0 if it is empty, and a time. */
interface Slots {
  readonly count: number
  /** `names[4 * i]` and `names[4 * i + 1]` are the halves of the name in slot i. */
  readonly names: Uint32Array
  /** `times[2 * i + 1]` is the time in slot i. */
  readonly times: Float64Array
}

function slotsFor(count: number): Slots {
  const room = new ArrayBuffer(16 * count)
  return { count, names: new Uint32Array(room), times: new Float64Array(room) }
}

const isAt = ({ names }: Slots, place: number, { low, high }: CallerName): boolean =>
  names[4 * place] === low && names[4 * place + 1] === high

function writeName({ names }: Slots, place: number, { low, high }: CallerName): void {
  names[4 * place] = low
  names[4 * place + 1] = high
}

/** The slot of a caller, or the empty slot for it. Names are hashes, so their low bits are evenly distributed. */
function placeOf({ count, names }: Slots, { low, high }: CallerName): number {
  let place = low & (count - 1)
  for (;;) {
    const ownLow = names[4 * place] as number
    const ownHigh = names[4 * place + 1] as number
    if ((ownLow === low && ownHigh === high) || (ownLow === 0 && ownHigh === 0)) return place
    place = (place + 1) & (count - 1)
  }
}

const wholeOf = ({ low, high }: CallerName): number => high * 2 ** 32 + low
