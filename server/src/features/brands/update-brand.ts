import { invalidAccessToken } from '../../base/errors.ts'
import type { Tx } from '../../db/store.ts'
import type { UpdateBrand } from '../../events/resources/brand.ts'
import type { Precondition } from '../../http/precondition.ts'
import type { WriteDeps } from '../deps.ts'
import { lockBrand } from '../people/tokens/lock-brand.ts'
import { brandVersion, presentOwnBrand } from './present-brand.ts'

interface Request {
  readonly brandKey: number
  readonly patch: UpdateBrand
  readonly ifMatch?: Precondition | null
}

/** Writes only the given fields, so that concurrent changes of others survive. Reads first only for If-Match. A deleted brand is a dead token. */
export async function updateBrand(deps: WriteDeps, tx: Tx, { brandKey, patch, ifMatch }: Request) {
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
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirstOrThrow(invalidAccessToken)
  await deps.changes.brand(tx, brandKey)
  const data = () => ({ brand: presentOwnBrand(deps, row) })
  await deps.bus.emit(tx, { brandKey, type: 'brand.updated', at: now, data })
  return row
}
