-- What is known of where a poll's votes came from, for each hour: counts alone, no address and no hash of one. Several servers
-- add to the same row. `largest` and `top_ten` are the votes of the network, and of the ten networks, with the most votes.
create table vote_integrity (
  poll_key integer not null,
  at timestamp not null,
  votes integer not null,
  largest integer not null,
  top_ten integer not null,
  peak_minute integer not null,
  challenged integer not null,
  without_origin integer not null,
  refused_rate integer not null,
  refused_challenge integer not null,
  refused_origin integer not null,
  refused_invalid integer not null,
  primary key (poll_key, at)
) clustered;

-- When a poll's last `poll.integrity_alert` was raised.
create table integrity_alerts (
  poll_key integer primary key,
  at timestamp not null
);
