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
