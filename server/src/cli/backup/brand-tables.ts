import type { TableToWrite } from '../../backup/write-tables.ts'

const POLLS = '(select key from polls where brand_key = $brand and deleted_at is null)'
const CAMPAIGNS = '(select key from campaigns where brand_key = $brand and deleted_at is null)'
const LISTS = '(select key from code_lists where brand_key = $brand and deleted_at is null)'
const LIVE_PICTURES = ['image_a', 'image_b', 'image_combined', 'image_composed']
  .map((column) => `select ${column} from polls where brand_key = $brand and deleted_at is null`)
  .join(' union ')

/** How the rows of a brand are found, each table after those to which it refers. `$brand` is the brand's key. */
const CONTENT = {
  brands: 'key = $brand',
  theme_styles: 'brand_key = $brand',
  source_names: 'brand_key = $brand order by key',
  code_lists: 'brand_key = $brand and deleted_at is null order by key',
  codes: `list_key in ${LISTS} order by list_key, hash`,
  files: `brand_key = $brand and removed_at is null and (expires_at is null or key in (${LIVE_PICTURES}))`,
  categories: `key in (select category_key from poll_categories where poll_key in ${POLLS})`,
  polls: 'brand_key = $brand and deleted_at is null order by key',
  poll_tags: `poll_key in ${POLLS}`,
  poll_categories: `poll_key in ${POLLS}`,
  poll_revisions: `poll_key in ${POLLS}`,
  campaigns: 'brand_key = $brand and deleted_at is null order by key',
  campaign_polls: `campaign_key in ${CAMPAIGNS} and poll_key in ${POLLS}`,
  tallies: `poll_key in ${POLLS}`,
} as const

const VOTES = {
  votes: `poll_key in ${POLLS}`,
  code_uses: `poll_key in ${POLLS} order by poll_key, hash`,
  vote_counts: `poll_key in ${POLLS}`,
  poll_logs: `poll_key in ${POLLS} order by key`,
  view_counts: `poll_key in ${POLLS}`,
  campaign_respondents: `campaign_key in ${CAMPAIGNS}`,
  forgotten_devices: `device in (select device from votes where poll_key in ${POLLS})`,
} as const

export type BrandTable = keyof typeof CONTENT | keyof typeof VOTES

export const BRAND_TABLES = Object.keys({ ...CONTENT, ...VOTES }) as readonly BrandTable[]

export const tablesOfBrand = (brandKey: number, { hasVotes }: { hasVotes: boolean }): TableToWrite[] =>
  Object.entries({ ...CONTENT, ...(hasVotes ? VOTES : {}) }).map(([name, condition]) => ({
    name,
    query: `select * from ${name} where ${condition.replaceAll('$brand', `${brandKey}`)}`,
  }))
