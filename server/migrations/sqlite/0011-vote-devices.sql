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
