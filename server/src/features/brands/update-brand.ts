import { notFound } from '../../base/errors.ts'
import type { Tx } from '../../db/store.ts'
import type { Deps } from '../../deps.ts'
import type { Precondition } from '../../http/precondition.ts'
import type { UpdateBrand } from '../../resources/brand.ts'
import { brandVersion, presentOwnBrand } from './present-brand.ts'

interface Request {
  readonly brandKey: number
  readonly patch: UpdateBrand
  readonly ifMatch?: Precondition | null
}

/** Writes only the given fields, so that concurrent changes of others survive. Reads first only for If-Match. */
export async function updateBrand(deps: Deps, tx: Tx, { brandKey, patch, ifMatch }: Request) {
  const now = deps.clock.now()
  if (ifMatch) ifMatch(brandVersion(presentOwnBrand(deps, await lockBrand(tx, brandKey))))
  const row = await tx
    .updateTable('brands')
    .set({
      name: patch.name,
      display_name: patch.displayName,
      description: patch.description,
      avatar_url: patch.avatarUrl,
      location_city: patch.locationCity,
      location_state: patch.locationState,
      updated_at: now,
    })
    .where('key', '=', brandKey)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw notFound()
  await deps.changes.brand(tx, brandKey)
  const data = () => ({ brand: presentOwnBrand(deps, row) })
  await deps.bus.emit(tx, { brandKey, type: 'brand.updated', at: now, data })
  return row
}

async function lockBrand(tx: Tx, brandKey: number) {
  const row = await tx
    .updateTable('brands')
    .set(({ ref }) => ({ updated_at: ref('updated_at') }))
    .where('key', '=', brandKey)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw notFound()
  return row
}
