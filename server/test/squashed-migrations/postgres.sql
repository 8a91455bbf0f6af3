-- 0001-core.sql
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

-- 0002-votes-in-order.sql
-- The rows of a heap lie in the order in which they came as they are; here the two keys trade their places alone.
alter table votes drop constraint votes_pkey;
alter table votes add primary key using index votes_by_position;
create unique index votes_by_device on votes (poll_key, device);

-- A guest is who has voted: what the votes say already is not written down again beside each of them.
drop table guests;
create view guests as
  select device, min(voted_at) as first_seen_at, max(voted_at) as last_seen_at from votes group by device;

-- 0003-feed-orders.sql
-- What a feed needs beside the order by creation: who closes next or has closed, who never does, who opens next.
create index polls_closing on polls (brand_key, closes_at, key)
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null and closes_at is not null;
create index polls_unending on polls (brand_key, key)
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null and closes_at is null;
create index polls_opening on polls (brand_key, opens_at)
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null and opens_at is not null;

-- Deleted polls whose votes are still to be removed are looked for every few seconds.
create index polls_deleted on polls (key) where deleted_at is not null;

-- 0004-themes.sql
-- A brand's own stylesheet: as it was written, and as it is served. One row holds for the versions of the theme from
-- from_version up to, but not including, until_version; without one it still holds.
create table theme_styles (
  brand_key bigint not null references brands (key) on delete cascade,
  from_version bigint not null,
  until_version bigint,
  source text not null,
  css text not null,
  created_at bigint not null,
  retired_at bigint,
  primary key (brand_key, from_version)
);

-- 0005-uploads.sql
-- A file that nothing shows has an `expires_at`; one that is going has a `removed_at`, and nobody may take it any more.
-- `variants_due_at` is null when nothing is left to make of it. A composed picture is made of two others.
alter table files add column expires_at bigint;
alter table files add column removed_at bigint;
alter table files add column variants_due_at bigint;
alter table files add column variants_tried bigint not null default 0;
alter table files add column variant_widths text not null default '';
alter table files add column part_a text;
alter table files add column part_b text;
create index files_expiring on files (expires_at) where expires_at is not null;
create index files_removed on files (removed_at) where removed_at is not null;
create index files_due on files (variants_due_at) where variants_due_at is not null;
update files set variants_due_at = created_at;

alter table polls add column image_composed text references files (key);
create index polls_by_image_a on polls (image_a) where image_a is not null;
create index polls_by_image_b on polls (image_b) where image_b is not null;
create index polls_by_image_combined on polls (image_combined) where image_combined is not null;
create index polls_by_image_composed on polls (image_composed) where image_composed is not null;

-- `held_by` is the upload that uses the ticket now; once it is complete, the ticket is gone.
create table upload_tickets (
  key text primary key,
  brand_key bigint not null references brands (key),
  slot text not null,
  content_type text not null,
  byte_size bigint,
  expires_at bigint not null,
  held_by text
);
create index upload_tickets_by_expiry on upload_tickets (expires_at);

-- 0006-campaigns.sql
-- A deleted campaign stays until the worker has removed its respondents; its title is free at once.
create table campaigns (
  key bigint primary key generated always as identity,
  id text not null unique,
  brand_key bigint not null references brands (key),
  title text not null,
  title_folded text not null,
  description text,
  state text not null,
  is_public smallint not null,
  opens_at bigint,
  closes_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint
);
create unique index campaigns_titled on campaigns (brand_key, title_folded) where deleted_at is null;
create index campaigns_owned on campaigns (brand_key, created_at, key) where deleted_at is null;
create index campaigns_listed on campaigns (brand_key, created_at, key)
  where deleted_at is null and is_public = 1 and state = 'published';
create index campaigns_deleted on campaigns (deleted_at) where deleted_at is not null;

-- How many campaigns a poll is in: what the ledger reads of a poll tells whether there is more to write than a vote.
alter table polls add column campaign_count bigint not null default 0;

-- `place` is null once a poll has left. The votes on it up to the position `walk_end` were cast before it came or
-- left; those up to `walked_to` have been taken over into the respondents.
create table campaign_polls (
  campaign_key bigint not null,
  poll_key bigint not null,
  place bigint,
  walked_to bigint not null,
  walk_end bigint not null,
  primary key (campaign_key, poll_key)
);
create index campaign_polls_by_poll on campaign_polls (poll_key, campaign_key);
create index campaign_polls_unwalked on campaign_polls (campaign_key, poll_key) where walked_to < walk_end;

-- One for each device that voted on a poll of the campaign, with the time of its first vote there. Without foreign
-- keys, as all that the ledger writes.
create table campaign_respondents (
  key bigint primary key generated always as identity,
  campaign_key bigint not null,
  device bytea not null,
  started_at bigint not null
);
create unique index campaign_respondents_by_device on campaign_respondents (campaign_key, device);
create index campaign_respondents_by_start on campaign_respondents (campaign_key, started_at, key);

-- 0007-webhooks.sql
-- One that is `listening` belongs to a command that prints events: it has no url and is gone when that time has passed.
create table webhooks (
  key bigint primary key generated always as identity,
  id text not null unique,
  brand_key bigint not null references brands (key),
  url text not null,
  events text not null,
  description text,
  status text not null check (status in ('ACTIVE', 'DISABLED')),
  secret bytea not null,
  earlier_secret bytea,
  earlier_secret_until bigint,
  created_at bigint not null,
  updated_at bigint not null,
  last_delivery_at bigint,
  failing_since bigint,
  listening_until bigint,
  leased_by text,
  leased_until bigint
);
create index webhooks_owned on webhooks (brand_key, created_at, key);
create index webhooks_listening on webhooks (listening_until) where listening_until is not null;

-- Events that wait to be spread over the webhooks that want them. A row that is there is not spread yet.
create table outbox (
  key bigint primary key generated always as identity,
  id text not null,
  brand_key bigint not null,
  type text not null,
  payload text not null,
  created_at bigint not null
);

-- Votes wait in great numbers, many in a row, and nothing else waits for them.
create index outbox_others on outbox (key) where type <> 'poll.voted';

-- Without a foreign key: of a deleted webhook a few go at a time, and the webhook is gone at once. What is pending has
-- a next attempt, and nothing else has.
create table webhook_deliveries (
  key bigint primary key generated always as identity,
  id text not null unique,
  webhook_key bigint not null,
  event_id text not null,
  event_type text not null,
  payload text not null,
  status text not null check (status in ('pending', 'succeeded', 'failed', 'skipped')),
  attempts bigint not null default 0,
  next_attempt_at bigint,
  created_at bigint not null
);
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_key, key);
create index webhook_deliveries_due on webhook_deliveries (webhook_key, next_attempt_at, key)
  where next_attempt_at is not null;

create table webhook_attempts (
  delivery_key bigint not null references webhook_deliveries (key) on delete cascade,
  number bigint not null,
  at bigint not null,
  response_status integer,
  duration_ms bigint not null,
  error_class text,
  response_body text,
  primary key (delivery_key, number)
);

-- Webhooks that are gone and have deliveries left.
create table deleted_webhooks (
  key bigint primary key
);

-- What was last told of a poll's status, and when there will be something to tell. A draft tells nothing.
alter table polls add column announced_status text;
alter table polls add column announce_at bigint;
create index polls_to_announce on polls (announce_at) where announce_at is not null;
update polls
  set announced_status = case
      when opens_at > extract(epoch from now()) * 1000 then 'scheduled'
      when closes_at <= extract(epoch from now()) * 1000 then 'closed'
      else 'open' end
  where is_draft = 0 and deleted_at is null;
update polls set announce_at = opens_at where announced_status = 'scheduled';
update polls set announce_at = closes_at where announced_status = 'open';

-- Polls whose counts have changed since that was last told, for brands that want to be told.
create table tally_notices (
  poll_key bigint primary key,
  is_due smallint not null,
  raised_at bigint not null default 0
);
create index tally_notices_due on tally_notices (poll_key) where is_due = 1;

-- 0009-analytics.sql
-- How many votes each minute and each hour brought a poll, kept by the ledger with the votes: `width` is the length of
-- the span that begins at `at`. Without a foreign key, as all that the ledger writes.
create table vote_counts (
  poll_key bigint not null,
  width bigint not null,
  at bigint not null,
  option_a bigint not null,
  option_b bigint not null,
  primary key (poll_key, width, at)
);
insert into vote_counts (poll_key, width, at, option_a, option_b)
  select poll_key, width, voted_at - voted_at % width as start,
    count(*) filter (where option = 'A'), count(*) filter (where option = 'B')
  from votes, (values (60000::bigint), (3600000)) as widths (width)
  group by poll_key, width, start;

-- Who asked to be forgotten, or was by a purge. A vote that such a device cast up to this time is nobody's.
create table forgotten_devices (
  device bytea primary key,
  forgotten_at bigint not null
);
create index forgotten_devices_by_time on forgotten_devices (forgotten_at);

-- What is known of a device must be found by the device, to be forgotten.
drop index campaign_respondents_by_device;
create unique index campaign_respondents_by_device on campaign_respondents (device, campaign_key);

drop view guests;
create view guests as
  select votes.device, min(voted_at) as first_seen_at, max(voted_at) as last_seen_at
  from votes left join forgotten_devices on forgotten_devices.device = votes.device
  where forgotten_at is null or voted_at > forgotten_at
  group by votes.device;

-- 0010-lists.sql
-- Which polls a list leaves out stands in its index, so that they are passed over without being read. A window without a
-- beginning or an end has one that is never reached.
drop index polls_owned;
create index polls_owned on polls (brand_key, created_at, key, is_draft, archived_at,
    coalesce(opens_at, -1000000000000000), coalesce(closes_at, 1000000000000000))
  where deleted_at is null;
drop index polls_recent;
create index polls_recent on polls (brand_key, created_at, key,
    coalesce(opens_at, -1000000000000000), coalesce(closes_at, 1000000000000000))
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null;
drop index polls_popular;
create index polls_popular on polls (brand_key, popularity, key,
    coalesce(opens_at, -1000000000000000), coalesce(closes_at, 1000000000000000))
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null;
drop index polls_closing;
create index polls_closing on polls (brand_key, closes_at, key, coalesce(opens_at, -1000000000000000))
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null and closes_at is not null;
drop index polls_unending;
create index polls_unending on polls (brand_key, key, coalesce(opens_at, -1000000000000000))
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null and closes_at is null;

-- A deleted poll whose votes are removed is not looked at again.
alter table polls add column is_emptied smallint not null default 0;
update polls set is_emptied = 1
  where deleted_at is not null and not exists (select 1 from tallies where tallies.poll_key = polls.key);
drop index polls_deleted;
create index polls_deleted on polls (key) where deleted_at is not null and is_emptied = 0;

-- 0011-device-votes.sql
-- Votes as they are looked for by who cast them. SQLite keeps that beside the votes.
create view device_votes as select poll_key, device, option, voted_at, position from votes;

