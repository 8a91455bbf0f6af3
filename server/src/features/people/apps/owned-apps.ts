import { sql } from 'kysely'
import { invalidField, notFound } from '../../../base/errors.ts'
import { keysetSlice, type Slice } from '../../../db/keyset.ts'
import type { Db, Tx } from '../../../db/store.ts'
import type { AppRow } from '../../../db/tables.ts'
import type { Paging } from '../../../http/paging.ts'
import { lockBrand } from '../tokens/lock-brand.ts'

const MOST_APPS = 50

const ofBrand = (db: Db, brandKey: number) => db.selectFrom('apps').where('brand_key', '=', brandKey)

/** A brand's apps, newest first, revoked ones included. */
export const appsPage = (db: Db, brandKey: number, paging: Paging): Promise<Slice<AppRow>> =>
  keysetSlice(db, ofBrand(db, brandKey).selectAll(), {
    sort: sql<number>`created_at`,
    key: sql<number>`key`,
    direction: 'desc',
    ...paging,
  })

/** A revoked app does not change any more, so for writes it does not exist. */
export async function liveApp(db: Db, brandKey: number, appId: string): Promise<AppRow> {
  const live = ofBrand(db, brandKey).selectAll().where('id', '=', appId).where('revoked_at', 'is', null)
  const row = await live.executeTakeFirst()
  if (!row) throw notFound()
  return row
}

/** Locks the brand first, so that the second of two concurrent creations counts the first. */
export async function refuseTooManyApps(tx: Tx, brandKey: number): Promise<void> {
  await lockBrand(tx, brandKey)
  const live = await ofBrand(tx, brandKey).select('key').where('revoked_at', 'is', null).limit(MOST_APPS).execute()
  if (live.length < MOST_APPS) return
  throw invalidField('', 'too_many_apps', `A brand has at most ${MOST_APPS} apps that are not revoked.`)
}
