import type { Selectable } from 'kysely'
import type { Scope } from '../../base/roles.ts'
import type { Tables } from '../../db/tables.ts'
import type { BrandProfile, BrandSummary, OwnBrand, PublicBrand } from '../../events/resources/brand.ts'
import { type Version, versionedTag } from '../../http/precondition.ts'
import type { Deps } from '../deps.ts'
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
export const presentOwnBrand = (deps: Pick<Deps, 'config'>, row: BrandRow): OwnBrand => ({
  ...presentPublicBrand(deps, row),
  brandId: row.id,
})

export const presentBrandProfile = (
  deps: Pick<Deps, 'config'>,
  row: BrandRow,
  scopes: readonly Scope[],
): BrandProfile => ({ ...presentOwnBrand(deps, row), scopes: [...scopes] })

/** Covers the profile's writable fields. The theme has its own version. */
export const brandVersion = (brand: Omit<PublicBrand, 'slug' | 'theme'>): Version => [
  brand.name,
  brand.displayName,
  brand.description,
  brand.avatarUrl,
  brand.locationCity,
  brand.locationState,
]

export const brandTag = (profile: BrandProfile): string => versionedTag(brandVersion(profile), profile)
