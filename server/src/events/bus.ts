// events: events in the outbox, and notices of changes between processes.
// An event is written in the transaction that causes it.
import { Cache } from '../base/cache.ts'
import type { Clock } from '../base/clock.ts'
import type { Db, Engine, Tx } from '../db/store.ts'
import type { Changes } from './changes.ts'
import { type EventType, isFed, type NewEvent } from './event-catalogue.ts'
import { outboxRow, subscribersOf } from './outbox.ts'

const MOST_KEPT = 20_000

type WantedTypes = ReadonlySet<EventType>

const NOTHING: WantedTypes = new Set()

/**
 * Where features emit events, without knowing who subscribes to them. It caches the event types that each brand wants: a
 * change in this process applies at once, and when another process may have written, everything is read again.
 */
export class Bus {
  readonly #engine: Engine
  readonly #changes: Changes
  readonly #clock: Clock
  /** An entry is valid while the engine's epoch is that from before the read. */
  readonly #kept = new Cache<number, { wanted: WantedTypes; epoch: number }>(MOST_KEPT)
  /** Incremented by each change, so that a read that began before a change is not cached. */
  #changed = 0
  #listener: () => void = () => undefined

  constructor({ engine, clock, changes }: { engine: Engine; changes: Changes; clock: Clock }) {
    this.#engine = engine
    this.#changes = changes
    this.#clock = clock
    changes.subscribe({
      webhooksChanged: (brandKey) => {
        this.#changed++
        this.#kept.delete(brandKey)
      },
      workAdded: () => this.#listener(),
    })
  }

  /**
   * Writes the event in the transaction that causes it. If it is not in the feed and no webhook wants it, `data` is not called.
   */
  async emit(tx: Tx, event: NewEvent): Promise<void> {
    if (!(await this.wants(tx, event.brandKey, event.type))) return
    const { brandKey, type, at } = event
    const now = this.#clock.now()
    const row = outboxRow({ brandKey, type, at: at ?? now, data: await event.data() }, now)
    await tx.insertInto('outbox').values(row).execute()
    await this.#changes.work(tx)
  }

  async wants(tx: Tx, brandKey: number, type: EventType): Promise<boolean> {
    if (isFed(type)) return true
    const wanted = this.peekWanted(brandKey) ?? (await this.readWanted(tx, [brandKey])).get(brandKey)
    return wanted?.has(type) ?? false
  }

  /** Synchronous lookup for the ledger, which needs many at once; null if a database read would be needed. */
  peekWanted(brandKey: number): WantedTypes | null {
    const kept = this.#kept.get(brandKey)
    return kept?.epoch === this.#engine.epoch() ? kept.wanted : null
  }

  async readWanted(db: Db, brandKeys: readonly number[]): Promise<ReadonlyMap<number, WantedTypes>> {
    const epoch = this.#engine.epoch()
    const changed = this.#changed
    const subscribers = await subscribersOf(db, brandKeys, this.#clock.now())
    const byBrand = Map.groupBy(subscribers, ({ brandKey }) => brandKey)
    const all = new Map<number, WantedTypes>()
    for (const brandKey of brandKeys) {
      const events = (byBrand.get(brandKey) ?? []).flatMap(({ wanted }) => [...wanted])
      const wanted = events.length === 0 ? NOTHING : new Set(events)
      all.set(brandKey, wanted)
      if (changed === this.#changed) this.#kept.set(brandKey, { wanted, epoch })
    }
    return all
  }

  /** Wakes the deliveries of all processes, after a commit. */
  readonly wake = (): void => this.#changes.workCommitted()

  listen(listener: () => void): void {
    this.#listener = listener
  }
}
