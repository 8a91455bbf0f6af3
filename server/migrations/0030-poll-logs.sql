-- The transparency log of each poll (server/src/features/log): RFC 6962 hashes over its votes, in the order of their positions.

-- Up to which `vote_total` the log was extended; -1 before it begins. Votes touch neither this column nor its index.
alter table polls add column logged_votes integer not null default -1;
create index polls_to_log on polls (key) where vote_total > logged_votes and is_draft = 0 and deleted_at is null;

-- The key of the nonces of a poll's votes, encrypted. It outlives generations of the log, and goes with the poll.
create table poll_log_keys (
  poll_key integer primary key references polls (key),
  sealed bytes not null
);

-- One row a generation; at most one of a poll has no `ended_at`. `peaks` are the hashes of the largest perfect trees that make up the
-- log, from left to right, 32 bytes each: the root follows from them, and so does each later one.
create table poll_logs (
  key identity,
  poll_key integer not null references polls (key),
  generation text not null,
  origin text not null,
  size integer not null,
  peaks bytes not null,
  started_at timestamp not null,
  checkpoint_at timestamp not null,
  ended_at timestamp
);
create unique index poll_logs_live on poll_logs (poll_key) where ended_at is null;
create index poll_logs_by_poll on poll_logs (poll_key, key);

-- Hashes of whole trees of 256^level votes, 32 bytes each, up to 256 a row. Level 0 is computed from the votes.
create table poll_log_tiles (
  log_key integer not null references poll_logs (key) on delete cascade,
  level integer not null,
  number integer not null,
  hashes bytes not null,
  primary key (log_key, level, number)
) clustered;
