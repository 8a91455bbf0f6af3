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
