import { Cache } from '../base/cache.ts'
import type { Clock } from '../base/clock.ts'
import type { Db, Engine } from '../db/store.ts'
import type { EventType } from './event-catalogue.ts'
import { subscribersOf } from './subscribers.ts'

const MOST_KEPT = 20_000

export type Wanted = ReadonlySet<EventType>

const NOTHING: Wanted = new Set()

interface Kept {
  readonly wanted: Wanted
  /** The engine's epoch before it was read: it holds for as long as that does. */
  readonly epoch: number
}

/**
 * Which brand wants which events, in memory. A change of this process counts at once; when another process may have
 * written, all is read anew.
 */
export class Interests {
  readonly #engine: Engine
  readonly #clock: Clock
  readonly #kept = new Cache<number, Kept>(MOST_KEPT)
  /** Grows with each change, so that what was read before one is not kept after it. */
  #changes = 0

  constructor(engine: Engine, clock: Clock) {
    this.#engine = engine
    this.#clock = clock
  }

  /** Null when it would have to be read. */
  peek(brandKey: number): Wanted | null {
    const kept = this.#kept.get(brandKey)
    return kept?.epoch === this.#engine.epoch() ? kept.wanted : null
  }

  async of(db: Db, brandKey: number): Promise<Wanted> {
    return this.peek(brandKey) ?? (await this.ofMany(db, [brandKey])).get(brandKey) ?? NOTHING
  }

  async ofMany(db: Db, brandKeys: readonly number[]): Promise<ReadonlyMap<number, Wanted>> {
    const epoch = this.#engine.epoch()
    const changes = this.#changes
    const subscribers = await subscribersOf(db, brandKeys, this.#clock.now())
    const byBrand = Map.groupBy(subscribers, ({ brandKey }) => brandKey)
    const wanted = new Map<number, Wanted>()
    for (const brandKey of brandKeys) {
      const events = (byBrand.get(brandKey) ?? []).flatMap(({ wanted }) => [...wanted])
      wanted.set(brandKey, events.length === 0 ? NOTHING : new Set(events))
    }
    if (changes === this.#changes) {
      for (const [brandKey, events] of wanted) this.#kept.set(brandKey, { wanted: events, epoch })
    }
    return wanted
  }

  drop(brandKey: number): void {
    this.#changes++
    this.#kept.delete(brandKey)
  }
}
