import { type RawBuilder, sql } from 'kysely'
import { inBatches } from '../../../base/in-batches.ts'
import type { Engine, Tx } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import { valueByKey } from '../../../db/value-by-key.ts'
import { countNewVotes, isUncounted, talliesOf, voteTotal } from '../brand-votes.ts'

const SWEPT = 500
/** Where several servers ask one database: as many polls in fewer statements. */
const SWEPT_SHARED = 2_000
const BATCH = 100

interface StalePoll {
  readonly key: number
  readonly vote_total: number
}

/**
 * Refreshes, in the background, what lists and summaries sort and add up by: the two sort columns of the popular orders
 * (`popularity` for visitors, `vote_total` for the owner) and the counts of the brand. A vote must not touch an index on
 * counts, nor a row that all polls of a brand share.
 */
export class Popularity {
  readonly #engine: Engine
  readonly #changed = new Set<number>()
  /** Polls for the next run, because another server is counting. */
  readonly #later = new Set<number>()
  #sweptTo = -1
  /** What the last sweep found, with the votes that were counted by then. */
  #found: readonly StalePoll[] = []

  constructor(engine: Engine) {
    this.#engine = engine
  }

  noteVotes(pollKeys: Iterable<number>): void {
    for (const key of pollKeys) this.#changed.add(key)
  }

  /** True if it stopped before all votes were counted, or another server is counting: the next run continues. */
  async refresh(now: number): Promise<boolean> {
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

  /**
   * Walks through all polls: finds polls that a stop left stale, and results that the clock revealed. `refresh` counts them. True if
   * it has to look again: where votes were counted meanwhile, another server is counting them.
   */
  async sweep(now: number): Promise<boolean> {
    if (this.#found.length > 0) {
      const before = new Map(this.#found.map(({ key, vote_total }) => [key, vote_total]))
      this.#found = []
      const still = await this.#staleOf([...before.keys()], shownAt(now))
      this.noteVotes(still.filter(({ key, vote_total }) => before.get(key) === vote_total).map(({ key }) => key))
      return false
    }
    const most = this.#engine.isAlone ? SWEPT : SWEPT_SHARED
    const rows = await this.#engine.db
      .selectFrom('polls')
      .select('key')
      .where('key', '>', this.#sweptTo)
      .orderBy('key')
      .limit(most)
      .execute()
    this.#sweptTo = rows.length < most ? -1 : (rows.at(-1)?.key ?? -1)
    const keys = rows.map(({ key }) => key)
    const stale = await this.#staleOf(keys, shownAt(now))
    if (this.#engine.isAlone) this.noteVotes(stale.map(({ key }) => key))
    else this.#found = stale
    return this.#found.length > 0
  }

  /** Returns the polls with votes that are not counted yet. */
  async #update(keys: readonly number[], now: number): Promise<number[]> {
    const shown = shownAt(now)
    const staleKeys = (await this.#staleOf(keys, shown)).map(({ key }) => key)
    if (staleKeys.length === 0) return []
    try {
      return await transaction(this.#engine, (tx) => this.#write(tx, staleKeys, shown))
    } catch (error) {
      if (error instanceof PollDeleted) return staleKeys
      throw error
    }
  }

  async #staleOf(keys: readonly number[], shown: RawBuilder<number>): Promise<StalePoll[]> {
    if (keys.length === 0) return []
    const { db } = this.#engine
    return db
      .selectFrom('polls')
      .leftJoin(talliesOf(db, keys), (join) => join.onRef('tallies.poll_key', '=', 'polls.key'))
      .select(['polls.key', 'polls.vote_total'])
      .where('polls.key', 'in', keys)
      .where(sql<boolean>`(popularity <> ${shown} or ${isUncounted})`)
      .execute()
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

const shownAt = (now: number): RawBuilder<number> => sql<number>`case
  when polls.results_visibility = 'always' or (polls.results_visibility = 'after_close'
    and (polls.closes_at <= ${now} or polls.archived_at is not null))
  then ${voteTotal} else 0 end`

/** A poll was deleted while its votes were counted: nothing of that transaction may stay. */
class PollDeleted extends Error {}
