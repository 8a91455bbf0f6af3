-- Brings a database with the earlier migrations 0001 to 0011 to the schema of 0001-brands to 0005-webhooks.

-- A listener is a running command, and ends when the schema changes under it; the worker removes its deliveries.
insert into deleted_webhooks (key) select key from webhooks where listening_until is not null;
delete from webhooks where listening_until is not null;
drop index webhooks_listening;
alter table webhooks drop column listening_until;

create table listeners (
  key identity,
  brand_key integer not null references brands (key),
  events text not null,
  listening_until timestamp not null
);
create index listeners_by_brand on listeners (brand_key);
create index listeners_by_end on listeners (listening_until);

create table listener_events (
  key identity,
  listener_key integer not null,
  event_id text not null,
  payload text not null
);
create index listener_events_by_listener on listener_events (listener_key, key);

-- postgres:
-- The same order of columns, and the same name of the primary key, as on SQLite.
drop view guests;
drop view device_votes;
drop index votes_by_device;
alter table votes drop constraint votes_option_check;
alter table votes rename to earlier_votes;
create table votes (
  poll_key bigint not null,
  position bigint not null,
  device bytea not null,
  option text not null check (option in ('A', 'B')),
  voted_at bigint not null,
  primary key (poll_key, position)
);
insert into votes (poll_key, position, device, option, voted_at)
  select poll_key, position, device, option, voted_at from earlier_votes order by poll_key, position;
drop table earlier_votes;
create unique index votes_by_device on votes (poll_key, device);
create view device_votes as select poll_key, device, option, voted_at, position from votes;
create view guests as
  select votes.device, min(voted_at) as first_seen_at, max(voted_at) as last_seen_at
  from votes left join forgotten_devices on forgotten_devices.device = votes.device
  where forgotten_at is null or voted_at > forgotten_at
  group by votes.device;

alter table idempotency_keys alter column status type bigint;
alter table webhook_attempts alter column response_status type bigint;
alter table campaigns add constraint campaigns_state_check check (state in ('published', 'draft', 'archived'));

-- sqlite:
-- SQLite cannot add a check to a table. The sequence goes along, so that no key is given twice.
drop index campaigns_titled;
drop index campaigns_owned;
drop index campaigns_listed;
drop index campaigns_deleted;
alter table campaigns rename to earlier_campaigns;
create table campaigns (
  key integer primary key autoincrement,
  id text not null unique,
  brand_key integer not null references brands (key),
  title text not null,
  title_folded text not null,
  description text,
  state text not null check (state in ('published', 'draft', 'archived')),
  is_public integer not null,
  opens_at integer,
  closes_at integer,
  created_at integer not null,
  updated_at integer not null,
  deleted_at integer
) strict;
insert into campaigns select * from earlier_campaigns;
delete from sqlite_sequence where name = 'campaigns';
insert into sqlite_sequence (name, seq) select 'campaigns', seq from sqlite_sequence where name = 'earlier_campaigns';
drop table earlier_campaigns;
create unique index campaigns_titled on campaigns (brand_key, title_folded) where deleted_at is null;
create index campaigns_owned on campaigns (brand_key, created_at, key) where deleted_at is null;
create index campaigns_listed on campaigns (brand_key, created_at, key)
  where deleted_at is null and is_public = 1 and state = 'published';
create index campaigns_deleted on campaigns (deleted_at) where deleted_at is not null;
