import type { Engine, Tx } from '../db/store.ts'
import { onSettled } from '../db/transaction.ts'
import type { Counted } from '../db/vote-store.ts'
import { type Change, changeOf, noticesOfVotes, textOf } from './change-notices.ts'

/** Votes of this process reach the others within this time, many in one notice. */
const GATHER_MS = 50

/** What keeps something in memory hears here when that may no longer be right. */
export interface ChangeListener {
  pollChanged?(pollKey: number, brandKey: number | null): void
  brandChanged?(brandKey: number): void
  webhooksChanged?(brandKey: number): void
  votesCounted?(counted: ReadonlyMap<number, Counted>): void
}

/**
 * Where a write says what it changes. Everything that is kept in memory hears of it when the write commits, in this
 * process before the write is answered and in the others a moment later.
 */
export class Changes {
  readonly #engine: Engine
  readonly #listeners: ChangeListener[] = []
  #uncast = new Map<number, Counted>()
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(engine: Engine) {
    this.#engine = engine
  }

  subscribe(listener: ChangeListener): void {
    this.#listeners.push(listener)
  }

  /** Hears other processes from now on. */
  listen(): void {
    this.#engine.notices.listen((text) => {
      const change = changeOf(text)
      if (change) this.#tell(change)
    })
  }

  /** A poll came, changed or went. */
  poll(tx: Tx, pollKey: number, brandKey: number): Promise<void> {
    return this.#note(tx, { kind: 'poll', pollKey, brandKey })
  }

  /** What a brand shows of itself changed: its profile or its theme. */
  brand(tx: Tx, brandKey: number): Promise<void> {
    return this.#note(tx, { kind: 'brand', brandKey })
  }

  /** The events that a brand's webhooks want changed. */
  webhooks(tx: Tx, brandKey: number): Promise<void> {
    return this.#note(tx, { kind: 'webhooks', brandKey })
  }

  /** Nobody knows whether the votes of these polls were stored. */
  uncertain(pollKeys: Iterable<number>): void {
    for (const pollKey of pollKeys) this.#tell({ kind: 'poll', pollKey, brandKey: null })
  }

  /** Votes of this process that are durable. */
  votes(counted: ReadonlyMap<number, Counted>): void {
    this.#tell({ kind: 'votes', counted })
    if (this.#engine.isAlone) return
    for (const [pollKey, counts] of counted) this.#uncast.set(pollKey, counts)
    this.#timer ??= setTimeout(() => this.#castVotes(), GATHER_MS)
  }

  /** Before the engine closes, so that no vote stays untold. */
  close(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#castVotes()
  }

  #castVotes(): void {
    this.#timer = null
    if (this.#uncast.size === 0) return
    const counted = this.#uncast
    this.#uncast = new Map()
    this.#engine.notices.broadcast(noticesOfVotes(counted))
  }

  async #note(tx: Tx, change: Exclude<Change, { kind: 'votes' }>): Promise<void> {
    onSettled(tx, () => this.#tell(change))
    await this.#engine.notices.send(tx, textOf(change))
  }

  #tell(change: Change): void {
    for (const listener of this.#listeners) {
      if (change.kind === 'poll') listener.pollChanged?.(change.pollKey, change.brandKey)
      else if (change.kind === 'votes') listener.votesCounted?.(change.counted)
      else if (change.kind === 'brand') listener.brandChanged?.(change.brandKey)
      else listener.webhooksChanged?.(change.brandKey)
    }
  }
}
