import { setImmediate as nextTurn } from 'node:timers/promises'
import { Cache } from '../../base/cache.ts'
import type { Engine } from '../../db/store.ts'
import { countStretch } from './queries.ts'

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

  /** Continues by at most `rows` rows; null when the poll was deleted meanwhile. */
  async go(pollKey: number, { last, rows }: { last: number; rows: number }): Promise<RecountedTally | null> {
    let counted = this.#kept.get(pollKey) ?? NOTHING
    const end = Math.min(last, counted.upTo + Math.max(rows, 0))
    while (counted.upTo < end) {
      const after = counted.upTo
      const upTo = Math.min(after + this.#stretch, end)
      const stretch = await countStretch(this.#engine.db, { pollKey, after, upTo })
      if (!stretch) return null
      const { votes, a, places } = stretch
      const size = upTo - after
      const isGapless = counted.isGapless && votes === size && places === (size * (size + 1)) / 2
      counted = { upTo, a: counted.a + a, b: counted.b + votes - a, isGapless }
      this.#kept.set(pollKey, counted)
      await nextTurn()
    }
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
