import { sql } from 'kysely'
import { SECOND } from '../../base/clock.ts'
import { inBatches } from '../../base/work/jobs.ts'
import type { Tx } from '../../db/store.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../deps.ts'

const BATCH = 100
const LEAST_BETWEEN = SECOND
/** A constant, because SQLite matches the partial index `tally_notices_due` only by its literal condition. */
const isDue = sql<boolean>`is_due = 1`

/** Raises at most one event a second for each poll with new counts, and always one for the last change. */
export const raiseTallies = (deps: Pick<Deps, 'bus' | 'engine'>, now: number): Promise<boolean> =>
  inBatches(async () => {
    const isAny = await deps.engine.db
      .selectFrom('tally_notices')
      .select('poll_key')
      .where(isDue)
      .where('raised_at', '<=', now - LEAST_BETWEEN)
      .limit(1)
      .executeTakeFirst()
    return isAny !== undefined && (await transaction(deps.engine, (tx) => raiseSome(deps, tx, now)))
  })

/** Clears the notice before it reads the counts, so that a later vote sets it again. */
async function raiseSome({ bus, engine }: Pick<Deps, 'bus' | 'engine'>, tx: Tx, now: number): Promise<boolean> {
  const due = await tx
    .with(
      (chosen) => chosen('chosen').materialized(),
      (db) =>
        db
          .selectFrom('tally_notices')
          .select('poll_key')
          .where(isDue)
          .where('raised_at', '<=', now - LEAST_BETWEEN)
          .orderBy('poll_key')
          .limit(BATCH)
          .modifyEnd(engine.skipLocked),
    )
    .updateTable('tally_notices')
    .set({ is_due: 0, raised_at: now })
    .where('poll_key', 'in', (from) => from.selectFrom('chosen').select('chosen.poll_key'))
    .returning('poll_key')
    .execute()
  if (due.length === 0) return false
  const polls = await tx
    .selectFrom('polls')
    .innerJoin('tallies', 'tallies.poll_key', 'polls.key')
    .select(['id', 'slug', 'brand_key', 'option_a', 'option_b', 'version'])
    .where(
      'polls.key',
      'in',
      due.map(({ poll_key }) => poll_key),
    )
    .where('deleted_at', 'is', null)
    .execute()
  for (const { id, slug, brand_key, option_a, option_b, version } of polls) {
    const tallies = { optionA: option_a, optionB: option_b, total: option_a + option_b }
    const data = () => ({ poll: { id, slug }, tallies, version })
    await bus.emit(tx, { brandKey: brand_key, type: 'poll.tallies_updated', at: now, data })
  }
  return due.length === BATCH
}
