import { newUuid } from '../../base/ids.ts'
import type { Db } from '../../db/store.ts'
import { isBrandSlug } from '../../events/resources/brand.ts'
import type { Deps } from '../deps.ts'
import { isReservedSlug } from './reserved-slugs.ts'

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
      display_name: null,
      description: null,
      avatar_url: null,
      location_city: null,
      location_state: null,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returning('key')
    .executeTakeFirst()
  return row ? { key: row.key, brandId, slug, name } : 'slug-taken'
}
