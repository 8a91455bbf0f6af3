import { MINUTE } from './clock.ts'
import { copied } from './text.ts'
import { SingleFlight } from './work/single-flight.ts'

/**
 * A bounded cache of two generations: when the recent one is full, it becomes the older one, and entries that nobody has
 * read since the previous change are dropped. The cache never empties at once, so one entry too many causes no load spike.
 */
export class Cache<Key, Value extends NonNullable<unknown> | null> {
  readonly #generationWeight: number
  readonly #weigh: (value: Value) => number
  #recent = new Map<Key, Value>()
  #older = new Map<Key, Value>()
  #recentWeight = 0
  #olderWeight = 0

  /** `capacity` counts entries, or the sum of `weigh`. An entry heavier than half the capacity is not kept. */
  constructor(capacity: number, weigh: (value: Value) => number = () => 1) {
    this.#generationWeight = Math.max(capacity / 2, 1)
    this.#weigh = weigh
  }

  get(key: Key): Value | undefined {
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const older = this.#older.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: Key, value: Value): void {
    this.delete(key)
    const weight = this.#weigh(value)
    if (weight > this.#generationWeight) return
    if (this.#recentWeight + weight > this.#generationWeight) this.#turn()
    this.#recent.set(key, value)
    this.#recentWeight += weight
  }

  delete(key: Key): void {
    const recent = this.#recent.get(key)
    if (recent !== undefined) {
      this.#recent.delete(key)
      this.#recentWeight -= this.#weigh(recent)
    }
    const older = this.#older.get(key)
    if (older === undefined) return
    this.#older.delete(key)
    this.#olderWeight -= this.#weigh(older)
  }

  clear(): void {
    this.#turn()
    this.#turn()
  }

  get weight(): number {
    return this.#recentWeight + this.#olderWeight
  }

  *entries(): Generator<readonly [Key, Value]> {
    yield* this.#older
    yield* this.#recent
  }

  #turn(): void {
    this.#older = this.#recent
    this.#olderWeight = this.#recentWeight
    this.#recent = new Map()
    this.#recentWeight = 0
  }
}

const MOST_KEPT = 10_000

interface Result<Value> {
  readonly value: Value
  /** When the work for it began. */
  readonly at: number
}

/** Results that may be a minute old. Callers that ask for the same key at the same time share one run of the work. */
export class KeptResults<Value> {
  readonly #kept: Cache<string, Result<Value>>
  readonly #running = new SingleFlight<string, Result<Value>>()

  constructor(mostKept = MOST_KEPT) {
    this.#kept = new Cache(mostKept)
  }

  async of(key: string, now: number, work: () => Promise<Value>): Promise<Result<Value>> {
    const kept = this.#kept.get(key)
    if (kept && Math.abs(now - kept.at) < MINUTE) return kept
    return this.#running.run(key, async () => {
      const result = { value: await work(), at: now }
      this.#kept.set(key, result)
      return result
    })
  }
}

const MOST_REMEMBERED = 5_000
const SHORT = 128

/** Memoises `work` for short texts. The result must depend on the text alone; `isKept` decides which results to cache. */
export function memoise<T extends NonNullable<unknown> | null>(
  work: (text: string) => T,
  isKept: (result: T) => boolean,
): (text: string) => T {
  const known = new Cache<string, T>(MOST_REMEMBERED)
  return (text) => {
    const earlier = known.get(text)
    if (earlier !== undefined) return earlier
    if (text.length > SHORT) return work(text)
    const own = copied(text)
    const result = work(own)
    if (isKept(result)) known.set(own, result)
    return result
  }
}
