-- Webhooks and listeners, and the events on their way to them.

create table webhooks (
  key identity,
  id text not null unique,
  brand_key integer not null references brands (key),
  url text not null,
  events text not null,
  description text,
  status text not null check (status in ('ACTIVE', 'DISABLED')),
  secret bytes not null,
  earlier_secret bytes,
  earlier_secret_until timestamp,
  created_at timestamp not null,
  updated_at timestamp not null,
  last_delivery_at timestamp,
  failing_since timestamp,
  leased_by text,
  leased_until timestamp
);
create index webhooks_owned on webhooks (brand_key, created_at, key);

-- Commands that print events. One that has not fetched its events until `listening_until` is removed.
create table listeners (
  key identity,
  brand_key integer not null references brands (key),
  events text not null,
  listening_until timestamp not null
);
create index listeners_by_brand on listeners (brand_key);
create index listeners_by_end on listeners (listening_until);

-- Events that a listener has not fetched yet. Without a foreign key: a listener may end while an event is fanned out to it.
create table listener_events (
  key identity,
  listener_key integer not null,
  event_id text not null,
  payload text not null
);
create index listener_events_by_listener on listener_events (listener_key, key);

-- Events that wait to become deliveries. Votes come in great numbers, so the other types have an index of their own and
-- never wait for them.
create table outbox (
  key identity,
  id text not null,
  brand_key integer not null,
  type text not null,
  payload text not null,
  created_at timestamp not null
);
create index outbox_others on outbox (key) where type <> 'poll.voted';

-- Without a foreign key: a deleted webhook is gone at once, its deliveries are removed in batches. Only a pending delivery
-- has a `next_attempt_at`.
create table webhook_deliveries (
  key identity,
  id text not null unique,
  webhook_key integer not null,
  event_id text not null,
  event_type text not null,
  payload text not null,
  status text not null check (status in ('pending', 'succeeded', 'failed', 'skipped')),
  attempts integer not null default 0,
  next_attempt_at timestamp,
  created_at timestamp not null
);
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_key, key);
create index webhook_deliveries_due on webhook_deliveries (webhook_key, next_attempt_at, key)
  where next_attempt_at is not null;

create table webhook_attempts (
  delivery_key integer not null references webhook_deliveries (key) on delete cascade,
  number integer not null,
  at timestamp not null,
  response_status integer,
  duration_ms integer not null,
  error_class text,
  response_body text,
  primary key (delivery_key, number)
) clustered;

-- Deleted webhooks that still have deliveries.
create table deleted_webhooks (
  key integer primary key
);

-- Polls whose counts have changed since the last event about them, for brands that want that event.
create table tally_notices (
  poll_key integer primary key,
  is_due flag not null,
  raised_at timestamp not null default 0
);
create index tally_notices_due on tally_notices (poll_key) where is_due = 1;
