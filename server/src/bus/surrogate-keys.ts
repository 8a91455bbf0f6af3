import type { Config } from '../config.ts'

/** Names by which a CDN finds what shows a poll, campaign or brand. They contain ids and slugs of brands, which never change; names do. */
export const surrogateKeyOf = {
  poll: (id: string) => `poll-${id}`,
  campaign: (id: string) => `campaign-${id}`,
  /** Everything that shows the brand: all of its polls and campaigns too. */
  brand: (slug: string) => `brand-${slug}`,
  /** What changes with any poll or campaign of the brand: its feed, its campaigns, and the list of these. */
  lists: (slug: string) => `lists-${slug}`,
}

/** What an answer shows. */
interface Shown {
  readonly brandSlug: string
  readonly pollId?: string
  readonly campaignId?: string
  readonly isList?: boolean
}

/** The value of the header Surrogate-Key. Null where no CDN is purged. */
export function surrogateKeys(
  { cdnPurgeUrl }: Pick<Config, 'cdnPurgeUrl'>,
  { brandSlug, pollId, campaignId, isList = false }: Shown,
): string | null {
  if (cdnPurgeUrl === null) return null
  const keys = [surrogateKeyOf.brand(brandSlug)]
  if (isList) keys.unshift(surrogateKeyOf.lists(brandSlug))
  if (campaignId !== undefined) keys.unshift(surrogateKeyOf.campaign(campaignId))
  if (pollId !== undefined) keys.unshift(surrogateKeyOf.poll(pollId))
  return keys.join(' ')
}
