import { notFound } from '../../base/errors.ts'
import type { Tx } from '../../db/store.ts'
import type { Deps } from '../../deps.ts'
import { presentOwnBrand, type UpdateBrand } from './schema.ts'

interface Request {
  readonly brandKey: number
  readonly patch: UpdateBrand
}

/** What is absent is not written, and nothing is read first: other fields may be changed at the same time. */
export async function updateBrand(deps: Deps, tx: Tx, { brandKey, patch }: Request) {
  const now = deps.clock.now()
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
