import { Cache } from '../base/cache.ts'
import type { Clock } from '../base/clock.ts'
import type { Db, Engine } from '../db/store.ts'
import type { EventType } from './event-catalogue.ts'
import { subscribersOf } from './subscribers.ts'

const MOST_KEPT = 20_000

export type WantedTypes = ReadonlySet<EventType>

const NOTHING: WantedTypes = new Set()

interface Kept {
  readonly wanted: WantedTypes
  /** The engine's epoch before the read: the entry is valid while the epoch stays the same. */
  readonly epoch: number
}

/**
 * A cache of the event types that each brand wants. A change in this process applies at once. When another process may
 * have written, everything is read again.
 */
export class Interests {
  readonly #engine: Engine
  readonly #clock: Clock
  readonly #kept = new Cache<number, Kept>(MOST_KEPT)
  /** Incremented by each change, so that a read that began before a change is not cached. */
  #changes = 0

  constructor(engine: Engine, clock: Clock) {
    this.#engine = engine
    this.#clock = clock
  }

  /** Null if a database read would be needed. */
  peek(brandKey: number): WantedTypes | null {
    const kept = this.#kept.get(brandKey)
    return kept?.epoch === this.#engine.epoch() ? kept.wanted : null
  }

  async of(db: Db, brandKey: number): Promise<WantedTypes> {
    return this.peek(brandKey) ?? (await this.ofMany(db, [brandKey])).get(brandKey) ?? NOTHING
  }

  async ofMany(db: Db, brandKeys: readonly number[]): Promise<ReadonlyMap<number, WantedTypes>> {
    const epoch = this.#engine.epoch()
    const changes = this.#changes
    const subscribers = await subscribersOf(db, brandKeys, this.#clock.now())
    const byBrand = Map.groupBy(subscribers, ({ brandKey }) => brandKey)
    const wanted = new Map<number, WantedTypes>()
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
