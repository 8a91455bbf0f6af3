import { z } from 'zod'
import { presentTheme, theme } from '../themes/schema.ts'

/** Words of our own paths, and a few that would mislead as a brand's address. */
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

export const presentBrandSummary = (row: {
  slug: string
  name: string
  theme: string
  theme_version: number
}): BrandSummary => ({ slug: row.slug, name: row.name, theme: presentTheme(row) })
