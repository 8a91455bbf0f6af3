import type { Engine, Tx } from '../db/store.ts'
import { onCommit, onSettled } from '../db/transaction.ts'
import type { Counted } from '../db/vote-store.ts'

type Change =
  | { readonly kind: 'poll'; readonly pollKey: number; readonly brandKey: number | null }
  | { readonly kind: 'brand' | 'webhooks'; readonly brandKey: number }
  | { readonly kind: 'votes'; readonly counted: ReadonlyMap<number, Counted> }
  | { readonly kind: 'work' }

const NOTICE_OF_WORK = JSON.stringify(['work'])

/** A PostgreSQL notice holds less than 8,000 bytes; the counts of one poll take at most 86. */
const POLLS_PER_NOTICE = 80

const noticeText = (change: Exclude<Change, { kind: 'votes' | 'work' }>): string =>
  change.kind === 'poll'
    ? JSON.stringify(['poll', change.pollKey, change.brandKey])
    : JSON.stringify([change.kind, change.brandKey])

function noticesOfVotes(counted: ReadonlyMap<number, Counted>): string[] {
  const rows = [...counted].map(([key, { option_a, option_b, version, counted_at }]) => [
    key,
    option_a,
    option_b,
    version,
    counted_at,
  ])
  const notices: string[] = []
  for (let at = 0; at < rows.length; at += POLLS_PER_NOTICE) {
    notices.push(JSON.stringify(['votes', ...rows.slice(at, at + POLLS_PER_NOTICE)]))
  }
  return notices
}

type Row = [key: number, a: number, b: number, version: number, at: number]

/** Null for an unknown kind: during an upgrade, a newer server may share the database. */
function changeOf(text: string): Change | null {
  const [kind, ...values] = JSON.parse(text) as [string, ...unknown[]]
  if (kind === 'poll') return { kind, pollKey: values[0] as number, brandKey: values[1] as number | null }
  if (kind === 'brand' || kind === 'webhooks') return { kind, brandKey: values[0] as number }
  if (kind === 'work') return { kind }
  if (kind !== 'votes') return null
  const counted = new Map(
    (values as Row[]).map(([key, option_a, option_b, version, counted_at]) => [
      key,
      { option_a, option_b, version, counted_at },
    ]),
  )
  return { kind, counted }
}

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
 * Where writes declare what they change. Caches are notified when the write commits: in this process before the write is
 * answered, in other processes a moment later.
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
    this.#engine.notices.listen((text) => {
      const change = changeOf(text)
      if (change) this.#tell(change)
    })
  }

  /** A poll was created, changed or deleted. */
  poll(tx: Tx, pollKey: number, brandKey: number): Promise<void> {
    return this.#note(tx, { kind: 'poll', pollKey, brandKey })
  }

  /** A brand's public data changed: its profile or its theme. */
  brand(tx: Tx, brandKey: number): Promise<void> {
    return this.#note(tx, { kind: 'brand', brandKey })
  }

  /** A campaign was created, changed or deleted. Other processes need not know: each reads campaigns again. */
  campaign(tx: Tx, campaignId: string): void {
    onSettled(tx, () => {
      for (const listener of this.#listeners) listener.campaignChanged?.(campaignId)
    })
  }

  /** The set of events that a brand's webhooks want has changed. */
  webhooks(tx: Tx, brandKey: number): Promise<void> {
    return this.#note(tx, { kind: 'webhooks', brandKey })
  }

  /** It is unknown whether the votes of these polls were stored. */
  uncertain(pollKeys: Iterable<number>): void {
    for (const pollKey of pollKeys) this.#tell({ kind: 'poll', pollKey, brandKey: null })
  }

  /** Durable votes of this process. */
  votes(counted: ReadonlyMap<number, Counted>): void {
    this.#tell({ kind: 'votes', counted })
    if (this.#engine.isAlone) return
    for (const [pollKey, counts] of counted) this.#unsent.set(pollKey, counts)
    this.#broadcastSoon()
  }

  /** Events are added to the outbox. */
  async work(tx: Tx): Promise<void> {
    if (this.#working.has(tx)) return
    this.#working.add(tx)
    onCommit(tx, () => this.#tell({ kind: 'work' }))
    await this.#engine.notices.send(tx, NOTICE_OF_WORK)
  }

  /** Work for background jobs is committed. A process that misses the notice finds the work at its next look. */
  workCommitted(): void {
    this.#tell({ kind: 'work' })
    if (this.#engine.isAlone) return
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
    const notices = [...noticesOfVotes(this.#unsent), ...(this.#hasUnsentWork ? [NOTICE_OF_WORK] : [])]
    this.#unsent = new Map()
    this.#hasUnsentWork = false
    if (notices.length > 0) this.#engine.notices.broadcast(notices)
  }

  async #note(tx: Tx, change: Exclude<Change, { kind: 'votes' | 'work' }>): Promise<void> {
    onSettled(tx, () => this.#tell(change))
    await this.#engine.notices.send(tx, noticeText(change))
  }

  #tell(change: Change): void {
    for (const listener of this.#listeners) {
      if (change.kind === 'poll') listener.pollChanged?.(change.pollKey, change.brandKey)
      else if (change.kind === 'votes') listener.votesCounted?.(change.counted)
      else if (change.kind === 'brand') listener.brandChanged?.(change.brandKey)
      else if (change.kind === 'work') listener.workAdded?.()
      else listener.webhooksChanged?.(change.brandKey)
    }
  }
}
