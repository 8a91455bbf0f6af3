import { type RawBuilder, sql } from 'kysely'
import { inBatches } from '../../../base/in-batches.ts'
import type { Engine, Tx } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import { valueByKey } from '../../../db/value-by-key.ts'
import { countNewVotes, isUncounted, talliesOf, voteTotal } from '../brand-votes.ts'

const SWEPT = 500
const BATCH = 100

/**
 * Refreshes, in the background, what lists and summaries sort and add up by: the two sort columns of the popular orders
 * (`popularity` for visitors, `vote_total` for the owner) and the counts of the brand. A vote must not touch an index on
 * counts, nor a row that all polls of a brand share.
 */
export class Popularity {
  readonly #engine: Engine
  readonly #sweeps: boolean
  readonly #changed = new Set<number>()
  /** Polls for the next run, because another server is counting. */
  readonly #later = new Set<number>()
  #sweptTo = -1

  /** Without `sweeps` another process walks through all polls. */
  constructor(engine: Engine, { sweeps = true }: { sweeps?: boolean } = {}) {
    this.#engine = engine
    this.#sweeps = sweeps
  }

  noteVotes(pollKeys: Iterable<number>): void {
    for (const key of pollKeys) this.#changed.add(key)
  }

  /** True if it stopped before all votes were counted, or another server is counting: the next run continues. */
  async refresh(now: number): Promise<boolean> {
    if (this.#sweeps) await this.#noteNext()
    this.noteVotes(this.#later)
    this.#later.clear()
    const isCutShort = await inBatches(async () => {
      const keys = [...this.#changed.keys().take(BATCH)]
      for (const key of keys) this.#changed.delete(key)
      this.noteVotes(await this.#update(keys, now))
      return this.#changed.size > 0
    })
    return isCutShort || this.#later.size > 0
  }

  /** Walks through all polls: finds polls that a stop left stale, and results that the clock revealed. */
  async #noteNext(): Promise<void> {
    const rows = await this.#engine.db
      .selectFrom('polls')
      .select('key')
      .where('key', '>', this.#sweptTo)
      .orderBy('key')
      .limit(SWEPT)
      .execute()
    this.#sweptTo = rows.length < SWEPT ? -1 : (rows.at(-1)?.key ?? -1)
    this.noteVotes(rows.map(({ key }) => key))
  }

  /** Returns the polls with votes that are not counted yet. */
  async #update(keys: readonly number[], now: number): Promise<number[]> {
    if (keys.length === 0) return []
    const shown = sql<number>`case
      when polls.results_visibility = 'always' or (polls.results_visibility = 'after_close'
        and (polls.closes_at <= ${now} or polls.archived_at is not null))
      then ${voteTotal} else 0 end`
    const isStale = sql<boolean>`(popularity <> ${shown} or ${isUncounted})`
    const stale = await this.#engine.db
      .selectFrom('polls')
      .leftJoin(talliesOf(this.#engine.db, keys), (join) => join.onRef('tallies.poll_key', '=', 'polls.key'))
      .select('polls.key')
      .where('polls.key', 'in', keys)
      .where(isStale)
      .execute()
    const staleKeys = stale.map(({ key }) => key)
    if (staleKeys.length === 0) return []
    try {
      return await transaction(this.#engine, (tx) => this.#write(tx, staleKeys, shown))
    } catch (error) {
      if (error instanceof PollDeleted) return staleKeys
      throw error
    }
  }

  /** Counts before it locks: a vote must not wait for the reading of other votes. */
  async #write(tx: Tx, keys: readonly number[], shown: RawBuilder<number>): Promise<number[]> {
    // One server at a time, so that `vote_total` stays what it was when the votes after it were read.
    if (!(await this.#engine.tryLock(tx, 'votes of brands'))) {
      for (const key of keys) this.#later.add(key)
      return []
    }
    const counted = await countNewVotes(tx, keys)
    // In the ledger's lock order, or the two would deadlock.
    await this.#engine.lockPollsWithVotes(tx, keys)
    const upto = new Map(counted.map((row) => [row.key, row.upto]))
    // Read before the write: on Citus a write to `polls`, which is on the coordinator, takes no rows of `tallies`.
    const rows = await tx
      .selectFrom('polls')
      .leftJoin(talliesOf(tx, keys), (join) => join.onRef('tallies.poll_key', '=', 'polls.key'))
      .select(['polls.key', 'polls.deleted_at', 'polls.vote_total', shown.as('shown'), voteTotal.as('total')])
      .where('polls.key', 'in', keys)
      .execute()
    const found = rows.map((row) => ({ ...row, counted: upto.get(row.key) ?? row.vote_total }))
    if (found.some(({ key, deleted_at }) => deleted_at !== null && upto.has(key))) throw new PollDeleted()
    if (found.length > 0) {
      const popularity = valueByKey(
        'key',
        found.map((row) => [row.key, row.shown]),
      )
      const vote_total = valueByKey(
        'key',
        found.map((row) => [row.key, row.counted]),
      )
      await tx
        .updateTable('polls')
        .set(upto.size > 0 ? { popularity, vote_total } : { popularity })
        .where('key', 'in', keys)
        .execute()
    }
    const hasMore = (row: (typeof found)[number]) => row.deleted_at === null && row.counted !== row.total
    return found.filter(hasMore).map(({ key }) => key)
  }
}

/** A poll was deleted while its votes were counted: nothing of that transaction may stay. */
class PollDeleted extends Error {}
