-- What a poll said before each change of its title or labels after the first vote: shown on its page. The newest of each poll
-- are kept (server/src/features/polls/snapshots/revisions.ts).
create table poll_revisions (
  poll_key integer not null references polls (key),
  revised_at timestamp not null,
  title text not null,
  label_a text not null,
  label_b text not null,
  primary key (poll_key, revised_at)
) clustered;
