-- Campaigns, their polls in order, and their respondents.

-- A deleted campaign stays until the worker has removed its respondents; its title is free at once.
create table campaigns (
  key identity,
  id text not null unique,
  brand_key integer not null references brands (key),
  title text not null,
  title_folded text not null,
  description text,
  state text not null check (state in ('published', 'draft', 'archived')),
  is_public flag not null,
  opens_at timestamp,
  closes_at timestamp,
  created_at timestamp not null,
  updated_at timestamp not null,
  deleted_at timestamp
);
create unique index campaigns_titled on campaigns (brand_key, title_folded) where deleted_at is null;
create index campaigns_owned on campaigns (brand_key, created_at, key) where deleted_at is null;
create index campaigns_listed on campaigns (brand_key, created_at, key)
  where deleted_at is null and is_public = 1 and state = 'published';
create index campaigns_deleted on campaigns (deleted_at) where deleted_at is not null;

-- `place` is null once a poll has left. Votes up to the position `walk_end` were cast before the poll came or left; the
-- worker has made respondents of those up to `walked_to`. The ledger reads this table, so it has no foreign keys.
create table campaign_polls (
  campaign_key integer not null,
  poll_key integer not null,
  place integer,
  walked_to integer not null,
  walk_end integer not null,
  primary key (campaign_key, poll_key)
) clustered;
create index campaign_polls_by_poll on campaign_polls (poll_key, campaign_key);
create index campaign_polls_unwalked on campaign_polls (campaign_key, poll_key) where walked_to < walk_end;

-- One row for each device that voted on a poll of the campaign, with the time of its first vote there. Written by the
-- ledger, so without foreign keys. The unique index starts with the device: forgetting a device must find its rows.
create table campaign_respondents (
  key identity,
  campaign_key integer not null,
  device bytes not null,
  started_at timestamp not null
);
create unique index campaign_respondents_by_device on campaign_respondents (device, campaign_key);
create index campaign_respondents_by_start on campaign_respondents (campaign_key, started_at, key);
