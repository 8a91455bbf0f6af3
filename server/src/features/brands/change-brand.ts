import { invalidAccessToken } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import type { Db, Tx } from '../../db/store.ts'
import { isBrandSlug, type UpdateBrand } from '../../events/resources/brand.ts'
import type { Precondition } from '../../http/precondition.ts'
import type { Deps, WriteDeps } from '../deps.ts'
import { lockBrand } from '../people/tokens/queries.ts'
import { brandVersion, presentOwnBrand } from './present-brand.ts'

/** Writes only the given fields, so that concurrent changes of others survive. Reads first only for If-Match. A deleted brand is a dead token. */
export async function updateBrand(
  deps: WriteDeps,
  tx: Tx,
  { brandKey, patch, ifMatch }: { brandKey: number; patch: UpdateBrand; ifMatch?: Precondition | null },
) {
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

/** Words of our own paths, and words that would mislead as a brand's address. */
const RESERVED = new Set(
  'admin api app assets auth b brands c campaigns categories console css docs embed files guests help join livez login me metrics oembed openapi p polls readyz service status support tossup www'.split(
    ' ',
  ),
)

export const isReservedSlug = (slug: string): boolean => RESERVED.has(slug)

export interface NewBrand {
  readonly slug: string
  readonly name: string
}

export type BrandRefusal = 'slug-malformed' | 'slug-reserved' | 'slug-taken' | 'name-malformed'

export interface CreatedBrand extends NewBrand {
  readonly key: number
  readonly brandId: string
}

export async function createBrand(
  db: Db,
  { clock }: Pick<Deps, 'clock'>,
  { slug, name }: NewBrand,
): Promise<CreatedBrand | BrandRefusal> {
  if (!isBrandSlug(slug)) return 'slug-malformed'
  if (isReservedSlug(slug)) return 'slug-reserved'
  if (name.trim() === '' || [...name].length > 80) return 'name-malformed'
  const now = clock.now()
  const brandId = newUuid()
  const row = await db
    .insertInto('brands')
    .values({
      id: brandId,
      slug,
      name,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returning('key')
    .executeTakeFirst()
  return row ? { key: row.key, brandId, slug, name } : 'slug-taken'
}
