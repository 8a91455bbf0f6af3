import { MINUTE } from '../../../base/clock.ts'
import type { StoredTables } from '../../../db/stored-tables.ts'
import type { RefusalReason } from '../../votes/vote-watch.ts'

/** Enough to find the ten largest exactly unless hundreds of networks have nearly as many votes. */
const MOST_KEPT = 128
const TOP = 10

interface Kept {
  votes: number
  /** Votes that may belong to networks that were kept before in this place. */
  readonly uncertain: number
}

/**
 * Counts the votes of the busiest networks without keeping all networks (the space-saving algorithm): a new network takes the
 * place of the one with the fewest votes, and its count. Only what is certain is told, so that many small networks are never
 * taken for a large one.
 */
export class BusiestNetworks {
  readonly #kept = new Map<number, Kept>()

  add(network: number): void {
    const known = this.#kept.get(network)
    if (known) known.votes++
    else this.#kept.set(network, this.#newcomer())
  }

  /** The votes of the largest network. */
  get largest(): number {
    return this.#certain()[0] ?? 0
  }

  /** The votes of the ten largest together. */
  get topTen(): number {
    return this.#certain()
      .slice(0, TOP)
      .reduce((sum, votes) => sum + votes, 0)
  }

  #certain(): number[] {
    return [...this.#kept.values()].map(({ votes, uncertain }) => votes - uncertain).sort((a, b) => b - a)
  }

  #newcomer(): Kept {
    if (this.#kept.size < MOST_KEPT) return { votes: 1, uncertain: 0 }
    let fewest = Number.POSITIVE_INFINITY
    let leaving = 0
    for (const [network, { votes }] of this.#kept) {
      if (votes >= fewest) continue
      fewest = votes
      leaving = network
    }
    this.#kept.delete(leaving)
    return { votes: fewest + 1, uncertain: fewest }
  }
}

/** The stored numbers of an hour. */
export type HourCounts = {
  readonly [Column in Exclude<keyof StoredTables['vote_integrity'], 'poll_key' | 'at'>]: number
}

const NOTHING: HourCounts = {
  votes: 0,
  largest: 0,
  top_ten: 0,
  peak_minute: 0,
  challenged: 0,
  without_origin: 0,
  refused_rate: 0,
  refused_challenge: 0,
  refused_origin: 0,
  refused_invalid: 0,
}

export const COUNT_NAMES = Object.keys(NOTHING) as (keyof HourCounts)[]

/** Counts of a poll's votes that this process has seen in one hour. */
export class PollHour {
  readonly pollKey: number
  readonly at: number
  readonly #counts = { ...NOTHING }
  readonly #networks = new BusiestNetworks()
  #minute = { at: 0, votes: 0 }
  #changes = 0
  #storedChanges = 0
  #stored = NOTHING

  constructor(pollKey: number, at: number) {
    this.pollKey = pollKey
    this.at = at
  }

  /** False when everything is stored. */
  get isChanged(): boolean {
    return this.#changes !== this.#storedChanges
  }

  count(vote: { network: number; isSolved: boolean; hasOrigin: boolean }, now: number): void {
    const counts = this.#counts
    counts.votes++
    if (vote.isSolved) counts.challenged++
    if (!vote.hasOrigin) counts.without_origin++
    this.#networks.add(vote.network)
    const minute = now - (now % MINUTE)
    if (this.#minute.at !== minute) this.#minute = { at: minute, votes: 0 }
    counts.peak_minute = Math.max(counts.peak_minute, ++this.#minute.votes)
    this.#changes++
  }

  refuse(reason: RefusalReason): void {
    this.#counts[`refused_${reason}`]++
    this.#changes++
  }

  /** The counts to add to the stored row, to which other processes add too. Call `noteStored` after the commit. */
  pending(): { added: HourCounts; noteStored: () => void } {
    const present: HourCounts = {
      ...this.#counts,
      largest: this.#networks.largest,
      top_ten: this.#networks.topTen,
    }
    const stored = this.#stored
    const added = Object.fromEntries(COUNT_NAMES.map((name) => [name, present[name] - stored[name]]))
    const changes = this.#changes
    const noteStored = () => {
      this.#stored = present
      this.#storedChanges = changes
    }
    return { added: added as HourCounts, noteStored }
  }
}
