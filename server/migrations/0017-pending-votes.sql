-- sqlite:
-- Votes of groups on many polls, each group in one row until the server writes many groups at once into `votes`, `tallies` and
-- `vote_counts`. Every reader settles them first (server/src/db/sqlite/pending-votes.ts).
create table pending_votes (
  key integer primary key autoincrement,
  voted_at integer not null,
  votes blob not null
) strict;
