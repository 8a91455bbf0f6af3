import { type Selectable, sql } from 'kysely'
import { invalidInput } from '../../base/errors.ts'
import { kept, nameOrNull } from '../../base/fields.ts'
import { newUuid } from '../../base/ids.ts'
import type { Scope } from '../../base/roles.ts'
import type { Db, Tx } from '../../db/store.ts'
import type { Tables } from '../../db/tables.ts'
import {
  type BrandProfile,
  type BrandSummary,
  isBrandSlug,
  isReservedSlug,
  NOT_HTTPS,
  type OwnBrand,
  type PublicBrand,
  type UpdateBrand,
} from '../../events/resources/brand.ts'
import { type Precondition, type Version, versionedTag } from '../../http/precondition.ts'
import type { Deps, WriteDeps } from '../deps.ts'
import { lockBrand } from '../people/tokens/queries.ts'
import { publicUrl } from '../uploads/files.ts'
import { presentTheme, type ThemeRow } from './themes/present-theme.ts'

export const presentBrandSummary = (deps: Pick<Deps, 'config'>, row: ThemeRow & { name: string }): BrandSummary => ({
  slug: row.slug,
  name: row.name,
  theme: presentTheme(deps, row),
})

type BrandRow = Selectable<Tables['brands']>

export const presentPublicBrand = (deps: Pick<Deps, 'config'>, row: BrandRow): PublicBrand => ({
  ...presentBrandSummary(deps, row),
  displayName: row.display_name,
  description: row.description,
  avatarUrl: row.avatar_url,
  locationCity: row.location_city,
  locationState: row.location_state,
})

/** The brand in webhook events: without scopes, which belong to a token. */
const presentOwnBrand = (deps: Pick<Deps, 'config'>, row: BrandRow): OwnBrand => ({
  ...presentPublicBrand(deps, row),
  brandId: row.id,
})

export const presentBrandProfile = (
  deps: Pick<Deps, 'config'>,
  row: BrandRow,
  scopes: readonly Scope[],
): BrandProfile => ({ ...presentOwnBrand(deps, row), scopes: [...scopes] })

/** Covers the profile's writable fields. The theme has its own version. */
const brandVersion = (brand: Omit<PublicBrand, 'slug' | 'theme'>): Version => [
  brand.name,
  brand.displayName,
  brand.description,
  brand.avatarUrl,
  brand.locationCity,
  brand.locationState,
]

export const brandTag = (profile: BrandProfile): string => versionedTag(brandVersion(profile), profile)

const MOST_NAMED = 10
const COUNT = sql<number>`count(*)`.as('count')

export const findBrand = (db: Db, slug: string) =>
  db.selectFrom('brands').selectAll().where('slug', '=', slug).where('deleted_at', 'is', null).executeTakeFirst()

/** The brand of a token. Its row is there even if the brand is deleted while the request runs. */
export const brandOfToken = (db: Db, key: number) =>
  db.selectFrom('brands').selectAll().where('key', '=', key).executeTakeFirstOrThrow()

/** Every brand, with the number of its polls that are not deleted. */
export const listBrands = (db: Db) =>
  db
    .selectFrom('brands')
    .select(({ selectFrom }) => [
      'id',
      'slug',
      'name',
      'created_at',
      selectFrom('polls')
        .select(sql<number>`count(*)`.as('polls'))
        .whereRef('polls.brand_key', '=', 'brands.key')
        .where('deleted_at', 'is', null)
        .as('polls'),
    ])
    .where('brands.deleted_at', 'is', null)
    .orderBy('slug')
    .execute()

/** The brands that a command may mean: that of the slug, also if its deletion was interrupted, else those of the name. */
export async function brandsCalled(db: Db, given: string) {
  const brands = db.selectFrom('brands').select(['key', 'id', 'slug', 'name', 'deleted_at'])
  const ofSlug = await brands.where('slug', '=', given).where('is_emptied', '=', 0).execute()
  if (ofSlug.length > 0) return ofSlug
  return brands.where('name', '=', given).where('deleted_at', 'is', null).orderBy('slug').limit(MOST_NAMED).execute()
}

/** The polls and campaigns of a brand that are not deleted. */
export const contentsOf = (db: Db, brandKey: number) =>
  db
    .selectNoFrom(({ selectFrom }) => [
      selectFrom('polls').select(COUNT).where('brand_key', '=', brandKey).where('deleted_at', 'is', null).as('polls'),
      selectFrom('campaigns')
        .select(COUNT)
        .where('brand_key', '=', brandKey)
        .where('deleted_at', 'is', null)
        .as('campaigns'),
    ])
    .$castTo<{ polls: number; campaigns: number }>()
    .executeTakeFirstOrThrow()

/** Under the brand's lock, so that concurrent changes of other fields survive. `isChanged` is false if the patch changes nothing. */
export async function updateBrand(
  deps: WriteDeps,
  tx: Tx,
  { brandKey, patch, ifMatch }: { brandKey: number; patch: UpdateBrand; ifMatch?: Precondition | null },
) {
  if (patch.avatarUrl?.startsWith('http:') && !patch.avatarUrl.startsWith(publicUrl(deps, '')))
    throw invalidInput([NOT_HTTPS])
  const now = deps.clock.now()
  const brand = await lockBrand(tx, brandKey)
  ifMatch?.(brandVersion(presentOwnBrand(deps, brand)))
  const next = {
    name: kept(patch.name, brand.name),
    display_name: kept(patch.displayName, brand.display_name),
    description: kept(patch.description, brand.description),
    avatar_url: kept(patch.avatarUrl, brand.avatar_url),
    location_city: kept(patch.locationCity, brand.location_city),
    location_state: kept(patch.locationState, brand.location_state),
  }
  if (Bun.deepEquals({ ...brand, ...next }, brand)) return { row: brand, isChanged: false }
  const row = { ...brand, ...next, updated_at: now }
  await tx
    .updateTable('brands')
    .set({ ...next, updated_at: now })
    .where('key', '=', brandKey)
    .execute()
  await deps.changes.brand(tx, brandKey)
  const data = () => ({ brand: presentOwnBrand(deps, row) })
  await deps.bus.emit(tx, { brandKey, type: 'brand.updated', at: now, data })
  return { row, isChanged: true }
}

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
  { slug, name: given }: NewBrand,
): Promise<CreatedBrand | BrandRefusal> {
  if (!isBrandSlug(slug)) return 'slug-malformed'
  if (isReservedSlug(slug)) return 'slug-reserved'
  const name = nameOrNull(given)
  if (name === null) return 'name-malformed'
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
