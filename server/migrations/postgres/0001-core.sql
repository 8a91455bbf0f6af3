-- Times are milliseconds since 1970 in UTC. Flags are 0 or 1. `key` columns never leave the server.

create table data_keys (
  name text primary key,
  wrapped bytea not null,
  created_at bigint not null
);

create table brands (
  key bigint primary key generated always as identity,
  id text not null unique,
  slug text not null unique,
  name text not null,
  display_name text,
  description text,
  avatar_url text,
  location_city text,
  location_state text,
  theme text not null default '{}',
  theme_version bigint not null default 0,
  created_at bigint not null,
  updated_at bigint not null
);

create table apps (
  key bigint primary key generated always as identity,
  id text not null unique,
  brand_key bigint references brands (key),
  api_key_id text not null unique,
  secret_hash bytea not null,
  scopes text not null,
  created_at bigint not null,
  revoked_at bigint
);

create table token_families (
  key bigint primary key generated always as identity,
  app_key bigint not null references apps (key),
  device bytea not null,
  scopes text not null,
  created_at bigint not null,
  expires_at bigint not null,
  revoked_at bigint
);
create index token_families_by_expiry on token_families (expires_at);

create table refresh_tokens (
  hash bytea primary key,
  family_key bigint not null references token_families (key) on delete cascade,
  expires_at bigint not null,
  used_at bigint,
  successor_hash bytea,
  successor_pair bytea
);
create index refresh_tokens_by_family on refresh_tokens (family_key);

create table access_tokens (
  hash bytea primary key,
  family_key bigint not null references token_families (key) on delete cascade,
  expires_at bigint not null
);
create index access_tokens_by_family on access_tokens (family_key);
create index access_tokens_by_expiry on access_tokens (expires_at);

create table idempotency_keys (
  brand_key bigint not null references brands (key),
  key text not null,
  fingerprint bytea not null,
  status integer not null,
  body bytea not null,
  location text,
  request_id text not null,
  expires_at bigint not null,
  primary key (brand_key, key)
);
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);

create table categories (
  key bigint primary key generated always as identity,
  id text not null unique,
  slug text not null unique,
  name text not null,
  created_at bigint not null
);

create table files (
  key text primary key,
  brand_key bigint not null references brands (key),
  slot text not null,
  content_type text not null,
  byte_size bigint not null,
  width bigint not null,
  height bigint not null,
  created_at bigint not null
);

-- A deleted poll stays as a tombstone, so that its identifiers are never used again.
create table polls (
  key bigint primary key generated always as identity,
  id text not null unique,
  short_id text not null unique,
  slug text not null unique,
  brand_key bigint not null references brands (key),
  title text not null,
  title_folded text not null,
  label_a text not null,
  label_b text not null,
  image_a text references files (key),
  image_b text references files (key),
  image_combined text references files (key),
  alt_a text,
  alt_b text,
  is_draft smallint not null,
  is_private smallint not null,
  results_visibility text not null,
  opens_at bigint,
  closes_at bigint,
  popularity bigint not null default 0,
  created_at bigint not null,
  updated_at bigint not null,
  revised_at bigint,
  archived_at bigint,
  deleted_at bigint
);
create index polls_owned on polls (brand_key, created_at, key) where deleted_at is null;
create index polls_recent on polls (brand_key, created_at, key)
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null;
create index polls_popular on polls (brand_key, popularity, key)
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null;

create table poll_tags (
  poll_key bigint not null references polls (key),
  tag text not null,
  place bigint not null,
  primary key (poll_key, tag)
);
create index poll_tags_by_tag on poll_tags (tag, poll_key);

create table poll_categories (
  poll_key bigint not null references polls (key),
  category_key bigint not null references categories (key),
  place bigint not null,
  primary key (poll_key, category_key)
);
create index poll_categories_by_category on poll_categories (category_key, poll_key);

-- The ledger's own tables. They refer to polls without a foreign key: the ledger holds the poll's row
-- locked whenever it writes them, and a check for each vote would be the dearest part of it.
create table tallies (
  poll_key bigint primary key,
  option_a bigint not null default 0,
  option_b bigint not null default 0,
  version bigint not null default 0,
  updated_at bigint not null
);

create table votes (
  poll_key bigint not null,
  device bytea not null,
  option text not null check (option in ('A', 'B')),
  voted_at bigint not null,
  position bigint not null,
  primary key (poll_key, device)
);
create unique index votes_by_position on votes (poll_key, position);

create table guests (
  device bytea primary key,
  first_seen_at bigint not null,
  last_seen_at bigint not null
);
