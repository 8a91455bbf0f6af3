-- sqlite:
-- Who voted on which poll, in runs: each is written once, in the order of polls and prints, and later merged with others into a
-- greater one. A part has up to a hundred and some entries of 8 bytes: the position of a vote and the print of its voter, 32 bits
-- each, little-endian (server/src/db/sqlite/device-runs.ts). A run counts once it is whole.
create table device_runs (
  key integer primary key autoincrement,
  entries integer not null,
  is_whole integer not null
) strict;
create table device_run_parts (
  run_key integer not null,
  poll_key integer not null,
  first_print integer not null,
  entries blob not null,
  primary key (run_key, poll_key, first_print)
) strict, without rowid;

-- The set of the prints of a run, in chunks of at most 64 KiB: it is read whole (server/src/db/sqlite/bloom-filter.ts).
create table device_run_prints (
  run_key integer not null,
  chunk integer not null,
  words blob not null,
  primary key (run_key, chunk)
) strict;

drop trigger vote_removed;
drop trigger tally_removed;
drop table vote_devices;
-- The start that follows writes the runs of all votes.
delete from vote_devices_to;
create trigger tally_removed after delete on tallies begin
  delete from device_run_parts where poll_key = old.poll_key and run_key in (select key from device_runs);
  delete from vote_devices_to where poll_key = old.poll_key;
end;
