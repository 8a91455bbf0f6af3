-- postgres:
-- Nothing: PostgreSQL has an index of devices, and inserts votes of any group at once.

-- sqlite:
-- 1. Votes in the packed rows of `pending_votes` move to `votes`, `tallies` and `vote_counts`. A packed vote is its poll's key as
-- a float of 64 bits, its position in 32, its option and its device: 29 bytes.
create table unpacked_votes (
  poll_key integer not null,
  position integer not null,
  option text not null,
  device blob not null,
  voted_at integer not null,
  group_key integer not null
) strict;
insert into unpacked_votes (poll_key, position, option, device, voted_at, group_key)
with recursive entries (key, voted_at, votes, at) as (
  select key, voted_at, votes, 1 from pending_votes where length(votes) > 0
  union all
  select key, voted_at, votes, at + 29 from entries where at + 29 < length(votes)
)
select
  ((('0x' || substr(hex(substr(votes, at, 8)), 4)) ->> '$') | (1 << 52)) >> (1075 - (('0x' || substr(hex(substr(votes, at, 8)), 1, 3)) ->> '$')),
  ('0x' || hex(substr(votes, at + 8, 4))) ->> '$',
  cast(substr(votes, at + 12, 1) as text),
  substr(votes, at + 13, 16),
  voted_at,
  key
from entries;
-- Those up to the last position of their poll had been moved already.
delete from unpacked_votes
where position <= (select coalesce(max(position), 0) from votes where votes.poll_key = unpacked_votes.poll_key);
insert into votes (poll_key, position, device, option, voted_at)
select poll_key, position, device, option, voted_at from unpacked_votes order by poll_key, position;
update tallies
set option_a = option_a + gain.a, option_b = option_b + gain.b, version = version + gain.groups, updated_at = gain.last_at
from (
  select poll_key, sum(option = 'A') as a, sum(option = 'B') as b, count(distinct group_key) as groups, max(voted_at) as last_at
  from unpacked_votes group by poll_key
) as gain
where gain.poll_key = tallies.poll_key;
insert into vote_counts (poll_key, width, at, option_a, option_b)
select poll_key, width, voted_at - voted_at % width as at, sum(option = 'A'), sum(option = 'B')
from unpacked_votes cross join (select 60000 as width union all select 3600000)
where true group by 1, 2, 3
on conflict (poll_key, width, at) do update
set option_a = option_a + excluded.option_a, option_b = option_b + excluded.option_b;
drop table unpacked_votes;
drop table pending_votes;

-- 2. Positions run from 1 without gaps. An early version could leave others where a tally had been wrong.
create table renumbered_votes as
select poll_key, row_number() over (partition by poll_key order by position) as position, device, option, voted_at
from votes
where poll_key in (select poll_key from votes group by poll_key having min(position) <> 1 or max(position) <> count(*))
  and poll_key in (select key from polls where deleted_at is null);
delete from votes where poll_key in (select poll_key from renumbered_votes);
insert into votes (poll_key, position, device, option, voted_at)
select poll_key, position, device, option, voted_at from renumbered_votes order by poll_key, position;
drop table renumbered_votes;

-- 3. Who has voted is in the memory of the server. `vote_prints` only makes a start faster: a row has the first 4 bytes of the hash of
-- each of 4,096 votes in a row, and may be missing (server/src/db/sqlite/voters.ts).
drop trigger tally_removed;
drop table device_run_parts;
drop table device_run_prints;
drop table device_runs;
drop table vote_devices_to;
create table vote_prints (
  poll_key integer not null,
  block integer not null,
  prints blob not null,
  primary key (poll_key, block)
) strict;
create trigger tally_removed after delete on tallies begin
  delete from vote_prints where poll_key = old.poll_key;
end;

-- 4. The newest votes, until many move to `votes` at once: each reader of `votes` moves them first (server/src/db/sqlite/fresh-votes.ts).
create table fresh_votes (
  poll_key integer not null,
  position integer not null,
  device blob not null,
  option text not null check (option in ('A', 'B')),
  voted_at integer not null
) strict;

-- 5. In the order of time, so that the counts of a group on many polls share pages.
create table counts_by_time (
  poll_key integer not null,
  width integer not null,
  at integer not null,
  option_a integer not null,
  option_b integer not null,
  primary key (width, at, poll_key)
) strict, without rowid;
insert into counts_by_time (poll_key, width, at, option_a, option_b)
select poll_key, width, at, option_a, option_b from vote_counts order by width, at, poll_key;
drop table vote_counts;
alter table counts_by_time rename to vote_counts;
create unique index vote_counts_by_poll on vote_counts (poll_key, width, at);
