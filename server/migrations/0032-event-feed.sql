-- The events of the last 30 days, for programs that read them in order (server/src/features/webhooks/event-feed.ts). Keys are given
-- out under a lock that is held until the commit, so that no row appears before one that a reader has seen.
create table event_feed (
  key identity,
  id text not null,
  brand_key integer not null,
  type text not null,
  payload text not null,
  published_at timestamp not null
);
create index event_feed_by_brand on event_feed (brand_key, key);
