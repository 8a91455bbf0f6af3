// events: events in the outbox, and notices of changes between processes.
// An event is written in the transaction that causes it.
import { Cache } from '../base/cache.ts'
import type { Clock } from '../base/clock.ts'
import type { Db, Engine, Tx } from '../db/store.ts'
import type { Changes } from './changes.ts'
import type { EventType, NewEvent } from './event-catalogue.ts'
import { outboxRow, subscribersOf } from './outbox.ts'

const MOST_KEPT = 20_000

type WantedTypes = ReadonlySet<EventType>

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
class Interests {
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

type Listener = () => void

interface BusDeps {
  readonly engine: Engine
  readonly changes: Changes
  readonly clock: Clock
}

/** Where features emit events, without knowing who subscribes to them. */
export class Bus {
  readonly #changes: Changes
  readonly #clock: Clock
  readonly #interests: Interests
  #listener: Listener = () => undefined

  constructor({ engine, clock, changes }: BusDeps) {
    this.#changes = changes
    this.#clock = clock
    this.#interests = new Interests(engine, clock)
    changes.subscribe({
      webhooksChanged: (brandKey) => this.#interests.drop(brandKey),
      workAdded: () => this.#listener(),
    })
  }

  /**
   * Writes the event to the outbox, in the transaction that causes it. If no active webhook of the brand wants the type,
   * `data` is not called and nothing is written.
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
    return (await this.#interests.of(tx, brandKey)).has(type)
  }

  /** Synchronous lookup for the ledger, which needs many at once; null if a database read would be needed. */
  peekWanted(brandKey: number): WantedTypes | null {
    return this.#interests.peek(brandKey)
  }

  readWanted(db: Db, brandKeys: readonly number[]): Promise<ReadonlyMap<number, WantedTypes>> {
    return this.#interests.ofMany(db, brandKeys)
  }

  /** Wakes the deliveries of all processes, after a commit. */
  readonly wake = (): void => this.#changes.workCommitted()

  listen(listener: Listener): void {
    this.#listener = listener
  }
}
