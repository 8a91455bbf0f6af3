import { DAY } from '../../../base/clock.ts'
import { inBatches } from '../../../base/work/jobs.ts'
import type { Engine } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'

const BATCH = 500
const KEPT_FOR = 400 * DAY

/** Keys grow with time, so the oldest are the first and no index on the time alone is needed. */
export const removeOldActivity = (engine: Engine, now: number): Promise<boolean> =>
  inBatches(() =>
    transaction(engine, async (tx) => {
      if (!(await engine.tryLock(tx, 'old activity'))) return false
      const oldest = await tx.selectFrom('activity').select(['key', 'at']).orderBy('key').limit(BATCH).execute()
      const old = oldest.filter(({ at }) => at <= now - KEPT_FOR).map(({ key }) => key)
      if (old.length > 0) await tx.deleteFrom('activity').where('key', 'in', old).execute()
      return old.length === BATCH
    }),
  )
