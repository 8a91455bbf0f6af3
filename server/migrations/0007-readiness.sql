-- One row without a meaning: that it can be written now shows that a vote could be. On SQLite `filler` makes the write at
-- least as large as that of a vote, so that a disk with room for the one has room for the other.
create table readiness (
  key integer primary key,
  checked_at timestamp not null,
  filler bytes
);
insert into readiness (key, checked_at) values (1, 0);
