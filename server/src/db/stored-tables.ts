// Written by `npm run facts` from server/migrations.
import type { Generated } from 'kysely'

/** Times are milliseconds in UTC, flags 0 or 1, bytes a Uint8Array: alike on both engines. */
export type Flag = 0 | 1

export interface StoredTables {
  access_tokens: {
    hash: Uint8Array
    family_key: number
    expires_at: number
  }
  activity: {
    key: Generated<number>
    id: string
    brand_key: number
    at: number
    actor_kind: string
    actor_id: string
    actor_name: string | null
    action: string
    subject_kind: string
    subject_id: string
    subject_title: string
    person_id: string | null
    person_name: string | null
  }
  agent_grants: {
    key: Generated<number>
    id: string
    person_key: number
    brand_key: number
    client_id: string
    client_name: string
    leaves: string
    code_hash: Uint8Array
    code_challenge: string
    redirect_uri: string
    created_at: number
    redeemed_at: number | null
    last_used_at: number | null
    expires_at: number
  }
  agent_tokens: {
    hash: Uint8Array
    grant_key: number
    kind: 'access' | 'refresh'
    used_at: number | null
    successor_hash: Uint8Array | null
    successor_pair: Uint8Array | null
    expires_at: number
  }
  apps: {
    key: Generated<number>
    id: string
    brand_key: number | null
    api_key_id: string
    secret_hash: Uint8Array
    scopes: string
    created_at: number
    revoked_at: number | null
    name: string | null
    last_used_at: number | null
    earlier_secret_hash: Uint8Array | null
    earlier_secret_until: number | null
  }
  attributed_counts: {
    poll_key: number
    at: number
    source_key: number
    campaign_key: number
    shown: '' | 'AB' | 'BA'
    option_a: number
    option_b: number
  }
  brand_vote_counts: {
    brand_key: number
    width: number
    at: number
    votes: number
  }
  brands: {
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
    deleted_at: number | null
    is_emptied: Generated<Flag>
  }
  campaign_polls: {
    campaign_key: number
    poll_key: number
    place: number | null
    walked_to: number
    walk_end: number
    funnel_to: number | null
    funnel_respondents: Generated<number>
  }
  campaign_respondents: {
    key: Generated<number>
    campaign_key: number
    device: Uint8Array
    started_at: number
  }
  campaigns: {
    key: Generated<number>
    id: string
    brand_key: number
    title: string
    title_folded: string
    description: string | null
    state: 'published' | 'draft' | 'archived'
    is_public: Flag
    opens_at: number | null
    closes_at: number | null
    created_at: number
    updated_at: number
    deleted_at: number | null
    funnel_completed: Generated<number>
  }
  categories: {
    key: Generated<number>
    id: string
    slug: string
    name: string
    created_at: number
  }
  code_lists: {
    key: Generated<number>
    id: string
    brand_key: number
    name: string
    name_folded: string
    issued: Generated<number>
    revoked: Generated<number>
    used: Generated<number>
    created_at: number
    updated_at: number
    deleted_at: number | null
  }
  code_uses: {
    poll_key: number
    hash: Uint8Array
  }
  codes: {
    list_key: number
    hash: Uint8Array
    is_revoked: Generated<Flag>
  }
  data_keys: {
    name: string
    wrapped: Uint8Array
    created_at: number
  }
  deleted_webhooks: {
    key: number
  }
  event_feed: {
    key: Generated<number>
    id: string
    brand_key: number
    type: string
    payload: string
    published_at: number
  }
  files: {
    key: string
    brand_key: number
    slot: string
    content_type: string
    byte_size: number
    width: number
    height: number
    created_at: number
    expires_at: number | null
    removed_at: number | null
    variants_due_at: number | null
    variants_tried: Generated<number>
    variant_widths: Generated<string>
    part_a: string | null
    part_b: string | null
  }
  forgotten_devices: {
    device: Uint8Array
    forgotten_at: number
  }
  idempotency_keys: {
    brand_key: number
    key: string
    fingerprint: Uint8Array
    status: number
    body: Uint8Array
    location: string | null
    request_id: string
    expires_at: number
  }
  integrity_alerts: {
    poll_key: number
    at: number
  }
  invitations: {
    key: Generated<number>
    id: string
    brand_key: number
    email: string
    email_key: string
    role: 'owner' | 'editor' | 'analyst'
    link_hash: Uint8Array
    mail_hash: Uint8Array | null
    created_at: number
    expires_at: number
  }
  listener_events: {
    key: Generated<number>
    listener_key: number
    event_id: string
    payload: string
  }
  listeners: {
    key: Generated<number>
    brand_key: number
    events: string
    listening_until: number
  }
  member_mails: {
    key: Generated<number>
    brand_key: number
    person_key: number
    poll_key: number
    total: number
    created_at: number
    sent_at: number | null
  }
  members: {
    brand_key: number
    person_key: number
    role: 'owner' | 'editor' | 'analyst'
    created_at: number
    last_seen_at: number | null
    is_mailed_closed: Generated<Flag>
    is_mailed_first: Generated<Flag>
    is_mailed_round: Generated<Flag>
    mail_lang: Generated<string>
    mailed_at: number | null
    digest_at: number | null
  }
  migrations: {
    name: string
    applied_at: number
  }
  outbox: {
    key: Generated<number>
    id: string
    brand_key: number
    type: string
    payload: string
    created_at: number
  }
  passkeys: {
    key: Generated<number>
    id: string
    person_key: number
    credential_id: string
    public_key: Uint8Array
    counter: number
    transports: string
    name: string
    created_at: number
    last_used_at: number | null
  }
  people: {
    key: Generated<number>
    id: string
    email: string
    email_key: string
    name: string | null
    is_proven: Generated<Flag>
    created_at: number
    is_operator: Generated<Flag>
  }
  poll_categories: {
    poll_key: number
    category_key: number
    place: number
  }
  poll_log_keys: {
    poll_key: number
    sealed: Uint8Array
  }
  poll_log_tiles: {
    log_key: number
    level: number
    number: number
    hashes: Uint8Array
  }
  poll_logs: {
    key: Generated<number>
    poll_key: number
    generation: string
    origin: string
    size: number
    peaks: Uint8Array
    started_at: number
    checkpoint_at: number
    ended_at: number | null
  }
  poll_revisions: {
    poll_key: number
    revised_at: number
    title: string
    label_a: string
    label_b: string
  }
  poll_tags: {
    poll_key: number
    tag: string
    place: number
  }
  polls: {
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
    image_composed: string | null
    campaign_count: Generated<number>
    announced_status: string | null
    announce_at: number | null
    is_emptied: Generated<Flag>
    challenge: Generated<string>
    vote_total: Generated<number>
    title_sort: Generated<string>
    fit_a: Generated<string>
    focus_x_a: Generated<number>
    focus_y_a: Generated<number>
    fit_b: Generated<string>
    focus_x_b: Generated<number>
    focus_y_b: Generated<number>
    is_shown_before_vote: Generated<Flag>
    option_order: Generated<string>
    next_milestone: Generated<number>
    code_list_key: number | null
    mixed_uses: Generated<number>
    logged_votes: Generated<number>
  }
  readiness: {
    key: number
    checked_at: number
    filler: Uint8Array | null
  }
  refresh_tokens: {
    hash: Uint8Array
    family_key: number
    expires_at: number
    used_at: number | null
    successor_hash: Uint8Array | null
    successor_pair: Uint8Array | null
  }
  results_links: {
    key: Generated<number>
    id: string
    poll_key: number | null
    campaign_key: number | null
    hash: Uint8Array
    created_at: number
    expires_at: number | null
  }
  service: {
    key: number
    instance: string
    address: string | null
  }
  session_tokens: {
    hash: Uint8Array
    session_key: number
    brand_key: number
    expires_at: number
  }
  sessions: {
    key: Generated<number>
    id: string
    person_key: number
    hash: Uint8Array
    user_agent: string
    created_at: number
    last_seen_at: number
    expires_at: number
  }
  sign_in_links: {
    hash: Uint8Array
    is_mailed: Flag
    person_key: number
    expires_at: number
  }
  source_names: {
    key: Generated<number>
    brand_key: number
    name: string
    created_at: number
  }
  tallies: {
    poll_key: number
    option_a: Generated<number>
    option_b: Generated<number>
    version: Generated<number>
    updated_at: number
  }
  tally_notices: {
    poll_key: number
    is_due: Flag
    raised_at: Generated<number>
  }
  theme_styles: {
    brand_key: number
    from_version: number
    until_version: number | null
    source: string
    css: string
    created_at: number
    retired_at: number | null
  }
  token_families: {
    key: Generated<number>
    app_key: number
    device: Uint8Array
    scopes: string
    created_at: number
    expires_at: number
    revoked_at: number | null
  }
  upload_tickets: {
    key: string
    brand_key: number
    slot: string
    content_type: string
    byte_size: number | null
    expires_at: number
    held_by: string | null
  }
  used_challenges: {
    hash: Uint8Array
    expires_at: number
  }
  view_counts: {
    poll_key: number
    at: number
    source_key: number
    campaign_key: number
    views: number
  }
  vote_counts: {
    poll_key: number
    width: number
    at: number
    option_a: number
    option_b: number
  }
  vote_integrity: {
    poll_key: number
    at: number
    votes: number
    largest: number
    top_ten: number
    peak_minute: number
    challenged: number
    without_origin: number
    refused_rate: number
    refused_challenge: number
    refused_origin: number
    refused_invalid: number
  }
  votes: {
    poll_key: number
    position: number
    device: Uint8Array
    option: 'A' | 'B'
    voted_at: number
    source_key: number | null
    shown: string | null
    campaign_key: number | null
  }
  webhook_attempts: {
    delivery_key: number
    number: number
    at: number
    response_status: number | null
    duration_ms: number
    error_class: string | null
    response_body: string | null
  }
  webhook_deliveries: {
    key: Generated<number>
    id: string
    webhook_key: number
    event_id: string
    event_type: string
    payload: string
    status: 'pending' | 'succeeded' | 'failed' | 'skipped'
    attempts: Generated<number>
    next_attempt_at: number | null
    created_at: number
  }
  webhooks: {
    key: Generated<number>
    id: string
    brand_key: number
    url: string
    events: string
    description: string | null
    status: 'ACTIVE' | 'DISABLED'
    secret: Uint8Array
    created_at: number
    updated_at: number
    last_delivery_at: number | null
    failing_since: number | null
    leased_by: string | null
    leased_until: number | null
    earlier_secrets: Generated<string>
    format: Generated<string>
  }
}
