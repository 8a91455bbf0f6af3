// events: events in the outbox, and notices of changes between processes.
// An event is written in the transaction that causes it.

import type { Clock } from '../base/clock.ts'
import type { Db, Engine, Tx } from '../db/store.ts'
import type { Changes } from './changes.ts'
import type { EventType, NewEvent } from './event-catalogue.ts'
import { Interests, type WantedTypes } from './interests.ts'
import { outboxRow } from './outbox.ts'

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
