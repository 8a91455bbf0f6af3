import { sql } from 'kysely'
import { inBatches } from '../base/work/jobs.ts'
import type { Engine } from './store.ts'
import { transaction } from './transaction.ts'

const BATCH = 500

type Kept =
  | { readonly table: 'activity'; readonly time: 'at' }
  | { readonly table: 'event_feed'; readonly time: 'published_at' }
  | { readonly table: 'webhook_deliveries'; readonly time: 'created_at' }

/** Keys grow with time, so the oldest rows are the first and no index on the time is needed. */
export const removeOld = (engine: Engine, { table, time }: Kept, until: number): Promise<boolean> =>
  inBatches(() =>
    transaction(engine, async (tx) => {
      // One server at a time: two would choose the same rows.
      if (!(await engine.tryLock(tx, `old ${table}`))) return false
      const oldest = await tx
        .selectFrom(table)
        .select(['key', sql.ref<number>(time).as('time')])
        .orderBy('key')
        .limit(BATCH)
        .execute()
      const old = oldest.filter((row) => row.time <= until).map(({ key }) => key)
      // An idle service writes nothing.
      if (old.length > 0) await tx.deleteFrom(table).where('key', 'in', old).execute()
      return old.length === BATCH
    }),
  )
