import type { Db } from '../../../db/store.ts'
import type { ActivitySubject } from '../../../events/activity.ts'

/** The brand itself, as the subject of an action. */
export async function brandSubject(db: Db, brandKey: number): Promise<ActivitySubject> {
  const brand = db.selectFrom('brands').select(['id', 'name']).where('key', '=', brandKey)
  const { id, name } = await brand.executeTakeFirstOrThrow()
  return { kind: 'brand', id, title: name }
}
