-- Links to the results of a poll or a campaign for people without an account. Only a keyed hash of the token in a link is stored.
-- Polls stay as tombstones, so burying a poll deletes its links; campaigns are deleted with theirs.
create table results_links (
  key identity,
  id text not null unique,
  poll_key integer references polls (key),
  campaign_key integer references campaigns (key) on delete cascade,
  hash bytes not null unique,
  created_at timestamp not null,
  expires_at timestamp,
  check ((poll_key is null) <> (campaign_key is null))
);
create index results_links_by_poll on results_links (poll_key, created_at, key) where poll_key is not null;
create index results_links_by_campaign on results_links (campaign_key, created_at, key) where campaign_key is not null;
create index results_links_by_expiry on results_links (expires_at) where expires_at is not null;
