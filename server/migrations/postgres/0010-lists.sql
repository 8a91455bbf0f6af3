-- Which polls a list leaves out stands in its index, so that they are passed over without being read. A window without a
-- beginning or an end has one that is never reached.
drop index polls_owned;
create index polls_owned on polls (brand_key, created_at, key, is_draft, archived_at,
    coalesce(opens_at, -1000000000000000), coalesce(closes_at, 1000000000000000))
  where deleted_at is null;
drop index polls_recent;
create index polls_recent on polls (brand_key, created_at, key,
    coalesce(opens_at, -1000000000000000), coalesce(closes_at, 1000000000000000))
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null;
drop index polls_popular;
create index polls_popular on polls (brand_key, popularity, key,
    coalesce(opens_at, -1000000000000000), coalesce(closes_at, 1000000000000000))
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null;
drop index polls_closing;
create index polls_closing on polls (brand_key, closes_at, key, coalesce(opens_at, -1000000000000000))
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null and closes_at is not null;
drop index polls_unending;
create index polls_unending on polls (brand_key, key, coalesce(opens_at, -1000000000000000))
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null and closes_at is null;

-- A deleted poll whose votes are removed is not looked at again.
alter table polls add column is_emptied smallint not null default 0;
update polls set is_emptied = 1
  where deleted_at is not null and not exists (select 1 from tallies where tallies.poll_key = polls.key);
drop index polls_deleted;
create index polls_deleted on polls (key) where deleted_at is not null and is_emptied = 0;
