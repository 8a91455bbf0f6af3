import type { Generated, Insertable, Selectable } from 'kysely'

/** Times are milliseconds in UTC, flags 0 or 1, bytes a Uint8Array: alike on both engines. */
type Flag = 0 | 1
export type OptionName = 'A' | 'B'

interface DataKeysTable {
  name: string
  wrapped: Uint8Array
  created_at: number
}

interface BrandsTable {
  key: Generated<number>
  id: string
  slug: string
  name: string
  display_name: string | null
  description: string | null
  avatar_url: string | null
  location_city: string | null
  location_state: string | null
  theme: Generated<string>
  theme_version: Generated<number>
  created_at: number
  updated_at: number
}

interface AppsTable {
  key: Generated<number>
  id: string
  brand_key: number | null
  api_key_id: string
  secret_hash: Uint8Array
  scopes: string
  created_at: number
  revoked_at: number | null
}

interface TokenFamiliesTable {
  key: Generated<number>
  app_key: number
  device: Uint8Array
  scopes: string
  created_at: number
  expires_at: number
  revoked_at: number | null
}

interface RefreshTokensTable {
  hash: Uint8Array
  family_key: number
  expires_at: number
  used_at: number | null
  successor_hash: Uint8Array | null
  successor_pair: Uint8Array | null
}

interface AccessTokensTable {
  hash: Uint8Array
  family_key: number
  expires_at: number
}

interface IdempotencyKeysTable {
  brand_key: number
  key: string
  fingerprint: Uint8Array
  status: number
  body: Uint8Array
  location: string | null
  request_id: string
  expires_at: number
}

interface CategoriesTable {
  key: Generated<number>
  id: string
  slug: string
  name: string
  created_at: number
}

interface FilesTable {
  key: string
  brand_key: number
  slot: string
  content_type: string
  byte_size: number
  width: number
  height: number
  created_at: number
}

interface PollsTable {
  key: Generated<number>
  id: string
  short_id: string
  slug: string
  brand_key: number
  title: string
  title_folded: string
  label_a: string
  label_b: string
  image_a: string | null
  image_b: string | null
  image_combined: string | null
  alt_a: string | null
  alt_b: string | null
  is_draft: Flag
  is_private: Flag
  results_visibility: string
  opens_at: number | null
  closes_at: number | null
  popularity: Generated<number>
  created_at: number
  updated_at: number
  revised_at: number | null
  archived_at: number | null
  deleted_at: number | null
}

interface PollTagsTable {
  poll_key: number
  tag: string
  place: number
}

interface PollCategoriesTable {
  poll_key: number
  category_key: number
  place: number
}

interface TalliesTable {
  poll_key: number
  option_a: number
  option_b: number
  version: number
  updated_at: number
}

interface VotesTable {
  poll_key: number
  device: Uint8Array
  option: OptionName
  voted_at: number
  position: number
}

interface GuestsTable {
  device: Uint8Array
  first_seen_at: number
  last_seen_at: number
}

export interface Tables {
  data_keys: DataKeysTable
  brands: BrandsTable
  apps: AppsTable
  token_families: TokenFamiliesTable
  refresh_tokens: RefreshTokensTable
  access_tokens: AccessTokensTable
  idempotency_keys: IdempotencyKeysTable
  categories: CategoriesTable
  files: FilesTable
  polls: PollsTable
  poll_tags: PollTagsTable
  poll_categories: PollCategoriesTable
  tallies: TalliesTable
  votes: VotesTable
  guests: GuestsTable
}

export type AppRow = Selectable<AppsTable>
export type NewPollRow = Insertable<PollsTable>
