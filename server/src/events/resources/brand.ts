import { z } from 'zod'
import { nameText, text, uuid } from '../../base/fields.ts'
import { SCOPES } from '../../base/roles.ts'
import { theme } from './theme.ts'

const BRAND_SLUG = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

export const isBrandSlug = (slug: string): boolean => BRAND_SLUG.test(slug)

/** Words of our own paths, and words that would mislead in an address. */
const RESERVED = new Set(
  'admin api app assets auth b brands c campaigns categories console css docs embed files guests help join livez login me metrics oembed openapi p polls readyz service status support tossup www'.split(
    ' ',
  ),
)

export const isReservedSlug = (slug: string): boolean => RESERVED.has(slug)

const slug = { description: 'The slug of the brand, as in its URLs. It never changes.', examples: ['corner-cafe'] }

export const brandParams = z.object({ brandSlug: z.string().regex(BRAND_SLUG).meta(slug) })

const about = {
  name: { description: 'The name of the brand.', examples: ['Corner Café'] },
  displayName: { description: 'The name to show instead of `name`, or null.', examples: ['The Corner'] },
  description: { description: 'A description for visitors, or null.', examples: ['Coffee since 1987.'] },
  avatarUrl: {
    description:
      'The picture of the brand as an https URL, or null. Hosted pages show it only if it is a file of this service.',
    examples: ['https://polls.example.com/files/Zk0dq3nYw1vT5mB8Zk0dq3nYw1vT5mB8.png'],
  },
  locationCity: { description: 'The city, or null.', examples: ['Porto'] },
  locationState: { description: 'The state or region, or null.', examples: [null] },
}

export const brandSummary = z
  .object({
    slug: z.string().meta(slug),
    name: z.string().meta(about.name),
    theme: theme.describe('The look of its polls.'),
  })
  .meta({ id: 'BrandSummary', description: 'A brand as polls and campaigns show it.' })

export const publicBrand = brandSummary
  .extend({
    displayName: z.string().nullable().meta(about.displayName),
    description: z.string().nullable().meta(about.description),
    avatarUrl: z.string().nullable().meta(about.avatarUrl),
    locationCity: z.string().nullable().meta(about.locationCity),
    locationState: z.string().nullable().meta(about.locationState),
  })
  .meta({ id: 'Brand', description: 'A brand as the public sees it.' })

export const ownBrand = publicBrand
  .extend({ brandId: uuid.meta({ description: 'The permanent id of the brand.' }) })
  .meta({ id: 'OwnBrand', description: 'A brand as its webhooks receive it.' })

export const brandProfile = ownBrand
  .extend({
    scopes: z.array(z.enum(SCOPES)).meta({ description: 'The scopes of the token.', examples: [[...SCOPES]] }),
  })
  .meta({ id: 'BrandProfile', description: 'A brand as its owner sees it.' })

export const NOT_HTTPS = {
  path: 'avatarUrl',
  code: 'invalid_url',
  message: 'Must be an https URL without user and password, or a file of this service.',
}

const httpsUrl = z
  .string()
  .max(2_048)
  .refine((value) => isHttpsUrl(value) || PLAIN_FILE.test(value), {
    error: NOT_HTTPS.message,
    params: { code: NOT_HTTPS.code },
  })

/** On a server without TLS, as on one's own machine, a file of the service has such an address: `updateBrand` refuses others. */
const PLAIN_FILE = /^http:\/\/[^\s\\/?#@]+\/(?:[^\s\\?#]*\/)?[\w-]{32}\.[a-z]{3,4}$/

/** URL parsers silently drop tabs and line breaks, convert backslashes, and accept a path in place of a host. */
function isHttpsUrl(value: string): boolean {
  if (!/^https:\/\/[^\s\\/?#][^\s\\]*$/i.test(value) || !URL.canParse(value)) return false
  const { username, password } = new URL(value)
  return username === '' && password === ''
}

export const updateBrandBody = z
  .strictObject({
    name: nameText(1, 80).optional().meta(about.name),
    displayName: nameText(1, 80).nullable().optional().meta(about.displayName),
    description: text(1, 500).nullable().optional().meta(about.description),
    avatarUrl: httpsUrl.nullable().optional().meta(about.avatarUrl),
    locationCity: nameText(1, 80).nullable().optional().meta(about.locationCity),
    locationState: nameText(1, 80).nullable().optional().meta(about.locationState),
  })
  .meta({
    id: 'BrandUpdate',
    description: 'The fields to change. Omitted fields keep their value; null clears a field.',
  })

export type BrandSummary = z.infer<typeof brandSummary>
export type PublicBrand = z.infer<typeof publicBrand>
export type OwnBrand = z.infer<typeof ownBrand>
export type BrandProfile = z.infer<typeof brandProfile>
export type UpdateBrand = z.infer<typeof updateBrandBody>
