import type { Counted } from '../../../db/vote-store.ts'
import type { Deps } from '../../../deps.ts'
import type { Ready } from '../../../http/answer.ts'
import { etagOf } from '../../../http/caching.ts'
import { PackedText } from '../../../http/packed.ts'
import { isListedAt } from '../feed/feed.ts'
import { presentListItem, presentPollTallies, presentPublicPoll } from '../present-poll.ts'
import { labelsOf, type PollLabels, type PollRow } from '../queries.ts'
import { statusChangesAt } from '../status.ts'

export type View = 'poll' | 'tallies'

interface Made extends Ready {
  readonly madeAt: number
}

/** The poll as a list item. */
export interface ReadyItem {
  readonly json: string
  readonly changesAt: number | null
  readonly madeAt: number
}

/** A public poll in memory, with the answers that were requested so far. */
export class Snapshot {
  readonly #deps: Deps
  #row: PollRow
  #labels: PollLabels | null = null
  #ready: Partial<Record<View, Made>> = {}
  #item: ReadyItem | null = null

  constructor(deps: Deps, row: PollRow) {
    this.#deps = deps
    this.#row = row
  }

  get brandKey(): number {
    return this.#row.brand_key
  }

  get shortId(): string {
    return this.#row.short_id
  }

  count(counted: Counted): void {
    if (counted.version <= this.#row.version) return
    this.#row = { ...this.#row, ...counted }
    this.#ready = {}
    this.#item = null
  }

  async poll(now: number): Promise<Ready> {
    const kept = this.#kept('poll', now)
    if (kept) return kept
    const labels = this.#labels ?? (await labelsOf(this.#deps.engine.db, [this.#row.key]))(this.#row.key)
    this.#labels = labels
    return this.#make('poll', now, presentPublicPoll(this.#row, labels, { deps: this.#deps, viewer: 'public', now }))
  }

  tallies(now: number): Ready {
    return this.#kept('tallies', now) ?? this.#make('tallies', now, presentPollTallies(this.#row, 'public', now))
  }

  isListed(now: number): boolean {
    return isListedAt(this.#row, now)
  }

  /** The same object while its content is the same; null when the poll is not listed. */
  item(now: number): ReadyItem | null {
    if (!this.isListed(now)) return null
    if (this.#item && holdsAt(this.#item, now)) return this.#item
    const json = JSON.stringify(presentListItem(this.#row, { deps: this.#deps, viewer: 'public', now }))
    this.#item = { json, changesAt: statusChangesAt(this.#row, now), madeAt: now }
    return this.#item
  }

  /** An answer that was requested before and is still valid. */
  peek(view: View, now: number): Ready | null {
    return this.#kept(view, now)
  }

  #kept(view: View, now: number): Ready | null {
    const kept = this.#ready[view]
    return kept && holdsAt(kept, now) ? kept : null
  }

  #make(view: View, now: number, data: unknown): Ready {
    const body = JSON.stringify({ data })
    const changesAt = statusChangesAt(this.#row, now)
    const ready = { body, etag: etagOf(body), packed: new PackedText(body), changesAt, madeAt: now }
    this.#ready[view] = ready
    return ready
  }
}

/** An answer is valid until the clock changes its content, and not before it was made: clocks can be set back. */
export const holdsAt = ({ madeAt, changesAt }: { madeAt: number; changesAt: number | null }, now: number): boolean =>
  now >= madeAt && (changesAt === null || now < changesAt)
