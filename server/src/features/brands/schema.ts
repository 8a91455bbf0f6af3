import { z } from 'zod'
import { nameText, text, uuid } from '../../base/fields.ts'
import { SCOPES, type Scope } from '../../base/scopes.ts'
import type { Deps } from '../../deps.ts'
import { type Version, versionedTag } from '../../http/precondition.ts'
import { presentTheme, type ThemeRow, theme } from '../themes/schema.ts'

/** Words of our own paths, and words that would mislead as a brand's address. */
const RESERVED = new Set(
  'admin api app auth b brands c campaigns categories console css docs embed files guests help livez login me metrics oembed openapi p polls readyz status support tossup www'.split(
    ' ',
  ),
)

const BRAND_SLUG = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

export const isBrandSlug = (slug: string): boolean => BRAND_SLUG.test(slug)

export const isReservedSlug = (slug: string): boolean => RESERVED.has(slug)

export const brandParams = z.object({ brandSlug: z.string().regex(BRAND_SLUG) })

export const brandSummary = z.strictObject({ slug: z.string(), name: z.string(), theme }).meta({ id: 'BrandSummary' })

export type BrandSummary = z.infer<typeof brandSummary>

export const presentBrandSummary = (deps: Pick<Deps, 'config'>, row: ThemeRow & { name: string }): BrandSummary => ({
  slug: row.slug,
  name: row.name,
  theme: presentTheme(deps, row),
})

const details = {
  displayName: z.string().nullable(),
  description: z.string().nullable(),
  avatarUrl: z.string().nullable(),
  locationCity: z.string().nullable(),
  locationState: z.string().nullable(),
}

export const publicBrand = brandSummary.extend(details).meta({ id: 'Brand' })
export type PublicBrand = z.infer<typeof publicBrand>

export const brandProfile = publicBrand
  .extend({ brandId: uuid, scopes: z.array(z.enum(SCOPES)) })
  .meta({ id: 'BrandProfile' })

interface BrandRow extends ThemeRow {
  readonly id: string
  readonly name: string
  readonly display_name: string | null
  readonly description: string | null
  readonly avatar_url: string | null
  readonly location_city: string | null
  readonly location_state: string | null
}

export const presentPublicBrand = (deps: Pick<Deps, 'config'>, row: BrandRow): PublicBrand => ({
  ...presentBrandSummary(deps, row),
  displayName: row.display_name,
  description: row.description,
  avatarUrl: row.avatar_url,
  locationCity: row.location_city,
  locationState: row.location_state,
})

/** The brand in webhook events: without scopes, which belong to a token. */
export const presentOwnBrand = (deps: Pick<Deps, 'config'>, row: BrandRow) => ({
  ...presentPublicBrand(deps, row),
  brandId: row.id,
})

export const presentBrandProfile = (
  deps: Pick<Deps, 'config'>,
  row: BrandRow,
  scopes: readonly Scope[],
): z.infer<typeof brandProfile> => ({ ...presentOwnBrand(deps, row), scopes: [...scopes] })

/** Covers the profile's writable fields. The theme has its own version. */
export const brandVersion = (brand: Omit<PublicBrand, 'slug' | 'theme'>): Version => [
  brand.name,
  brand.displayName,
  brand.description,
  brand.avatarUrl,
  brand.locationCity,
  brand.locationState,
]

export const brandTag = (profile: z.infer<typeof brandProfile>): string => versionedTag(brandVersion(profile), profile)

const httpsUrl = z
  .string()
  .max(2_048)
  .refine(isHttpsUrl, {
    error: 'An address that begins with https://, without a name or password in it.',
    params: { code: 'invalid_url' },
  })

/** A URL parser silently drops tabs and line breaks, converts backslashes and takes a path for a host. */
function isHttpsUrl(value: string): boolean {
  if (!/^https:\/\/[^\s\\/?#][^\s\\]*$/i.test(value) || !URL.canParse(value)) return false
  const { username, password } = new URL(value)
  return username === '' && password === ''
}

export const updateBrandBody = z
  .strictObject({
    name: nameText(1, 80).optional(),
    displayName: nameText(1, 80).nullable().optional(),
    description: text(1, 500).nullable().optional(),
    avatarUrl: httpsUrl.nullable().optional(),
    locationCity: text(1, 80).nullable().optional(),
    locationState: text(1, 80).nullable().optional(),
  })
  .meta({ id: 'BrandUpdate' })

export type UpdateBrand = z.infer<typeof updateBrandBody>
