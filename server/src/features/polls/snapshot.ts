import type { Counted } from '../../db/vote-store.ts'
import type { Deps } from '../../deps.ts'
import type { Ready } from '../../http/answer.ts'
import { etagOf } from '../../http/caching.ts'
import { presentPollTallies, presentPublicPoll } from './present-poll.ts'
import { labelsOf, type PollLabels, type PollRow } from './queries.ts'
import { statusChangesAt } from './status.ts'

export type View = 'poll' | 'tallies'

interface Made extends Ready {
  readonly madeAt: number
}

/** A public poll in memory, and its answers as far as they have been asked for. */
export class Snapshot {
  readonly #deps: Deps
  #row: PollRow
  #labels: PollLabels | null = null
  #ready: Partial<Record<View, Made>> = {}

  constructor(deps: Deps, row: PollRow) {
    this.#deps = deps
    this.#row = row
  }

  count(counted: Counted): void {
    if (counted.version <= this.#row.version) return
    this.#row = { ...this.#row, ...counted }
    this.#ready = {}
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

  /** An answer that was asked for before and still holds. */
  peek(view: View, now: number): Ready | null {
    return this.#kept(view, now)
  }

  /** An answer lives until the clock changes what it says, and not before it was made: a clock may be set back. */
  #kept(view: View, now: number): Ready | null {
    const kept = this.#ready[view]
    if (!kept || now < kept.madeAt) return null
    return kept.changesAt === null || now < kept.changesAt ? kept : null
  }

  #make(view: View, now: number, data: unknown): Ready {
    const body = JSON.stringify({ data })
    const ready = { body, etag: etagOf(body), changesAt: statusChangesAt(this.#row, now), madeAt: now }
    this.#ready[view] = ready
    return ready
  }
}
