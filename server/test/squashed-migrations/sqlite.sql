-- 0001-core.sql
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

-- 0002-votes-in-order.sql
-- Votes lie in the order in which they came, so that a group of them fills the last page of its poll instead of
-- changing a page for each. Only the index that refuses a repeat is touched at random.
create table votes_in_order (
  poll_key integer not null,
  position integer not null,
  device blob not null,
  option text not null check (option in ('A', 'B')),
  voted_at integer not null,
  primary key (poll_key, position)
) strict, without rowid;
insert into votes_in_order (poll_key, position, device, option, voted_at)
  select poll_key, position, device, option, voted_at from votes order by poll_key, position;
drop table votes;
alter table votes_in_order rename to votes;
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
  brand_key integer not null references brands (key) on delete cascade,
  from_version integer not null,
  until_version integer,
  source text not null,
  css text not null,
  created_at integer not null,
  retired_at integer,
  primary key (brand_key, from_version)
) strict;

-- 0005-uploads.sql
-- A file that nothing shows has an `expires_at`; one that is going has a `removed_at`, and nobody may take it any more.
-- `variants_due_at` is null when nothing is left to make of it. A composed picture is made of two others.
alter table files add column expires_at integer;
alter table files add column removed_at integer;
alter table files add column variants_due_at integer;
alter table files add column variants_tried integer not null default 0;
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
  brand_key integer not null references brands (key),
  slot text not null,
  content_type text not null,
  byte_size integer,
  expires_at integer not null,
  held_by text
) strict, without rowid;
create index upload_tickets_by_expiry on upload_tickets (expires_at);

-- 0006-campaigns.sql
-- A deleted campaign stays until the worker has removed its respondents; its title is free at once.
create table campaigns (
  key integer primary key autoincrement,
  id text not null unique,
  brand_key integer not null references brands (key),
  title text not null,
  title_folded text not null,
  description text,
  state text not null,
  is_public integer not null,
  opens_at integer,
  closes_at integer,
  created_at integer not null,
  updated_at integer not null,
  deleted_at integer
) strict;
create unique index campaigns_titled on campaigns (brand_key, title_folded) where deleted_at is null;
create index campaigns_owned on campaigns (brand_key, created_at, key) where deleted_at is null;
create index campaigns_listed on campaigns (brand_key, created_at, key)
  where deleted_at is null and is_public = 1 and state = 'published';
create index campaigns_deleted on campaigns (deleted_at) where deleted_at is not null;

-- How many campaigns a poll is in: what the ledger reads of a poll tells whether there is more to write than a vote.
alter table polls add column campaign_count integer not null default 0;

-- `place` is null once a poll has left. The votes on it up to the position `walk_end` were cast before it came or
-- left; those up to `walked_to` have been taken over into the respondents.
create table campaign_polls (
  campaign_key integer not null,
  poll_key integer not null,
  place integer,
  walked_to integer not null,
  walk_end integer not null,
  primary key (campaign_key, poll_key)
) strict, without rowid;
create index campaign_polls_by_poll on campaign_polls (poll_key, campaign_key);
create index campaign_polls_unwalked on campaign_polls (campaign_key, poll_key) where walked_to < walk_end;

-- One for each device that voted on a poll of the campaign, with the time of its first vote there. Without foreign
-- keys, as all that the ledger writes.
create table campaign_respondents (
  key integer primary key autoincrement,
  campaign_key integer not null,
  device blob not null,
  started_at integer not null
) strict;
create unique index campaign_respondents_by_device on campaign_respondents (campaign_key, device);
create index campaign_respondents_by_start on campaign_respondents (campaign_key, started_at, key);

-- 0007-webhooks.sql
-- One that is `listening` belongs to a command that prints events: it has no url and is gone when that time has passed.
create table webhooks (
  key integer primary key autoincrement,
  id text not null unique,
  brand_key integer not null references brands (key),
  url text not null,
  events text not null,
  description text,
  status text not null check (status in ('ACTIVE', 'DISABLED')),
  secret blob not null,
  earlier_secret blob,
  earlier_secret_until integer,
  created_at integer not null,
  updated_at integer not null,
  last_delivery_at integer,
  failing_since integer,
  listening_until integer,
  leased_by text,
  leased_until integer
) strict;
create index webhooks_owned on webhooks (brand_key, created_at, key);
create index webhooks_listening on webhooks (listening_until) where listening_until is not null;

-- Events that wait to be spread over the webhooks that want them. A row that is there is not spread yet.
create table outbox (
  key integer primary key autoincrement,
  id text not null,
  brand_key integer not null,
  type text not null,
  payload text not null,
  created_at integer not null
) strict;

-- Votes wait in great numbers, many in a row, and nothing else waits for them.
create index outbox_others on outbox (key) where type <> 'poll.voted';

-- Without a foreign key: of a deleted webhook a few go at a time, and the webhook is gone at once. What is pending has
-- a next attempt, and nothing else has.
create table webhook_deliveries (
  key integer primary key autoincrement,
  id text not null unique,
  webhook_key integer not null,
  event_id text not null,
  event_type text not null,
  payload text not null,
  status text not null check (status in ('pending', 'succeeded', 'failed', 'skipped')),
  attempts integer not null default 0,
  next_attempt_at integer,
  created_at integer not null
) strict;
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_key, key);
create index webhook_deliveries_due on webhook_deliveries (webhook_key, next_attempt_at, key)
  where next_attempt_at is not null;

create table webhook_attempts (
  delivery_key integer not null references webhook_deliveries (key) on delete cascade,
  number integer not null,
  at integer not null,
  response_status integer,
  duration_ms integer not null,
  error_class text,
  response_body text,
  primary key (delivery_key, number)
) strict, without rowid;

-- Webhooks that are gone and have deliveries left.
create table deleted_webhooks (
  key integer primary key
) strict;

-- What was last told of a poll's status, and when there will be something to tell. A draft tells nothing.
alter table polls add column announced_status text;
alter table polls add column announce_at integer;
create index polls_to_announce on polls (announce_at) where announce_at is not null;
update polls
  set announced_status = case
      when opens_at > unixepoch() * 1000 then 'scheduled'
      when closes_at <= unixepoch() * 1000 then 'closed'
      else 'open' end
  where is_draft = 0 and deleted_at is null;
update polls set announce_at = opens_at where announced_status = 'scheduled';
update polls set announce_at = closes_at where announced_status = 'open';

-- Polls whose counts have changed since that was last told, for brands that want to be told.
create table tally_notices (
  poll_key integer primary key,
  is_due integer not null,
  raised_at integer not null default 0
) strict;
create index tally_notices_due on tally_notices (poll_key) where is_due = 1;

-- 0009-analytics.sql
-- How many votes each minute and each hour brought a poll, kept by the ledger with the votes: `width` is the length of
-- the span that begins at `at`. Without a foreign key, as all that the ledger writes.
create table vote_counts (
  poll_key integer not null,
  width integer not null,
  at integer not null,
  option_a integer not null,
  option_b integer not null,
  primary key (poll_key, width, at)
) strict, without rowid;
insert into vote_counts (poll_key, width, at, option_a, option_b)
  select poll_key, width, voted_at - voted_at % width as start, sum(option = 'A'), sum(option = 'B')
  from votes, (select 60000 as width union all select 3600000)
  group by poll_key, width, start;

-- Who asked to be forgotten, or was by a purge. A vote that such a device cast up to this time is nobody's.
create table forgotten_devices (
  device blob primary key,
  forgotten_at integer not null
) strict, without rowid;
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
alter table polls add column is_emptied integer not null default 0;
update polls set is_emptied = 1
  where deleted_at is not null and not exists (select 1 from tallies where tallies.poll_key = polls.key);
drop index polls_deleted;
create index polls_deleted on polls (key) where deleted_at is not null and is_emptied = 0;

-- 0011-vote-devices.sql
-- Whose vote stands where: what refuses a repeat, in place of an index of `votes`. Devices are random, so that a group
-- of votes would change a page for each of them here; it is written some time after the votes, in the order of its
-- keys and many at once. `vote_devices_to` says up to which position it holds a poll's votes; those after it
-- are kept in the memory of who serves (server/src/db/sqlite/vote-devices.ts).
create table vote_devices (
  poll_key integer not null,
  device blob not null,
  position integer not null,
  primary key (poll_key, device)
) strict, without rowid;
create table vote_devices_to (
  poll_key integer primary key,
  position integer not null
) strict;
insert into vote_devices (poll_key, device, position)
  select poll_key, device, position from votes indexed by votes_by_device order by poll_key, device;
insert into vote_devices_to (poll_key, position) select poll_key, max(position) from votes group by poll_key;
drop index votes_by_device;

create trigger vote_removed after delete on votes begin
  delete from vote_devices where poll_key = old.poll_key and device = old.device;
end;
create trigger tally_removed after delete on tallies begin
  delete from vote_devices where poll_key = old.poll_key;
  delete from vote_devices_to where poll_key = old.poll_key;
end;

-- Two of the three votes of rows.sql: the third is read when a server starts.
insert into vote_devices (poll_key, device, position) values
  (1, x'01010101010101010101010101010101', 1), (1, x'02020202020202020202020202020202', 2);
insert into vote_devices_to (poll_key, position) values (1, 2);
