-- Times are milliseconds since 1970 in UTC. Flags are 0 or 1. `key` columns never leave the server.

create table data_keys (
  name text primary key,
  wrapped blob not null,
  created_at integer not null
) strict, without rowid;

create table brands (
  key integer primary key autoincrement,
  id text not null unique,
  slug text not null unique,
  name text not null,
  display_name text,
  description text,
  avatar_url text,
  location_city text,
  location_state text,
  theme text not null default '{}',
  theme_version integer not null default 0,
  created_at integer not null,
  updated_at integer not null
) strict;

create table apps (
  key integer primary key autoincrement,
  id text not null unique,
  brand_key integer references brands (key),
  api_key_id text not null unique,
  secret_hash blob not null,
  scopes text not null,
  created_at integer not null,
  revoked_at integer
) strict;

create table token_families (
  key integer primary key autoincrement,
  app_key integer not null references apps (key),
  device blob not null,
  scopes text not null,
  created_at integer not null,
  expires_at integer not null,
  revoked_at integer
) strict;
create index token_families_by_expiry on token_families (expires_at);

create table refresh_tokens (
  hash blob primary key,
  family_key integer not null references token_families (key) on delete cascade,
  expires_at integer not null,
  used_at integer,
  successor_hash blob,
  successor_pair blob
) strict, without rowid;
create index refresh_tokens_by_family on refresh_tokens (family_key);

create table access_tokens (
  hash blob primary key,
  family_key integer not null references token_families (key) on delete cascade,
  expires_at integer not null
) strict, without rowid;
create index access_tokens_by_family on access_tokens (family_key);
create index access_tokens_by_expiry on access_tokens (expires_at);

create table idempotency_keys (
  brand_key integer not null references brands (key),
  key text not null,
  fingerprint blob not null,
  status integer not null,
  body blob not null,
  location text,
  request_id text not null,
  expires_at integer not null,
  primary key (brand_key, key)
) strict, without rowid;
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);

create table categories (
  key integer primary key autoincrement,
  id text not null unique,
  slug text not null unique,
  name text not null,
  created_at integer not null
) strict;

create table files (
  key text primary key,
  brand_key integer not null references brands (key),
  slot text not null,
  content_type text not null,
  byte_size integer not null,
  width integer not null,
  height integer not null,
  created_at integer not null
) strict, without rowid;

-- A deleted poll stays as a tombstone, so that its identifiers are never used again.
create table polls (
  key integer primary key autoincrement,
  id text not null unique,
  short_id text not null unique,
  slug text not null unique,
  brand_key integer not null references brands (key),
  title text not null,
  title_folded text not null,
  label_a text not null,
  label_b text not null,
  image_a text references files (key),
  image_b text references files (key),
  image_combined text references files (key),
  alt_a text,
  alt_b text,
  is_draft integer not null,
  is_private integer not null,
  results_visibility text not null,
  opens_at integer,
  closes_at integer,
  popularity integer not null default 0,
  created_at integer not null,
  updated_at integer not null,
  revised_at integer,
  archived_at integer,
  deleted_at integer
) strict;
create index polls_owned on polls (brand_key, created_at, key) where deleted_at is null;
create index polls_recent on polls (brand_key, created_at, key)
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null;
create index polls_popular on polls (brand_key, popularity, key)
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null;

create table poll_tags (
  poll_key integer not null references polls (key),
  tag text not null,
  place integer not null,
  primary key (poll_key, tag)
) strict, without rowid;
create index poll_tags_by_tag on poll_tags (tag, poll_key);

create table poll_categories (
  poll_key integer not null references polls (key),
  category_key integer not null references categories (key),
  place integer not null,
  primary key (poll_key, category_key)
) strict, without rowid;
create index poll_categories_by_category on poll_categories (category_key, poll_key);

-- The ledger's own tables. They refer to polls without a foreign key: the ledger holds the poll's row
-- locked whenever it writes them, and a check for each vote would be the dearest part of it.
create table tallies (
  poll_key integer primary key,
  option_a integer not null default 0,
  option_b integer not null default 0,
  version integer not null default 0,
  updated_at integer not null
) strict;

create table votes (
  poll_key integer not null,
  device blob not null,
  option text not null check (option in ('A', 'B')),
  voted_at integer not null,
  position integer not null,
  primary key (poll_key, device)
) strict, without rowid;
create unique index votes_by_position on votes (poll_key, position);

create table guests (
  device blob primary key,
  first_seen_at integer not null,
  last_seen_at integer not null
) strict, without rowid;
