import { type RawBuilder, sql } from 'kysely'
import { inBatches } from '../../base/work/jobs.ts'
import { valueByKey } from '../../db/prepared.ts'
import type { Db, Engine, Tx } from '../../db/store.ts'
import { transaction } from '../../db/transaction.ts'

const SWEPT = 500
const BATCH = 100

/**
 * Refreshes, in the background, the two columns by which the popular orders sort: `popularity` for visitors, with 0 for hidden results,
 * and `vote_total` for the owner. A vote must not touch an index on counts.
 */
export class Popularity {
  readonly #engine: Engine
  readonly #changed = new Set<number>()
  #sweptTo = -1

  constructor(engine: Engine) {
    this.#engine = engine
  }

  noteVotes(pollKeys: Iterable<number>): void {
    for (const key of pollKeys) this.#changed.add(key)
  }

  /** True if its time ran out: the next run continues. */
  refresh(now: number): Promise<boolean> {
    return inBatches(async () => {
      const keys = [...this.#changed.keys().take(BATCH)]
      for (const key of keys) this.#changed.delete(key)
      await this.#writeStale(keys, now)
      return this.#changed.size > 0
    })
  }

  /** For an owner who reads the order right after votes. */
  async refreshBrand(brandKey: number, now: number): Promise<void> {
    const noted = [...this.#changed]
    for (let at = 0; at < noted.length; at += SWEPT) {
      const own = await this.#engine.db
        .selectFrom('polls')
        .select('key')
        .where('key', 'in', noted.slice(at, at + SWEPT))
        .where('brand_key', '=', brandKey)
        .execute()
      await this.#writeStale(
        own.map(({ key }) => key),
        now,
      )
    }
  }

  /** Walks through all polls: finds polls that a stop left stale, and results that the clock revealed. `refresh` writes them. */
  async sweep(now: number): Promise<void> {
    const rows = await this.#engine.db
      .selectFrom('polls')
      .select('key')
      .where('key', '>', this.#sweptTo)
      .orderBy('key')
      .limit(SWEPT)
      .execute()
    this.#sweptTo = rows.length < SWEPT ? -1 : (rows.at(-1)?.key ?? -1)
    const keys = rows.map(({ key }) => key)
    this.noteVotes(await staleOf(this.#engine.db, keys, shownAt(now)))
  }

  async #writeStale(keys: readonly number[], now: number): Promise<void> {
    const stale = await staleOf(this.#engine.db, keys, shownAt(now))
    if (stale.length > 0) await transaction(this.#engine, (tx) => this.#write(tx, stale, shownAt(now)))
  }

  async #write(tx: Tx, keys: readonly number[], shown: RawBuilder<number>): Promise<void> {
    // In the ledger's lock order, or the two would deadlock.
    await this.#engine.lockPollsWithVotes(tx, keys)
    // Read before the write: on Citus a write to `polls`, which is on the coordinator, takes no rows of `tallies`.
    const rows = await withTotals(tx, keys)
      .select(['polls.key', shown.as('shown'), voteTotal.as('total')])
      .execute()
    // Polls that were deleted before the lock have no row here.
    const found = rows.map(({ key }) => key)
    if (found.length === 0) return
    const popularity = valueByKey(
      'key',
      rows.map((row) => [row.key, row.shown]),
    )
    const vote_total = valueByKey(
      'key',
      rows.map((row) => [row.key, row.total]),
    )
    await tx.updateTable('polls').set({ popularity, vote_total }).where('key', 'in', found).execute()
  }
}

/** Without the list, Citus would read all tallies for the left join. */
const withTotals = (db: Db, keys: readonly number[]) =>
  db
    .selectFrom('polls')
    .leftJoin(
      (from) =>
        from
          .selectFrom('tallies')
          .select(['tallies.poll_key', 'tallies.option_a', 'tallies.option_b'])
          .where('tallies.poll_key', 'in', keys)
          .as('tallies'),
      (join) => join.onRef('tallies.poll_key', '=', 'polls.key'),
    )
    .where('polls.key', 'in', keys)
    .where('polls.deleted_at', 'is', null)

const voteTotal = sql<number>`coalesce(tallies.option_a + tallies.option_b, 0)`

const shownAt = (now: number): RawBuilder<number> => sql<number>`case
  when polls.results_visibility = 'always' or (polls.results_visibility = 'after_close'
    and (polls.closes_at <= ${now} or polls.archived_at is not null))
  then ${voteTotal} else 0 end`

async function staleOf(db: Db, keys: readonly number[], shown: RawBuilder<number>): Promise<number[]> {
  if (keys.length === 0) return []
  const rows = await withTotals(db, keys)
    .select('polls.key')
    .where(sql<boolean>`(popularity <> ${shown} or vote_total <> ${voteTotal})`)
    .execute()
  return rows.map(({ key }) => key)
}
