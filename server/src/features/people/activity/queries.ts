import { sql } from 'kysely'
import { DAY } from '../../../base/clock.ts'
import { inBatches } from '../../../base/work/in-batches.ts'
import { keysetSlice, type Slice } from '../../../db/keyset.ts'
import type { Db, Engine } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import type { Paging } from '../../../http/paging.ts'

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

export interface ActivityFilters {
  readonly actor?: string | undefined
  readonly action?: string | undefined
  readonly subject?: string | undefined
}

export type ActivityRow = Awaited<ReturnType<typeof activityPage>>['rows'][number]

interface ActivityQuery {
  readonly brandKey: number
  readonly filters: ActivityFilters
  readonly paging: Paging
}

/** A page of a brand's activity, newest first. */
export function activityPage(db: Db, { brandKey, filters: { actor, action, subject }, paging }: ActivityQuery) {
  let rows = db.selectFrom('activity').selectAll().where('brand_key', '=', brandKey)
  if (actor !== undefined) rows = rows.where('actor_id', '=', actor)
  if (action !== undefined) rows = rows.where('action', '=', action)
  if (subject !== undefined) rows = rows.where('subject_id', '=', subject)
  return keysetSlice(db, rows, { sort: sql<number>`at`, key: sql<number>`key`, direction: 'desc', ...paging })
}

const PART = 500

/** Every entry of the start, in the same order: later entries come before the first. */
export async function* allActivity(db: Db, asked: Omit<ActivityQuery, 'paging'>): AsyncGenerator<ActivityRow[]> {
  let after: Paging['after'] = null
  do {
    const page: Slice<ActivityRow> = await activityPage(db, { ...asked, paging: { limit: PART, after } })
    after = page.next
    yield page.rows
  } while (after)
}
