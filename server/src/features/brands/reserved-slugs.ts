/** Words of our own paths, and words that would mislead as a brand's address. */
const RESERVED = new Set(
  'admin api app assets auth b brands c campaigns categories console css docs embed files guests help join livez login me metrics oembed openapi p polls readyz service status support tossup www'.split(
    ' ',
  ),
)

export const isReservedSlug = (slug: string): boolean => RESERVED.has(slug)
