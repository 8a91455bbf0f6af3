import type { Generated, Insertable, Selectable } from 'kysely'
import type { ForgottenDevicesTable, GuestsView, TalliesTable, VoteCountsTable, VotesTable } from './vote-tables.ts'

/** Times are milliseconds in UTC, flags 0 or 1, bytes a Uint8Array: alike on both engines. */
type Flag = 0 | 1
export type CampaignState = 'published' | 'draft' | 'archived'

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

interface ThemeStylesTable {
  brand_key: number
  from_version: number
  until_version: number | null
  source: string
  css: string
  created_at: number
  retired_at: number | null
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
  expires_at: number | null
  removed_at: Generated<number | null>
  variants_due_at: number | null
  variants_tried: Generated<number>
  variant_widths: Generated<string>
  part_a: Generated<string | null>
  part_b: Generated<string | null>
}

interface UploadTicketsTable {
  key: string
  brand_key: number
  slot: string
  content_type: string
  byte_size: number | null
  expires_at: number
  held_by: Generated<string | null>
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
  image_composed: string | null
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
  is_emptied: Generated<Flag>
  campaign_count: Generated<number>
  announced_status: string | null
  announce_at: number | null
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

interface CampaignsTable {
  key: Generated<number>
  id: string
  brand_key: number
  title: string
  title_folded: string
  description: string | null
  state: CampaignState
  is_public: Flag
  opens_at: number | null
  closes_at: number | null
  created_at: number
  updated_at: number
  deleted_at: number | null
}

interface CampaignPollsTable {
  campaign_key: number
  poll_key: number
  place: number | null
  walked_to: number
  walk_end: number
}

interface CampaignRespondentsTable {
  key: Generated<number>
  campaign_key: number
  device: Uint8Array
  started_at: number
}

interface WebhooksTable {
  key: Generated<number>
  id: string
  brand_key: number
  url: string
  events: string
  description: string | null
  status: 'ACTIVE' | 'DISABLED'
  secret: Uint8Array
  earlier_secret: Uint8Array | null
  earlier_secret_until: number | null
  created_at: number
  updated_at: number
  last_delivery_at: number | null
  failing_since: number | null
  listening_until: number | null
  leased_by: string | null
  leased_until: number | null
}

interface OutboxTable {
  key: Generated<number>
  id: string
  brand_key: number
  type: string
  payload: string
  created_at: number
}

export type DeliveryStatus = 'pending' | 'succeeded' | 'failed' | 'skipped'

interface WebhookDeliveriesTable {
  key: Generated<number>
  id: string
  webhook_key: number
  event_id: string
  event_type: string
  payload: string
  status: DeliveryStatus
  attempts: Generated<number>
  next_attempt_at: number | null
  created_at: number
}

interface WebhookAttemptsTable {
  delivery_key: number
  number: number
  at: number
  response_status: number | null
  duration_ms: number
  error_class: string | null
  response_body: string | null
}

interface DeletedWebhooksTable {
  key: number
}

interface TallyNoticesTable {
  poll_key: number
  is_due: Flag
  raised_at: Generated<number>
}

export interface Tables {
  data_keys: DataKeysTable
  brands: BrandsTable
  theme_styles: ThemeStylesTable
  apps: AppsTable
  token_families: TokenFamiliesTable
  refresh_tokens: RefreshTokensTable
  access_tokens: AccessTokensTable
  idempotency_keys: IdempotencyKeysTable
  categories: CategoriesTable
  files: FilesTable
  upload_tickets: UploadTicketsTable
  polls: PollsTable
  poll_tags: PollTagsTable
  poll_categories: PollCategoriesTable
  tallies: TalliesTable
  votes: VotesTable
  device_votes: VotesTable
  vote_counts: VoteCountsTable
  forgotten_devices: ForgottenDevicesTable
  guests: GuestsView
  campaigns: CampaignsTable
  campaign_polls: CampaignPollsTable
  campaign_respondents: CampaignRespondentsTable
  webhooks: WebhooksTable
  outbox: OutboxTable
  webhook_deliveries: WebhookDeliveriesTable
  webhook_attempts: WebhookAttemptsTable
  deleted_webhooks: DeletedWebhooksTable
  tally_notices: TallyNoticesTable
}

export type AppRow = Selectable<AppsTable>
export type CampaignRow = Selectable<CampaignsTable>
export type FileRow = Selectable<FilesTable>
export type TicketRow = Selectable<UploadTicketsTable>
export type NewPollRow = Insertable<PollsTable>
