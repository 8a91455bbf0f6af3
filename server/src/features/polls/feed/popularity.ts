import { sql } from 'kysely'
import type { Engine } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'

const BATCH = 500

/**
 * Refreshes the sort column of the popular order in the background: a vote must not touch
 * an index on counts.
 */
export class Popularity {
  readonly #engine: Engine
  #changed = new Set<number>()
  #sweptTo = -1

  constructor(engine: Engine) {
    this.#engine = engine
  }

  noteVotes(pollKeys: Iterable<number>): void {
    for (const key of pollKeys) this.#changed.add(key)
  }

  async refresh(now: number): Promise<void> {
    const keys = [...this.#changed]
    this.#changed = new Set()
    for (let at = 0; at < keys.length; at += BATCH) await this.#update(keys.slice(at, at + BATCH), now)
    await this.#sweep(now)
  }

  /** Walks through all polls in batches: finds polls that a stop left stale, and results that the clock revealed. */
  async #sweep(now: number): Promise<void> {
    const rows = await this.#engine.db
      .selectFrom('polls')
      .select('key')
      .where('key', '>', this.#sweptTo)
      .orderBy('key')
      .limit(BATCH)
      .execute()
    this.#sweptTo = rows.length < BATCH ? -1 : (rows.at(-1)?.key ?? -1)
    await this.#update(
      rows.map((row) => row.key),
      now,
    )
  }

  async #update(keys: readonly number[], now: number): Promise<void> {
    if (keys.length === 0) return
    const counted = sql<number>`case
      when polls.results_visibility = 'always' or (polls.results_visibility = 'after_close'
        and (polls.closes_at <= ${now} or polls.archived_at is not null))
      then (select tallies.option_a + tallies.option_b from tallies where tallies.poll_key = polls.key)
      else 0 end`
    const isStale = sql<boolean>`popularity <> ${counted}`
    const stale = await this.#engine.db
      .selectFrom('polls')
      .select('key')
      .where('key', 'in', keys)
      .where(isStale)
      .execute()
    if (stale.length === 0) return
    const staleKeys = stale.map((row) => row.key)
    await transaction(this.#engine, async (tx) => {
      // In the ledger's lock order, or the two would deadlock.
      await this.#engine.lockPollsWithVotes(tx, staleKeys)
      await tx.updateTable('polls').set({ popularity: counted }).where('key', 'in', staleKeys).where(isStale).execute()
    })
  }
}
