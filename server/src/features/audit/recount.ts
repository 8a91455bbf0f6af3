import { setImmediate as nextTurn } from 'node:timers/promises'
import { Cache } from '../../base/cache.ts'
import type { Engine } from '../../db/store.ts'
import { type CountedStretch, countStretch, countStretches, type Stretch } from './queries.ts'

const MOST_KEPT = 100_000

export interface RecountedTally {
  readonly upTo: number
  readonly a: number
  readonly b: number
  /** Every position up to `upTo` holds exactly one vote. */
  readonly isGapless: boolean
}

const NOTHING: RecountedTally = { upTo: 0, a: 0, b: 0, isGapless: true }

/** Counts votes poll by poll and remembers its progress: stored votes are immutable. */
export class Recount {
  readonly #engine: Engine
  readonly #stretch: number
  readonly #kept = new Cache<number, RecountedTally>(MOST_KEPT)

  constructor(engine: Engine, stretch: number) {
    this.#engine = engine
    this.#stretch = stretch
  }

  /** Continues with polls that have few new votes, many in a statement, by at most `rows` rows. Others are left to `go`. */
  async goTogether(ends: Iterable<{ pollKey: number; last: number }>, rows: number): Promise<void> {
    let left = rows
    let together: Stretch[] = []
    let size = 0
    for (const { pollKey, last } of ends) {
      const after = this.countedUpTo(pollKey)
      const length = last - after
      if (length <= 0 || length > Math.min(left, this.#stretch)) continue
      left -= length
      if (size + length > this.#stretch) {
        await this.#countTogether(together)
        together = []
        size = 0
      }
      together.push({ pollKey, after, upTo: last })
      size += length
    }
    await this.#countTogether(together)
  }

  async #countTogether(stretches: readonly Stretch[]): Promise<void> {
    if (stretches.length < 2) return
    const counted = await countStretches(this.#engine.db, stretches)
    for (const stretch of stretches) {
      const found = counted.get(stretch.pollKey)
      if (found) this.#add(stretch, found)
    }
    await nextTurn()
  }

  /** Continues by at most `rows` rows; null when the poll was deleted meanwhile. */
  async go(pollKey: number, { last, rows }: { last: number; rows: number }): Promise<RecountedTally | null> {
    let counted = this.#kept.get(pollKey) ?? NOTHING
    const end = Math.min(last, counted.upTo + Math.max(rows, 0))
    while (counted.upTo < end) {
      const after = counted.upTo
      const upTo = Math.min(after + this.#stretch, end)
      const stretch = await countStretch(this.#engine.db, { pollKey, after, upTo })
      if (!stretch) return null
      counted = this.#add({ pollKey, after, upTo }, stretch)
      await nextTurn()
    }
    return counted
  }

  #add({ pollKey, after, upTo }: Stretch, { votes, a, places }: CountedStretch): RecountedTally {
    const before = this.#kept.get(pollKey) ?? NOTHING
    const size = upTo - after
    const isGapless = before.isGapless && votes === size && places === (size * (size + 1)) / 2
    const counted = { upTo, a: before.a + a, b: before.b + votes - a, isGapless }
    this.#kept.set(pollKey, counted)
    return counted
  }

  forget(pollKey: number): void {
    this.#kept.delete(pollKey)
  }

  forgetAll(): void {
    this.#kept.clear()
  }

  countedUpTo(pollKey: number): number {
    return this.#kept.get(pollKey)?.upTo ?? 0
  }
}
