import { sql } from 'kysely'
import { keysetSlice, type Slice } from '../../../db/keyset.ts'
import type { Db } from '../../../db/store.ts'
import type { Paging } from '../../../http/paging.ts'

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
