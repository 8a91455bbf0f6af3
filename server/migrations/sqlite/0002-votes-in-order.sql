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
