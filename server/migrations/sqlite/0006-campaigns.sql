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
