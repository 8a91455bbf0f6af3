// features/audit: counts the votes again, behind the requests, and reports tallies that differ.
// Imports features: polls.
// It locks nothing, and corrects only the counts of brands, which follow from those of polls.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { DAY, SECOND } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Engine } from '../../db/store.ts'
import { type PollHead, pollHeads, pollKeysAfter } from './queries.ts'
import { Recount, type RecountedTally } from './recount.ts'

interface Bounds {
  /** Polls in one statement, and in one run of a round. */
  readonly polls: number
  /** Rows that one run reads at most, of recently voted polls and of the round. */
  readonly changedRows: number
  readonly sweptRows: number
  /** Rows in one statement: SQLite blocks the event loop meanwhile. */
  readonly stretch: number
  /** The pause between two runs of a round. */
  readonly sweepEveryMs: number
}

const BOUNDS: Bounds = { polls: 200, changedRows: 100_000, sweptRows: 50_000, stretch: 4_000, sweepEveryMs: 0 }
/** Where several servers ask one database: as many polls a second in fewer statements. */
export const SHARED_BOUNDS: Partial<Bounds> = { polls: 2_000, sweptRows: 500_000, sweepEveryMs: 10 * SECOND }

/**
 * Checks tallies against the votes. It runs behind the votes and locks nothing: a counted vote
 * never changes, so only newer rows are read. At the start and once a day it reads all of them.
 */
export class TallyAuditor {
  readonly #engine: Engine
  readonly #log: Log
  readonly #bounds: Bounds
  readonly #recount: Recount
  #changed = new Set<number>()
  /** Polls that disagreed once. They are recounted from the first vote before anything is reported. */
  readonly #suspected = new Set<number>()
  /** The last report about each poll. */
  readonly #drifting = new Map<number, string>()
  /** Null between two rounds. */
  #sweptTo: number | null = null
  #startedOverAt = Number.NEGATIVE_INFINITY
  #sweptAt = Number.NEGATIVE_INFINITY
  readonly counts = { rows: 0, passes: 0 }
  /** When the last pass over all polls ended; 0 before the first. */
  passedAt = 0

  constructor({ engine, log }: { engine: Engine; log: Log }, bounds: Partial<Bounds> = {}) {
    this.#engine = engine
    this.#log = log
    this.#bounds = { ...BOUNDS, ...bounds }
    this.#recount = new Recount(engine, this.#bounds.stretch)
  }

  /** The number of polls whose tally disagrees with their votes. */
  get drift(): number {
    return this.#drifting.size
  }

  noteVotes(pollKeys: Iterable<number>): void {
    for (const key of pollKeys) this.#changed.add(key)
  }

  async run(now: number): Promise<void> {
    const changed = [...this.#changed]
    // If the database fails now, the next round finds them.
    this.#changed = new Set()
    const done = await this.#audit(changed, this.#bounds.changedRows)
    // A poll that was not finished goes to the end of the queue.
    const [endless, ...others] = changed.slice(done)
    this.noteVotes(others)
    if (endless !== undefined) this.noteVotes([endless])
    await this.#sweep(now)
  }

  /** Walks through all polls by key: finds changes of other processes, and polls that a stop left unchecked. */
  async #sweep(now: number): Promise<void> {
    if (Math.abs(now - this.#sweptAt) < this.#bounds.sweepEveryMs) return
    this.#sweptAt = now
    if (this.#sweptTo === null) this.#startRound(now)
    const from = this.#sweptTo ?? 0
    const { polls, sweptRows } = this.#bounds
    const keys = await pollKeysAfter(this.#engine.db, from, polls)
    const done = await this.#audit(keys, sweptRows)
    const isRound = keys.length < polls && done === keys.length
    this.#sweptTo = isRound ? null : (keys[done - 1] ?? from)
    if (!isRound) return
    this.counts.passes++
    this.passedAt = now
  }

  #startRound(now: number): void {
    for (const key of this.#drifting.keys()) this.#recount.forget(key)
    if (now - this.#startedOverAt < DAY) return
    this.#recount.forgetAll()
    this.#startedOverAt = now
  }

  /** Resolves to the number of polls that were finished before the rows ran out. */
  async #audit(keys: readonly number[], rows: number): Promise<number> {
    const { polls } = this.#bounds
    let left = rows
    for (let at = 0; at < keys.length; at += polls) {
      const batch = keys.slice(at, at + polls)
      const heads = new Map((await pollHeads(this.#engine.db, batch)).map((head) => [head.key, head]))
      const before = new Map(batch.map((key) => [key, this.#recount.countedUpTo(key)]))
      const ends = heads.values().map((head) => ({ pollKey: head.key, last: this.#endOf(head) }))
      await this.#recount.goTogether(ends, left)
      for (const [i, key] of batch.entries()) {
        const head = heads.get(key)
        const read = head ? await this.#auditPoll(head, { rows: left, from: before.get(key) ?? 0 }) : this.#forget(key)
        if (read === null) return at + i
        left -= read
      }
      await nextTurn()
    }
    return keys.length
  }

  /** Votes beyond the tally's total are wrong anyway, and their positions may be anything. */
  #endOf(head: PollHead): number {
    return Math.min(head.last ?? 0, totalOf(head) + this.#bounds.stretch)
  }

  /** Resolves to the number of rows read, from `from`; null when they did not suffice. */
  async #auditPoll(head: PollHead, { rows, from }: { rows: number; from: number }): Promise<number | null> {
    const last = this.#endOf(head)
    const before = this.#recount.countedUpTo(head.key)
    const counted = await this.#recount.go(head.key, { last, rows: rows - (before - from) })
    if (!counted) return this.#forget(head.key)
    this.counts.rows += counted.upTo - from
    if (counted.upTo < last) return null
    this.#judge(head, counted)
    return counted.upTo - from
  }

  #judge(head: PollHead, counted: RecountedTally): void {
    const { key, id: pollId } = head
    if (agree(head, counted)) {
      this.#suspected.delete(key)
      if (this.#drifting.delete(key)) this.#log.warn({ pollId }, 'the tally of a poll matches its votes again')
      return
    }
    if (!this.#suspected.has(key)) {
      this.#suspected.add(key)
      this.#recount.forget(key)
      this.noteVotes([key])
      return
    }
    const findings = findingsOf(head, counted)
    const said = JSON.stringify(findings)
    if (this.#drifting.get(key) === said) return
    this.#drifting.set(key, said)
    this.#log.error({ pollId, ...findings }, 'THE TALLY OF A POLL DIFFERS FROM ITS VOTES')
  }

  #forget(key: number): number {
    this.#recount.forget(key)
    this.#suspected.delete(key)
    this.#drifting.delete(key)
    return 0
  }
}

const totalOf = ({ option_a, option_b }: PollHead): number => (option_a ?? 0) + (option_b ?? 0)

function agree(head: PollHead, { a, b, isGapless }: RecountedTally): boolean {
  const total = totalOf(head)
  const isEndToEnd = total === 0 ? head.last === null : head.first === 1 && head.last === total
  return isGapless && isEndToEnd && head.option_a === a && head.option_b === b
}

const findingsOf = ({ option_a, option_b, first, last }: PollHead, { a, b, isGapless }: RecountedTally) => ({
  tally: option_a === null ? null : { optionA: option_a, optionB: option_b, total: option_a + (option_b ?? 0) },
  votes: { optionA: a, optionB: b, total: a + b },
  positions: { first, last, isGapless },
})
