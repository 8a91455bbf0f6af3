-- What people call an app (null for one that was made without a name), when it last made a request, to the minute, and the
-- secret before the last rotation, with the time until which it still works.
alter table apps add column name text;
alter table apps add column last_used_at timestamp;
alter table apps add column earlier_secret_hash bytes;
alter table apps add column earlier_secret_until timestamp;
create index apps_owned on apps (brand_key, created_at, key);
