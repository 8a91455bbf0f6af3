import type { Engine, Tx } from '../db/store.ts'
import { onCommit, onSettled } from '../db/transaction.ts'
import type { Counted } from '../db/vote-store.ts'

type Row = [key: number, a: number, b: number, version: number, at: number]

/** The form that travels between processes, in JSON. */
type Notice =
  | readonly ['poll', pollKey: number, brandKey: number | null]
  | readonly ['brand' | 'webhooks', brandKey: number]
  | readonly ['votes', ...Row[]]
  | readonly ['work']

/** A PostgreSQL notice holds less than 8,000 bytes; the counts of one poll take at most 86. */
const POLLS_PER_NOTICE = 80

function noticesOfVotes(counted: ReadonlyMap<number, Counted>): Notice[] {
  const rows = [...counted].map(
    ([key, { option_a, option_b, version, counted_at }]): Row => [key, option_a, option_b, version, counted_at],
  )
  return Array.from({ length: Math.ceil(rows.length / POLLS_PER_NOTICE) }, (_, at) => [
    'votes',
    ...rows.slice(at * POLLS_PER_NOTICE, (at + 1) * POLLS_PER_NOTICE),
  ])
}

const countedIn = (rows: readonly Row[]): Map<number, Counted> =>
  new Map(
    rows.map(([key, option_a, option_b, version, counted_at]) => [key, { option_a, option_b, version, counted_at }]),
  )

/** Votes and work of this process are broadcast within this time, many in one notice. */
const GATHER_MS = 50

/** Implemented by caches, to invalidate or update their entries. */
export interface ChangeListener {
  pollChanged?(pollKey: number, brandKey: number | null): void
  brandChanged?(brandKey: number): void
  webhooksChanged?(brandKey: number): void
  votesCounted?(counted: ReadonlyMap<number, Counted>): void
  /** There is work for background jobs, such as events to deliver. */
  workAdded?(): void
  /** Only in the process whose transaction it was. */
  campaignChanged?(campaignId: string): void
}

/**
 * Where writes declare what they change. Caches hear of it at the commit: here before the answer, elsewhere a moment later.
 */
export class Changes {
  readonly #engine: Engine
  readonly #listeners: ChangeListener[] = []
  #unsent = new Map<number, Counted>()
  #hasUnsentWork = false
  /** Transactions that have told of their work. */
  readonly #working = new WeakSet<Tx>()
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(engine: Engine) {
    this.#engine = engine
  }

  subscribe(listener: ChangeListener): void {
    this.#listeners.push(listener)
  }

  /** Starts to receive the changes of other processes. */
  listen(): void {
    this.#engine.notices.listen((text) => this.#tell(JSON.parse(text) as Notice))
  }

  /** A poll was created, changed or deleted. */
  poll(tx: Tx, pollKey: number, brandKey: number): Promise<void> {
    return this.#note(tx, ['poll', pollKey, brandKey])
  }

  /** A brand's public data changed: its profile or its theme. */
  brand(tx: Tx, brandKey: number): Promise<void> {
    return this.#note(tx, ['brand', brandKey])
  }

  /** A campaign was created, changed or deleted. Other processes need not know: each reads campaigns again. */
  campaign(tx: Tx, campaignId: string): void {
    onSettled(tx, () => {
      for (const listener of this.#listeners) listener.campaignChanged?.(campaignId)
    })
  }

  /** The set of events that a brand's webhooks want has changed. */
  webhooks(tx: Tx, brandKey: number): Promise<void> {
    return this.#note(tx, ['webhooks', brandKey])
  }

  /** It is unknown whether the votes of these polls were stored. */
  uncertain(pollKeys: Iterable<number>): void {
    for (const pollKey of pollKeys) this.#tell(['poll', pollKey, null])
  }

  /** Durable votes of this process. */
  votes(counted: ReadonlyMap<number, Counted>): void {
    for (const listener of this.#listeners) listener.votesCounted?.(counted)
    for (const [pollKey, counts] of counted) this.#unsent.set(pollKey, counts)
    this.#broadcastSoon()
  }

  /** Events are added to the outbox. */
  async work(tx: Tx): Promise<void> {
    if (this.#working.has(tx)) return
    this.#working.add(tx)
    onCommit(tx, () => this.#tell(['work']))
    await this.#engine.notices.send(tx, JSON.stringify(['work']))
  }

  /** Work for background jobs is committed. A process that misses the notice finds the work at its next look. */
  workCommitted(): void {
    this.#tell(['work'])
    this.#hasUnsentWork = true
    this.#broadcastSoon()
  }

  /** Broadcasts what is pending. Call it before the engine closes. */
  close(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#broadcast()
  }

  #broadcastSoon(): void {
    this.#timer ??= setTimeout(() => this.#broadcast(), GATHER_MS)
  }

  #broadcast(): void {
    this.#timer = null
    const notices: Notice[] = noticesOfVotes(this.#unsent)
    if (this.#hasUnsentWork) notices.push(['work'])
    this.#unsent = new Map()
    this.#hasUnsentWork = false
    if (notices.length > 0) this.#engine.notices.broadcast(notices.map((notice) => JSON.stringify(notice)))
  }

  async #note(tx: Tx, notice: Notice): Promise<void> {
    onSettled(tx, () => this.#tell(notice))
    await this.#engine.notices.send(tx, JSON.stringify(notice))
  }

  /** Ignores an unknown kind: during an upgrade, a newer server may share the database. */
  #tell(notice: Notice): void {
    const counted = notice[0] === 'votes' ? countedIn(notice.slice(1) as Row[]) : null
    for (const listener of this.#listeners) {
      if (counted) listener.votesCounted?.(counted)
      else if (notice[0] === 'poll') listener.pollChanged?.(notice[1], notice[2])
      else if (notice[0] === 'brand') listener.brandChanged?.(notice[1])
      else if (notice[0] === 'webhooks') listener.webhooksChanged?.(notice[1])
      else if (notice[0] === 'work') listener.workAdded?.()
    }
  }
}
