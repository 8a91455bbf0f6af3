-- Brands, the apps that act for them, their tokens, and the keys that the server keeps for itself.

create table data_keys (
  name text primary key,
  wrapped bytes not null,
  created_at timestamp not null
) clustered;

create table brands (
  key identity,
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
  created_at timestamp not null,
  updated_at timestamp not null
);

-- A brand's own stylesheet, as written (`source`) and as served (`css`). A row applies to the versions of the theme from
-- `from_version` up to, but not including, `until_version`; null means up to now.
create table theme_styles (
  brand_key integer not null references brands (key) on delete cascade,
  from_version integer not null,
  until_version integer,
  source text not null,
  css text not null,
  created_at timestamp not null,
  retired_at timestamp,
  primary key (brand_key, from_version)
);

create table apps (
  key identity,
  id text not null unique,
  brand_key integer references brands (key),
  api_key_id text not null unique,
  secret_hash bytes not null,
  scopes text not null,
  created_at timestamp not null,
  revoked_at timestamp
);

create table token_families (
  key identity,
  app_key integer not null references apps (key),
  device bytes not null,
  scopes text not null,
  created_at timestamp not null,
  expires_at timestamp not null,
  revoked_at timestamp
);
create index token_families_by_expiry on token_families (expires_at);

create table refresh_tokens (
  hash bytes primary key,
  family_key integer not null references token_families (key) on delete cascade,
  expires_at timestamp not null,
  used_at timestamp,
  successor_hash bytes,
  successor_pair bytes
) clustered;
create index refresh_tokens_by_family on refresh_tokens (family_key);

create table access_tokens (
  hash bytes primary key,
  family_key integer not null references token_families (key) on delete cascade,
  expires_at timestamp not null
) clustered;
create index access_tokens_by_family on access_tokens (family_key);
create index access_tokens_by_expiry on access_tokens (expires_at);

create table idempotency_keys (
  brand_key integer not null references brands (key),
  key text not null,
  fingerprint bytes not null,
  status integer not null,
  body bytes not null,
  location text,
  request_id text not null,
  expires_at timestamp not null,
  primary key (brand_key, key)
) clustered;
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);
