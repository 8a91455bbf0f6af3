-- One that is `listening` belongs to a command that prints events: it has no url and is gone when that time has passed.
create table webhooks (
  key bigint primary key generated always as identity,
  id text not null unique,
  brand_key bigint not null references brands (key),
  url text not null,
  events text not null,
  description text,
  status text not null check (status in ('ACTIVE', 'DISABLED')),
  secret bytea not null,
  earlier_secret bytea,
  earlier_secret_until bigint,
  created_at bigint not null,
  updated_at bigint not null,
  last_delivery_at bigint,
  failing_since bigint,
  listening_until bigint,
  leased_by text,
  leased_until bigint
);
create index webhooks_owned on webhooks (brand_key, created_at, key);
create index webhooks_listening on webhooks (listening_until) where listening_until is not null;

-- Events that wait to be spread over the webhooks that want them. A row that is there is not spread yet.
create table outbox (
  key bigint primary key generated always as identity,
  id text not null,
  brand_key bigint not null,
  type text not null,
  payload text not null,
  created_at bigint not null
);

-- Votes wait in great numbers, many in a row, and nothing else waits for them.
create index outbox_others on outbox (key) where type <> 'poll.voted';

-- Without a foreign key: of a deleted webhook a few go at a time, and the webhook is gone at once. What is pending has
-- a next attempt, and nothing else has.
create table webhook_deliveries (
  key bigint primary key generated always as identity,
  id text not null unique,
  webhook_key bigint not null,
  event_id text not null,
  event_type text not null,
  payload text not null,
  status text not null check (status in ('pending', 'succeeded', 'failed', 'skipped')),
  attempts bigint not null default 0,
  next_attempt_at bigint,
  created_at bigint not null
);
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_key, key);
create index webhook_deliveries_due on webhook_deliveries (webhook_key, next_attempt_at, key)
  where next_attempt_at is not null;

create table webhook_attempts (
  delivery_key bigint not null references webhook_deliveries (key) on delete cascade,
  number bigint not null,
  at bigint not null,
  response_status integer,
  duration_ms bigint not null,
  error_class text,
  response_body text,
  primary key (delivery_key, number)
);

-- Webhooks that are gone and have deliveries left.
create table deleted_webhooks (
  key bigint primary key
);

-- What was last told of a poll's status, and when there will be something to tell. A draft tells nothing.
alter table polls add column announced_status text;
alter table polls add column announce_at bigint;
create index polls_to_announce on polls (announce_at) where announce_at is not null;
update polls
  set announced_status = case
      when opens_at > extract(epoch from now()) * 1000 then 'scheduled'
      when closes_at <= extract(epoch from now()) * 1000 then 'closed'
      else 'open' end
  where is_draft = 0 and deleted_at is null;
update polls set announce_at = opens_at where announced_status = 'scheduled';
update polls set announce_at = closes_at where announced_status = 'open';

-- Polls whose counts have changed since that was last told, for brands that want to be told.
create table tally_notices (
  poll_key bigint primary key,
  is_due smallint not null,
  raised_at bigint not null default 0
);
create index tally_notices_due on tally_notices (poll_key) where is_due = 1;
