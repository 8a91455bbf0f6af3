import type { BrandHead } from '../../backup/archive.ts'
import { ArchiveWriter, newHead, type TableToWrite, writeTables } from '../../backup/archive-writer.ts'
import type { Sink } from '../../backup/sinks.ts'
import type { Row } from '../../backup/table-rows.ts'
import { PlainFailure } from '../../base/errors.ts'
import type { Config } from '../../config/config.ts'
import { openCurrentSnapshot } from '../../db/snapshots/open-snapshot.ts'
import type { Snapshot } from '../../db/snapshots/snapshot.ts'
import { publicUrl } from '../../features/uploads/files.ts'
import { openFilesBeside } from '../../files/open-files.ts'
import { withMovedAvatar } from './checked-brand.ts'

/** From one snapshot. Without keys of apps, webhooks and members: those belong to the service. */
export async function exportBrand(
  config: Config,
  { slug, hasVotes, openSink }: { slug: string; hasVotes: boolean; openSink(): Sink },
) {
  const snapshot = await openCurrentSnapshot(config)
  try {
    const tables = tablesOfBrand(await keyOf(snapshot, slug), { hasVotes })
    const head: BrandHead = { ...newHead('brand'), slug, hasVotes, filesUrl: `${config.publicUrl}/files/` }
    // Archives name files by the address that every service has, not by FILES_URL.
    const prefixes = { before: publicUrl({ config }, ''), now: head.filesUrl }
    const dress = (table: string, row: Row) => (table === 'brands' ? withMovedAvatar(row, prefixes) : row)
    const sink = openSink()
    try {
      const writer = await ArchiveWriter.begin(sink, head)
      const written = await writeTables(writer, { snapshot, tables }, { store: openFilesBeside(config), dress })
      await writer.finish(written)
      return { id: head.id, slug, ...written }
    } catch (error) {
      await sink.abandon()
      throw error
    }
  } finally {
    await snapshot.close()
  }
}

async function keyOf({ select }: Snapshot, slug: string): Promise<number> {
  const brands = await select<{ key: number; slug: string }>('select key, slug from brands where deleted_at is null')
  const brand = brands.find((each) => each.slug === slug)
  if (!brand) throw new PlainFailure(`There is no brand with the slug ${slug}.`)
  return brand.key
}

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
