// cli/brand-archive: one brand as an archive, for another service.

import type { ArchiveHead, ArchiveManifest } from '../../backup/archive.ts'
import type { CheckedTable } from '../row-checks/row-schemas.ts'

export interface BrandHead extends ArchiveHead {
  readonly kind: 'brand'
  readonly slug: string
  readonly hasVotes: boolean
  readonly migrations: readonly string[]
  /** The prefix of picture addresses on the exporting service. */
  readonly filesUrl: string
}

export type BrandManifest = ArchiveManifest

export type Row = Record<string, unknown>

export const ROWS_FOLDER = 'rows/'

/** How the rows of a brand are found, each table after those to which it refers. `$brand` is the brand's key. */
interface BrandTable {
  readonly name: CheckedTable
  readonly select: string
  readonly onlyWithVotes?: boolean
}

const POLLS = '(select key from polls where brand_key = $brand and deleted_at is null)'
const CAMPAIGNS = '(select key from campaigns where brand_key = $brand and deleted_at is null)'
const LIVE_PICTURES = ['image_a', 'image_b', 'image_combined', 'image_composed']
  .map((column) => `select ${column} from polls where brand_key = $brand and deleted_at is null`)
  .join(' union ')

export const BRAND_TABLES: readonly BrandTable[] = [
  { name: 'brands', select: 'select * from brands where key = $brand' },
  { name: 'theme_styles', select: 'select * from theme_styles where brand_key = $brand' },
  {
    name: 'files',
    select: `select * from files where brand_key = $brand and removed_at is null
      and (expires_at is null or key in (${LIVE_PICTURES}))`,
  },
  { name: 'polls', select: 'select * from polls where brand_key = $brand and deleted_at is null order by key' },
  { name: 'poll_tags', select: `select * from poll_tags where poll_key in ${POLLS}` },
  {
    name: 'poll_categories',
    select: `select poll_key, place, categories.slug, categories.name from poll_categories
      join categories on categories.key = poll_categories.category_key where poll_key in ${POLLS}`,
  },
  { name: 'campaigns', select: 'select * from campaigns where brand_key = $brand and deleted_at is null order by key' },
  {
    name: 'campaign_polls',
    select: `select * from campaign_polls where campaign_key in ${CAMPAIGNS} and poll_key in ${POLLS}`,
  },
  { name: 'tallies', select: `select * from tallies where poll_key in ${POLLS}` },
  { name: 'votes', select: `select * from votes where poll_key in ${POLLS}`, onlyWithVotes: true },
  { name: 'vote_counts', select: `select * from vote_counts where poll_key in ${POLLS}`, onlyWithVotes: true },
  {
    name: 'campaign_respondents',
    select: `select * from campaign_respondents where campaign_key in ${CAMPAIGNS}`,
    onlyWithVotes: true,
  },
  {
    name: 'forgotten_devices',
    select: `select * from forgotten_devices where device in (select device from votes where poll_key in ${POLLS})`,
    onlyWithVotes: true,
  },
]

/** JSON has no bytes, which only the columns `device` hold here. */
export const toJson = (rows: readonly Row[]): string =>
  JSON.stringify(
    rows.map((row) => (row['device'] instanceof Uint8Array ? { ...row, device: hex(row['device']) } : row)),
  )

export const fromJson = (text: string): Row[] =>
  (JSON.parse(text) as Row[]).map((row) =>
    typeof row['device'] === 'string' ? { ...row, device: Buffer.from(row['device'], 'hex') } : row,
  )

/** Null for text that is no list of objects. */
export function rowsOf(text: string): Row[] | null {
  try {
    const list: unknown = JSON.parse(text)
    const isRow = (row: unknown) => typeof row === 'object' && row !== null && !Array.isArray(row)
    return Array.isArray(list) && list.every(isRow) ? fromJson(text) : null
  } catch {
    return null
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
