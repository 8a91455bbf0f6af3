-- Votes and what the ledger counts. The ledger's tables refer to polls without foreign keys: the ledger holds the lock of a
-- poll whenever it writes them, and a check for each vote would cost more than the rest of the vote.

create table tallies (
  poll_key integer primary key,
  option_a integer not null default 0,
  option_b integer not null default 0,
  version integer not null default 0,
  updated_at timestamp not null
);

-- In the order in which they were cast, so that a group of votes fills the last page of its poll.
create table votes (
  poll_key integer not null,
  position integer not null,
  device bytes not null,
  option text not null check (option in ('A', 'B')),
  voted_at timestamp not null,
  primary key (poll_key, position)
) clustered;

-- postgres:
create unique index votes_by_device on votes (poll_key, device);
create view device_votes as select poll_key, device, option, voted_at, position from votes;

-- sqlite:
-- An index on random devices would change one page for each vote. `vote_devices` takes its place: the server writes it
-- after the votes, many at once and in the order of its keys. `vote_devices_to` is the position up to which it is complete
-- for a poll; the devices of later votes are in the memory of the server, which also makes the view `temp.device_votes`
-- (server/src/db/sqlite/vote-devices.ts).
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
create trigger vote_removed after delete on votes begin
  delete from vote_devices where poll_key = old.poll_key and device = old.device;
end;
create trigger tally_removed after delete on tallies begin
  delete from vote_devices where poll_key = old.poll_key;
  delete from vote_devices_to where poll_key = old.poll_key;
end;

-- both:
-- How many votes each minute and each hour brought a poll: `width` is the length of the span that begins at `at`.
create table vote_counts (
  poll_key integer not null,
  width integer not null,
  at timestamp not null,
  option_a integer not null,
  option_b integer not null,
  primary key (poll_key, width, at)
) clustered;

-- Devices that asked to be forgotten, or that a purge forgot. Their votes up to `forgotten_at` belong to nobody.
create table forgotten_devices (
  device bytes primary key,
  forgotten_at timestamp not null
) clustered;
create index forgotten_devices_by_time on forgotten_devices (forgotten_at);

-- A guest is a device that has voted and is not forgotten.
create view guests as
  select votes.device, min(voted_at) as first_seen_at, max(voted_at) as last_seen_at
  from votes left join forgotten_devices on forgotten_devices.device = votes.device
  where forgotten_at is null or voted_at > forgotten_at
  group by votes.device;
